"""Images: filters, resizing, transforms of blocks, pooling."""

from __future__ import annotations

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case
from bench.work import Work, count_bytes

ONE = tuple({"BLOCK": block, "num_warps": 4} for block in (512, 1024))


@tilewright.jit
def resize_bilinear_kernel(x, out, H, W, OH, OW, scale_h, scale_w, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    ow = offs % OW
    oh = (offs // OW) % OH
    nc = offs // (OW * OH)
    fy = tl.maximum((oh.to(tl.float32) + 0.5) * scale_h - 0.5, 0.0)
    fx = tl.maximum((ow.to(tl.float32) + 0.5) * scale_w - 0.5, 0.0)
    y0 = fy.to(tl.int32)
    x0 = fx.to(tl.int32)
    y1 = tl.minimum(y0 + 1, H - 1)
    x1 = tl.minimum(x0 + 1, W - 1)
    wy = fy - y0
    wx = fx - x0
    base = x + nc * H * W
    v00 = tl.load(base + y0 * W + x0, mask=mask, other=0.0).to(tl.float32)
    v01 = tl.load(base + y0 * W + x1, mask=mask, other=0.0).to(tl.float32)
    v10 = tl.load(base + y1 * W + x0, mask=mask, other=0.0).to(tl.float32)
    v11 = tl.load(base + y1 * W + x1, mask=mask, other=0.0).to(tl.float32)
    top = v00 + (v01 - v00) * wx
    bottom = v10 + (v11 - v10) * wx
    result = top + (bottom - top) * wy
    tl.store(out + offs, result.to(out.dtype.element_ty), mask=mask)


@case
def resize_bilinear(data: Data, n: int = 16, c: int = 32, h: int = 128, w: int = 128) -> Work:
    x = data.randn(n, c, h, w)
    oh, ow = h * 3 // 2, w * 3 // 2
    out = data.empty(n, c, oh, ow)
    total = n * c * oh * ow

    def launch(k, **options):
        def grid(meta):
            return (tilewright.cdiv(total, meta["BLOCK"]),)

        k.resize_bilinear_kernel[grid](x, out, h, w, oh, ow, h / oh, w / ow, total, **options)

    def expected():
        resize = data.torch.nn.functional.interpolate
        return resize(x.float(), size=(oh, ow), mode="bilinear", align_corners=False)

    return Work(
        "images", launch, [(out, expected)], count_bytes(x, out), tolerance=2e-3, configs=ONE
    )


@tilewright.jit
def cubic_weight(distance):
    a = -0.75
    d = tl.abs(distance)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return tl.where(d <= 1, near, tl.where(d < 2, far, 0.0))


@tilewright.jit
def upsample_bicubic_kernel(x, out, H, W, OH, OW, scale_h, scale_w, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    ow = offs % OW
    oh = (offs // OW) % OH
    base = x + (offs // (OW * OH)) * H * W
    fy = (oh.to(tl.float32) + 0.5) * scale_h - 0.5
    fx = (ow.to(tl.float32) + 0.5) * scale_w - 0.5
    y0 = tl.floor(fy).to(tl.int32)
    x0 = tl.floor(fx).to(tl.int32)
    acc = tl.zeros((BLOCK,), tl.float32)
    for i in tl.static_range(4):
        y = tl.minimum(tl.maximum(y0 + i - 1, 0), H - 1)
        row = tl.zeros((BLOCK,), tl.float32)
        for j in tl.static_range(4):
            c = tl.minimum(tl.maximum(x0 + j - 1, 0), W - 1)
            value = tl.load(base + y * W + c, mask=mask, other=0.0).to(tl.float32)
            row += value * cubic_weight(fx - (x0 + j - 1))
        acc += row * cubic_weight(fy - (y0 + i - 1))
    tl.store(out + offs, acc.to(out.dtype.element_ty), mask=mask)


@case
def upsample_bicubic(data: Data, n: int = 8, c: int = 32, h: int = 128, w: int = 128) -> Work:
    x, out = data.randn(n, c, h, w), data.empty(n, c, 2 * h, 2 * w)
    total = 4 * n * c * h * w

    def launch(k, **options):
        def grid(meta):
            return (tilewright.cdiv(total, meta["BLOCK"]),)

        k.upsample_bicubic_kernel[grid](x, out, h, w, 2 * h, 2 * w, 0.5, 0.5, total, **options)

    def expected():
        resize = data.torch.nn.functional.interpolate
        return resize(x.float(), scale_factor=2, mode="bicubic", align_corners=False)

    return Work(
        "images", launch, [(out, expected)], count_bytes(x, out), tolerance=3e-3, configs=ONE
    )


@tilewright.jit
def dct8_kernel(x, basis, out, H, W, BLOCKS: tl.constexpr):
    """Discrete cosine transforms of 8 x 8: basis @ block @ basis.T, for BLOCKS along a row."""
    pid_y = tl.program_id(0)
    pid_x = tl.program_id(1)
    b = tl.arange(0, BLOCKS)[:, None, None]
    i = tl.arange(0, 8)[None, :, None]
    j = tl.arange(0, 8)[None, None, :]
    place = (pid_y * 8 + i) * W + (pid_x * BLOCKS + b) * 8 + j
    block = tl.load(x + place).to(tl.float32)
    u = tl.arange(0, 8)
    rows = tl.zeros((BLOCKS, 8, 8), dtype=tl.float32)
    for k in tl.static_range(8):
        row = tl.sum(tl.where(i == k, block, 0.0), axis=1)
        weight = tl.load(basis + u * 8 + k)
        rows += weight[None, :, None] * row[:, None, :]
    result = tl.zeros((BLOCKS, 8, 8), dtype=tl.float32)
    for k in tl.static_range(8):
        column = tl.sum(tl.where(j == k, rows, 0.0), axis=2)
        weight = tl.load(basis + u * 8 + k)
        result += column[:, :, None] * weight[None, None, :]
    tl.store(out + place, result)


@case
def dct8(data: Data, h: int = 4096, w: int = 4096) -> Work:
    x = data.randn(h, w, dtype="float32")
    out = data.empty(h, w, dtype="float32")

    def make_basis(torch):
        k = torch.arange(8.0)
        basis = torch.cos((2 * k[None, :] + 1) * k[:, None] * (torch.pi / 16)) * 0.5
        basis[0] *= 0.5**0.5
        return basis

    basis = data.make((8, 8), "float32", make_basis)

    def launch(k, BLOCKS, **options):
        k.dct8_kernel[h // 8, w // 8 // BLOCKS](x, basis, out, h, w, BLOCKS=BLOCKS, **options)

    def expected():
        blocks = x.view(h // 8, 8, w // 8, 8).permute(0, 2, 1, 3).double()
        b = basis.double()
        return (b @ blocks @ b.T).permute(0, 2, 1, 3).reshape(h, w)

    configs = [
        {"BLOCKS": blocks, "num_warps": warps} for blocks, warps in ((16, 4), (32, 4), (8, 2))
    ]
    return Work("images", launch, [(out, expected)], count_bytes(x, out), configs=configs)


@tilewright.jit
def gauss_blur_kernel(x, weights, out, H, W, R: tl.constexpr, BH: tl.constexpr, BW: tl.constexpr):
    rows = tl.program_id(0) * BH + tl.arange(0, BH)
    cols = tl.program_id(1) * BW + tl.arange(0, BW)
    acc = tl.zeros((BH, BW), dtype=tl.float32)
    for dy in tl.static_range(-R, R + 1):
        for dx in tl.static_range(-R, R + 1):
            r = rows + dy
            c = cols + dx
            inside = ((r >= 0) & (r < H))[:, None] & ((c >= 0) & (c < W))[None, :]
            value = tl.load(x + r[:, None] * W + c[None, :], mask=inside, other=0.0)
            acc += value * tl.load(weights + (dy + R) * (2 * R + 1) + dx + R)
    mask = (rows < H)[:, None] & (cols < W)[None, :]
    tl.store(out + rows[:, None] * W + cols[None, :], acc, mask=mask)


@case
def gauss_blur(data: Data, h: int = 2048, w: int = 2048) -> Work:
    x = data.randn(h, w, dtype="float32")
    out = data.empty(h, w, dtype="float32")
    weights = data.make((5, 5), "float32", lambda torch: _gauss(torch, 2))

    def launch(k, BH, BW, **options):
        grid = (tilewright.cdiv(h, BH), tilewright.cdiv(w, BW))
        k.gauss_blur_kernel[grid](x, weights, out, h, w, R=2, BH=BH, BW=BW, **options)

    def expected():
        conv = data.torch.nn.functional.conv2d
        return conv(x[None, None].double(), weights[None, None].double(), padding=2)[0, 0]

    configs = [
        {"BH": 16, "BW": 64, "num_warps": 4},
        {"BH": 8, "BW": 128, "num_warps": 4},
        {"BH": 32, "BW": 64, "num_warps": 8},
    ]
    return Work("images", launch, [(out, expected)], count_bytes(x, out), configs=configs)


def _gauss(torch, radius):
    place = torch.arange(-radius, radius + 1).float()
    line = torch.exp(-place * place / 2)
    square = line[:, None] * line[None, :]
    return square / square.sum()


@tilewright.jit
def sobel_kernel(x, out, H, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) + 1
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK) + 1
    mask = cols < W - 1
    above = x + (row - 1) * W + cols
    here = x + row * W + cols
    below = x + (row + 1) * W + cols
    a0 = tl.load(above - 1, mask=mask, other=0).to(tl.int32)
    a1 = tl.load(above, mask=mask, other=0).to(tl.int32)
    a2 = tl.load(above + 1, mask=mask, other=0).to(tl.int32)
    b0 = tl.load(here - 1, mask=mask, other=0).to(tl.int32)
    b2 = tl.load(here + 1, mask=mask, other=0).to(tl.int32)
    c0 = tl.load(below - 1, mask=mask, other=0).to(tl.int32)
    c1 = tl.load(below, mask=mask, other=0).to(tl.int32)
    c2 = tl.load(below + 1, mask=mask, other=0).to(tl.int32)
    gx = (a2 - a0) + 2 * (b2 - b0) + (c2 - c0)
    gy = (c0 - a0) + 2 * (c1 - a1) + (c2 - a2)
    size = tl.sqrt((gx * gx + gy * gy).to(tl.float32))
    tl.store(out + row * W + cols, tl.minimum(size, 255.0).to(tl.uint8), mask=mask)


@case
def sobel(data: Data, h: int = 8192, w: int = 8192) -> Work:
    x = data.randint(0, 256, h, w, dtype="uint8")
    out = data.empty(h, w, dtype="uint8")

    def launch(k, BLOCK, **options):
        k.sobel_kernel[h - 2, tilewright.cdiv(w - 2, BLOCK)](x, out, h, w, BLOCK=BLOCK, **options)

    def expected():
        torch = data.torch
        v = x.float()
        dx = v[:, 2:] - v[:, :-2]
        gx = dx[:-2] + 2 * dx[1:-1] + dx[2:]
        dy = v[2:] - v[:-2]
        gy = dy[:, :-2] + 2 * dy[:, 1:-1] + dy[:, 2:]
        size = torch.sqrt(gx * gx + gy * gy).clamp(max=255)
        whole = torch.full_like(v, 0x55)
        whole[1:-1, 1:-1] = size
        return whole

    # The root is rounded down: off by one where it is near an integer.
    configs = [{"BLOCK": block, "num_warps": 4} for block in (1024, 2048)]
    return Work(
        "images", launch, [(out, expected)], count_bytes(x, out), tolerance=0.01,
        scales={0: lambda: 100.0}, configs=configs,
    )  # fmt: skip


@tilewright.jit
def maxpool_kernel(x, out, H, W, OH, OW, n, K: tl.constexpr, STRIDE: tl.constexpr,
                   PAD: tl.constexpr, BLOCK: tl.constexpr):  # fmt: skip
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    ow = offs % OW
    oh = (offs // OW) % OH
    plane = offs // (OW * OH)
    best = tl.full((BLOCK,), -float("inf"), tl.float32)
    for i in tl.static_range(K):
        for j in tl.static_range(K):
            h = oh * STRIDE + i - PAD
            w = ow * STRIDE + j - PAD
            inside = mask & (h >= 0) & (h < H) & (w >= 0) & (w < W)
            value = tl.load(x + plane * H * W + h * W + w, mask=inside, other=-float("inf"))
            best = tl.maximum(best, value.to(tl.float32))
    tl.store(out + offs, best, mask=mask)


@case
def maxpool(data: Data, n: int = 16, c: int = 64, h: int = 112, w: int = 112) -> Work:
    x = data.randn(n, c, h, w)
    oh, ow = h // 2, w // 2
    out = data.empty(n, c, oh, ow)
    total = n * c * oh * ow

    def launch(k, **options):
        def grid(meta):
            return (tilewright.cdiv(total, meta["BLOCK"]),)

        k.maxpool_kernel[grid](x, out, h, w, oh, ow, total, K=3, STRIDE=2, PAD=1, **options)

    def expected():
        return data.torch.nn.functional.max_pool2d(x, 3, stride=2, padding=1)

    return Work("images", launch, [(out, expected)], count_bytes(x, out), configs=ONE)


@tilewright.jit
def bilateral_kernel(x, out, H, W, inv_color, BH: tl.constexpr, BW: tl.constexpr):
    rows = tl.program_id(0) * BH + tl.arange(0, BH)
    cols = tl.program_id(1) * BW + tl.arange(0, BW)
    mask = (rows < H)[:, None] & (cols < W)[None, :]
    centre = tl.load(x + rows[:, None] * W + cols[None, :], mask=mask, other=0.0)
    total = tl.zeros((BH, BW), tl.float32)
    weights = tl.zeros((BH, BW), tl.float32)
    for dy in tl.static_range(-2, 3):
        for dx in tl.static_range(-2, 3):
            r = rows + dy
            c = cols + dx
            inside = ((r >= 0) & (r < H))[:, None] & ((c >= 0) & (c < W))[None, :]
            value = tl.load(x + r[:, None] * W + c[None, :], mask=inside, other=0.0)
            diff = value - centre
            weight = tl.exp(-(dx * dx + dy * dy) / 8.0 - diff * diff * inv_color)
            weight = tl.where(inside, weight, 0.0)
            total += weight * value
            weights += weight
    tl.store(out + rows[:, None] * W + cols[None, :], total / weights, mask=mask)


@case
def bilateral(data: Data, h: int = 2048, w: int = 2048) -> Work:
    x = data.rand(h, w)
    out = data.empty(h, w, dtype="float32")

    def launch(k, BH, BW, **options):
        grid = (tilewright.cdiv(h, BH), tilewright.cdiv(w, BW))
        k.bilateral_kernel[grid](x, out, h, w, 10.0, BH=BH, BW=BW, **options)

    def expected():
        torch = data.torch
        pad = torch.nn.functional.pad
        padded, ones = pad(x, (2, 2, 2, 2)), pad(torch.ones_like(x), (2, 2, 2, 2))
        total, weights = torch.zeros_like(x), torch.zeros_like(x)
        for dy in range(5):
            for dx in range(5):
                value = padded[dy : dy + h, dx : dx + w]
                far = ((dx - 2) ** 2 + (dy - 2) ** 2) / 8
                weight = torch.exp(-far - (value - x) ** 2 * 10) * ones[dy : dy + h, dx : dx + w]
                total += weight * value
                weights += weight
        return total / weights

    configs = [{"BH": 16, "BW": 64, "num_warps": 4}, {"BH": 8, "BW": 128, "num_warps": 4}]
    return Work("images", launch, [(out, expected)], count_bytes(x, out), configs=configs)


@tilewright.jit
def pixel_shuffle_kernel(x, out, C, H, W, n, R: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    ow = offs % (W * R)
    oh = (offs // (W * R)) % (H * R)
    c = (offs // (W * R * H * R)) % C
    b = offs // (W * R * H * R * C)
    source = (c * R + oh % R) * R + ow % R
    place = ((b * C * R * R + source) * H + oh // R) * W + ow // R
    tl.store(out + offs, tl.load(x + place, mask=mask), mask=mask)


@case
def pixel_shuffle(data: Data, n: int = 4, c: int = 64, h: int = 128, w: int = 128) -> Work:
    x = data.randn(n, 4 * c, h, w)
    out = data.empty(n, c, 2 * h, 2 * w)
    total = n * c * h * w * 4

    def launch(k, **options):
        def grid(meta):
            return (tilewright.cdiv(total, meta["BLOCK"]),)

        k.pixel_shuffle_kernel[grid](x, out, c, h, w, total, R=2, **options)

    def expected():
        return data.torch.nn.functional.pixel_shuffle(x, 2)

    return Work("images", launch, [(out, expected)], count_bytes(x, out), configs=ONE)


@tilewright.jit
def grid_sample_kernel(x, points, out, C, H, W, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    gx = tl.load(points + offs * 2, mask=mask, other=0.0)
    gy = tl.load(points + offs * 2 + 1, mask=mask, other=0.0)
    fx = (gx + 1) * 0.5 * W - 0.5
    fy = (gy + 1) * 0.5 * H - 0.5
    x0 = tl.floor(fx)
    y0 = tl.floor(fy)
    wx = fx - x0
    wy = fy - y0
    ix = x0.to(tl.int32)
    iy = y0.to(tl.int32)
    left = (ix >= 0) & (ix < W) & mask
    right = (ix + 1 >= 0) & (ix + 1 < W) & mask
    top = (iy >= 0) & (iy < H)
    low = (iy + 1 >= 0) & (iy + 1 < H)
    place = iy * W + ix
    for c in range(C):
        plane = x + c * H * W + place
        a = tl.load(plane, mask=left & top, other=0.0)
        b = tl.load(plane + 1, mask=right & top, other=0.0)
        d = tl.load(plane + W, mask=left & low, other=0.0)
        e = tl.load(plane + W + 1, mask=right & low, other=0.0)
        result = (a * (1 - wx) + b * wx) * (1 - wy) + (d * (1 - wx) + e * wx) * wy
        tl.store(out + c * n + offs, result, mask=mask)


@case
def grid_sample(data: Data, c: int = 16, h: int = 512, w: int = 512) -> Work:
    x = data.randn(1, c, h, w, dtype="float32")
    places = data.make((1, h, w, 2), "float32", lambda torch: _warp(torch, h, w))
    out = data.empty(1, c, h, w, dtype="float32")

    def launch(k, **options):
        def grid(meta):
            return (tilewright.cdiv(h * w, meta["BLOCK"]),)

        k.grid_sample_kernel[grid](x, places, out, c, h, w, h * w, **options)

    def expected():
        sample = data.torch.nn.functional.grid_sample
        return sample(x, places, mode="bilinear", padding_mode="zeros", align_corners=False)

    configs = [{"BLOCK": block, "num_warps": 4} for block in (128, 256, 512)]
    return Work(
        "images", launch, [(out, expected)], count_bytes(x, places, out), tolerance=1e-3,
        configs=configs,
    )  # fmt: skip


def _warp(torch, h, w):
    y, x = torch.meshgrid(torch.linspace(-1, 1, h), torch.linspace(-1, 1, w), indexing="ij")
    return torch.stack((x + 0.05 * torch.sin(5 * y), y + 0.05 * torch.cos(5 * x)), -1)[None]
