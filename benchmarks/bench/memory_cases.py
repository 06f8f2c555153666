"""What examples/python compute that memory limits, at shapes that no model has: odd and small ones,
views that begin anywhere, and types of 1, 2 and 4 bytes. What python_cases.py has, rows.py and
permutations.py time elsewhere, is not here."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from bench.expected import (
    angles_of_rope,
    recurrence_of,
    results_of_top_k,
    rope_of,
    softmax_of_x,
    swiglu_of_gate,
    swiglu_of_up,
)
from bench.memory_work import (
    ROW_WARPS,
    WARPS,
    Arrays,
    Kernels,
    configs_of,
    list_cases,
    warps_of_tiles,
)
from bench.work import Work, count_bytes


def vector_add(make: Arrays, n: int) -> Work:
    x, y, out = make.random(n), make.random(n), make.empty(n)
    return Work(
        "vector_add",
        lambda example, **options: example.add(x, y, out, **options),
        [(out, lambda: x + y)],
        count_bytes(x, y, out),
        tolerance=make.tolerance,
        configs=WARPS,
        peers={"torch": lambda: make.torch.add(x, y, out=out)},
    )


def dropout(make: Arrays, n: int) -> Work:
    x, out = make.random(n), make.empty(n)
    return Work(
        "dropout",
        lambda example, **options: example.dropout(x, out, 0.3, 1234, **options),
        # Who stays is the kernel's own affair.
        [(out, lambda: make.torch.where(out == 0, 0, x.float() / 0.7))],
        count_bytes(x, out),
        tolerance=make.tolerance,
        configs=WARPS,
    )


def swiglu(make: Arrays, n: int) -> Work:
    gate, up, out = make.random(n), make.random(n), make.empty(n)
    silu = make.torch.nn.functional.silu
    return Work(
        "swiglu",
        lambda example, **options: example.forward(gate, up, out, **options),
        [(out, lambda: silu(gate.float()) * up)],
        count_bytes(gate, up, out),
        tolerance=make.tolerance,
        configs=WARPS,
    )


def swiglu_backward(make: Arrays, n: int) -> Work:
    grad, gate, up = (make.random(n) for _ in range(3))
    gate_grad, up_grad = make.empty(n), make.empty(n)

    return Work(
        "swiglu",
        lambda example, **options: example.backward(grad, gate, up, gate_grad, up_grad, **options),
        [
            (gate_grad, lambda: swiglu_of_gate(make.torch, grad, gate, up)),
            (up_grad, lambda: swiglu_of_up(make.torch, grad, gate)),
        ],
        count_bytes(grad, gate, up, gate_grad, up_grad),
        tolerance=make.tolerance,
        configs=WARPS,
    )


def _broadcast(
    shape_of_y: Callable[[int, int], tuple[int, ...]],
    shape_of_x: Callable[[int, int], tuple[int, ...]] = lambda rows, columns: (rows, columns),
) -> Callable[..., Work]:
    def broadcast(make: Arrays, rows: int, columns: int) -> Work:
        x = make.random(*shape_of_x(rows, columns))
        y, out = make.random(*shape_of_y(rows, columns)), make.empty(rows, columns)
        return Work(
            "broadcast",
            lambda example, **options: example.broadcast(example.add, x, y, out, **options),
            [(out, lambda: x + y)],
            count_bytes(x, y, out),
            tolerance=make.tolerance,
            configs=warps_of_tiles(columns),
            peers={"torch": lambda: make.torch.add(x, y, out=out)},
        )

    return broadcast


# A column and a row.
outer_sum = _broadcast(lambda rows, columns: (columns,), lambda rows, columns: (rows, 1))


def _sums(axis: int | None) -> Callable[..., Work]:
    def sums(make: Arrays, *shape: int) -> Work:
        x = make.random(*shape)
        axes = tuple(range(x.ndim)) if axis is None else axis
        left = [n for d, n in enumerate(shape) if axis is not None and d != axis]
        out = make.f32(*(left or [1]))
        length = math.prod(shape) / max(math.prod(left), 1)
        return Work(
            "reductions",
            lambda example, **options: example.sums(x, out, axis, **options),
            [(out, lambda: x.double().sum(dim=axes).reshape(out.shape))],
            count_bytes(x, out),
            # Sums of many are near 0 by chance.
            tolerance=1e-4,
            scales={0: lambda: length**0.5},
            configs=WARPS,
            peers={"torch": lambda: make.torch.sum(x, dim=axes, dtype=make.torch.float32)},
        )

    return sums


def maxima(make: Arrays, *shape: int) -> Work:
    x = make.random(*shape)
    out = make.f32(*shape[:-1])
    return Work(
        "reductions",
        lambda example, **options: example.maxima(x, out, -1, **options),
        [(out, lambda: x.amax(dim=-1))],
        count_bytes(x, out),
        configs=WARPS,
        peers={"torch": lambda: x.amax(dim=-1)},
    )


def cumsum(make: Arrays, rows: int, columns: int) -> Work:
    x = make.random(rows, columns)
    out = make.empty(rows, columns)
    return Work(
        "cumsum",
        lambda example, **options: example.cumsum(x, out, **options),
        [(out, lambda: x.double().cumsum(dim=1))],
        count_bytes(x, out),
        tolerance=2 * make.tolerance,
        scales={0: lambda: columns**0.5},
        configs=configs_of(columns)[:2],
        peers={"torch": lambda: make.torch.cumsum(x, dim=1, out=out)},
    )


def _softmax(log: bool) -> Callable[..., Work]:
    def softmax(make: Arrays, rows: int, columns: int) -> Work:
        x, out = make.random(rows, columns), make.empty(rows, columns)
        function = make.torch.log_softmax if log else make.torch.softmax
        return Work(
            "softmax",
            lambda example, **options: example.softmax(x, out, log=log, **options),
            [(out, lambda: function(x.float(), dim=1))],
            count_bytes(x, out),
            tolerance=make.tolerance,
            configs=configs_of(columns),
            peers={"torch": lambda: function(x, dim=1)},
        )

    return softmax


def _softmax_backward(log: bool) -> Callable[..., Work]:
    def softmax_backward(make: Arrays, rows: int, columns: int) -> Work:
        grad, out = make.random(rows, columns), make.empty(rows, columns)
        numbers = make.random(rows, columns)
        out.copy_(make.torch.log_softmax(numbers, 1) if log else make.torch.softmax(numbers, 1))
        x_grad = make.empty(rows, columns)
        return Work(
            "softmax",
            lambda example, **options: example.backward(grad, out, x_grad, log=log, **options),
            [(x_grad, lambda: softmax_of_x(grad, out, log))],
            count_bytes(grad, out, x_grad),
            tolerance=2 * make.tolerance,
            configs=configs_of(columns),
        )

    return softmax_backward


def rms_norm_residual(make: Arrays, rows: int, columns: int) -> Work:
    x, first, weight = make.random(rows, columns), make.random(rows, columns), make.random(columns)
    residual, out = make.empty(rows, columns), make.empty(rows, columns)

    def expected() -> Any:
        sums = x.float() + first
        return sums * make.torch.rsqrt((sums * sums).mean(dim=1, keepdim=True) + 1e-6) * weight

    return Work(
        "rms_norm",
        lambda example, **options: example.rms_norm(x, out, weight, residual, **options),
        [(out, expected), (residual, lambda: x.float() + first)],
        count_bytes(x, first, residual, weight, out),
        tolerance=2 * make.tolerance,
        configs=configs_of(columns),
        reset=lambda: residual.copy_(first),
    )


def cross_entropy_backward(make: Arrays, rows: int, columns: int) -> Work:
    torch = make.torch
    logits, logits_grad = make.random(rows, columns), make.empty(rows, columns)
    labels = torch.randint(0, columns, (rows,), device="cuda")
    grad, lse = make.f32(rows).normal_(), torch.logsumexp(logits.float(), dim=1)

    def expected() -> Any:
        result = torch.softmax(logits.float(), dim=1)
        result[torch.arange(rows, device="cuda"), labels] -= 1
        return result * grad[:, None]

    return Work(
        "cross_entropy",
        lambda example, **options: example.backward(
            grad, logits, labels, lse, logits_grad, **options
        ),
        [(logits_grad, expected)],
        count_bytes(logits, logits_grad, grad, lse, labels),
        tolerance=2 * make.tolerance,
        configs=configs_of(columns),
    )


def rope(make: Arrays, tokens: int, heads: int, dimension: int) -> Work:
    torch = make.torch
    first, x = make.random(tokens, heads, dimension), make.empty(tokens, heads, dimension)
    positions, cosines, sines = angles_of_rope(torch, tokens, dimension)
    return Work(
        "rope",
        lambda example, **options: example.rope(x, positions, cosines, sines, **options),
        [(x, lambda: rope_of(torch, first, cosines, sines))],
        2 * count_bytes(x) + count_bytes(cosines, sines),
        tolerance=make.tolerance,
        configs=ROW_WARPS[:3],
        reset=lambda: x.copy_(first),
    )


def embedding(make: Arrays, tokens: int, columns: int) -> Work:
    torch, rows = make.torch, 100003
    table, out = make.random(rows, columns), make.empty(tokens, columns)
    # Each row once, so that as many bytes must be read as are written.
    ids = torch.randperm(rows, device="cuda", dtype=torch.int32)[:tokens].contiguous()
    width = min(1 << (columns - 1).bit_length(), 1024)
    return Work(
        "embedding",
        lambda example, **options: example.embedding(ids, table, out, **options),
        [(out, lambda: table[ids.long()])],
        2 * count_bytes(out) + count_bytes(ids),
        configs=[
            {"num_warps": 4, "blocks": (size // width, width)} for size in (2048, 4096)
        ],
        peers={"torch": lambda: torch.index_select(table, 0, ids, out=out)},
    )  # fmt: skip


def embedding_backward(make: Arrays, tokens: int, columns: int) -> Work:
    torch, rows = make.torch, 20011
    ids = torch.randint(0, rows, (tokens,), device="cuda", dtype=torch.int32)
    grad, table_grad = make.random(tokens, columns), make.f32(rows, columns)
    # In this order the kernel reads what it needs; `group`, which sorts, is not measured.
    tokens_of, starts = torch.sort(ids, stable=True)
    starts = torch.searchsorted(tokens_of, torch.arange(rows + 1, dtype=ids.dtype, device="cuda"))
    places = torch.argsort(ids, stable=True)
    block = min(1 << (columns - 1).bit_length(), 1024)

    def launch(example: Any, **options: Any) -> None:
        example.embedding_backward_ordered_kernel[(rows, -(-columns // block))](
            places, starts, grad, table_grad, columns, COLUMNS=block, **options
        )

    return Work(
        "embedding",
        launch,
        [(table_grad, lambda: torch.zeros_like(table_grad).index_add_(0, ids, grad.float()))],
        count_bytes(grad, table_grad, places, starts),
        tolerance=1e-4,
        configs=configs_of(block),
    )


def top_k(make: Arrays, rows: int, columns: int) -> Work:
    torch, k = make.torch, 4
    x = make.random(rows, columns)
    values, places = make.empty(rows, k), torch.empty(rows, k, device="cuda", dtype=torch.int32)
    return Work(
        "top_k",
        lambda example, **options: example.top_k(x, values, places, **options),
        results_of_top_k(torch, x, values, places),
        count_bytes(x, values, places),
        configs=configs_of(columns),
        peers={"torch": lambda: torch.topk(x, k, dim=1)},
    )


def recurrence(make: Arrays, batches: int, times: int, channels: int) -> Work:
    torch = make.torch
    a = torch.sigmoid(make.random(batches, times, channels).float() + 2).to(make.dtype)
    b, out = make.random(batches, times, channels), make.empty(batches, times, channels)
    state = make.f32(batches, channels)
    return Work(
        "recurrence",
        lambda example, **options: example.recurrence(a, b, state, out, **options),
        [(out, lambda: recurrence_of(torch, a, b))],
        count_bytes(a, b, out),
        tolerance=10 * make.tolerance,
        configs=[
            {"times": 64, "channels": 32},
            {"times": 128, "channels": 32},
            {"times": 64, "channels": 64, "num_warps": 8},
        ],
        reset=state.zero_,
    )


VECTORS = [(50000003,), (3001,)]
# Long and short rows, few and many of them, and little in all.
MATRICES = [(8191, 4097), (1000003, 33), (33, 1000003), (100003, 333), (257, 129)]
ROWS = [
    (1000003, 33),
    (500000, 65),
    (300007, 129),
    (200000, 203),
    (200000, 333),
    (100003, 777),
    (60000, 1023),
]

KERNELS: Kernels = {
    "vector_add": (vector_add, ["f32", "f16", "i8"], VECTORS, [0, 1]),
    "dropout": (dropout, ["f32", "bf16"], VECTORS[:1], [0, 1]),
    "swiglu": (swiglu, ["f32", "bf16"], VECTORS[:1], [0, 1]),
    "swiglu_backward": (swiglu_backward, ["f32", "bf16"], VECTORS[:1], [0, 1]),
    "add_row": (_broadcast(lambda m, n: (n,)), ["f32", "f16", "i8"], MATRICES, [0]),
    "add_column": (_broadcast(lambda m, n: (m, 1)), ["f16"], MATRICES, [0]),
    "outer_sum": (outer_sum, ["f32", "f16"], MATRICES[:4], [0]),
    "sums_of_rows": (_sums(1), ["f32", "f16", "bf16"], MATRICES, [0]),
    "sums_of_columns": (_sums(0), ["f32", "f16", "bf16"], MATRICES, [0]),
    "sums_of_middle": (_sums(1), ["f16"], [(333, 100, 777), (33, 2001, 513)], [0]),
    "sum_of_all": (_sums(None), ["f32", "f16"], [(8191, 8193)], [0, 1]),
    "maxima": (maxima, ["f16", "bf16"], MATRICES[:4], [0]),
    "cumsum": (cumsum, ["f32", "f16"], MATRICES, [0]),
    "softmax_backward": (_softmax_backward(False), ["f16", "f32"], ROWS, [0]),
    "log_softmax": (_softmax(True), ["f16", "f32"], ROWS, [0]),
    "log_softmax_backward": (_softmax_backward(True), ["f16"], ROWS, [0]),
    "rms_norm_residual": (rms_norm_residual, ["f16", "f32"], ROWS, [0]),
    "cross_entropy_backward": (cross_entropy_backward, ["f16"], ROWS, [0]),
    "rope": (
        rope,
        ["f32", "bf16"],
        [(8191, 32, 128), (100003, 1, 128), (30001, 7, 64), (129, 5, 256)],
        [0],
    ),
    "embedding": (
        embedding,
        ["f32", "f16", "i8"],
        [(50001, 1000), (50001, 333), (99999, 65), (20001, 4097)],
        [0],
    ),
    "embedding_backward": (
        embedding_backward, ["f32", "f16"], [(50001, 1000), (50001, 333)], [0],
    ),
    "top_k": (top_k, ["f32", "f16"], [(300007, 64), (200000, 129), (60000, 1000)], [0]),
    "recurrence": (recurrence, ["f32", "bf16"], [(8, 1001, 2047), (3, 4096, 4096)], [0]),
}  # fmt: skip

CASES = list_cases(KERNELS)
