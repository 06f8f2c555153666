"""Functions of products before they are stored: beside NumPy, and that nothing spills."""

import math

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset

import tilewright
import tilewright.language as tl

TILES = [((128, 128), 4, 3), ((128, 128), 4, 4), ((64, 256), 4, 3), ((128, 256), 8, 3)]


@tilewright.jit
def function_kernel(
    a, b, c, bias, residual, height, width, depth,
    block_m: tl.constexpr, block_n: tl.constexpr, block_k: tl.constexpr, function: tl.constexpr,
):  # fmt: skip
    m, n = tl.program_id(0) * block_m, tl.program_id(1) * block_n
    rows = tl.make_tensor_descriptor(a, [height, depth], [depth, 1], [block_m, block_k])
    columns = tl.make_tensor_descriptor(b, [depth, width], [width, 1], [block_k, block_n])
    total = tl.zeros((block_m, block_n), dtype=tl.float32)
    for k in range(0, depth, block_k):
        total = tl.dot(rows.load([m, k]), columns.load([k, n]), total)
    if bias is not None:
        places = n + tl.arange(0, block_n)
        total += tl.load(bias + places, mask=places < width, other=0.0).to(tl.float32)[None, :]
    if function == "gelu":
        total = 0.5 * total * (1.0 + tl.math.erf(total * 0.70710678))
    else:
        total = total / (1.0 + tl.exp(-total))
    if residual is not None:
        others = tl.make_tensor_descriptor(
            residual, [height, width], [width, 1], [block_m, block_n]
        )
        total += others.load([m, n]).to(tl.float32)
    out = tl.make_tensor_descriptor(c, [height, width], [width, 1], [block_m, block_n])
    out.store([m, n], total.to(c.dtype.element_ty))


def reference(x, function):
    if function == "gelu":
        return 0.5 * x * (1 + np.vectorize(math.erf)(x * 0.70710678))
    return x / (1 + np.exp(-x))


@pytest.mark.parametrize("function", ["gelu", "silu"])
@pytest.mark.parametrize(("blocks", "warps", "stages"), TILES[:3])
def test_functions(target, blocks, warps, stages, function):
    m, n, k = blocks[0] + 3, blocks[1] + 8, 72
    a, b = numbers(m, k, dtype=np.float16), numbers(k, n, dtype=np.float16, seed=1)
    bias, c = numbers(n, dtype=np.float16, seed=2), unset(m, n, dtype=np.float16)
    stages = stages if target == "sm_90a" else 2
    function_kernel[(2, 2)](
        a, b, c, bias, None, m, n, k, block_m=blocks[0], block_n=blocks[1], block_k=64,
        function=function, num_warps=warps, num_stages=stages, target=target,
    )  # fmt: skip
    sums = a.astype(np.float64) @ b.astype(np.float64) + bias
    assert_close(c, reference(sums, function), digits=2e-2)


@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize("function", ["gelu", "silu"])
@pytest.mark.parametrize(("blocks", "warps", "stages"), TILES)
def test_nothing_spills(blocks, warps, stages, function, has_bias):
    size = 512
    a, b, c = (np.zeros((size, size), np.float16) for _ in range(3))
    bias = np.zeros(size, np.float16) if has_bias else None
    kernel = function_kernel.warmup(
        a, b, c, bias, None, size, size, size, block_m=blocks[0], block_n=blocks[1], block_k=64,
        function=function, num_warps=warps, num_stages=stages, target="sm_90a", grid=(4, 4),
    )  # fmt: skip
    resources = kernel.variants[-1]["report"].get("resources")
    if not resources:
        pytest.skip("there is no ptxas")
    assert resources["spill_store_bytes"] == 0
    assert resources["why_serialized"] == ""
