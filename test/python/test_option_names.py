"""Parameters that have the name of an option of launches."""

import numpy as np
import pytest
from package_support import import_package

tilewright = import_package()
tl = tilewright.language


@tilewright.jit
def asks(out, num_warps: tl.constexpr, num_stages: tl.constexpr):
    tl.store(out, tl.extra.cuda.num_warps())
    tl.store(out + 1, num_warps)
    tl.store(out + 2, num_stages)


@pytest.mark.parametrize("warps", [1, 2, 8])
def test_parameter_and_option_are_given_by_one_name(warps):
    """As in Triton, whose kernels ask so how many warps they have."""
    out = np.zeros(3, np.int32)
    for _ in range(3):
        compiled = asks[1](out, num_warps=warps, num_stages=2)
    assert out.tolist() == [warps, warps, 2]
    assert compiled.block == (32 * warps, 1, 1)


def test_in_its_place_it_is_the_parameter_only():
    out = np.zeros(3, np.int32)
    asks[1](out, 2, 1)
    assert out.tolist() == [4, 2, 1]
    asks[1](out, 8, num_stages=5)
    assert out.tolist() == [4, 8, 5]


def test_what_is_no_number_of_warps():
    out = np.zeros(3, np.int32)
    with pytest.raises(ValueError, match="num_warps is a power of two from 1 to 32, not 3"):
        asks[1](out, num_warps=3, num_stages=2)
    with pytest.raises(TypeError, match="asks: num_warps is to be int, not str"):
        asks[1](out, num_warps="4", num_stages=2)


def test_tuning_gives_both():
    configs = [tilewright.Config({}, num_warps=warps) for warps in (8, 2)]
    tuned = tilewright.autotune(configs, key=[])(tilewright.jit(asks.fn))
    out = np.zeros(3, np.int32)
    tuned[1](out)
    assert out.tolist() == [8, 8, 3]


@tilewright.jit
def copies(x, target, device, grid):
    i = tl.arange(0, 16)
    tl.store(target + i, tl.load(x + i) + tl.load(device + i) + grid)


def test_others_are_the_parameters():
    x, y, out = np.ones(16, np.float32), np.ones(16, np.float32), np.zeros(16, np.float32)
    copies[1](x, out, y, 2)
    assert np.all(out == 4)
    copies[1](x, device=y, target=out, grid=3)
    assert np.all(out == 5)
    hides = "is given twice, in its place and by name: a parameter of the kernel hides the option"
    with pytest.raises(TypeError, match=f"copies: 'target' {hides}"):
        copies[1](x, out, y, 2, target="sm_80")
    with pytest.raises(TypeError, match=f"copies: 'device' {hides}"):
        copies[1](x, out, y, 2, device="sim")
    with pytest.raises(TypeError, match=f"copies: 'grid' {hides}"):
        copies.warmup(x, out, y, 2, grid=(1,))
    with pytest.raises(TypeError, match=r"copies: 'x' is given twice, in its place and by name$"):
        copies[1](x, out, y, 2, x=x)
