"""Softmax, RMS norm, layer norm, the gradients of both norms, and the forward pass of cross
entropy, on matrices of any width: what examples/python compute, how many bytes that must read and
write, and the same by PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.expected import layer_norm_of_x, rms_norm_of_x

# Rows that are short, of a power of two, odd, and longer than a block holds.
SHAPES = (
    (262144, 64), (131072, 128), (131072, 256), (65536, 512), (65536, 1000), (65536, 1024),
    (16384, 2000), (32768, 2048), (8192, 4095), (16384, 4096), (8192, 8192), (4096, 16384),
    (4096, 32768), (4096, 50257), (1024, 131072), (512, 262144),
)  # fmt: skip


@dataclass
class Rows:
    """One problem. `launch` takes the module of the example and the options of a configuration;
    `results` pairs what it writes with what must stand there. `bytes`: read and written, each
    once."""

    module: str
    launch: Callable[..., None]
    results: Sequence[tuple[Any, Callable[[], Any]]]
    torch: Callable[[], Any]
    bytes: int
    configs: Sequence[Mapping[str, Any]]


def _count_bytes(*tensors: Any) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def _warps(columns: int) -> list[int]:
    """Those that may be best."""
    if columns <= 2048:
        return [1, 2, 4, 8]
    if columns <= 8192:
        return [4, 8, 16]
    # Of a block, where a cluster has the row; where a block has, only 32 have registers for it.
    return [8, 16, 32] if columns <= 16384 else [4, 8, 16, 32]


def _whole(columns: int) -> list[dict[str, Any]]:
    """A program has its row in registers."""
    return [{"num_warps": warps} for warps in _warps(columns)]


def _in_blocks(columns: int) -> list[dict[str, Any]]:
    """A program goes along its row."""
    whole = 1 << (columns - 1).bit_length()
    sizes = sorted({whole, *(min(whole, part) for part in (16384, 8192, 4096))})
    return [{"num_warps": warps, "block": size} for warps in _warps(columns) for size in sizes]


def softmax(torch: Any, x: Any) -> Rows:
    out = torch.empty_like(x)
    return Rows(
        "softmax",
        lambda example, **options: example.softmax(x, out, **options),
        [(out, lambda: torch.softmax(x.float(), dim=1))],
        lambda: torch.softmax(x, dim=1),
        _count_bytes(x, out),
        _whole(x.shape[1]),
    )


def rms_norm(torch: Any, x: Any) -> Rows:
    out, weight = torch.empty_like(x), torch.randn_like(x[0])

    def expected() -> Any:
        wide = x.float()
        return wide * torch.rsqrt((wide * wide).mean(dim=1, keepdim=True) + 1e-6) * weight

    return Rows(
        "rms_norm",
        lambda example, **options: example.rms_norm(x, out, weight, **options),
        [(out, expected)],
        lambda: torch.nn.functional.rms_norm(x, x.shape[1:], weight, 1e-6),
        _count_bytes(x, weight, out),
        _whole(x.shape[1]),
    )


def layer_norm(torch: Any, x: Any) -> Rows:
    out, weight, bias = torch.empty_like(x), torch.randn_like(x[0]), torch.randn_like(x[0])
    mean, rstd = (torch.empty(len(x), device=x.device) for _ in range(2))

    def norm(*numbers: Any) -> Any:
        return torch.nn.functional.layer_norm(numbers[0], x.shape[1:], *numbers[1:])

    return Rows(
        "layer_norm",
        lambda example, **options: example.forward(x, out, weight, bias, mean, rstd, **options),
        [(out, lambda: norm(x.float(), weight.float(), bias.float()))],
        lambda: norm(x, weight, bias),
        _count_bytes(x, weight, bias, out, mean, rstd),
        _in_blocks(x.shape[1]),
    )


def cross_entropy(torch: Any, x: Any) -> Rows:
    labels = torch.randint(0, x.shape[1], (len(x),), device=x.device)
    labels[::100] = -100
    loss, lse = (torch.empty(len(x), device=x.device) for _ in range(2))

    def entropy(logits: Any, part: slice) -> Any:
        return torch.nn.functional.cross_entropy(logits, labels[part], reduction="none")

    def expected() -> Any:
        parts = [slice(i, i + 1024) for i in range(0, len(x), 1024)]
        return torch.cat([entropy(x[part].float(), part) for part in parts])

    return Rows(
        "cross_entropy",
        lambda example, **options: example.forward(x, labels, loss, lse, **options),
        [(loss, expected)],
        lambda: entropy(x, slice(None)),
        _count_bytes(x, labels, loss, lse),
        _in_blocks(x.shape[1]),
    )


# Longer rows are not in registers with all that a gradient needs of them.
LONGEST = {"rms_norm_backward": 16384, "layer_norm_backward": 16384}

# Warps, programs on each multiprocessor, and elements of a thread: as many as 32 of one row.
_BACKWARD = ((4, 4, 16), (8, 2, 16), (8, 3, 8), (16, 1, 16), (4, 4, 32), (8, 2, 32), (16, 1, 32))


def _several_rows(torch: Any, x: Any) -> list[dict[str, Any]]:
    """A program has one sum of all its rows, of which it takes one or several at a time."""
    multiprocessors = torch.cuda.get_device_properties(x.device).multi_processor_count
    block = 1 << (x.shape[1] - 1).bit_length()
    configs = [
        {"num_warps": warps, "programs": programs * multiprocessors, "rows": rows}
        for warps, programs, elements in _BACKWARD
        if (rows := 32 * warps * elements // block) >= 1 and (elements < 32 or rows == 1)
    ]
    # Of the longest rows not all contenders have registers for the next ones.
    if len(configs) > 1:
        return configs
    return [{**configs[0], "ahead": ahead} for ahead in (False, True)]


def rms_norm_backward(torch: Any, x: Any) -> Rows:
    grad, weight, x_grad = torch.randn_like(x), torch.randn_like(x[0]), torch.empty_like(x)
    weight_grad = torch.empty(x.shape[1], device=x.device)
    leaves = [each.detach().clone().requires_grad_() for each in (x, weight)]
    out = torch.nn.functional.rms_norm(leaves[0], x.shape[1:], leaves[1], 1e-6)

    def inverse() -> Any:
        return torch.rsqrt(x.float().square().mean(dim=1, keepdim=True) + 1e-6)

    def normal() -> Any:
        return x.float() * inverse()

    return Rows(
        "rms_norm",
        lambda example, **options: example.backward(
            grad, x, x_grad, weight, weight_grad, **options
        ),
        [
            (x_grad, lambda: rms_norm_of_x(grad, normal(), weight, inverse())),
            (weight_grad, lambda: (grad * normal()).sum(dim=0)),
        ],
        lambda: torch.autograd.grad(out, leaves, grad, retain_graph=True),
        _count_bytes(x, grad, weight, x_grad, weight_grad),
        _several_rows(torch, x),
    )


def layer_norm_backward(torch: Any, x: Any) -> Rows:
    grad, weight, x_grad = torch.randn_like(x), torch.randn_like(x[0]), torch.empty_like(x)
    sums = [torch.empty(x.shape[1], device=x.device) for _ in range(2)]
    mean = x.float().mean(dim=1)
    rstd = torch.rsqrt(x.float().var(dim=1, correction=0) + 1e-5)
    leaves = [each.detach().clone().requires_grad_() for each in (x, weight, weight)]
    out = torch.nn.functional.layer_norm(leaves[0], x.shape[1:], *leaves[1:])

    def normal() -> Any:
        return (x.float() - mean[:, None]) * rstd[:, None]

    return Rows(
        "layer_norm",
        lambda example, **options: example.backward(
            grad, x, weight, mean, rstd, x_grad, *sums, **options
        ),
        [
            (x_grad, lambda: layer_norm_of_x(grad, normal(), weight, rstd)),
            (sums[0], lambda: (grad * normal()).sum(dim=0)),
            (sums[1], lambda: grad.float().sum(dim=0)),
        ],
        lambda: torch.autograd.grad(out, leaves, grad, retain_graph=True),
        _count_bytes(x, grad, weight, mean, rstd, x_grad, *sums),
        _several_rows(torch, x),
    )


KERNELS: dict[str, Callable[[Any, Any], Rows]] = {
    "softmax": softmax,
    "rms_norm": rms_norm,
    "layer_norm": layer_norm,
    "cross_entropy": cross_entropy,
    "rms_norm_backward": rms_norm_backward,
    "layer_norm_backward": layer_norm_backward,
}


def describe(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in options.items())
