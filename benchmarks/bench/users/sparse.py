"""What lies anywhere: bags, segments, graphs, sparse rows, tables, ragged batches."""

from __future__ import annotations

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case
from bench.work import Work, count_bytes


def _offsets(torch, count, total, seed=0):
    """`count` segments of random lengths that are `total` together."""
    draw = torch.Generator().manual_seed(seed)
    cuts = torch.randint(0, total + 1, (count - 1,), generator=draw).sort().values
    ends = torch.tensor([0, total])
    return torch.cat((ends[:1], cuts, ends[1:])).int()


def _blocks(name, *pairs):
    return [{name: block, "num_warps": warps} for block, warps in pairs]


@tilewright.jit
def segment_softmax_kernel(x, offsets, out, F, BLOCK: tl.constexpr, BF: tl.constexpr):
    """Softmax within each segment of rows, for each of F columns."""
    segment = tl.program_id(0)
    cols = tl.program_id(1) * BF + tl.arange(0, BF)
    start = tl.load(offsets + segment)
    end = tl.load(offsets + segment + 1)
    col_mask = cols < F
    top = tl.full((BF,), -float("inf"), tl.float32)
    total = tl.zeros((BF,), tl.float32)
    for first in range(start, end, BLOCK):
        rows = first + tl.arange(0, BLOCK)
        mask = (rows < end)[:, None] & col_mask[None, :]
        value = tl.load(x + rows[:, None] * F + cols[None, :], mask=mask, other=-float("inf"))
        new_top = tl.maximum(top, tl.max(value, axis=0))
        total = total * tl.exp(top - new_top) + tl.sum(tl.exp(value - new_top[None, :]), axis=0)
        top = new_top
    for first in range(start, end, BLOCK):
        rows = first + tl.arange(0, BLOCK)
        mask = (rows < end)[:, None] & col_mask[None, :]
        place = rows[:, None] * F + cols[None, :]
        value = tl.load(x + place, mask=mask, other=0.0)
        tl.store(out + place, tl.exp(value - top[None, :]) / total[None, :], mask=mask)


@case
def segment_softmax(data: Data, segments: int = 16384, rows: int = 262144, f: int = 64) -> Work:
    x = data.randn(rows, f, dtype="float32")
    offsets = data.make((segments + 1,), "int32", lambda torch: _offsets(torch, segments, rows))
    out = data.empty(rows, f, dtype="float32")

    def launch(k, BLOCK, **options):
        k.segment_softmax_kernel[segments, tilewright.cdiv(f, 64)](
            x, offsets, out, f, BLOCK=BLOCK, BF=64, **options
        )

    def expected():
        torch = data.torch
        counts = offsets[1:] - offsets[:-1]
        owner = torch.repeat_interleave(torch.arange(segments, device=x.device), counts.long())
        powers = x.exp()
        sums = torch.zeros(segments, f, device=x.device).index_add_(0, owner, powers)
        return powers / sums[owner]

    return Work(
        "sparse", launch, [(out, expected)], count_bytes(x, out), tolerance=1e-4,
        configs=_blocks("BLOCK", (16, 4), (32, 4), (16, 2)),
    )  # fmt: skip


