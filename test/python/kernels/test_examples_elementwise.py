"""Examples that compute element by element: in the simulator, beside NumPy."""

import re

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset
from shapes.arrays import as_on_gpus

import dropout
import embedding
import great_circle
import rope
import swiglu
import tilewright
import vector_add

# Vector add


@pytest.mark.parametrize("n", [1, 255, 256, 1000])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int64])
def test_sum_of_vectors(n, dtype):
    x, y = numbers(n, dtype=dtype, scale=100), numbers(n, dtype=dtype, seed=1, scale=100)
    out = unset(n, dtype=dtype)
    vector_add.add(x, y, out, block=256)
    np.testing.assert_array_equal(out, vector_add.reference(x, y))


@pytest.mark.parametrize(
    ("kernel", "signature"),
    [
        (vector_add.add_kernel, "*i8, *i8, *i8, {}"),
        (swiglu.forward_kernel, "*fp16, *fp16, *fp16, {}"),
        (swiglu.backward_kernel, "*fp16, *fp16, *fp16, *fp16, *fp16, {}"),
        (dropout.dropout_kernel, "*fp16, *fp16, {}, fp32, i32"),
        (great_circle.great_circle_kernel, "*fp32, *fp32, *fp32, fp32, fp32, fp32, {}"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_places_are_as_wide_as_their_number(kernel, signature):
    """More than 2^31 elements are too many for the simulator."""
    for dtype in ("i32", "i64"):
        text = kernel.compile(signature.format(dtype), {"BLOCK": 256}).ir("tile")
        moves = re.findall(r"addptr .*: .*, tensor<256x(\w+)>", text)
        assert len(moves) >= 3 and set(moves) == {dtype}


def test_sum_of_special_values():
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 3e38], np.float32)
    x, y = (each.ravel().copy() for each in np.meshgrid(special, special))
    out = unset(x.size)
    vector_add.add(x, y, out, block=64)
    with np.errstate(all="ignore"):
        expected = vector_add.reference(x, y)
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(
        np.signbit(out[expected == 0]), np.signbit(expected[expected == 0])
    )


def test_sum_of_vectors_on(target):
    x, y, out = numbers(300), numbers(300, seed=1), unset(300)
    compiled = vector_add.add_kernel[(3,)](x, y, out, 300, BLOCK=128, target=target)
    np.testing.assert_array_equal(out, x + y)
    assert compiled.target == target


def test_vectors_are_as_wide_as_places_of_arrays_allow(without_ptxas, target):
    kernel = tilewright.jit(vector_add.add_kernel.fn)
    widest = 8 if target in ("sm_100a", "sm_120a") else 4
    for behind, width in [(0, widest), (16, 4), (8, 2)]:
        arrays = numbers(1024), numbers(1024, seed=1), unset(1024)
        x, y, out = (as_on_gpus(array, behind) for array in arrays)
        compiled = kernel[(1,)](x, y, out, 1024, BLOCK=1024)
        np.testing.assert_array_equal(out, x + y)
        ptx = compiled.variants[-1]["ptx"]
        assert set(re.findall(r"(?:ld|st)\.global\.(v\d)", ptx)) == {f"v{width}"}, behind


# Dropout


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize(("p", "seed"), [(0.5, 1), (0.1, 12345), (0.9, -7)])
def test_dropout(dtype, p, seed):
    x = numbers(1500, dtype=dtype)
    out = unset(1500, dtype=dtype)
    dropout.dropout(x, out, p, seed, block=512)
    expected = dropout.reference(x, p, seed, block=512)
    np.testing.assert_array_equal(out == 0, expected == 0)
    assert_close(out, expected)
    assert abs((out == 0).mean() - p) < 0.05


def test_dropout_of_nothing_keeps_all_and_another_seed_drops_others():
    x, out, other = np.ones(2048, np.float32), unset(2048), unset(2048)
    dropout.dropout(x, out, 0.0, 5)
    np.testing.assert_array_equal(out, x)
    dropout.dropout(x, out, 0.5, 5)
    dropout.dropout(x, other, 0.5, 6)
    assert 0.4 < (out != other).mean() < 0.6


def test_dropout_of_special_values():
    # What is dropped is 0, whatever it was.
    x, out = np.full(256, np.nan, np.float32), unset(256)
    x[::2] = np.inf
    dropout.dropout(x, out, 0.5, 3, block=256)
    np.testing.assert_array_equal(out, dropout.reference(x, 0.5, 3, block=256))


def test_dropout_on(target):
    x, out = numbers(700), unset(700)
    dropout.dropout(x, out, 0.3, 42, block=256, target=target)
    assert_close(out, dropout.reference(x, 0.3, 42, block=256))


# SwiGLU


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_swiglu(dtype):
    n = 777
    gate, up = numbers(n, dtype=dtype, scale=3), numbers(n, dtype=dtype, seed=1)
    out = unset(n, dtype=dtype)
    swiglu.forward(gate, up, out, block=256)
    assert_close(out, swiglu.reference(gate, up))

    grad = numbers(n, dtype=dtype, seed=2)
    gate_grad, up_grad = unset(n, dtype=dtype), unset(n, dtype=dtype)
    swiglu.backward(grad, gate, up, gate_grad, up_grad, block=256)
    of_gate, of_up = swiglu.reference_backward(grad, gate, up)
    assert_close(gate_grad, of_gate)
    assert_close(up_grad, of_up)


def test_swiglu_of_large_gates():
    gate = np.array([-1e4, -100, 0.0, 100, 1e4, np.inf, np.nan], np.float32)
    up, out = np.full_like(gate, 2), unset(gate.size)
    swiglu.forward(gate, up, out, block=32)
    np.testing.assert_allclose(out, [0, 0, 0, 200, 2e4, np.inf, np.nan], atol=1e-30)


def test_swiglu_on(target):
    gate, up, out = numbers(300), numbers(300, seed=1), unset(300)
    swiglu.forward(gate, up, out, block=256, target=target)
    assert_close(out, swiglu.reference(gate, up))


# RoPE


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize(("tokens", "heads", "dimension"), [(5, 3, 32), (2, 8, 64), (1, 1, 16)])
def test_rope_there_and_back(dtype, tokens, heads, dimension):
    cosines, sines = rope.tables(50, dimension)
    positions = np.random.default_rng(1).integers(0, 50, tokens).astype(np.int32)
    x = numbers(tokens, heads, dimension, dtype=dtype)
    turned = x.copy()
    rope.rope(turned, positions, cosines, sines)
    assert_close(turned, rope.reference(x, positions, cosines, sines))
    rope.rope(turned, positions, cosines, sines, backward=True)
    assert_close(turned, x.astype(np.float64), digits=4e-3 if dtype == np.float16 else None)


def test_rope_of_a_part_of_a_tensor():
    # The heads of queries among those of keys and values.
    cosines, sines = rope.tables(10, 16)
    positions = np.arange(4, dtype=np.int64)
    all_heads = numbers(4, 6, 16)
    before = all_heads.copy()
    rope.rope(all_heads[:, 1:4], positions, cosines, sines)
    expected = rope.reference(before[:, 1:4], positions, cosines, sines)
    assert_close(all_heads[:, 1:4], expected)
    np.testing.assert_array_equal(all_heads[:, [0, 4, 5]], before[:, [0, 4, 5]])


def test_rope_on(target):
    cosines, sines = rope.tables(10, 32)
    positions = np.array([3, 9, 0], np.int32)
    x = numbers(3, 5, 32)
    turned = x.copy()
    rope.rope(turned, positions, cosines, sines, target=target)
    assert_close(turned, rope.reference(x, positions, cosines, sines))


# Embedding


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("id_type", [np.int32, np.int64])
def test_embedding(dtype, id_type):
    rows, dimension = 11, 70
    table = numbers(rows, dimension, dtype=dtype)
    # Some are not in the table.
    ids = np.array([0, 10, 3, 3, -1, 7, 11, 3, 2**31 - 1], id_type)
    out = unset(ids.size, dimension, dtype=dtype)
    embedding.embedding(ids, table, out, blocks=(4, 32))
    np.testing.assert_array_equal(out, embedding.reference(ids, table))


def test_gradient_of_embedding():
    ids = np.array([0, 4, 3, 3, -1, 3, 5, 3, 0], np.int64)
    grad = numbers(ids.size, 70)
    table_grad = np.zeros((5, 70), np.float32)
    embedding.embedding_backward(ids, grad, table_grad, blocks=(4, 32))
    assert_close(table_grad, embedding.reference_backward(ids, grad, 5))


def test_embedding_on(target):
    table, ids = numbers(6, 40), np.array([5, 0, 2, 2, 1], np.int32)
    out, table_grad = unset(5, 40), np.zeros((6, 40), np.float32)
    embedding.embedding(ids, table, out, blocks=(2, 64), target=target)
    np.testing.assert_array_equal(out, table[ids])
    embedding.embedding_backward(ids, out, table_grad, blocks=(2, 64), target=target)
    assert_close(table_grad, embedding.reference_backward(ids, out, 6))


# Nothing


def test_nothing():
    for out in (unset(0), unset(0, dtype=np.float16)):
        vector_add.add(out, out, out)
        swiglu.forward(out, out, out)
        swiglu.backward(out, out, out, out, out)
        dropout.dropout(out, out, 0.5, 1)
    cosines, sines = rope.tables(10, 16)
    positions = np.zeros(0, np.int32)
    rope.rope(unset(0, 2, 16), positions, cosines, sines)
    embedding.embedding(positions, numbers(3, 8), unset(0, 8))
    embedding.embedding(np.zeros(2, np.int32), unset(3, 0), unset(2, 0))
    table_grad = numbers(3, 8)
    before = table_grad.copy()
    embedding.embedding_backward(positions, unset(0, 8), table_grad)
    np.testing.assert_array_equal(table_grad, before)
