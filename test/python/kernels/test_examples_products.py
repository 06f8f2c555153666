"""Examples that multiply matrices: in the simulator, beside NumPy."""

import re
from collections import defaultdict

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset

import attention
import batched_matmul
import matmul
import tilewright
import tilewright.language as tl

# Products of f16 in f32, rounded to f16.
DIGITS = 5e-3


# Matrix product


class Launched:
    """Stands for a kernel, and keeps what it was launched with."""

    def __getitem__(self, grid):
        return lambda *arguments, **options: setattr(self, "options", options)


@pytest.mark.parametrize("place", range(3))
def test_places_in_large_matrices_have_64_bits(monkeypatch, place):
    """More than 2^31 elements are too many for the simulator."""
    monkeypatch.setattr(matmul, "matmul_kernel", launched := Launched())
    for apart, places in ((2**25, tl.int32), (2**27, tl.int64), (-(2**27), tl.int64)):
        arrays = [np.zeros((16, 16), np.float16) for _ in range(3)]
        arrays[place] = np.lib.stride_tricks.as_strided(arrays[place], strides=(2 * apart, 2))
        matmul.matmul(*arrays, blocks=(16, 16, 16))
        assert launched.options["PLACES"] is places


def test_places_are_as_wide_as_they_are_asked_for():
    signature = "*fp16, *fp16, *fp16, *fp16" + ", i32" * 9
    blocks = {"BLOCK_M": 16, "BLOCK_N": 32, "BLOCK_K": 64, "GROUP": 8}
    types = defaultdict(set)
    for places in (tl.int32, tl.int64):
        kernel = matmul.matmul_kernel.compile(signature, {**blocks, "PLACES": places})
        text = kernel.ir("tile")
        types[places] = set(re.findall(r"addptr .*: .*, tensor<\d+x\d+x(\w+)>", text))
        # Of strides and places: the product is as wide.
        assert ("arith.extsi %a_row : i32 to i64" in text) == (places is tl.int64)
    assert types == {tl.int32: {"i32"}, tl.int64: {"i64"}}


@pytest.mark.parametrize(
    ("m", "n", "k", "blocks"),
    [
        (64, 64, 64, (32, 32, 32)),
        (70, 90, 50, (32, 32, 16)),
        (33, 17, 100, (32, 32, 32)),
        (1, 1, 1, (16, 16, 16)),
        # More tiles below each other than a group has.
        (300, 20, 32, (16, 16, 32)),
    ],
)
def test_product(m, n, k, blocks):
    a, b = numbers(m, k, dtype=np.float16), numbers(k, n, dtype=np.float16, seed=1)
    c = unset(m, n, dtype=np.float16)
    matmul.matmul(a, b, c, blocks=blocks)
    assert_close(c, matmul.reference(a, b), digits=DIGITS)


@pytest.mark.parametrize(("of_a", "of_b"), [(True, False), (False, True), (True, True)])
def test_product_of_transposed_matrices(of_a, of_b):
    a, b = numbers(50, 70, dtype=np.float16), numbers(70, 40, dtype=np.float16, seed=1)
    c = unset(50, 40)
    stored = [
        np.ascontiguousarray(matrix.T).T if transposed else matrix
        for matrix, transposed in ((a, of_a), (b, of_b))
    ]
    matmul.matmul(*stored, c, blocks=(32, 32, 32))
    assert_close(c, matmul.reference(a, b), digits=1e-4)


@pytest.mark.parametrize("activation", ["", "leaky_relu"])
def test_product_with_bias_and_activation(activation):
    a, b = numbers(40, 64, dtype=np.float16), numbers(64, 72, dtype=np.float16, seed=1)
    bias, c = numbers(72, dtype=np.float16, seed=2), unset(40, 72)
    matmul.matmul(a, b, c, bias, activation, blocks=(32, 32, 32))
    assert_close(c, matmul.reference(a, b, bias, activation), digits=1e-4)


