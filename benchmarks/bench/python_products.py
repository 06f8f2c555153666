"""What the examples/python that multiply compute at the sizes of real models: products, one after
the other, in batches and in groups, and attention. python_cases.py has the names of these cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from bench.work import Work, randn

# Blocks, warps and stages.
_BLOCKS_OF_MATMUL = (
    ((128, 256, 64), 8, 3),
    ((128, 128, 64), 4, 3),
    ((128, 128, 64), 4, 4),
    ((128, 128, 64), 8, 3),
)


def matmul(torch: Any) -> Work:
    from bench.both_languages import FOLDER

    size = 4096
    a, b = (randn(torch, size, size) for _ in range(2))
    c = torch.empty(size, size, device="cuda", dtype=torch.float16)

    def by_views() -> Callable[[], Any]:
        import tilewright

        kernel = tilewright.compile_file(FOLDER.parent / "gemm_f16_nn.mlir")
        return lambda: kernel(a, b, c)

    return Work(
        "matmul",
        lambda example, **options: example.matmul(a, b, c, **options),
        [(c, lambda: a.float() @ b.float())],
        2.0 * size**3,
        unit="TFLOP/s",
        tolerance=2e-3,
        configs=[
            {"blocks": blocks, "num_warps": warps, "num_stages": stages}
            for blocks, warps, stages in _BLOCKS_OF_MATMUL
        ],
        peers={"cuBLAS": lambda: torch.matmul(a, b, out=c), "our views": by_views()},
    )


def batched_matmul(torch: Any) -> Work:
    batches, size = 32, 1024
    a, b = (randn(torch, batches, size, size) for _ in range(2))
    c = torch.empty(batches, size, size, device="cuda", dtype=torch.float16)
    return Work(
        "batched_matmul",
        lambda example, **options: example.batched_matmul(a, b, c, **options),
        [(c, lambda: torch.bmm(a.float(), b.float()))],
        2.0 * batches * size**3,
        unit="TFLOP/s",
        tolerance=2e-3,
        configs=[
            {"blocks": blocks, "num_warps": warps, "num_stages": 3}
            for blocks, warps in (((128, 256, 64), 8), ((128, 128, 64), 4), ((128, 128, 64), 8))
        ],
        peers={"cuBLAS": lambda: torch.bmm(a, b, out=c)},
    )


def _multiprocessors(torch: Any) -> int:
    return int(torch.cuda.get_device_properties("cuda").multi_processor_count)


def grouped_matmul(torch: Any) -> Work:
    # As the experts of a mixture have them: the same weights, other numbers of rows.
    rows = [128 * (1 + 7 * i % 16) for i in range(16)]
    n, k = 4096, 2048
    a = [randn(torch, m, k) for m in rows]
    b = [randn(torch, k, n) for _ in rows]
    c = [torch.empty(m, n, device="cuda", dtype=torch.float16) for m in rows]
    programs = _multiprocessors(torch)

    def product_of(x: Any, y: Any) -> Callable[[], Any]:
        return lambda: x.float() @ y.float()

    return Work(
        "grouped_matmul",
        lambda example, **options: example.grouped_matmul(a, b, c, programs, **options),
        [(z, product_of(x, y)) for x, y, z in zip(a, b, c, strict=True)],
        2.0 * sum(rows) * n * k,
        unit="TFLOP/s",
        tolerance=2e-3,
        configs=[
            {"blocks": blocks, "num_warps": warps, "num_stages": stages}
            for blocks, warps, stages in _BLOCKS_OF_MATMUL
        ],
        peers={"cuBLAS": lambda: [torch.matmul(*each) for each in zip(a, b, strict=True)]},
    )


def persistent_matmul(torch: Any, choices: Sequence[Mapping[str, Any]], kernel: str) -> Work:
    size = 4096
    a, b = (randn(torch, size, size) for _ in range(2))
    c = torch.empty(size, size, device="cuda", dtype=torch.float16)
    programs = _multiprocessors(torch)
    return Work(
        "persistent_matmul",
        lambda example, **options: getattr(example, kernel)(a, b, c, programs, **options),
        [(c, lambda: a.float() @ b.float().T)],
        2.0 * size**3,
        unit="TFLOP/s",
        tolerance=2e-3,
        configs=[
            {"blocks": blocks, **choice, "num_warps": warps, "num_stages": stages}
            for blocks, warps, stages in _BLOCKS_OF_MATMUL
            for choice in choices
        ],
        peers={"cuBLAS": lambda: torch.matmul(a, b.T, out=c)},
    )


def attention(torch: Any, causal: bool, dimension: int) -> Work:
    batches, heads, length = 4, 16, 4096
    q, k, v = (randn(torch, batches, heads, length, dimension) for _ in range(3))
    out = torch.empty_like(q)
    lse = torch.empty(batches, heads, length, device="cuda")

    def attend(*tensors: Any) -> Any:
        return torch.nn.functional.scaled_dot_product_attention(*tensors, is_causal=causal)

    def get_scale() -> Any:
        """How large the roundings of weights to f16 are, as multiples of 2^-11, in a sum of n.

        Each weight p is off by at most p * 2^-11, so that a sum of p * v is off by the sum of
        p * |v| at most: in the first rows of a causal matrix, which have few keys, that is far more
        than an average element. The roundings are independent, and many grow as the root of their
        number: by 2.1 / sqrt(n) of that sum for scores of a normal distribution, times 0.41 * 2^-11
        for one standard deviation. The tolerance of 8 * 2^-11 is more than the bound up to 64 keys
        and 9 deviations beyond, and |out| * 2^-11 is left for the rounding of the result.
        """
        sums = attend(q.float(), k.float(), v.float().abs())
        keys = torch.full((length,), length, device="cuda")
        if causal:
            keys = torch.arange(1, length + 1, device="cuda")
        return sums / keys[:, None].sqrt()

    def launch(example: ModuleType, **options: Any) -> None:
        example.attention(q, k, v, out, lse, causal=causal, **options)

    products = 4.0 * batches * heads * length * length * dimension
    return Work(
        "attention",
        launch,
        [(out, lambda: attend(*(each.float() for each in (q, k, v))))],
        products / 2 if causal else products,
        unit="TFLOP/s",
        tolerance=8 * 2.0**-11,
        scales={0: get_scale},
        configs=[
            {"blocks": blocks, "num_warps": warps, "num_stages": stages}
            for blocks, warps in (((128, 64), 4), ((128, 64), 8), ((128, 128), 8), ((64, 64), 4))
            for stages in (2, 3)
        ],
        peers={"torch": lambda: attend(q, k, v)},
    )
