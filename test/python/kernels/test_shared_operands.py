"""Products of one loop that have an operand in common: beside NumPy, and how it is copied."""

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset

import tilewright
from bench.product_kernel import product_kernel

WIDTH, REST = 128, 64


def stored(values, is_across):
    return np.ascontiguousarray(values.T).T if is_across else values


def arguments(m, n, k, across):
    a = stored(numbers(m, k, dtype=np.float16), across[0])
    b = stored(numbers(k, n, dtype=np.float16, seed=1), across[1])
    residual = numbers(m, n, dtype=np.float16, seed=2)
    c, bias, scales = unset(m, n, dtype=np.float16), np.zeros(n, np.float16), np.zeros(m)
    return a, b, c, bias, scales.astype(np.float32), residual


def options_of(across, epilogue, warps, target):
    return {
        "BLOCK_M": 128, "BLOCK_N": WIDTH, "REST": REST, "BLOCK_K": 32, "A_ACROSS": across[0],
        "B_ACROSS": across[1], "EPILOGUE": epilogue, "num_warps": warps, "num_stages": 2,
        "target": target,
    }  # fmt: skip


@pytest.mark.parametrize("across", [(False, False), (True, True)])
@pytest.mark.parametrize("epilogue", ["", "residual"])
@pytest.mark.parametrize("warps", [4, 8])
def test_products(target, warps, epilogue, across):
    m, n, k = 136, 392, 104
    a, b, c, *others = arguments(m, n, k, across)
    grid = 2, tilewright.cdiv(n, WIDTH + REST)
    product_kernel[grid](a, b, c, *others, m, n, k, **options_of(across, epilogue, warps, target))
    right = a.astype(np.float64) @ b.astype(np.float64)
    assert_close(c, right + others[-1] if epilogue else right, digits=2e-2)


# Both products read it in one layout: it is copied ahead, as what one product reads.
@pytest.mark.parametrize("across", [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize("warps", [4, 8])
def test_the_operand_is_copied_ahead(warps, across):
    a, b, c, *others = arguments(384, 384, 384, across)
    kernel = product_kernel.warmup(
        a, b, c, *others, 384, 384, 384, **options_of(across, "", warps, "sm_80"), grid=(3, 2)
    )
    placed = kernel.ir("placed")
    assert placed.count("copy_async ") == 6
    assert "load_view" not in placed
    resources = kernel.report.get("resources")
    if resources and warps == 8:
        assert resources["spill_store_bytes"] == 0