@pytest.mark.parametrize(("m", "n", "k"), [(5, 6, 0), (0, 6, 4), (5, 0, 4)])
def test_products_of_nothing(m, n, k):
    # Sums of nothing are zero.
    a, b, c = (unset(*shape, dtype=np.float16) for shape in ((m, k), (k, n), (m, n)))
    matmul.matmul(a, b, c)
    np.testing.assert_array_equal(c, np.zeros_like(c))
    a, b, c = (each[None].repeat(2, axis=0) for each in (a, b, unset(m, n, dtype=np.float16)))
    batched_matmul.batched_matmul(a, b, c)
    np.testing.assert_array_equal(c, np.zeros_like(c))


def test_product_of_special_values():
    # What a NaN or an infinity reaches, and nothing else: rows read twice do not leak.
    a, b = numbers(40, 40, dtype=np.float16), numbers(40, 40, dtype=np.float16, seed=1)
    a[3, 5], b[7, 2], a[39, 39] = np.nan, np.inf, np.inf
    c = unset(40, 40)
    matmul.matmul(a, b, c, blocks=(32, 32, 32))
    with np.errstate(invalid="ignore"):
        assert_close(c, matmul.reference(a, b), digits=1e-4)


def test_product_with_blocks_of_the_tuner(monkeypatch):
    # Without a GPU the first of the configurations.
    monkeypatch.setattr(tilewright._core, "get_gpu_target", lambda: None)
    a, b = numbers(40, 72, dtype=np.float16), numbers(72, 50, dtype=np.float16, seed=1)
    c = unset(40, 50)
    matmul.matmul(a, b, c)
    assert_close(c, matmul.reference(a, b), digits=1e-4)
    assert matmul.tuned_matmul_kernel.best_config is matmul.tuned_matmul_kernel.configs[0]


def test_product_on(target):
    a, b = numbers(70, 80, dtype=np.float16), numbers(80, 48, dtype=np.float16, seed=1)
    c = unset(70, 48)
    matmul.matmul(a, b, c, blocks=(64, 32, 32), num_warps=4, num_stages=3, target=target)
    assert_close(c, matmul.reference(a, b), digits=1e-4)


@pytest.mark.parametrize("order", ["nn", "nt", "tn"])
@pytest.mark.parametrize("k", [0, 40, 64, 200, 384])
def test_product_whose_block_is_alone(order, k, target):
    # Four stages of 32 KB leave no room for a second block.
    a, b = numbers(136, k, dtype=np.float16), numbers(k, 144, dtype=np.float16, seed=1)
    x = np.asfortranarray(a) if order[0] == "t" else a
    y = np.asfortranarray(b) if order[1] == "t" else b
    c = unset(136, 144)
    matmul.matmul(x, y, c, blocks=(128, 128, 64), num_warps=4, num_stages=4, target=target)
    assert_close(c, matmul.reference(a, b), digits=1e-4)


# Batched product


@pytest.mark.parametrize(
    ("batches", "m", "n", "k", "blocks"),
    [(3, 40, 50, 60, (32, 32, 32)), (2, 16, 16, 16, (16, 16, 16)), (1, 5, 33, 90, (16, 32, 32))],
)
def test_batched_product(batches, m, n, k, blocks):
    a = numbers(batches, m, k, dtype=np.float16)
    b = numbers(batches, k, n, dtype=np.float16, seed=1)
    c = unset(batches, m, n, dtype=np.float16)
    batched_matmul.batched_matmul(a, b, c, blocks=blocks)
    assert_close(c, batched_matmul.reference(a, b), digits=DIGITS)


def test_batched_product_with_one_matrix():
    # A stride of 0 between the matrices.
    a, b = numbers(2, 40, 32, dtype=np.float16), numbers(32, 24, dtype=np.float16, seed=1)
    c = unset(2, 40, 24)
    batched_matmul.batched_matmul(a, np.broadcast_to(b, (2, 32, 24)), c, blocks=(32, 32, 32))
    assert_close(c, batched_matmul.reference(a, b), digits=1e-4)


