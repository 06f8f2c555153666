"""Permutations of dimensions: of any shape, of arrays with gaps, bit by bit."""

from __future__ import annotations

import numpy

import permute

from .arrays import Case, Drawing

TYPES = ("int8", "int16", "float32", "float64", "complex128")


def draw_extents(drawing: Drawing, rank: int) -> list[int]:
    """Of an array of that rank that the device has room for."""
    room, extents = drawing.device.room, []
    for _ in range(rank):
        extents.append(min(drawing.extent(max(room // 2, 1)), room))
        room //= extents[-1]
    drawing.random.shuffle(extents)
    return extents


def draw_bits(drawing: Drawing, dtype: str, *shape: int) -> numpy.ndarray:
    """Elements of any bits, NaNs among them."""
    count = int(numpy.prod(shape)) * numpy.dtype(dtype).itemsize
    return drawing.numbers.integers(0, 256, count, numpy.uint8).view(dtype).reshape(shape)


def compare_bits(result: numpy.ndarray, expected: numpy.ndarray) -> str:
    return "" if result.tobytes() == expected.tobytes() else "other bits than NumPy has"


def permutation(drawing: Drawing) -> Case:
    rank = drawing.pick(2, 2, 3, 3, 4, 5)
    dtype = drawing.dtype(*TYPES)
    extents = draw_extents(drawing, rank)
    order = drawing.random.sample(range(rank), rank)
    # Every so many elements of a larger array, from some place on.
    steps = [drawing.pick(1, 1, 1, 1, 2, 3) for _ in range(rank)]
    first = [drawing.pick(0, 0, 0, 1, 5) for _ in range(rank)]
    larger = [a + n * step for a, n, step in zip(first, extents, steps, strict=True)]
    place = tuple(
        slice(a, a + n * step, step) for a, n, step in zip(first, extents, steps, strict=True)
    )
    name = f"permutation {dtype} {extents} of {larger} by {steps} to {order}"

    def run() -> str:
        gap = drawing.pick(0, 0, 1, 7)
        values = draw_bits(drawing, dtype, *larger)
        out_shape = [extents[axis] for axis in order]
        before = draw_bits(drawing, dtype, *out_shape[:-1], out_shape[-1] + gap)
        there = (..., slice(None, out_shape[-1]))
        x, out = drawing.device.put(values, dtype), drawing.device.put(before, dtype)
        permute.permute(x[place], out[there], order)
        before[there] = values[place].transpose(order)
        return compare_bits(drawing.device.get(out), before)

    return Case(name, run)


def transpose(drawing: Drawing) -> Case:
    m, n = drawing.shape()
    dtype = drawing.dtype(*TYPES)

    def run() -> str:
        values = draw_bits(drawing, dtype, m, n)
        x = drawing.device.put(values, dtype)
        out = drawing.device.put(numpy.zeros((n, m), dtype), dtype)
        permute.transpose(x, out)
        return compare_bits(drawing.device.get(out), values.T)

    return Case(f"transpose {dtype} {m} x {n}", run)


def long_rows(drawing: Drawing) -> Case:
    """A transpose in large blocks, where rows of both arrays begin anywhere."""
    # Some have several blocks along both.
    most = drawing.pick(140, 140, 900)
    m, n = drawing.random.randint(129, 600), drawing.random.randint(33, most)
    before, behind = drawing.random.randint(0, 20), drawing.random.randint(0, 20)
    dtype = drawing.dtype("int8", "int16", "float32", "float64")
    name = f"long rows {dtype} {m} x {n}, {before} before and {behind} behind them"
    blocks = {
        1: ((256, 64, 8), (256, 64, 16), (256, 128, 16), (512, 64, 16)),
        2: ((256, 64, 8), (256, 128, 16), (128, 64, 4)),
        4: ((64, 64, 8), (128, 64, 16), (64, 128, 4)),
        8: ((64, 64, 8), (32, 64, 16), (64, 32, 4)),
    }
    block = drawing.pick(*blocks[numpy.dtype(dtype).itemsize])

    def run() -> str:
        values = draw_bits(drawing, dtype, m, before + n)
        expected = draw_bits(drawing, dtype, n, before + m + behind)
        rows = slice(before, before + m)
        x, out = drawing.device.put(values, dtype), drawing.device.put(expected, dtype)
        permute.permute(x[:, before:], out[:, rows], (1, 0), shape=block)
        expected[:, rows] = values[:, before:].T
        return compare_bits(drawing.device.get(out), expected)

    return Case(name, run)


def pixels(drawing: Drawing) -> Case:
    """A few small elements of each of many rows, which become rows of their own. Other elements may
    be between those of two rows, and rows may go backwards."""
    count, colours = drawing.random.randint(200, 1500), drawing.pick(2, 3, 3, 4, 5)
    gap, before = drawing.pick(0, 0, 0, 1, 5, 30), drawing.random.randint(0, 20)
    step = drawing.pick(*drawing.device.steps)
    dtype = drawing.dtype("int8", "int16")
    name = f"pixels {dtype} {count} x {colours}, {gap} between, {before} before, by {step}"
    block = drawing.pick((256, 4, 4), (512, 4, 2), (1024, 4, 8))

    def run() -> str:
        values = draw_bits(drawing, dtype, count, colours + gap)
        expected = draw_bits(drawing, dtype, colours, before + count)
        x, out = drawing.device.put(values, dtype), drawing.device.put(expected, dtype)
        permute.permute(x[::step, :colours], out[:, before:], (1, 0), shape=block)
        expected[:, before:] = values[::step, :colours].T
        return compare_bits(drawing.device.get(out), expected)

    return Case(name, run)


def odd_rows(drawing: Drawing) -> Case:
    """Rows of small elements that begin anywhere, in another order."""
    m, k, n = (drawing.random.randint(1, 40) for _ in range(3))
    m *= drawing.pick(1, 2, 4, 4)
    n = 2 * n + drawing.pick(0, 1, 1, 1)
    gap, begin = drawing.pick(0, 0, 0, 1, 5), drawing.pick(0, 0, 0, 1, 8)
    dtype = drawing.dtype("int8", "int16")
    name = f"odd rows {dtype} {m} x {k} x {n}, {gap} between, from {begin} on"
    block = drawing.pick(None, (64, 4, 2), (128, 8, 4), (512, 2, 4))

    def run() -> str:
        values = draw_bits(drawing, dtype, m, k, n + gap)
        expected = draw_bits(drawing, dtype, begin + m * k * n)
        x, out = drawing.device.put(values, dtype), drawing.device.put(expected, dtype)
        permute.permute(x[..., :n], out[begin:].reshape(k, m, n), (1, 0, 2), shape=block)
        expected[begin:] = values[..., :n].transpose(1, 0, 2).reshape(-1)
        return compare_bits(drawing.device.get(out), expected)

    return Case(name, run)


FAMILIES = (permutation, transpose, long_rows, pixels, odd_rows)
