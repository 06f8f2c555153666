"""What examples/python compute at the sizes of real models: arguments, what must come out, and how
many bytes or operations that is.

A case is a function of `torch` that gives its `Work`; `CASES` has all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

from bench.expected import (
    angles_of_rope,
    layer_norm_of_x,
    recurrence_of,
    results_of_top_k,
    rms_norm_of_x,
    rope_of,
    softmax_of_x,
    swiglu_of_gate,
    swiglu_of_up,
)
from bench.python_products import (
    attention,
    batched_matmul,
    grouped_matmul,
    matmul,
    persistent_matmul,
)
from bench.work import Work, count_bytes, randn


def vector_add(torch: Any) -> Work:
    x, y = (randn(torch, 1 << 26, dtype="float32") for _ in range(2))
    out = torch.empty_like(x)
    return Work(
        "vector_add",
        lambda example, **options: example.add(x, y, out, **options),
        [(out, lambda: x + y)],
        count_bytes(x, y, out),
    )


def dropout(torch: Any) -> Work:
    x = randn(torch, 1 << 26)
    out = torch.empty_like(x)

    def expected() -> Any:
        # Who stays is the kernel's own affair, and the same in both compilers' code.
        share = (out == 0).float().mean().item()
        if not 0.29 < share < 0.31:
            raise AssertionError(f"{share:.1%} were dropped, not 30 %")
        return torch.where(out == 0, 0, x / 0.7)

    return Work(
        "dropout",
        lambda example, **options: example.dropout(x, out, 0.3, 1234, **options),
        [(out, expected)],
        count_bytes(x, out),
        tolerance=2e-3,
    )


def swiglu_forward(torch: Any) -> Work:
    gate, up = (randn(torch, 8192 * 8192) for _ in range(2))
    out = torch.empty_like(gate)
    return Work(
        "swiglu",
        lambda example, **options: example.forward(gate, up, out, **options),
        [(out, lambda: torch.nn.functional.silu(gate.float()) * up)],
        count_bytes(gate, up, out),
        tolerance=2e-3,
    )


def swiglu_backward(torch: Any) -> Work:
    grad, gate, up = (randn(torch, 8192 * 8192) for _ in range(3))
    gate_grad, up_grad = torch.empty_like(gate), torch.empty_like(up)

    return Work(
        "swiglu",
        lambda example, **options: example.backward(grad, gate, up, gate_grad, up_grad, **options),
        [
            (gate_grad, lambda: swiglu_of_gate(torch, grad, gate, up)),
            (up_grad, lambda: swiglu_of_up(torch, grad, gate)),
        ],
        count_bytes(grad, gate, up, gate_grad, up_grad),
        tolerance=2e-3,
    )


def _softmax(torch: Any, rows: int, columns: int, dtype: str, log: bool = False) -> Work:
    x = randn(torch, rows, columns, dtype=dtype)
    out = torch.empty_like(x)
    function = torch.log_softmax if log else torch.softmax
    return Work(
        "softmax",
        lambda example, **options: example.softmax(x, out, log=log, **options),
        [(out, lambda: function(x.float(), dim=1))],
        count_bytes(x, out),
        tolerance=2e-3 if dtype == "float16" else 2e-5,
        configs=({"num_warps": 4}, {"num_warps": 8}, {"num_warps": 16}),
        peers={"torch": lambda: function(x, dim=1)},
    )


def softmax_backward(torch: Any) -> Work:
    grad, out = randn(torch, 8192, 4096), torch.softmax(randn(torch, 8192, 4096), dim=1)
    x_grad = torch.empty_like(out)
    return Work(
        "softmax",
        lambda example, **options: example.backward(grad, out, x_grad, **options),
        [(x_grad, lambda: softmax_of_x(grad, out))],
        count_bytes(grad, out, x_grad),
        tolerance=2e-3,
        configs=({"num_warps": 4}, {"num_warps": 8}, {"num_warps": 16}),
    )


def permute(torch: Any) -> Work:
    # Channels last, of images.
    x = randn(torch, 32, 256, 64, 64)
    out = torch.empty(32, 64, 64, 256, device="cuda", dtype=torch.float16)
    return Work(
        "permute",
        lambda example, **options: example.permute(x, out, (0, 2, 3, 1), **options),
        [(out, lambda: x.permute(0, 2, 3, 1))],
        count_bytes(x, out),
        peers={"torch": lambda: out.copy_(x.permute(0, 2, 3, 1))},
    )


def broadcast(torch: Any) -> Work:
    x, row = randn(torch, 8192, 8192), randn(torch, 8192)
    out = torch.empty_like(x)
    return Work(
        "broadcast",
        lambda example, **options: example.broadcast(example.add, x, row, out, **options),
        [(out, lambda: x + row)],
        count_bytes(x, row, out),
        tolerance=2e-3,
        peers={"torch": lambda: torch.add(x, row, out=out)},
    )


def _reduction(torch: Any, axis: int | None) -> Work:
    x = randn(torch, 8192, 8192)
    shape = (1,) if axis is None else (8192,)
    out = torch.empty(shape, device="cuda")
    axes = (0, 1) if axis is None else axis
    return Work(
        "reductions",
        lambda example, **options: example.sums(x, out, axis, **options),
        [(out, lambda: x.double().sum(dim=axes).reshape(shape))],
        count_bytes(x),
        tolerance=1e-4,
        peers={"torch": lambda: torch.sum(x, dim=axes, dtype=torch.float32)},
    )


def layer_norm_forward(torch: Any) -> Work:
    x, weight, bias = randn(torch, 8192, 4096), randn(torch, 4096), randn(torch, 4096)
    out = torch.empty_like(x)
    mean, rstd = (torch.empty(8192, device="cuda") for _ in range(2))

    def expected() -> Any:
        numbers = [each.float() for each in (x, weight, bias)]
        return torch.nn.functional.layer_norm(numbers[0], (4096,), *numbers[1:])

    return Work(
        "layer_norm",
        lambda example, **options: example.forward(x, out, weight, bias, mean, rstd, **options),
        [(out, expected), (mean, lambda: x.float().mean(dim=1))],
        count_bytes(x, out),
        tolerance=2e-3,
        configs=[
            {"num_warps": warps, "block": block} for warps in (4, 8) for block in (1024, 4096)
        ],
    )


def _layer_norm_backward(torch: Any, way: str) -> Work:
    x, grad, weight = randn(torch, 8192, 4096), randn(torch, 8192, 4096), randn(torch, 4096)
    numbers = x.float()
    mean = numbers.mean(dim=1)
    rstd = torch.rsqrt(numbers.var(dim=1, correction=0) + 1e-5)
    x_grad = torch.empty_like(x)
    weight_grad, bias_grad = (torch.zeros(4096, device="cuda") for _ in range(2))

    def normal() -> Any:
        return (x.float() - mean[:, None]) * rstd[:, None]

    def launch(example: ModuleType, **options: Any) -> None:
        backward = getattr(example, f"backward{way}")
        backward(grad, x, weight, mean, rstd, x_grad, weight_grad, bias_grad, **options)

    def reset() -> None:
        weight_grad.zero_()
        bias_grad.zero_()

    return Work(
        "layer_norm",
        launch,
        [
            (x_grad, lambda: layer_norm_of_x(grad, normal(), weight, rstd)),
            (weight_grad, lambda: (grad * normal()).sum(dim=0)),
            (bias_grad, lambda: grad.float().sum(dim=0)),
        ],
        count_bytes(x, grad, x_grad),
        tolerance=2e-3,
        configs=({"num_warps": 8}, {"num_warps": 16}),
        reset=reset,
    )


def _rms_norm(torch: Any, has_residual: bool) -> Work:
    x, weight = randn(torch, 16384, 4096), randn(torch, 4096)
    first = randn(torch, 16384, 4096)
    residual = first.clone() if has_residual else None
    out = torch.empty_like(x)

    def reset() -> None:
        if residual is not None:
            residual.copy_(first)

    def expected() -> Any:
        numbers = x.float() + (first if has_residual else 0)
        return numbers * torch.rsqrt((numbers * numbers).mean(dim=1, keepdim=True) + 1e-6) * weight

    results = [(out, expected)]
    if residual is not None:
        results.append((residual, lambda: x.float() + first))
    return Work(
        "rms_norm",
        lambda example, **options: example.rms_norm(x, out, weight, residual, **options),
        results,
        count_bytes(x, out) * (2 if has_residual else 1),
        tolerance=2e-3,
        configs=({"num_warps": 4}, {"num_warps": 8}, {"num_warps": 16}),
        reset=reset,
    )


def rms_norm_backward(torch: Any) -> Work:
    x, grad, weight = randn(torch, 8192, 4096), randn(torch, 8192, 4096), randn(torch, 4096)
    x_grad, weight_grad = torch.empty_like(x), torch.empty(4096, device="cuda")

    def inverse() -> Any:
        return torch.rsqrt((x.float() * x).mean(dim=1, keepdim=True) + 1e-6)

    def normal() -> Any:
        return x.float() * inverse()

    return Work(
        "rms_norm",
        lambda example, **options: example.backward(
            grad, x, x_grad, weight, weight_grad, **options
        ),
        [
            (x_grad, lambda: rms_norm_of_x(grad, normal(), weight, inverse())),
            (weight_grad, lambda: (grad * normal()).sum(dim=0)),
        ],
        count_bytes(x, grad, x_grad),
        tolerance=2e-3,
        configs=({"num_warps": 8}, {"num_warps": 16}),
    )


def rope(torch: Any) -> Work:
    tokens, heads, dimension = 8192, 32, 128
    first = randn(torch, tokens, heads, dimension)
    x = first.clone()
    positions, cosines, sines = angles_of_rope(torch, tokens, dimension)
    return Work(
        "rope",
        lambda example, **options: example.rope(x, positions, cosines, sines, **options),
        [(x, lambda: rope_of(torch, first, cosines, sines))],
        2 * count_bytes(x),
        tolerance=2e-3,
        reset=lambda: x.copy_(first),
    )


def _cross_entropy(torch: Any, way: str) -> Work:
    rows, classes = 8192, 32000
    logits = randn(torch, rows, classes)
    labels = torch.randint(0, classes, (rows,), device="cuda")
    labels[::100] = -100
    loss, lse = (torch.empty(rows, device="cuda") for _ in range(2))
    configs = [{"num_warps": warps, "block": block} for warps in (4, 8, 16) for block in (4096,)]

    def exact(chunk: Any) -> Any:
        """Row by row of a chunk: f32 of all would take much memory."""
        return torch.cat([chunk(slice(i, i + 1024)) for i in range(0, rows, 1024)])

    if way == "forward":
        return Work(
            "cross_entropy",
            lambda example, **options: example.forward(logits, labels, loss, lse, **options),
            [
                (
                    loss,
                    lambda: exact(
                        lambda part: torch.nn.functional.cross_entropy(
                            logits[part].float(), labels[part], reduction="none"
                        )
                    ),
                )
            ],
            count_bytes(logits),
            configs=configs,
        )
    grad = torch.randn(rows, device="cuda")
    lse = exact(lambda part: torch.logsumexp(logits[part].float(), dim=1))
    logits_grad = torch.empty_like(logits)

    def of_logits(part: slice) -> Any:
        result = torch.softmax(logits[part].float(), dim=1)
        counts = labels[part] != -100
        places = torch.where(counts, labels[part], 0)[:, None]
        result.scatter_add_(1, places, torch.full_like(places, -1, dtype=torch.float32))
        return (result * (grad[part] * counts)[:, None]).half()

    return Work(
        "cross_entropy",
        lambda example, **options: example.backward(
            grad, logits, labels, lse, logits_grad, **options
        ),
        [(logits_grad, lambda: exact(of_logits))],
        count_bytes(logits, logits_grad),
        tolerance=2e-3,
        configs=configs,
    )


def top_k(torch: Any) -> Work:
    rows, columns, k = 16384, 1024, 8
    x = randn(torch, rows, columns, dtype="float32")
    values = torch.empty(rows, k, device="cuda")
    places = torch.empty(rows, k, device="cuda", dtype=torch.int32)
    return Work(
        "top_k",
        lambda example, **options: example.top_k(x, values, places, **options),
        results_of_top_k(torch, x, values, places),
        count_bytes(x, values, places),
        configs=({"num_warps": 1}, {"num_warps": 4}, {"num_warps": 8}),
    )


def cumsum(torch: Any) -> Work:
    x = randn(torch, 8192, 8192, dtype="float32")
    out = torch.empty_like(x)
    return Work(
        "cumsum",
        lambda example, **options: example.cumsum(x, out, **options),
        [(out, lambda: x.double().cumsum(dim=1))],
        count_bytes(x, out),
        configs=[
            {"num_warps": warps, "block": block} for warps in (4, 8) for block in (1024, 4096)
        ],
    )


def recurrence(torch: Any) -> Work:
    batches, times, channels = 8, 2048, 2048
    a = torch.sigmoid(randn(torch, batches, times, channels, dtype="float32") + 2)
    b = randn(torch, batches, times, channels, dtype="float32")
    state, out = torch.zeros(batches, channels, device="cuda"), torch.empty_like(b)
    return Work(
        "recurrence",
        lambda example, **options: example.recurrence(a, b, state, out, **options),
        [(out, lambda: recurrence_of(torch, a, b))],
        count_bytes(a, b, out),
        configs=[{"times": t, "channels": c} for t, c in ((64, 32), (128, 32), (128, 64))],
        reset=state.zero_,
    )


def embedding_forward(torch: Any) -> Work:
    table = randn(torch, 50304, 4096)
    ids = torch.randint(0, 50304, (16384,), device="cuda", dtype=torch.int32)
    out = torch.empty(16384, 4096, device="cuda", dtype=torch.float16)
    return Work(
        "embedding",
        lambda example, **options: example.embedding(ids, table, out, **options),
        [(out, lambda: table[ids.long()])],
        2 * count_bytes(out),
        configs=[{"num_warps": 4, "blocks": blocks} for blocks in ((4, 512), (1, 4096))],
    )


def _embedding_backward(torch: Any, way: str) -> Work:
    ids = torch.randint(0, 32000, (16384,), device="cuda", dtype=torch.int32)
    grad = randn(torch, 16384, 1024)
    table_grad = torch.zeros(32000, 1024, device="cuda")

    def expected() -> Any:
        return torch.zeros_like(table_grad).index_add_(0, ids, grad.float())

    return Work(
        "embedding",
        lambda example, **options: getattr(example, f"embedding_backward{way}")(
            ids, grad, table_grad, **options
        ),
        [(table_grad, expected)],
        count_bytes(grad) * 5,
        configs=[{"num_warps": 4}, {"num_warps": 8}]
        if way
        else [{"num_warps": 4, "blocks": blocks} for blocks in ((4, 512), (1, 1024))],
        reset=table_grad.zero_,
    )


def great_circle(torch: Any) -> Work:
    n = 1 << 26
    latitudes, longitudes = (torch.rand(n, device="cuda") * 3 - 1.5 for _ in range(2))
    out = torch.empty_like(latitudes)

    def expected() -> Any:
        there, turned = latitudes.double(), longitudes.double() - 1.25
        rise = ((there - 0.5) / 2).sin() ** 2
        haversine = rise + there.cos() * math.cos(0.5) * (turned / 2).sin() ** 2
        return 2 * haversine.sqrt().asin()

    return Work(
        "great_circle",
        lambda example, **options: example.great_circle(
            latitudes, longitudes, out, (0.5, 1.25), **options
        ),
        [(out, expected)],
        count_bytes(latitudes, longitudes, out),
    )


CASES: dict[str, Callable[[Any], Work]] = {
    "vector_add f32 2^26": vector_add,
    "softmax f16 16384x1024": lambda torch: _softmax(torch, 16384, 1024, "float16"),
    "softmax f16 8192x4096": lambda torch: _softmax(torch, 8192, 4096, "float16"),
    "softmax f32 4096x8192": lambda torch: _softmax(torch, 4096, 8192, "float32"),
    "log_softmax f16 8192x4096": lambda torch: _softmax(torch, 8192, 4096, "float16", log=True),
    "softmax backward f16 8192x4096": softmax_backward,
    "permute f16 32x256x64x64 to channels last": permute,
    "broadcast f16 8192x8192 and a row": broadcast,
    "sums of rows f16 8192x8192": lambda torch: _reduction(torch, 1),
    "sums of columns f16 8192x8192": lambda torch: _reduction(torch, 0),
    "sum of all f16 8192x8192": lambda torch: _reduction(torch, None),
    "matmul f16 4096x4096x4096": matmul,
    "dropout f16 2^26": dropout,
    "layer_norm forward f16 8192x4096": layer_norm_forward,
    "layer_norm backward, atomics, f16 8192x4096": (
        lambda torch: _layer_norm_backward(torch, "_atomic")
    ),
    "layer_norm backward, locks, f16 8192x4096": (
        lambda torch: _layer_norm_backward(torch, "_locks")
    ),
    "layer_norm backward, in order, f16 8192x4096": lambda torch: _layer_norm_backward(torch, ""),
    "attention f16 4x16x4096x64": lambda torch: attention(torch, False, 64),
    "attention causal f16 4x16x4096x64": lambda torch: attention(torch, True, 64),
    "attention f16 4x16x4096x128": lambda torch: attention(torch, False, 128),
    "attention causal f16 4x16x4096x128": lambda torch: attention(torch, True, 128),
    "batched_matmul f16 32x1024x1024x1024": batched_matmul,
    "grouped_matmul f16 16 of 128..2048x4096x2048": grouped_matmul,
    "persistent_matmul f16 4096x4096x4096": (
        lambda torch: persistent_matmul(torch, [{}], "persistent_matmul")
    ),
    "persistent_matmul by descriptors f16 4096x4096x4096": (
        lambda torch: persistent_matmul(
            torch, [{"in_halves": False}, {"in_halves": True}], "descriptor_matmul"
        )
    ),
    "great_circle f32 2^26": great_circle,
    "cross_entropy forward f16 8192x32000": lambda torch: _cross_entropy(torch, "forward"),
    "cross_entropy backward f16 8192x32000": lambda torch: _cross_entropy(torch, "backward"),
    "rms_norm f16 16384x4096": lambda torch: _rms_norm(torch, False),
    "rms_norm with residual f16 16384x4096": lambda torch: _rms_norm(torch, True),
    "rms_norm backward f16 8192x4096": rms_norm_backward,
    "rope f16 8192x32x128": rope,
    "embedding forward f16 16384x4096": embedding_forward,
    "embedding backward f16 16384x1024": lambda torch: _embedding_backward(torch, ""),
    "embedding backward, in order, f16 16384x1024": (
        lambda torch: _embedding_backward(torch, "_ordered")
    ),
    "swiglu forward f16 8192x8192": swiglu_forward,
    "swiglu backward f16 8192x8192": swiglu_backward,
    "top_k f32 16384x1024, 8": top_k,
    "cumsum f32 8192x8192": cumsum,
    "recurrence f32 8x2048x2048": recurrence,
}