def test_batched_product_on(target):
    a, b = numbers(2, 40, 48, dtype=np.float16), numbers(2, 48, 24, dtype=np.float16, seed=1)
    c = unset(2, 40, 24)
    batched_matmul.batched_matmul(a, b, c, blocks=(32, 32, 32), target=target)
    assert_close(c, batched_matmul.reference(a, b), digits=1e-4)


# By bulk copies, where a batch begins wherever its strides say.
BULK = {"blocks": (64, 64, 32), "num_warps": 4, "num_stages": 3, "target": "sm_90a"}


@pytest.mark.parametrize(
    "shape", [(3, 72, 136, 96), (1, 8, 8, 8), (2, 70, 64, 40), (0, 64, 64, 32)]
)
def test_batched_product_by_bulk_copies(shape):
    batches, m, n, k = shape
    a = numbers(batches, m, k, dtype=np.float16)
    b = numbers(batches, k, n, dtype=np.float16, seed=1)
    c = unset(batches, m, n, dtype=np.float16)
    batched_matmul.batched_matmul(a, b, c, **BULK)
    assert_close(c, batched_matmul.reference(a, b), digits=DIGITS)


def test_batched_product_by_bulk_copies_of_any_strides():
    # Backward, every other matrix of one that is wider, and the batch inside of the rows.
    a = numbers(3, 72, 64, dtype=np.float16)[::-1]
    b = numbers(6, 64, 144, dtype=np.float16, seed=1)[::2, :, 8:80]
    c = unset(72, 3, 72, dtype=np.float16).transpose(1, 0, 2)
    batched_matmul.batched_matmul(a, b, c, **BULK)
    assert_close(c, batched_matmul.reference(a, b), digits=DIGITS)
    # Strides of 0, which no map has, and rows that begin anywhere.
    rows = np.broadcast_to(numbers(3, 1, 64, dtype=np.float16), (3, 72, 64))
    batched_matmul.batched_matmul(rows, b, c, **BULK)
    assert_close(c, batched_matmul.reference(rows, b), digits=DIGITS)
    odd = numbers(3, 72, 65, dtype=np.float16)[:, :, :64]
    batched_matmul.batched_matmul(odd, b, c, **BULK)
    assert_close(c, batched_matmul.reference(odd, b), digits=DIGITS)


# Attention


def make_heads(batches, heads, queries, keys, dimension, dtype=np.float16):
    q = numbers(batches, heads, queries, dimension, dtype=dtype)
    k = numbers(batches, heads, keys, dimension, dtype=dtype, seed=1)
    v = numbers(batches, heads, keys, dimension, dtype=dtype, seed=2)
    return q, k, v


def check_attention(q, k, v, causal, blocks, **options):
    out, lse = unset(*q.shape, dtype=q.dtype.type), unset(*q.shape[:3])
    attention.attention(q, k, v, out, lse, causal=causal, blocks=blocks, **options)
    expected, sums = attention.reference(q, k, v, causal=causal)
    assert_close(out, expected, digits=DIGITS)
    assert_close(lse, sums, digits=1e-4)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    ("shape", "blocks"),
    [
        ((1, 2, 64, 64, 32), (32, 32)),
        ((2, 1, 70, 70, 16), (32, 16)),
        ((1, 1, 20, 20, 64), (16, 16)),
        ((1, 1, 1, 1, 16), (16, 16)),
    ],
)
def test_attention(causal, shape, blocks):
    check_attention(*make_heads(*shape), causal, blocks)


def test_attention_to_more_keys_than_queries():
    check_attention(*make_heads(1, 2, 10, 75, 32), False, (16, 32))


