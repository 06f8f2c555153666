"""Flows on a lattice, bodies, systems of equations, time that is warped, rewards to come."""

from __future__ import annotations

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case
from bench.work import Work, count_bytes


@tilewright.jit
def lattice_kernel(f, out, NX, NY, omega, BX: tl.constexpr, BY: tl.constexpr):
    """A step of a flow: nine speeds come from the neighbours, and approach equilibrium."""
    x = tl.program_id(1) * BY + tl.arange(0, BY)[:, None]
    y = tl.program_id(0) * BX + tl.arange(0, BX)[None, :]
    inside = (x < NX) & (y < NY)
    n = NX * NY
    CX: tl.constexpr = (0, 1, 0, -1, 0, 1, -1, -1, 1)
    CY: tl.constexpr = (0, 0, 1, 0, -1, 1, 1, -1, -1)
    WEIGHT: tl.constexpr = (4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36)
    speeds = ()
    for i in tl.static_range(9):
        from_x = (x - CX[i] + NX) % NX
        from_y = (y - CY[i] + NY) % NY
        speeds += (tl.load(f + i * n + from_x * NY + from_y, mask=inside, other=0.0),)
    density = speeds[0]
    ux = tl.zeros((BY, BX), tl.float32)
    uy = tl.zeros((BY, BX), tl.float32)
    for i in tl.static_range(1, 9):
        density += speeds[i]
        if CX[i] != 0:
            ux += CX[i] * speeds[i]
        if CY[i] != 0:
            uy += CY[i] * speeds[i]
    ux /= density
    uy /= density
    square = 1.5 * (ux * ux + uy * uy)
    for i in tl.static_range(9):
        along = 3.0 * (CX[i] * ux + CY[i] * uy)
        still = WEIGHT[i] * density * (1.0 + along + 0.5 * along * along - square)
        target = out + i * n + x * NY + y
        tl.store(target, speeds[i] + omega * (still - speeds[i]), mask=inside)


@case
def lattice_boltzmann(data: Data, nx: int = 2048, ny: int = 2048) -> Work:
    f = data.rand(9, nx, ny)
    out = data.empty(9, nx, ny, dtype="float32")

    def launch(k, BX, BY, **options):
        grid = (tilewright.cdiv(ny, BX), tilewright.cdiv(nx, BY))
        k.lattice_kernel[grid](f, out, nx, ny, 1.2, BX=BX, BY=BY, **options)

    def expected():
        torch = data.torch
        cx, cy = (0, 1, 0, -1, 0, 1, -1, -1, 1), (0, 0, 1, 0, -1, 1, 1, -1, -1)
        weights = [4 / 9, *[1 / 9] * 4, *[1 / 36] * 4]
        g = torch.stack([f[i].roll((cx[i], cy[i]), (0, 1)) for i in range(9)]).double()
        density = g.sum(0)
        ux = sum(c * each for c, each in zip(cx, g, strict=True)) / density
        uy = sum(c * each for c, each in zip(cy, g, strict=True)) / density
        along = [3 * (a * ux + b * uy) for a, b in zip(cx, cy, strict=True)]
        still = torch.stack(
            [
                w * density * (1 + a + a * a / 2 - 1.5 * (ux**2 + uy**2))
                for w, a in zip(weights, along, strict=True)
            ]
        )
        return g + 1.2 * (still - g)

    return Work(
        "simulations", launch, [(out, expected)], count_bytes(f, out), tolerance=1e-4,
        configs=[
            {"BX": x, "BY": y, "num_warps": 4} for x, y in ((128, 4), (256, 1), (128, 2), (512, 1))
        ],
    )  # fmt: skip


