"""Variants for what arguments are multiples of, and promises about it."""

import numpy as np
import pytest
from package_support import SCALE, array_at, import_package, numbers

tilewright = import_package()


def test_each_divisibility_has_its_variant():
    kernel = tilewright.compile(SCALE, target="sm_80")
    assert len(kernel.variants) == 1
    for count, variants in [(64, 2), (128, 2), (63, 3), (65, 3), (4, 4)]:
        kernel(numbers(count), np.zeros(count, np.float32), 1)
        assert len(kernel.variants) == variants
    base, wide, narrow, _ = kernel.variants
    assert base["divisibility"] == {"X": 1, "Y": 1, "n": 1, "factor": 1}
    assert wide["divisibility"] == {"X": 16, "Y": 16, "n": 16, "factor": 1}
    assert narrow["divisibility"]["n"] == 1
    widths = [variant["report"]["accesses"][0]["vector_bytes"] for variant in kernel.variants]
    assert widths[0] == 4
    assert widths[1] > 4


@pytest.mark.parametrize("target", ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"])
def test_arrays_keep_their_alignment(target):
    """The simulator runs the variant that a GPU would, at every offset of an element."""
    kernel = tilewright.compile(SCALE, target=target)
    most = 32 if target in ("sm_100a", "sm_120a") else 16
    for offset in range(0, 68, 4):
        x, y = array_at(offset, 64), array_at(0, 64)
        x[:], y[:] = numbers(64), 0
        kernel(x, y, 2)
        assert np.array_equal(y, x * 2)
        expected = min(most, offset & -offset if offset else most)
        found = [variant["divisibility"]["X"] for variant in kernel.variants[1:]]
        assert expected in found
    assert sorted(found) == sorted({4, 8, 16, most})
    narrow = next(v for v in kernel.variants[1:] if v["divisibility"]["X"] == 4)
    wide = next(v for v in kernel.variants[1:] if v["divisibility"]["X"] == most)
    assert narrow["report"]["accesses"][0]["vector_bytes"] == 4
    assert wide["report"]["accesses"][0]["vector_bytes"] > 4


def test_arrays_that_share_memory_keep_their_alignment():
    kernel = tilewright.compile(SCALE, target="sm_80")
    memory = array_at(0, 256)
    memory[:] = numbers(256)
    before = memory.copy()
    kernel(memory[1:65], memory[130:194], 3)
    assert np.array_equal(memory[130:194], before[1:65] * 3)
    kernel(memory[3:35], memory[35:67], 2)
    assert np.array_equal(memory[35:67], memory[3:35] * 2)
    assert [v["divisibility"]["Y"] for v in kernel.variants[1:]] == [8, 4]


def test_promises_are_checked_and_fix_the_variant():
    kernel = tilewright.compile(SCALE, target="sm_80", divisibility={"n": 8})
    x, y = numbers(64), np.zeros(64, np.float32)
    kernel(x, y, 1)
    assert np.array_equal(x, y)
    assert len(kernel.variants) == 1
    with pytest.raises(
        ValueError,
        match="scale: 'n' is 12, no multiple of 8, on which the compiled code relies; "
        "compile 'scale' with divisibility 4 for it",
    ):
        kernel(numbers(12), np.zeros(12, np.float32), 1)


def test_promises_of_arrays_are_checked():
    kernel = tilewright.compile(SCALE, target="sm_80", divisibility={"X": 16})
    x, y = array_at(32, 64), array_at(4, 64)
    x[:], y[:] = numbers(64), 0
    kernel(x, y, 1)
    assert np.array_equal(x, y)
    y[:] = 0
    broken = array_at(36, 64)
    with pytest.raises(
        ValueError,
        match=f"scale: 'X' is at {broken.ctypes.data:#x}, 4 bytes past a multiple of 16, on which "
        "the compiled code relies; compile 'scale' with divisibility 4 for it",
    ):
        kernel(broken, y, 1)
    assert not y.any()


@pytest.mark.parametrize("promise", [32, 128, 256, 4096])
def test_promises_may_be_large(promise):
    """More than any access needs, and more than the simulator's memory is aligned to."""
    kernel = tilewright.compile(SCALE, target="sm_80", divisibility={"X": promise})
    x, y = array_at(0, 64, alignment=8192), np.zeros(64, np.float32)
    x[:] = numbers(64)
    kernel(x, y, 1)
    assert np.array_equal(x, y)
    with pytest.raises(ValueError, match=f"{promise // 2} bytes past a multiple of {promise}"):
        kernel(array_at(promise // 2, 64, alignment=8192), y, 1)


def test_the_promises_of_the_source():
    """Launches get variants for what they have; without, they keep what the source says."""
    source = SCALE.replace("%X: !tile.ptr<f32>", "%X: !tile.ptr<f32> {tile.divisibility = 16}")
    x, y = array_at(4, 64), np.zeros(64, np.float32)
    x[:] = numbers(64)
    kernel = tilewright.compile(source, target="sm_80")
    kernel(x, y, 1)
    assert np.array_equal(x, y)
    assert kernel.variants[1]["divisibility"]["X"] == 4
    kernel = tilewright.compile(source, target="sm_80", specialize=False)
    with pytest.raises(ValueError, match=r"'X' is at .*, 4 bytes past a multiple of 16"):
        kernel(x, y, 1)


# Y[i] = X[i * step].
STRIDED = """
tile.kernel @strided(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: i32, %step: STEP)
    shapes ["X[n * step]", "Y[n]"]
    grid ["ceildiv(n, 256)"] {
  %c256 = arith.constant 256 : index
  %program = tile.program_id 0
  %start = arith.muli %program, %c256 : index
  %size = arith.index_cast %n : i32 to index
  %by = arith.index_cast %step : STEP to index
  %x = tile.view %X, shape [%size], strides [%by] : !tile.ptr<f32> -> !tile.view<?xf32, [?]>
  %y = tile.view %Y, shape [%size], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %x[%start] : !tile.view<?xf32, [?]> -> tensor<256xf32>
  tile.store_view %t, %y[%start] : tensor<256xf32>, !tile.view<?xf32, [1]>
  tile.return
}
"""


@pytest.mark.parametrize("integer", ["i8", "i32", "i64"])
@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "sm_120a"])
def test_an_integer_that_is_1_is_a_constant(target, integer):
    kernel = tilewright.compile(STRIDED.replace("STEP", integer), target=target)
    for step in (3, 1, 5, 1, 7):
        x, y = array_at(0, 512 * step), array_at(0, 512)
        x[:], y[:] = numbers(512 * step), 0
        kernel(x, y, 512, step)
        assert np.array_equal(y, x[::step])
    base, odd, one = kernel.variants
    assert base["constants"] == odd["constants"] == {}
    assert one["constants"] == {"step": 1}
    assert odd["divisibility"] == one["divisibility"]
    assert odd["report"]["accesses"][0]["vector_bytes"] == 4
    assert one["report"]["accesses"][0]["vector_bytes"] > 4


def test_nothing_is_a_constant_that_is_not_specialized():
    source = STRIDED.replace("STEP", "i32")
    for kernel in (
        tilewright.compile(source, target="sm_80", specialize=False),
        tilewright.compile(source, target="sm_80", divisibility={"n": 8}),
    ):
        for step in (2, 1):
            x, y = numbers(64 * step), np.zeros(64, np.float32)
            kernel(x, y, 64, step)
            assert np.array_equal(y, x[::step])
        assert [variant["constants"] for variant in kernel.variants] == [{}]