# By bulk copies, of each batch and head: whole blocks of keys, and what is left of the last one.
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    ("shape", "blocks", "num_warps"),
    [
        ((2, 3, 150, 150, 64), (64, 64), 4),
        ((1, 2, 300, 300, 32), (64, 32), 4),
        ((1, 1, 200, 330, 128), (128, 64), 8),
        ((1, 2, 64, 5, 64), (64, 64), 4),
        ((1, 1, 140, 300, 64), (128, 128), 4),
        ((1, 1, 140, 200, 128), (128, 64), 4),
        ((0, 2, 64, 64, 64), (64, 64), 4),
    ],
)
@pytest.mark.parametrize("num_stages", [2, 3])
def test_attention_by_bulk_copies(causal, shape, blocks, num_warps, num_stages):
    options = {"num_warps": num_warps, "num_stages": num_stages, "target": "sm_90a"}
    check_attention(*make_heads(*shape), causal, blocks, **options)


# As many steps as there are slots, and one less and one more.
@pytest.mark.parametrize("steps", [1, 2, 3, 4])
@pytest.mark.parametrize("num_stages", [2, 3])
def test_attention_in_few_steps(steps, num_stages):
    options = {"num_warps": 4, "num_stages": num_stages, "target": "sm_90a"}
    check_attention(*make_heads(1, 1, 64, 64 * steps, 64), False, (64, 64), **options)
    # Two warpgroups, and copies in a role.
    options["num_warps"] = 8
    check_attention(*make_heads(1, 1, 128, 64 * steps, 128), False, (128, 64), **options)


def test_attention_has_bulk_copies_where_nothing_is_masked():
    before = len(attention.attention_kernel.kernels)
    options = {"num_warps": 4, "num_stages": 4, "target": "sm_90a"}
    check_attention(*make_heads(1, 2, 128, 128, 32), False, (64, 32), **options)
    (kernel,) = attention.attention_kernel.kernels[before:]
    # A launch that cannot have tensor maps gets a variant without.
    assert all("cp.async.bulk.tensor" in variant["ptx"] for variant in kernel.variants)


def test_attention_of_heads_inside_of_rows():
    # [batch, length, heads, dimension], and keys backward.
    q, k, v = (each.transpose(0, 2, 1, 3) for each in make_heads(2, 200, 3, 3, 64))
    k, v = (np.repeat(each, 2, axis=2) for each in (k[:, :, ::-1], v))
    k = k.transpose(0, 2, 1, 3).copy().transpose(0, 2, 1, 3)[:, ::-1]
    check_attention(q, k, v, False, (64, 64), num_warps=4, num_stages=3, target="sm_90a")


def test_attention_to_large_scores():
    # A softmax without its maximum would be infinite.
    q, k, v = make_heads(1, 1, 32, 48, 16)
    check_attention(q * np.float16(40), k * np.float16(40), v, False, (16, 16))


def test_attention_without_sums():
    q, k, v = make_heads(1, 1, 32, 32, 16)
    out = unset(*q.shape, dtype=np.float16)
    attention.attention(q, k, v, out, blocks=(16, 16))
    assert_close(out, attention.reference(q, k, v)[0], digits=DIGITS)


@pytest.mark.parametrize("causal", [False, True])
def test_attention_on(target, causal):
    heads = make_heads(1, 1, 70, 70, 32)
    check_attention(*heads, causal, (64, 32), num_warps=4, target=target)


def test_blocks_leave_registers_for_an_instruction(monkeypatch):
    """One product of 64 x 256 takes 154 registers: two blocks of 256 threads would leave 128."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    a, b = numbers(1, 64, 128, dtype=np.float16), numbers(1, 128, 256, dtype=np.float16, seed=1)
    c = np.zeros((1, 64, 256), dtype=np.float16)
    each_strides = [stride for each in (a, b, c) for stride in batched_matmul.strides(each)]
    kernel = batched_matmul.batched_matmul_kernel[(1, 1, 1)](
        a, b, c, 64, 256, 128, *each_strides,
        BLOCK_M=64, BLOCK_N=256, BLOCK_K=64, num_warps=4, num_stages=2,
    )  # fmt: skip
    assert ".minnctapersm 2" not in kernel.variants[-1]["ptx"]
    assert_close(c, batched_matmul.reference(a, b), digits=2e-2)