@tilewright.jit
def embedding_bag_kernel(table, indices, offsets, out, D, BLOCK: tl.constexpr):
    bag = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < D
    start = tl.load(offsets + bag)
    end = tl.load(offsets + bag + 1)
    acc = tl.zeros((BLOCK,), tl.float32)
    for i in range(start, end):
        row = tl.load(indices + i).to(tl.int64)
        acc += tl.load(table + row * D + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(out + bag * D + cols, acc.to(out.dtype.element_ty), mask=mask)


@case
def embedding_bag(data: Data, bags: int = 4096, entries: int = 65536, d: int = 256) -> Work:
    table = data.randn(100000, d)
    indices = data.randint(0, 100000, entries)
    offsets = data.make((bags + 1,), "int32", lambda torch: _offsets(torch, bags, entries))
    out = data.empty(bags, d)

    def launch(k, BLOCK, **options):
        k.embedding_bag_kernel[bags, tilewright.cdiv(d, BLOCK)](
            table, indices, offsets, out, d, BLOCK=BLOCK, **options
        )

    def expected():
        bag = data.torch.nn.functional.embedding_bag
        return bag(indices, table.float(), offsets[:-1], mode="sum")

    return Work(
        "sparse", launch, [(out, expected)], entries * d * 2.0 + count_bytes(out), tolerance=2e-3,
        configs=_blocks("BLOCK", (256, 1), (256, 2), (128, 1)),
    )  # fmt: skip


@tilewright.jit
def gat_aggregate_kernel(h, left, right, rowptr, col, out, F, slope, BF: tl.constexpr):
    """Attention along the edges of a graph, softmax by its running maximum."""
    node = tl.program_id(0)
    feats = tl.arange(0, BF)
    mask = feats < F
    start = tl.load(rowptr + node)
    end = tl.load(rowptr + node + 1)
    mine = tl.load(left + node)
    top = -float("inf")
    total = 0.0
    acc = tl.zeros((BF,), tl.float32)
    for e in range(start, end):
        other = tl.load(col + e)
        score = mine + tl.load(right + other)
        score = tl.where(score > 0, score, score * slope)
        new_top = tl.maximum(top, score)
        shrink = tl.exp(top - new_top)
        weight = tl.exp(score - new_top)
        value = tl.load(h + other.to(tl.int64) * F + feats, mask=mask, other=0.0)
        acc = acc * shrink + weight * value.to(tl.float32)
        total = total * shrink + weight
        top = new_top
    acc = acc / tl.maximum(total, 1e-20)
    tl.store(out + node * F + feats, acc.to(out.dtype.element_ty), mask=mask)


@case
def gat_aggregate(data: Data, nodes: int = 16384, edges: int = 262144, f: int = 128) -> Work:
    h = data.randn(nodes, f)
    left, right = data.randn(nodes, dtype="float32"), data.randn(nodes, dtype="float32")
    rowptr = data.make((nodes + 1,), "int32", lambda torch: _offsets(torch, nodes, edges))
    col = data.randint(0, nodes, edges)
    out = data.empty(nodes, f)

    def launch(k, **options):
        k.gat_aggregate_kernel[(nodes,)](
            h, left, right, rowptr, col, out, f, 0.2, BF=tilewright.next_power_of_2(f), **options
        )

    def expected():
        torch = data.torch
        counts = (rowptr[1:] - rowptr[:-1]).long()
        owner = torch.repeat_interleave(torch.arange(nodes, device=h.device), counts)
        score = torch.nn.functional.leaky_relu(left[owner] + right[col.long()], 0.2).exp()
        total = torch.zeros(nodes, device=h.device).index_add_(0, owner, score)
        weighted = score[:, None] * h[col.long()].float()
        sums = torch.zeros(nodes, f, device=h.device).index_add_(0, owner, weighted)
        return sums / total.clamp(min=1e-20)[:, None]

    return Work(
        "sparse", launch, [(out, expected)], edges * f * 2.0, tolerance=2e-3,
        configs=({"num_warps": 1}, {"num_warps": 2}, {"num_warps": 4}),
    )  # fmt: skip


@tilewright.jit
def csr_spmm_kernel(rowptr, col, values, dense, out, N, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    start = tl.load(rowptr + row)
    end = tl.load(rowptr + row + 1)
    acc = tl.zeros((BN,), tl.float32)
    for first in range(start, end, BK):
        k = first + tl.arange(0, BK)
        inside = k < end
        index = tl.load(col + k, mask=inside, other=0)
        value = tl.load(values + k, mask=inside, other=0.0)
        mask = inside[:, None] & (cols < N)[None, :]
        part = tl.load(dense + index[:, None] * N + cols[None, :], mask=mask, other=0.0)
        acc += tl.sum(value[:, None] * part, axis=0)
    tl.store(out + row * N + cols, acc, mask=cols < N)


@case
def csr_spmm(data: Data, rows: int = 16384, entries: int = 524288, n: int = 128) -> Work:
    rowptr = data.make((rows + 1,), "int32", lambda torch: _offsets(torch, rows, entries))
    col = data.randint(0, rows, entries)
    values = data.randn(entries, dtype="float32")
    dense = data.randn(rows, n, dtype="float32")
    out = data.empty(rows, n, dtype="float32")

    def launch(k, BK, **options):
        k.csr_spmm_kernel[rows, 1](rowptr, col, values, dense, out, n, BN=n, BK=BK, **options)

    def expected():
        torch = data.torch
        matrix = torch.sparse_csr_tensor(rowptr, col, values, (rows, rows))
        return matrix @ dense

    return Work(
        "sparse", launch, [(out, expected)], entries * n * 4.0, tolerance=1e-3,
        configs=_blocks("BK", (16, 4), (8, 1), (16, 2)),
    )  # fmt: skip


@tilewright.jit
def scatter_add_kernel(src, index, out, F, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < F
    target = tl.load(index + row).to(tl.int64)
    value = tl.load(src + row * F + cols, mask=mask, other=0.0)
    tl.atomic_add(out + target * F + cols, value, mask=mask, sem="relaxed")


@case
def scatter_add(data: Data, rows: int = 65536, targets: int = 8192, f: int = 256) -> Work:
    src = data.randn(rows, f, dtype="float32")
    index = data.randint(0, targets, rows)
    out = data.zeros(targets, f)

    def launch(k, **options):
        k.scatter_add_kernel[(rows,)](src, index, out, f, BLOCK=f, **options)

    def expected():
        torch = data.torch
        zeros = torch.zeros(targets, f, device=src.device)
        return zeros.index_add_(0, index, src)

    return Work(
        "sparse", launch, [(out, expected)], count_bytes(src), tolerance=1e-4,
        reset=lambda: out.zero_(), configs=({"num_warps": 1}, {"num_warps": 2}, {"num_warps": 4}),
    )  # fmt: skip


@tilewright.jit
def index_select_kernel(x, index, out, n_rows, n_cols, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    row_mask = rows < n_rows
    mask = row_mask[:, None] & (cols < n_cols)[None, :]
    source = tl.load(index + rows, mask=row_mask, other=0)
    value = tl.load(x + source[:, None] * n_cols + cols[None, :], mask=mask)
    tl.store(out + rows[:, None] * n_cols + cols[None, :], value, mask=mask)


@case
def index_select(data: Data, rows: int = 65536, columns: int = 1024) -> Work:
    x = data.randn(32768, columns)
    index = data.randint(0, 32768, rows, dtype="int64")
    out = data.empty(rows, columns)

    def launch(k, BM, BN, **options):
        grid = (tilewright.cdiv(rows, BM), tilewright.cdiv(columns, BN))
        k.index_select_kernel[grid](x, index, out, rows, columns, BM=BM, BN=BN, **options)

    configs = [
        {"BM": a, "BN": b, "num_warps": w} for a, b, w in ((4, 1024, 4), (8, 512, 4), (1, 1024, 4))
    ]
    return Work(
        "sparse", launch, [(out, lambda: x[index])], 2 * count_bytes(out), configs=configs
    )  # fmt: skip


@tilewright.jit
def hash_lookup_kernel(keys, table_keys, table_values, out, n, capacity, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    key = tl.load(keys + offs, mask=mask, other=-1)
    slot = ((key * 40503) & 0x7FFFFFFF) % capacity
    result = tl.full((BLOCK,), -1, tl.int32)
    searching = mask
    tries = 0
    while (tl.max(searching.to(tl.int32), axis=0) > 0) & (tries < 64):
        there = tl.load(table_keys + slot, mask=searching, other=-1)
        found = searching & (there == key)
        value = tl.load(table_values + slot, mask=found, other=-1)
        result = tl.where(found, value, result)
        searching = searching & (there != key) & (there != -1)
        slot = (slot + 1) % capacity
        tries += 1
    tl.store(out + offs, result, mask=mask)


def _table(torch, keys, capacity):
    """Keys in their slots, by open addressing; the values are the keys' own numbers."""
    slots = [-1] * capacity
    values = [-1] * capacity
    for number, key in enumerate(keys):
        slot = ((key * 40503) & 0x7FFFFFFF) % capacity
        while slots[slot] not in (-1, key):
            slot = (slot + 1) % capacity
        slots[slot], values[slot] = key, number
    return torch.tensor(slots), torch.tensor(values)


@case
def hash_lookup(data: Data, n: int = 1 << 22, stored: int = 1 << 14) -> Work:
    capacity = stored * 2
    # Products of keys and the factor stay within 31 bits.
    known = range(1, 3 * stored, 3)
    keys = data.randint(1, 3 * stored, n)
    slots = data.make((capacity,), "int32", lambda torch: _table(torch, known, capacity)[0])
    values = data.make((capacity,), "int32", lambda torch: _table(torch, known, capacity)[1])
    out = data.empty(n, dtype="int32")

    def launch(k, BLOCK, **options):
        grid = (tilewright.cdiv(n, BLOCK),)
        k.hash_lookup_kernel[grid](keys, slots, values, out, n, capacity, BLOCK=BLOCK, **options)

    def expected():
        return data.torch.where(keys % 3 == 1, keys // 3, -1)

    return Work(
        "sparse", launch, [(out, expected)], count_bytes(keys, out),
        configs=_blocks("BLOCK", (128, 4), (256, 4), (1024, 4)),
    )  # fmt: skip


@tilewright.jit
def searchsorted_kernel(edges, x, out, n, m, STEPS: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    value = tl.load(x + offs, mask=mask, other=0.0)
    low = tl.zeros((BLOCK,), tl.int32)
    high = tl.zeros((BLOCK,), tl.int32) + m
    for _ in tl.static_range(STEPS):
        middle = (low + high) // 2
        edge = tl.load(edges + middle, mask=(low < high) & mask, other=0.0)
        goes_right = (edge < value) & (low < high)
        high = tl.where(goes_right, high, middle)
        low = tl.where(goes_right, middle + 1, low)
    tl.store(out + offs, low, mask=mask)


@case
def searchsorted(data: Data, n: int = 1 << 23, m: int = 4096) -> Work:
    edges = data.make((m,), "float32", lambda torch: torch.linspace(-4, 4, m))
    x = data.randn(n, dtype="float32")
    out = data.empty(n, dtype="int32")

    def launch(k, BLOCK, **options):
        grid = (tilewright.cdiv(n, BLOCK),)
        k.searchsorted_kernel[grid](
            edges, x, out, n, m, STEPS=m.bit_length(), BLOCK=BLOCK, **options
        )

    def expected():
        return data.torch.searchsorted(edges, x)

    return Work(
        "sparse", launch, [(out, expected)], count_bytes(x, out),
        configs=_blocks("BLOCK", (256, 4), (1024, 4)),
    )  # fmt: skip


@tilewright.jit
def jagged_to_padded_kernel(values, offsets, out, max_length, D, pad, BLOCK: tl.constexpr):
    batch = tl.program_id(0)
    place = tl.program_id(1)
    cols = tl.arange(0, BLOCK)
    start = tl.load(offsets + batch)
    length = tl.load(offsets + batch + 1) - start
    mask = cols < D
    row = values + (start + place) * D + cols
    value = tl.load(row, mask=mask & (place < length), other=pad)
    tl.store(out + (batch * max_length + place) * D + cols, value, mask=mask)


@case
def jagged_to_padded(data: Data, batches: int = 256, longest: int = 128, d: int = 256) -> Work:
    total = batches * longest // 2
    values = data.randn(total, d)
    offsets = data.make((batches + 1,), "int32", lambda torch: _offsets(torch, batches, total))
    out = data.empty(batches, longest, d)

    def launch(k, **options):
        k.jagged_to_padded_kernel[batches, longest](
            values, offsets, out, longest, d, -1.0, BLOCK=d, **options
        )

    def expected():
        torch = data.torch
        right = torch.full_like(out, -1.0)
        ends = offsets.tolist()
        for batch in range(batches):
            row = values[ends[batch] : min(ends[batch + 1], ends[batch] + longest)]
            right[batch, : len(row)] = row
        return right

    return Work(
        "sparse", launch, [(out, expected)], count_bytes(values, out),
        configs=({"num_warps": 1}, {"num_warps": 2}),
    )  # fmt: skip


@tilewright.jit
def histogram_kernel(x, out, n, BINS: tl.constexpr, BLOCK: tl.constexpr, LOOPS: tl.constexpr):
    first = tl.program_id(0) * BLOCK * LOOPS
    counts = tl.zeros((BINS,), tl.int32)
    for i in range(LOOPS):
        offs = first + i * BLOCK + tl.arange(0, BLOCK)
        counts += tl.histogram(tl.load(x + offs).to(tl.int32), BINS)
    tl.atomic_add(out + tl.arange(0, BINS), counts, sem="relaxed")


@case
def histogram(data: Data, n: int = 1 << 24, bins: int = 256) -> Work:
    x = data.randint(0, bins, n, dtype="uint8")
    out = data.zeros(bins, dtype="int32")

    def launch(k, BLOCK, LOOPS, **options):
        grid = (n // (BLOCK * LOOPS),)
        k.histogram_kernel[grid](x, out, n, BINS=bins, BLOCK=BLOCK, LOOPS=LOOPS, **options)

    def expected():
        return data.torch.bincount(x.int(), minlength=bins)

    configs = [{"BLOCK": 2048, "LOOPS": loops, "num_warps": 4} for loops in (4, 16)]
    return Work(
        "sparse", launch, [(out, expected)], count_bytes(x), reset=lambda: out.zero_(),
        configs=configs,
    )  # fmt: skip
