"""What is added to pointers, in whatever order a program writes it: the taps of a convolution and
of a filter, whose elements are loaded one at a time."""

import numpy as np

import tilewright
import tilewright.language as tl


@tilewright.jit
def convolve(
    x, w, y, N, C, H, W, K,
    SIZE: tl.constexpr, PIXELS: tl.constexpr, CHANNELS: tl.constexpr, FILTERS: tl.constexpr,
):  # fmt: skip
    """y[n, k, h, w] of odd images, by products of pixels and channels."""
    at = tl.program_id(0) * PIXELS + tl.arange(0, PIXELS)
    image = at // (H * W)
    row = at // W % H
    column = at % W
    filters = tl.arange(0, FILTERS)
    sums = tl.zeros((PIXELS, FILTERS), tl.float32)
    for step in range(SIZE * SIZE * tl.cdiv(C, CHANNELS)):
        channels = step // (SIZE * SIZE) * CHANNELS + tl.arange(0, CHANNELS)
        down = step % (SIZE * SIZE) // SIZE
        right = step % SIZE
        r = row + down - SIZE // 2
        c = column + right - SIZE // 2
        pixels = (
            x
            + image[:, None] * (C * H * W)
            + channels[None, :] * (H * W)
            + r[:, None] * W
            + c[:, None]
        )
        inside = (image < N) & (r >= 0) & (r < H) & (c >= 0) & (c < W)
        a = tl.load(pixels, mask=inside[:, None] & (channels < C)[None, :], other=0.0)
        weights = (
            w
            + filters[None, :] * C * SIZE * SIZE
            + channels[:, None] * SIZE * SIZE
            + down * SIZE
            + right
        )
        b = tl.load(weights, mask=(channels < C)[:, None] & (filters < K)[None, :], other=0.0)
        sums += tl.dot(a, b)
    out = y + (image[:, None] * K + filters[None, :]) * H * W + row[:, None] * W + column[:, None]
    tl.store(out, sums, mask=(image < N)[:, None] & (filters < K)[None, :])


def test_taps_of_a_convolution(target):
    random = np.random.default_rng(1)
    images, channels, height, width, filters = 2, 19, 5, 7, 13
    x = random.integers(-4, 5, (images, channels, height, width)).astype(np.float16)
    w = random.integers(-4, 5, (filters, channels, 3, 3)).astype(np.float16)
    y = np.zeros((images, filters, height, width), np.float32)
    grid = (tilewright.cdiv(images * height * width, 64),)
    convolve[grid](
        x, w, y, images, channels, height, width, filters,
        SIZE=3, PIXELS=64, CHANNELS=32, FILTERS=16, target=target,
    )  # fmt: skip
    padded = np.pad(x.astype(np.float32), ((0, 0), (0, 0), (1, 1), (1, 1)))
    expected = np.zeros_like(y)
    for down in range(3):
        for right in range(3):
            part = padded[:, :, down : down + height, right : right + width]
            taps = w[:, :, down, right].astype(np.float32)
            expected += np.einsum("nchw,kc->nkhw", part, taps)
    np.testing.assert_array_equal(y, expected)


@tilewright.jit
def soften(x, y, height, width, BLOCK: tl.constexpr):
    """Sums of 3 x 3 bytes."""
    row = tl.program_id(1)
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.int32)
    for down in tl.static_range(-1, 2):
        for right in tl.static_range(-1, 2):
            inside = (row + down >= 0) & (row + down < height)
            inside = inside & (column + right >= 0) & (column + right < width)
            total += tl.load(x + (row + down) * width + column + right, mask=inside, other=0)
    tl.store(y + row * width + column, total, mask=column < width)


def soften_by_numpy(x):
    padded = np.pad(x.astype(np.int32), 1)
    height, width = x.shape
    return sum(
        padded[down : down + height, right : right + width]
        for down in range(3)
        for right in range(3)
    )


def test_bytes_beside_one_another(target):
    for width in (208, 211):
        x = np.random.default_rng(width).integers(0, 28, (5, width)).astype(np.uint8)
        y = np.zeros(x.shape, np.int32)
        soften[(tilewright.cdiv(width, 128), 5)](
            x, y, *x.shape, BLOCK=128, num_warps=1, target=target
        )
        np.testing.assert_array_equal(y, soften_by_numpy(x))
