"""Points, boxes and rays: neighbours, clusters, voxels, suppression, grids of features."""

from __future__ import annotations

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case
from bench.work import Work, count_bytes


@tilewright.jit
def ray_march_kernel(origins, directions, grid, depth, n, step, MOST: tl.constexpr, G: tl.constexpr,
                     BLOCK: tl.constexpr):  # fmt: skip
    """Rays through a grid of densities until little light is left, or all have left the grid."""
    ray = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = ray < n
    ox = tl.load(origins + ray * 3, mask=mask, other=0.0)
    oy = tl.load(origins + ray * 3 + 1, mask=mask, other=0.0)
    oz = tl.load(origins + ray * 3 + 2, mask=mask, other=0.0)
    dx = tl.load(directions + ray * 3, mask=mask, other=1.0)
    dy = tl.load(directions + ray * 3 + 1, mask=mask, other=0.0)
    dz = tl.load(directions + ray * 3 + 2, mask=mask, other=0.0)
    light = tl.full((BLOCK,), 1.0, tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    t = 0.0
    steps = 0
    alive = mask
    while (tl.max(alive.to(tl.int32), axis=0) > 0) & (steps < MOST):
        x = ((ox + t * dx) * G).to(tl.int32)
        y = ((oy + t * dy) * G).to(tl.int32)
        z = ((oz + t * dz) * G).to(tl.int32)
        inside = (x >= 0) & (x < G) & (y >= 0) & (y < G) & (z >= 0) & (z < G)
        density = tl.load(grid + (z * G + y) * G + x, mask=alive & inside, other=0.0)
        alpha = 1.0 - tl.exp(-density * step)
        total += tl.where(alive, light * alpha * t, 0.0)
        light = tl.where(alive, light * (1.0 - alpha), light)
        alive = alive & inside & (light > 1e-3)
        t += step
        steps += 1
    tl.store(depth + ray, total, mask=mask)


@case
def ray_march(data: Data, n: int = 1 << 20, g: int = 128) -> Work:
    origins = data.make((n, 3), "float32", lambda torch: 0.2 + 0.6 * data.rand(n, 3))

    def unit(torch):
        v = data.randn(n, 3, dtype="float32")
        return v / v.norm(dim=1, keepdim=True)

    directions = data.make((n, 3), "float32", unit)
    grid = data.make((g, g, g), "float32", lambda torch: 8 * data.rand(g, g, g) ** 2)
    depth = data.empty(n, dtype="float32")
    step = 1.0 / 128

    def launch(k, BLOCK, **options):
        k.ray_march_kernel[tilewright.cdiv(n, BLOCK),](
            origins, directions, grid, depth, n, step, MOST=256, G=g, BLOCK=BLOCK, **options
        )

    def expected():
        torch = data.torch
        light, total = torch.ones(n, device=grid.device), torch.zeros(n, device=grid.device)
        alive = torch.ones(n, device=grid.device, dtype=torch.bool)
        for i in range(256):
            place = ((origins + i * step * directions) * g).int()
            inside = ((place >= 0) & (place < g)).all(1)
            x, y, z = place.long().clamp(0, g - 1).unbind(1)
            density = torch.where(alive & inside, grid[z, y, x], 0.0)
            alpha = 1 - torch.exp(-density * step)
            total += torch.where(alive, light * alpha * (i * step), 0.0)
            light = torch.where(alive, light * (1 - alpha), light)
            alive = alive & inside & (light > 1e-3)
        return total

    # A ray that meets a voxel's side may see the next one.
    return Work(
        "geometry", launch, [(depth, expected)], n * 40.0, tolerance=0.2,
        scales={0: lambda: 0.5},
        configs=[{"BLOCK": b, "num_warps": w} for b, w in ((128, 4), (256, 4), (64, 2))],
    )  # fmt: skip


@tilewright.jit
def nms_mask_kernel(boxes, out, n, threshold, BLOCK: tl.constexpr):
    """Which boxes of a block overlap one of the rows too much, as bits of 32 columns."""
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    cols = tl.program_id(1) * 32 + tl.arange(0, 32)
    row_mask = rows < n
    col_mask = cols < n
    x0 = tl.load(boxes + rows * 4, mask=row_mask, other=0.0)[:, None]
    y0 = tl.load(boxes + rows * 4 + 1, mask=row_mask, other=0.0)[:, None]
    x1 = tl.load(boxes + rows * 4 + 2, mask=row_mask, other=0.0)[:, None]
    y1 = tl.load(boxes + rows * 4 + 3, mask=row_mask, other=0.0)[:, None]
    u0 = tl.load(boxes + cols * 4, mask=col_mask, other=0.0)[None, :]
    v0 = tl.load(boxes + cols * 4 + 1, mask=col_mask, other=0.0)[None, :]
    u1 = tl.load(boxes + cols * 4 + 2, mask=col_mask, other=0.0)[None, :]
    v1 = tl.load(boxes + cols * 4 + 3, mask=col_mask, other=0.0)[None, :]
    w = tl.maximum(tl.minimum(x1, u1) - tl.maximum(x0, u0), 0.0)
    h = tl.maximum(tl.minimum(y1, v1) - tl.maximum(y0, v0), 0.0)
    both = w * h
    union = (x1 - x0) * (y1 - y0) + (u1 - u0) * (v1 - v0) - both
    over = (both > threshold * union) & (cols[None, :] > rows[:, None]) & col_mask[None, :]
    bits = over.to(tl.int32) << (tl.arange(0, 32))[None, :]
    tl.store(
        out + rows * tl.num_programs(1) + tl.program_id(1), tl.sum(bits, axis=1), mask=row_mask
    )


@case
def nms_mask(data: Data, n: int = 8192) -> Work:
    def corners(torch):
        first = data.rand(n, 2)
        return torch.cat((first, first + 0.01 + 0.1 * data.rand(n, 2)), 1)

    boxes = data.make((n, 4), "float32", corners)
    words = tilewright.cdiv(n, 32)
    out = data.empty(n, words, dtype="int32")

    def launch(k, BLOCK, **options):
        k.nms_mask_kernel[tilewright.cdiv(n, BLOCK), words](
            boxes, out, n, 0.3, BLOCK=BLOCK, **options
        )

    def expected():
        torch = data.torch
        a, b = boxes[:, None], boxes[None]
        sides = torch.minimum(a[..., 2:], b[..., 2:]) - torch.maximum(a[..., :2], b[..., :2])
        both = sides.clamp(min=0).prod(2)
        area = (boxes[:, 2:] - boxes[:, :2]).prod(1)
        union = area[:, None] + area[None] - both
        over = (both > 0.3 * union) & torch.ones_like(both, dtype=torch.bool).triu(1)
        over = torch.nn.functional.pad(over, (0, words * 32 - n)).view(n, words, 32).long()
        bits = (over << torch.arange(32, device=boxes.device)).sum(2)
        # Two may be as near to the threshold as f32 tells.
        differ = (bits ^ (out.long() & 0xFFFFFFFF)) != 0
        return out if int(differ.sum()) <= n // 500 else out + 1

    return Work(
        "geometry", launch, [(out, expected)], count_bytes(out), tolerance=0.0,
        configs=[{"BLOCK": b, "num_warps": w} for b, w in ((64, 2), (128, 4), (32, 1))],
    )  # fmt: skip


@tilewright.jit
def nms_pick_kernel(masks, keep, gone, n, words, BLOCK: tl.constexpr):
    """Goes through boxes in order; one that is kept removes those of its mask."""
    cols = tl.arange(0, BLOCK)
    inside = cols < words
    tl.store(gone + cols, tl.zeros((BLOCK,), tl.int32), mask=inside)
    tl.debug_barrier()
    for box in range(n):
        word = tl.load(gone + box // 32)
        if ((word >> (box % 32)) & 1) == 0:
            removed = tl.load(gone + cols, mask=inside, other=0)
            removed |= tl.load(masks + box * words + cols, mask=inside, other=0)
            tl.debug_barrier()
            tl.store(gone + cols, removed, mask=inside)
            tl.store(keep + box, 1)
            tl.debug_barrier()
        else:
            tl.store(keep + box, 0)


@case
def nms_pick(data: Data, n: int = 1024) -> Work:
    words = tilewright.cdiv(n, 32)

    def bits(torch):
        some = torch.rand(n, words, 32, generator=torch.Generator().manual_seed(0)) < 0.01
        return (some.long() << torch.arange(32)).sum(2).to(torch.int32)

    masks, gone = data.make((n, words), "int32", bits), data.empty(words, dtype="int32")
    keep = data.empty(n, dtype="int32")

    def launch(k, **options):
        k.nms_pick_kernel[(1,)](
            masks, keep, gone, n, words, BLOCK=tilewright.next_power_of_2(words), **options
        )

    def expected():
        torch = data.torch
        shifts = torch.arange(32)
        rows = ((masks.cpu()[:, :, None] >> shifts) & 1).view(n, -1)
        removed, kept = torch.zeros(words * 32, dtype=torch.int32), []
        for box in range(n):
            kept.append(int(removed[box] == 0))
            if kept[-1]:
                removed |= rows[box]
        return torch.tensor(kept, device=keep.device)

    return Work(
        "geometry", launch, [(keep, expected)], count_bytes(masks), tolerance=0.0,
        configs=({"num_warps": 1}, {"num_warps": 2}),
    )  # fmt: skip


@tilewright.jit
def nearest_centre_kernel(x, centres, out, distance, N, C, D: tl.constexpr, BM: tl.constexpr,
                          BC: tl.constexpr):  # fmt: skip
    """The nearest of many centres, by products, as one of k-means' steps."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    points = tl.load(x + rows[:, None] * D + d[None, :], mask=(rows < N)[:, None], other=0.0)
    best = tl.full((BM,), float("inf"), tl.float32)
    which = tl.zeros((BM,), tl.int32)
    for first in range(0, C, BC):
        c = first + tl.arange(0, BC)
        at = centres + c[None, :] * D + d[:, None]
        part = tl.load(at, mask=(c < C)[None, :], other=0.0)
        square = tl.sum(part.to(tl.float32) * part.to(tl.float32), axis=0)
        far = square[None, :] - 2.0 * tl.dot(points, part)
        far = tl.where((c < C)[None, :], far, float("inf"))
        near, place = tl.min(far, axis=1, return_indices=True)
        which = tl.where(near < best, first + place, which)
        best = tl.minimum(best, near)
    own = points.to(tl.float32)
    tl.store(out + rows, which, mask=rows < N)
    tl.store(distance + rows, best + tl.sum(own * own, axis=1), mask=rows < N)


@case
def nearest_centre(data: Data, n: int = 65536, centres: int = 1024, d: int = 64) -> Work:
    x, c = data.randn(n, d), data.randn(centres, d)
    out, distance = data.empty(n, dtype="int32"), data.empty(n, dtype="float32")

    def launch(k, BM, BC, **options):
        grid = (tilewright.cdiv(n, BM),)
        k.nearest_centre_kernel[grid](x, c, out, distance, n, centres, D=d, BM=BM, BC=BC, **options)

    def away():
        return (x.float().square().sum(1)[:, None] + c.float().square().sum(1)
                - 2 * (x.float() @ c.float().T))  # fmt: skip

    def nearest():
        far = away()
        mine = far.gather(1, out.long().clamp(0, centres - 1)[:, None])[:, 0]
        return data.torch.where(mine <= far.amin(1) + 1e-2, out, -1)

    return Work(
        "geometry", launch, [(out, nearest), (distance, lambda: away().amin(1))],
        2.0 * n * centres * d, "TFLOP/s", tolerance=1e-2,
        configs=[
            {"BM": m, "BC": b, "num_warps": w, "num_stages": 3}
            for m, b, w in ((128, 64, 4), (64, 128, 4), (128, 128, 8))
        ],
    )  # fmt: skip


@tilewright.jit
def farthest_kernel(points, chosen, n, picks, BLOCK: tl.constexpr):
    """Points of a cloud that are far from one another, one after the other."""
    cloud = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    mask = offs < n
    base = points + cloud * n * 3
    x = tl.load(base + offs * 3, mask=mask, other=0.0)
    y = tl.load(base + offs * 3 + 1, mask=mask, other=0.0)
    z = tl.load(base + offs * 3 + 2, mask=mask, other=0.0)
    far = tl.where(mask, float("inf"), -1.0)
    last = 0
    tl.store(chosen + cloud * picks, last)
    for i in range(1, picks):
        at = base + last * 3
        dx = x - tl.load(at)
        dy = y - tl.load(at + 1)
        dz = z - tl.load(at + 2)
        far = tl.minimum(far, dx * dx + dy * dy + dz * dz)
        last = tl.argmax(far, axis=0)
        tl.store(chosen + cloud * picks + i, last)


@case
def farthest_points(data: Data, clouds: int = 64, n: int = 4096, picks: int = 128) -> Work:
    points, chosen = data.rand(clouds, n, 3), data.empty(clouds, picks, dtype="int32")

    def launch(k, **options):
        k.farthest_kernel[(clouds,)](
            points, chosen, n, picks, BLOCK=tilewright.next_power_of_2(n), **options
        )

    def expected():
        torch = data.torch
        far = torch.full((clouds, n), float("inf"), device=points.device)
        row = torch.arange(clouds, device=points.device)
        last, right = torch.zeros_like(row), []
        for i in range(picks):
            right.append(chosen[:, i].long())
            last = right[-1].clamp(0, n - 1)
            if i:
                mine, most = far[row, last], far.amax(1)
                right[-1] = torch.where(mine >= most * (1 - 1e-5), right[-1], -1)
            else:
                right[-1] = torch.zeros_like(row)
            far = torch.minimum(far, (points - points[row, last][:, None]).square().sum(2))
        return torch.stack(right, 1)

    return Work(
        "geometry", launch, [(chosen, expected)], count_bytes(points) * picks, tolerance=0.0,
        configs=({"num_warps": 4}, {"num_warps": 8}, {"num_warps": 16}),
    )  # fmt: skip


@tilewright.jit
def hash_corner(x, y, z, size, entries):
    """Where a corner stands: dense while there is room, hashed otherwise."""
    dense = x + size * (y + size * z)
    hashed = x ^ (y * 2654435761) ^ (z * 805459861)
    return tl.where(size * size * size <= entries, dense, hashed) % entries


@tilewright.jit
def at_corner(ix, iy, iz, wx, wy, wz, size, entries, BX: tl.constexpr, BY: tl.constexpr,
              BZ: tl.constexpr):  # fmt: skip
    """The weight of a corner, and its place."""
    weight = (wx if BX else 1 - wx) * (wy if BY else 1 - wy) * (wz if BZ else 1 - wz)
    return weight, hash_corner(ix + BX, iy + BY, iz + BZ, size, entries)


@tilewright.jit
def hash_grid_kernel(
    points, table, sizes, out, n, levels, ENTRIES: tl.constexpr, BLOCK: tl.constexpr
):
    """Features of points between the corners of grids of many sizes."""
    level = tl.program_id(1)
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    size = tl.load(sizes + level).to(tl.uint32)
    scale = (size - 1).to(tl.float32)
    px = tl.load(points + offs * 3, mask=mask, other=0.0) * scale
    py = tl.load(points + offs * 3 + 1, mask=mask, other=0.0) * scale
    pz = tl.load(points + offs * 3 + 2, mask=mask, other=0.0) * scale
    fx, fy, fz = tl.floor(px), tl.floor(py), tl.floor(pz)
    wx, wy, wz = px - fx, py - fy, pz - fz
    ix, iy, iz = fx.to(tl.uint32), fy.to(tl.uint32), fz.to(tl.uint32)
    base = table + level * ENTRIES * 2
    first = tl.zeros((BLOCK,), tl.float32)
    second = tl.zeros((BLOCK,), tl.float32)
    for corner in tl.static_range(8):
        weight, place = at_corner(
            ix, iy, iz, wx, wy, wz, size, ENTRIES, corner & 1, (corner >> 1) & 1, corner >> 2
        )
        first += weight * tl.load(base + place * 2, mask=mask, other=0.0).to(tl.float32)
        second += weight * tl.load(base + place * 2 + 1, mask=mask, other=0.0).to(tl.float32)
    both = tl.join(first, second).to(out.dtype.element_ty)
    at = out + (offs[:, None] * levels + level) * 2 + tl.arange(0, 2)[None, :]
    tl.store(at, both, mask=mask[:, None])


@case
def hash_grid(data: Data, n: int = 1 << 18, levels: int = 8, entries: int = 1 << 16) -> Work:
    points = data.make((n, 3), "float32", lambda torch: data.rand(n, 3) * 0.999)
    table = data.randn(levels, entries, 2)
    counts = [int(16 * 1.5**level) for level in range(levels)]
    sizes = data.make((levels,), "int32", lambda torch: torch.tensor(counts))
    out = data.empty(n, levels, 2)

    def launch(k, BLOCK, **options):
        k.hash_grid_kernel[tilewright.cdiv(n, BLOCK), levels](
            points, table, sizes, out, n, levels, ENTRIES=entries, BLOCK=BLOCK, **options
        )

    def expected():
        torch = data.torch
        right = torch.zeros(n, levels, 2, device=points.device)
        for level, size in enumerate(counts):
            p = points * float(size - 1)
            low = p.floor()
            weight, low = p - low, low.long()
            for corner in range(8):
                bits = torch.tensor([corner >> i & 1 for i in range(3)], device=points.device)
                x, y, z = (low + bits).unbind(1)
                word = 0xFFFFFFFF
                hashed = x ^ ((y * 2654435761) & word) ^ ((z * 805459861) & word)
                place = x + size * (y + size * z) if size**3 <= entries else hashed
                w = torch.where(bits == 1, weight, 1 - weight).prod(1)
                right[:, level] += w[:, None] * table[level, place % entries].float()
        return right

    return Work(
        "geometry", launch, [(out, expected)], count_bytes(points, out), tolerance=1e-2,
        configs=[{"BLOCK": b, "num_warps": 4} for b in (128, 256, 512)],
    )  # fmt: skip
