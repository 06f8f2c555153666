"""What could go wrong where warps of their own copy, and blocks stay: in the simulator, beside
NumPy."""

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset

import attention
import tilewright
import tilewright.language as tl
from bench.product_kernel import product_kernel

# Two teams of four warps, and eight warps that make one tile.
TEAMS = {"BLOCK_M": 128, "BLOCK_N": 128, "num_warps": 4, "num_stages": 4}
TOGETHER = {"BLOCK_M": 128, "BLOCK_N": 256, "num_warps": 8, "num_stages": 3}


@pytest.fixture(autouse=True)
def on_hopper(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")


def multiply(a, b, c, epilogue="", tile=TEAMS, **options):
    (m, k), n = a.shape, b.shape[1]
    grid = tilewright.cdiv(m, tile["BLOCK_M"]), tilewright.cdiv(n, tile["BLOCK_N"])
    extra = numbers(n, dtype=np.float16, seed=5), numbers(m, seed=6), numbers(m, n, seed=7)
    residual = extra[2].astype(np.float16)
    compiled = product_kernel[grid](
        a, b, c, *extra[:2], residual, m, n, k, REST=0, BLOCK_K=64, A_ACROSS=False, B_ACROSS=False,
        EPILOGUE=epilogue, **tile, **options,
    )  # fmt: skip
    right = a.astype(np.float64) @ b.astype(np.float64)
    if epilogue == "bias_relu":
        right = np.maximum(right + extra[0], 0)
    if epilogue == "row_scales":
        right = right * extra[1][:, None]
    if epilogue == "residual":
        right = right + residual
    return compiled, right


def matrices(m, n, k):
    a, b = numbers(m, k, dtype=np.float16), numbers(k, n, dtype=np.float16, seed=1)
    return a, b, unset(m, n, dtype=np.float16)


# Of a matrix of nothing no launch can have a tensor map; sums of nothing are zero, and what is done
# with them is done.
@pytest.mark.parametrize("epilogue", ["", "bias_relu", "row_scales", "residual"])
@pytest.mark.parametrize("tile", [TEAMS, TOGETHER], ids=["teams", "together"])
def test_products_of_nothing(tile, epilogue):
    multiply(*matrices(136, 264, 8), epilogue, tile, require=["tma", "roles", "persistent"])
    for m, n, k in [(136, 264, 0), (0, 264, 64), (136, 0, 64), (0, 0, 0)]:
        a, b, c = matrices(m, n, k)
        _, right = multiply(a, b, c, epilogue, tile, require=["tma", "roles", "persistent"])
        assert_close(c, right)


# The slot of a residual, where the result was written, is given back behind the first products of
# the next program, of which there are none, one step, or more; a block has several programs. All
# rows begin with sectors: others are copied by clusters, which give it back before.
def test_a_slot_that_the_next_program_gives_back():
    for k in (0, 16, 64, 80, 144, 272):
        a, b, c = matrices(272, 528, k)
        compiled, right = multiply(a, b, c, "residual", TOGETHER)
        assert_close(c, right, digits=1e-2)
    steps = compiled.ptx.split("wgmma.commit_group")
    assert len(steps) == 3 and "cp.async.bulk.wait_group.read" in steps[1]
    compiled, _ = multiply(a, b, c, "residual", TEAMS)
    assert compiled.ptx.count("wgmma.commit_group") == 1


# A thread has four elements of 64 x 16 and two of 64 x 8, which is nothing to a bulk copy.
@pytest.mark.parametrize("rest", [8, 16])
def test_small_slots_are_boxes(rest):
    m, n, k = 200, 2 * (128 + rest) - 8, 136
    a, b, c = matrices(m, n, k)
    others = (numbers(8),) * 3
    product_kernel[2, 2](
        a, b, c, *others, m, n, k, BLOCK_M=128, BLOCK_N=128, REST=rest, BLOCK_K=64,
        A_ACROSS=False, B_ACROSS=False, EPILOGUE="", num_warps=8, num_stages=4,
        require=["tma", "roles", "wgmma"],
    )  # fmt: skip
    assert_close(c, a.astype(np.float64) @ b.astype(np.float64), digits=1e-2)


# C is A: programs take rows of their own, so that it may be; but who copies ahead for the next
# program does not know that.
@pytest.mark.parametrize("tile", [TEAMS, TOGETHER], ids=["teams", "together"])
def test_a_product_in_place(tile):
    m, n = 400, tile["BLOCK_N"]
    a, b, c = matrices(m, n, n)
    compiled, right = multiply(a, b, c, tile=tile)
    assert_close(c, right, digits=1e-2)
    multiply(a, b, a, tile=tile)
    assert_close(a, right, digits=1e-2)
    by = {
        "c" in each["disjoint"]: [copies["by"] for copies in each["report"]["copies"]]
        for each in compiled.variants
    }
    assert by == {True: ["bulk copies"], False: ["cp.async"]}


# A block has no 33rd warp.
@pytest.mark.parametrize("stages", [2, 4])
def test_a_thread_that_computes_copies_where_all_warps_do(stages):
    tile = {**TOGETHER, "num_warps": 32, "num_stages": stages}
    for k in (0, 64, 64 * stages + 8):
        a, b, c = matrices(136, 520, k)
        compiled, right = multiply(a, b, c, "residual", tile)
        assert_close(c, right, digits=1e-2)
    copies = compiled.report["copies"][0]
    assert copies["by"] == "bulk copies" and copies["copy_warps"] == 0
    assert copies["why_no_roles"].startswith("all 32 warps that a block can have compute")
    with pytest.raises(tilewright.CompileError, match="begins its bulk copies: all 32 warps"):
        multiply(a, b, c, "residual", tile, require=["roles"])


def test_why_attention_has_no_warps_that_copy(without_ptxas):
    q, k, v, out = (numbers(1, 1, 128, 64, dtype=np.float16, seed=each) for each in range(4))
    attention.attention(q, k, v, out, blocks=(64, 64), num_warps=4)
    made = [
        each for kernel in attention.attention_kernel.kernels for each in kernel.report["copies"]
    ]
    assert any(each["by"] == "bulk copies" and "have room" in each["why_no_roles"] for each in made)


@tilewright.jit
def pointers_kernel(
    a, b, c, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    tiles = tl.cdiv(N, BLOCK_N)
    count = tl.cdiv(M, BLOCK_M) * tiles
    for tile in tl.range(tl.program_id(0), count, tl.num_programs(0), flatten=True):
        m = (tile // tiles * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)[:, None]
        n = (tile % tiles * BLOCK_N + tl.arange(0, BLOCK_N)).to(tl.int64)[None, :]
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for start in tl.range(0, K, BLOCK_K, num_stages=STAGES, warp_specialize=True):
            k = start + tl.arange(0, BLOCK_K).to(tl.int64)
            x = tl.load(a + m * K + k[None, :], (m < M) & (k[None, :] < K), 0.0)
            y = tl.load(b + k[:, None] * N + n, (k[:, None] < K) & (n < N), 0.0)
            total = tl.dot(x, y, total)
        tl.store(c + m * N + n, total.to(c.dtype.element_ty), (m < M) & (n < N))


# As Triton's tutorials write it.
@pytest.mark.parametrize("stages", [2, 3])
def test_hints_and_pointers_reach_roles(stages):
    m, n, k = 200, 136, 264
    a, b, c = matrices(m, n, k)
    compiled = pointers_kernel[(3,)](
        a, b, c, m, n, k, 64, 128, 64, stages, require=["tma", "roles"]
    )
    assert_close(c, a.astype(np.float64) @ b.astype(np.float64), digits=1e-2)
    assert [each["stages"] for each in compiled.report["copies"]] == [stages]


@tilewright.jit
def flagged_kernel(
    a, b, c, ready, M, N, K, KIND: tl.constexpr, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr
):
    i, j = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    if KIND == "volatile":
        while tl.load(ready + tl.program_id(0), volatile=True) == 0:
            pass
    if KIND == "atomic":
        while tl.atomic_add(ready + tl.program_id(0), 0, sem="acquire") == 0:
            pass
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BLOCK, BLOCK_K])
    right = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BLOCK_K, BLOCK])
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, K, BLOCK_K):
        total += tl.dot(left.load([i, k]), right.load([k, j]))
    result = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BLOCK, BLOCK])
    result.store([i, j], total.to(tl.float16))


# What programs read may be another launch's, which says when it is there: warps that only copy
# would not wait for that.
@pytest.mark.parametrize("kind", ["none", "volatile", "atomic"])
def test_no_copy_passes_what_is_heard_of_others(kind):
    a, b, c = matrices(128, 128, 192)
    ready = np.ones(1, np.int32)
    compiled = flagged_kernel[(1, 1)](
        a, b, c, ready, 128, 128, 192, KIND=kind, BLOCK=128, BLOCK_K=64
    )
    assert_close(c, a.astype(np.float64) @ b.astype(np.float64))
    assert ("by bulk copies" in compiled.report_text) == (kind == "none")
    assert ("heard of others" in compiled.report_text) == (kind != "none")