@tilewright.jit
def bodies_kernel(places, masses, out, N, softening, BM: tl.constexpr, BN: tl.constexpr):
    """How bodies that attract each other accelerate; places are three numbers side by side."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    x = tl.load(places + i * 3 + 0, mask=i < N, other=0.0)
    y = tl.load(places + i * 3 + 1, mask=i < N, other=0.0)
    z = tl.load(places + i * 3 + 2, mask=i < N, other=0.0)
    ax = tl.zeros((BM,), tl.float32)
    ay = tl.zeros((BM,), tl.float32)
    az = tl.zeros((BM,), tl.float32)
    for first in range(0, N, BN):
        j = first + tl.arange(0, BN)
        dx = tl.load(places + j * 3 + 0, mask=j < N, other=0.0)[None, :] - x[:, None]
        dy = tl.load(places + j * 3 + 1, mask=j < N, other=0.0)[None, :] - y[:, None]
        dz = tl.load(places + j * 3 + 2, mask=j < N, other=0.0)[None, :] - z[:, None]
        mass = tl.load(masses + j, mask=j < N, other=0.0)
        inverse = tl.rsqrt(dx * dx + dy * dy + dz * dz + softening)
        pull = mass[None, :] * inverse * inverse * inverse
        ax += tl.sum(pull * dx, 1)
        ay += tl.sum(pull * dy, 1)
        az += tl.sum(pull * dz, 1)
    tl.store(out + i * 3 + 0, ax, mask=i < N)
    tl.store(out + i * 3 + 1, ay, mask=i < N)
    tl.store(out + i * 3 + 2, az, mask=i < N)


@case
def bodies(data: Data, n: int = 16384) -> Work:
    places, masses = data.randn(n, 3, dtype="float32"), data.rand(n)
    out = data.empty(n, 3, dtype="float32")

    def launch(k, BM, BN, **options):
        grid = (tilewright.cdiv(n, BM),)
        k.bodies_kernel[grid](places, masses, out, n, 0.01, BM=BM, BN=BN, **options)

    def expected():
        torch = data.torch
        parts = []
        for some in places.split(1024):
            apart = places[None] - some[:, None]
            pull = masses[None] / ((apart**2).sum(-1) + 0.01) ** 1.5
            parts.append((pull[..., None] * apart).sum(1))
        return torch.cat(parts)

    return Work(
        "simulations", launch, [(out, expected)], 20.0 * n * n, "TFLOP/s", tolerance=1e-3,
        configs=[
            {"BM": m, "BN": n, "num_warps": w}
            for m, n, w in ((64, 64, 4), (128, 32, 4), (32, 128, 4), (32, 64, 4))
        ],
    )  # fmt: skip


@tilewright.jit
def tridiagonal_kernel(a, b, c, d, x, scratch, B, N, BLOCK: tl.constexpr):
    """A system of equations in each lane: down, and back up."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < B
    upper = tl.zeros((BLOCK,), tl.float32)
    right = tl.zeros((BLOCK,), tl.float32)
    for t in range(N):
        at = t * B + i
        lower = tl.load(a + at, mask=mask, other=0.0)
        factor = 1.0 / (tl.load(b + at, mask=mask, other=1.0) - lower * upper)
        upper = tl.load(c + at, mask=mask, other=0.0) * factor
        right = (tl.load(d + at, mask=mask, other=0.0) - lower * right) * factor
        tl.store(scratch + at, upper, mask=mask)
        tl.store(x + at, right, mask=mask)
    last = tl.zeros((BLOCK,), tl.float32)
    for t in range(N - 1, -1, -1):
        at = t * B + i
        above = tl.load(scratch + at, mask=mask, other=0.0)
        last = tl.load(x + at, mask=mask, other=0.0) - above * last
        tl.store(x + at, last, mask=mask)


@case
def tridiagonal(data: Data, systems: int = 65536, n: int = 128) -> Work:
    a, c, d = (data.rand(n, systems) for _ in range(3))
    b = data.make((n, systems), "float32", lambda torch: torch.rand(n, systems) + 3)
    x, scratch = (data.empty(n, systems, dtype="float32") for _ in range(2))

    def launch(k, BLOCK, **options):
        grid = (tilewright.cdiv(systems, BLOCK),)
        k.tridiagonal_kernel[grid](a, b, c, d, x, scratch, systems, n, BLOCK=BLOCK, **options)

    def expected():
        upper, right = [], []
        for t in range(n):
            lower = a[t].double() if t else 0.0
            factor = 1 / (b[t].double() - lower * (upper[-1] if t else 0.0))
            upper.append(c[t].double() * factor)
            right.append((d[t].double() - lower * (right[-1] if t else 0.0)) * factor)
        for t in range(n - 2, -1, -1):
            right[t] = right[t] - upper[t] * right[t + 1]
        return data.torch.stack(right)

    return Work(
        "simulations", launch, [(x, expected)], 2 * count_bytes(a, b, c, d, x), tolerance=1e-4,
        configs=[
            {"BLOCK": b, "num_warps": w} for b, w in ((128, 4), (64, 2), (256, 4), (128, 1))
        ],
    )  # fmt: skip


