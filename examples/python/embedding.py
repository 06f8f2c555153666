"""Rows of a table by their numbers, and the gradient of the table, which several tokens add to."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl


@tilewright.jit
def places_of_block(ids, n_tokens, n_rows, dimension, TOKENS: tl.constexpr, COLUMNS: tl.constexpr):
    """Where a block of the result stands, where it comes from in the table, and which part of it is
    there: numbers that are not in the table, such as -1, mean nothing."""
    tokens = tl.program_id(0) * TOKENS + tl.arange(0, TOKENS)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    rows = tl.load(ids + tokens, mask=tokens < n_tokens, other=-1).to(tl.int64)
    known = (rows >= 0) & (rows < n_rows)
    inside = (tokens < n_tokens)[:, None] & (columns < dimension)[None, :]
    here = tokens.to(tl.int64)[:, None] * dimension + columns[None, :]
    there = rows[:, None] * dimension + columns[None, :]
    return here, there, inside, known[:, None]


@tilewright.jit
def embedding_kernel(ids, table, out, n_tokens, n_rows, dimension,
                     TOKENS: tl.constexpr, COLUMNS: tl.constexpr):  # fmt: skip
    here, there, inside, known = places_of_block(ids, n_tokens, n_rows, dimension, TOKENS, COLUMNS)
    values = tl.load(table + there, mask=inside & known, other=0.0)
    tl.store(out + here, values, mask=inside)


@tilewright.jit
def embedding_backward_kernel(ids, grad, table_grad, n_tokens, n_rows, dimension,
                              TOKENS: tl.constexpr, COLUMNS: tl.constexpr):  # fmt: skip
    here, there, inside, known = places_of_block(ids, n_tokens, n_rows, dimension, TOKENS, COLUMNS)
    values = tl.load(grad + here, mask=inside, other=0.0).to(tl.float32)
    tl.atomic_add(table_grad + there, values, mask=inside & known, sem="relaxed")


def grid_of(tokens: int, dimension: int, blocks: tuple[int, int]) -> tuple[int, int]:
    return tilewright.cdiv(tokens, blocks[0]), tilewright.cdiv(dimension, blocks[1])


def embedding(
    ids: Any, table: Any, out: Any, blocks: tuple[int, int] = (4, 512), **launch: Any
) -> None:
    """out[i] = table[ids[i]], or zeros where there is no such row."""
    (tokens,), (rows, dimension) = ids.shape, table.shape
    embedding_kernel[grid_of(tokens, dimension, blocks)](
        ids, table, out, tokens, rows, dimension, TOKENS=blocks[0], COLUMNS=blocks[1], **launch
    )  # fmt: skip


def embedding_backward(
    ids: Any, grad: Any, table_grad: Any, blocks: tuple[int, int] = (4, 512), **launch: Any
) -> None:
    """Adds grad[i] to table_grad[ids[i]], which is f32."""
    (tokens,), (rows, dimension) = ids.shape, table_grad.shape
    embedding_backward_kernel[grid_of(tokens, dimension, blocks)](
        ids, grad, table_grad, tokens, rows, dimension, TOKENS=blocks[0], COLUMNS=blocks[1],
        **launch,
    )  # fmt: skip


def reference(ids: numpy.ndarray, table: numpy.ndarray) -> numpy.ndarray:
    known = (ids >= 0) & (ids < len(table))
    return numpy.where(known[:, None], table[numpy.where(known, ids, 0)], 0)


def reference_backward(ids: numpy.ndarray, grad: numpy.ndarray, rows: int) -> numpy.ndarray:
    table_grad = numpy.zeros((rows, grad.shape[1]))
    known = (ids >= 0) & (ids < rows)
    numpy.add.at(table_grad, ids[known], grad[known].astype(numpy.float64))
    return table_grad
