"""Loops of products with a slot more than copies run ahead, beside NumPy."""

import re

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset

import matmul

# Of 227 KiB: a stage takes 24, 32, 40 and 48.
SPARE = [((128, 128, 64), 4, 4), ((64, 256, 64), 4, 3), ((256, 128, 64), 8, 3)]
# Two blocks have room, and four stages are all that fit.
NONE = [((128, 128, 64), 4, 3), ((256, 128, 64), 8, 4)]


def launch(m, n, k, blocks, warps, stages):
    a, b = numbers(m, k, dtype=np.float16), numbers(k, n, dtype=np.float16, seed=1)
    c = unset(m, n, dtype=np.float16)
    matmul.matmul(a, b, c, blocks=blocks, num_warps=warps, num_stages=stages)
    assert_close(c, matmul.reference(a, b), digits=2e-2)


# No iteration, one, as many as run ahead, and slots that come round again.
@pytest.mark.parametrize("k", [0, 40, 64 * 3, 64 * 11 + 8])
@pytest.mark.parametrize(("blocks", "warps", "stages"), SPARE + NONE)
def test_products(monkeypatch, blocks, warps, stages, k):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    launch(blocks[0] + 8, blocks[1] + 16, k, blocks, warps, stages)


# Other GPUs have no products that are waited for.
@pytest.mark.parametrize("k", [64 * 3, 64 * 7 + 24])
def test_targets(target, k):
    launch(136, 144, k, (128, 128, 64), 4, 2)


def count_in_loop(ptx, instruction):
    """In the loop of products: from its label to the branch back."""
    first = ptx.index("wgmma.mma_async")
    label = ptx.rindex("\n$L__BB", 0, first)
    name = re.match(r"\n(\$L__BB\w+)", ptx[label:])[1]
    loop = ptx[label : ptx.index(f"bra.uni \t{name};", first)]
    return len(re.findall(instruction, loop))


@pytest.mark.parametrize(("blocks", "warps", "stages"), SPARE + NONE)
def test_code(without_ptxas, blocks, warps, stages):
    arrays = [np.zeros((512, 512), np.float16) for _ in range(3)]
    sizes = dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), blocks, strict=True), GROUP=8)
    kernel = matmul.matmul_kernel.warmup(
        *arrays, None, 512, 512, 512, 512, 1, 512, 1, 512, 1, **sizes, num_warps=warps,
        num_stages=stages, target="sm_90a", grid=(4,),
    )  # fmt: skip
    is_spare = (blocks, warps, stages) in SPARE
    stage = (blocks[0] + blocks[1]) * blocks[2] * 2
    launched = kernel.variants[-1]["report"]["launch"]
    assert launched["dynamic_shared_bytes"] == stage * (stages + is_spare)
    assert count_in_loop(kernel.variants[-1]["ptx"], r"bar\.sync") == 2 - is_spare