@tilewright.jit
def warped_kernel(x, y, diagonals, out, N, M, BLOCK: tl.constexpr):
    """How far two series are apart where time may stand still: a diagonal after the other."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    base = diagonals + row * 3 * (BLOCK + 1)
    numbers = tl.load(x + row * N + i, mask=i < N, other=0.0)
    FAR = float("inf")
    for part in tl.static_range(3):
        tl.store(base + part * (BLOCK + 1) + i, tl.full((BLOCK,), FAR, tl.float32))
        tl.store(base + part * (BLOCK + 1) + BLOCK, FAR)
    tl.debug_barrier()
    s = 0
    while s < N + M - 1:
        now = base + (s % 3) * (BLOCK + 1)
        before = base + ((s + 2) % 3) * (BLOCK + 1)
        before_that = base + ((s + 1) % 3) * (BLOCK + 1)
        j = s - i
        mask = (i < N) & (j >= 0) & (j < M)
        cost = tl.abs(numbers - tl.load(y + row * M + j, mask=mask, other=0.0))
        up = tl.load(before + i, mask=mask & (i > 0), other=FAR)
        left = tl.load(before + i + 1, mask=mask, other=FAR)
        corner = tl.load(before_that + i, mask=mask & (i > 0), other=FAR)
        best = tl.minimum(tl.minimum(up, left), corner)
        best = tl.where((i == 0) & (j == 0), 0.0, best)
        tl.debug_barrier()
        tl.store(now + i + 1, tl.where(mask, cost + best, FAR))
        tl.debug_barrier()
        s += 1
    last = base + ((N + M - 2) % 3) * (BLOCK + 1)
    tl.store(out + row, tl.load(last + N))


@case
def warped_time(data: Data, rows: int = 1024, n: int = 500, m: int = 480) -> Work:
    x, y = data.randn(rows, n, dtype="float32"), data.randn(rows, m, dtype="float32")
    block = tilewright.next_power_of_2(n)
    diagonals = data.empty(rows, 3, block + 1, dtype="float32")
    out = data.empty(rows, dtype="float32")

    def launch(k, **options):
        k.warped_kernel[(rows,)](x, y, diagonals, out, n, m, BLOCK=block, **options)

    def expected():
        torch = data.torch
        far = torch.full((rows, n + 1), float("inf"), device=x.device)
        before_that, before = far.clone(), far.clone()
        places = torch.arange(n, device=x.device)
        for s in range(n + m - 1):
            j = s - places
            mask = (j >= 0) & (j < m)
            cost = (x - y[:, j.clamp(0, m - 1)]).abs()
            best = torch.minimum(torch.minimum(before[:, :-1], before[:, 1:]), before_that[:, :-1])
            if s == 0:
                best[:, 0] = 0
            now = far.clone()
            now[:, 1:] = torch.where(mask, cost + best, far[:, 1:])
            before_that, before = before, now
        return before[:, n]

    return Work(
        "simulations", launch, [(out, expected)], 3.0 * rows * n * m, "TFLOP/s", tolerance=1e-4,
        configs=[{"num_warps": w} for w in (4, 8, 2)],
    )  # fmt: skip


@tilewright.jit
def discounted(a1, b1, a2, b2):
    return a1 * a2, a2 * b1 + b2


@tilewright.jit
def advantages_kernel(reward, value, done, advantage, N, T, gamma, decay, ROWS: tl.constexpr,
                      BT: tl.constexpr):  # fmt: skip
    """What steps are worth by those behind them, up to where an episode ends."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    t = tl.arange(0, BT)
    mask = (rows < N)[:, None] & (t < T)[None, :]
    at = rows[:, None].to(tl.int64) * T + t[None, :]
    value_at = rows[:, None].to(tl.int64) * (T + 1) + t[None, :]
    r = tl.load(reward + at, mask=mask, other=0.0)
    v = tl.load(value + value_at, mask=mask, other=0.0)
    later = tl.load(value + value_at + 1, mask=mask, other=0.0)
    live = 1.0 - tl.load(done + at, mask=mask, other=0).to(tl.float32)
    delta = r + gamma * later * live - v
    _, result = tl.associative_scan((gamma * decay * live, delta), 1, discounted, reverse=True)
    tl.store(advantage + at, result, mask=mask)


@case
def advantages(data: Data, rows: int = 32768, t: int = 256) -> Work:
    reward, value = data.randn(rows, t, dtype="float32"), data.randn(rows, t + 1, dtype="float32")
    done = data.make((rows, t), "uint8", lambda torch: torch.rand(rows, t) < 0.05)
    out = data.empty(rows, t, dtype="float32")

    def launch(k, ROWS, **options):
        k.advantages_kernel[(tilewright.cdiv(rows, ROWS),)](
            reward, value, done, out, rows, t, 0.99, 0.95, ROWS=ROWS,
            BT=tilewright.next_power_of_2(t), **options,
        )  # fmt: skip

    def expected():
        live = 1.0 - done.double()
        delta = reward.double() + 0.99 * value[:, 1:].double() * live - value[:, :-1].double()
        result, last = data.torch.empty_like(delta), 0.0
        for step in range(t - 1, -1, -1):
            last = delta[:, step] + 0.99 * 0.95 * live[:, step] * last
            result[:, step] = last
        return result

    return Work(
        "simulations", launch, [(out, expected)], count_bytes(reward, value, done, out),
        tolerance=1e-4,
        configs=[
            {"ROWS": r, "num_warps": w} for r, w in ((4, 4), (1, 1), (8, 4), (1, 2))
        ],
    )  # fmt: skip
