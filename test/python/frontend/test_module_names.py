"""Kernels that name words by Triton's modules, as those do that have sorts of their own."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
import tilewright.language.core as core
from tilewright.language.standard import _log2, zeros_like


@tilewright.jit
def put_in_order(x, distance: core.constexpr, n_dims: core.constexpr):
    """Of each two elements that are `distance` apart the smaller one first."""
    shape: core.constexpr = [2 ** (n_dims - 1) // distance, 2, distance]
    pairs = core.reshape(x, shape)
    is_second = core.arange(0, 2)[None, :, None]
    first = tl.sum(pairs * (1 - is_second), 1)[:, None, :]
    second = tl.standard.sum(pairs * is_second, 1)[:, None, :]
    kind: tl.constexpr = tl.core.get_int_dtype(bitwidth=x.dtype.primitive_bitwidth, signed=True)
    bits = pairs.to(kind, bitcast=True)
    others = (first.to(kind, bitcast=True) ^ second.to(kind, bitcast=True)) + zeros_like(bits)
    bits = bits ^ core.where(first > second, others, zeros_like(bits))
    return core.reshape(bits.to(x.dtype, bitcast=True), x.shape)


@tilewright.jit
def order_pairs(x, z, N: tl.constexpr):
    i = tl.arange(0, N)
    n_dims: core.constexpr = _log2(N)
    tl.static_assert(tl.standard._log2(N) == n_dims)
    tl.store(z + i, put_in_order(tl.load(x + i), 4, n_dims))


def test_names():
    x = np.random.default_rng(1).permutation(64).astype(np.int32)
    z = np.zeros_like(x)
    order_pairs[(1,)](x, z, N=64, device="sim", target="sm_80")
    pairs = x.reshape(8, 2, 4)
    assert np.array_equal(z.reshape(8, 2, 4), np.sort(pairs, axis=1))


def test_core_has_all_words():
    for name in tl.__all__:
        assert getattr(core, name) is getattr(tl, name)
    assert not hasattr(core, "nosuchword")


def test_what_is_no_power_of_two():
    with pytest.raises(ValueError, match="_log2 takes a power of two, not 12"):
        _log2(12)
