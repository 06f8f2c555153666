"""Rows of a table by their numbers, and the gradient of the table, which several tokens add to: by
atomics, or in the order of the tokens, so that the result has the same bits in each run."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import group


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


@tilewright.jit
def embedding_backward_ordered_kernel(tokens, starts, grad, table_grad, dimension,
                                      COLUMNS: tl.constexpr):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = columns < dimension
    total = tl.zeros([COLUMNS], tl.float32)
    last = tl.load(starts + row + 1)
    # Two at a time: of each a row waits for its number.
    for i in range(tl.load(starts + row), last, 2):
        is_pair = i + 1 < last
        first = tl.load(tokens + i).to(tl.int64)
        second = tl.load(tokens + i + 1, mask=is_pair, other=0).to(tl.int64)
        a = tl.load(grad + first * dimension + columns, mask=inside, other=0.0)
        b = tl.load(grad + second * dimension + columns, mask=inside & is_pair, other=0.0)
        total = total + a.to(tl.float32) + b.to(tl.float32)
    target = table_grad + row * dimension + columns
    tl.store(target, total.to(table_grad.dtype.element_ty), mask=inside)


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


def embedding_backward_ordered(
    ids: Any, grad: Any, table_grad: Any, block: int = 1024, **launch: Any
) -> None:
    """table_grad[row] = the sum of grad[i] where ids[i] is the row, in that order."""
    rows, dimension = table_grad.shape
    block = min(block, tilewright.next_power_of_2(dimension))
    tokens, starts = group(ids, rows, launch.get("stream"))
    embedding_backward_ordered_kernel[(rows, tilewright.cdiv(dimension, block))](
        tokens, starts, grad, table_grad, dimension, COLUMNS=block, **launch
    )


def reference(ids: numpy.ndarray, table: numpy.ndarray) -> numpy.ndarray:
    known = (ids >= 0) & (ids < len(table))
    return numpy.where(known[:, None], table[numpy.where(known, ids, 0)], 0)


def reference_backward(ids: numpy.ndarray, grad: numpy.ndarray, rows: int) -> numpy.ndarray:
    table_grad = numpy.zeros((rows, grad.shape[1]))
    known = (ids >= 0) & (ids < rows)
    numpy.add.at(table_grad, ids[known], grad[known].astype(numpy.float64))
    return table_grad
