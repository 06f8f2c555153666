"""The dimensions of an array in another order: transposes, and all other permutations."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import strides, words


@tilewright.jit
def permute_kernel(x, out, extents, x_strides, out_strides, steps, BLOCK: tl.constexpr):
    """Copies a block. The last dimension is the one along which `out` is dense, and `steps` says
    how many programs there are until one is further along a dimension."""
    rest = tl.program_id(0)
    here = tl.zeros([1], tl.int64)
    there = tl.zeros([1], tl.int64)
    inside = tl.full([1], 1, tl.int1)
    for d in tl.static_range(len(BLOCK)):
        index = rest // steps[d] * BLOCK[d] + tl.arange(0, BLOCK[d])
        rest %= steps[d]
        inside = tl.expand_dims(inside, -1) & (index < extents[d])
        here = tl.expand_dims(here, -1) + index.to(tl.int64) * x_strides[d]
        there = tl.expand_dims(there, -1) + index.to(tl.int64) * out_strides[d]
    tl.store(out + there, tl.load(x + here, mask=inside), mask=inside)


def collapse(
    shape: Sequence[int], x_strides: Sequence[int], out_strides: Sequence[int]
) -> list[tuple[int, int, int]]:
    """The dimensions as (extent, stride of x, stride of out), with that first along which `out` is
    dense, without those of one element. What is one dimension in both arrays is one here."""
    dims: list[tuple[int, int, int]] = []
    given = zip(shape, x_strides, out_strides, strict=True)
    for n, here, there in sorted(given, key=lambda dim: abs(dim[2])):
        if dims and (here, there) == (dims[-1][0] * dims[-1][1], dims[-1][0] * dims[-1][2]):
            dims[-1] = (n * dims[-1][0], *dims[-1][1:])
        elif n != 1:
            dims.append((n, here, there))
    return dims or [(1, 1, 1)]


# How many elements of so many bytes a program has side by side in `out` and in `x`, and its warps:
# where blocks fit, where they do not, and where rows begin anywhere.
SHAPES = {
    1: ((128, 256, 8), (128, 128, 8), (64, 128, 4)),
    2: ((128, 128, 8), (128, 64, 8), (128, 64, 4)),
    4: ((64, 64, 8), (128, 128, 8), (128, 64, 8)),
    8: ((32, 32, 4), (64, 32, 8), (64, 64, 8)),
}


# Where words are put together.
LARGE = {1: (512, 128, 16), 2: (256, 128, 8)}
# Of so many pixels, whose few elements lie side by side in `x`: how many, and warps.
PIXELS = {1: (2048, 4), 2: (1024, 4)}


def choose_shape(dims: Sequence[tuple[int, int, int]], size: int) -> tuple[int, int, int]:
    """One of these."""
    fitting, ragged, odd = SHAPES[size]
    x_steps, out_steps = (
        [abs(dim[array]) * size for dim in dims if abs(dim[array]) > 1] for array in (1, 2)
    )
    x_row = min(dims, key=lambda dim: abs(dim[1]))
    # Pixels go through shared memory in one run.
    is_pixel = x_row[1] == 1 and 1 < x_row[0] * size <= 16
    if size in PIXELS and is_pixel and 0 < dims[0][1] * size <= 16 and dims[0][0] >= 256:
        return (PIXELS[size][0], tilewright.next_power_of_2(x_row[0]), PIXELS[size][1])
    if any(step % 16 for step in x_steps + out_steps):
        # Rows that stay rows go through no shared memory, and need not be many.
        if dims[0][1] == 1:
            return (128, 8, 4)
        # Where those of `x` begin at no word, and those of `out` at no vector, words are put
        # together out of shared memory. Rows are long, as each begins and ends with elements.
        is_long = dims[0][0] >= LARGE[1][0] // 2
        if is_long and any(step % 4 for step in x_steps) and any(step % 16 for step in out_steps):
            return LARGE[size]
        return odd
    return ragged if dims[0][0] % fitting[0] or x_row[0] % fitting[1] else fitting


def choose_block(dims: Sequence[tuple[int, int, int]], out_run: int, x_run: int) -> tuple[int, ...]:
    """What a program has of each dimension: so much that so many elements are side by side in both
    arrays."""
    block = [1] * len(dims)
    extents = [tilewright.next_power_of_2(n) for n, _, _ in dims]
    order_of_x = sorted(range(len(dims)), key=lambda d: abs(dims[d][1]))
    for run, order in ((out_run, range(len(dims))), (x_run, order_of_x)):
        for d in order:
            block[d] = max(block[d], min(run, extents[d]))
            run = max(run // block[d], 1)
    # Where dimensions are short, others make up for it.
    missing = out_run * x_run // int(numpy.prod(block))
    for d in [*order_of_x[:2], *range(len(dims))]:
        more = min(max(missing, 1), extents[d] // block[d])
        block[d], missing = block[d] * more, missing // more
    return tuple(block)


def permute(
    x: Any, out: Any, order: Sequence[int], shape: tuple[int, int, int] | None = None,
    **launch: Any,
) -> None:  # fmt: skip
    """out = x with its dimensions in this order. Both may have any strides. `shape`: in place of
    the one of `SHAPES` that is chosen."""
    x, out, order = words(x), words(out), list(order)
    # An element of 16 bytes has a dimension of its own.
    order += range(len(order), x.ndim)
    x_strides = [strides(x)[d] for d in order]
    dims = collapse(out.shape, x_strides, strides(out))
    *runs, num_warps = shape or choose_shape(dims, out.itemsize)
    block = choose_block(dims, *runs)
    programs = [tilewright.cdiv(n, size) for (n, _, _), size in zip(dims, block, strict=True)]
    *steps, count = accumulate(programs, operator.mul, initial=1)
    # Programs that follow one another write what is side by side.
    permute_kernel[(count,)](
        x, out, *zip(*dims[::-1], strict=True), tuple(steps[::-1]), BLOCK=block[::-1],
        **{"num_warps": num_warps, **launch},
    )  # fmt: skip


def transpose(x: Any, out: Any, **launch: Any) -> None:
    """out = x with its last two dimensions exchanged."""
    order = list(range(x.ndim))
    order[-2:] = order[:-3:-1]
    permute(x, out, order, **launch)


def reference(x: numpy.ndarray, order: Sequence[int]) -> numpy.ndarray:
    return x.transpose(order)
