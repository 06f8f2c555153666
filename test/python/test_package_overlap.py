"""Arrays of one launch that share memory: right, or refused."""

import numpy as np
import pytest
from example_sizes import EXAMPLES, find_examples, find_sizes
from package_support import BARE, SCALE, CudaArray, array_at, import_package, numbers

tilewright = import_package()


# Y[i] = X[i] + 1, by pointers, which promise nothing.
ADD_ONE = """
tile.kernel @add_one(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>)
    shapes ["X[1024]", "Y[1024]"] grid ["1"] {
  %i = tile.iota 0 : tensor<1024xindex>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %x = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xindex>
  %y = tile.addptr %ys, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xindex>
  %t = tile.load %x : tensor<1024x!tile.ptr<f32>>
  %one = tile.constant 1 : tensor<1024xf32>
  %u = arith.addf %t, %one : tensor<1024xf32>
  tile.store %y, %u : tensor<1024x!tile.ptr<f32>>
  tile.return
}
"""
MAY_OVERLAP = SCALE.replace("!tile.ptr<f32>, %", "!tile.ptr<f32> {tile.may_overlap}, %")
REFUSAL = (
    "scale: 'X' and 'Y' share memory, and the kernel writes 'Y', while its code relies on it that "
    "they do not: pass a copy, or write tile.may_overlap at both in the kernel"
)


def test_pointers_may_overlap(target):
    kernel = tilewright.compile(ADD_ONE, target=target)
    for x, y in [(0, 0), (0, 1), (1, 0), (0, 33), (33, 0), (0, 1023), (0, 1024)]:
        memory = numbers(2048)
        expected = memory.copy()
        expected[y : y + 1024] = memory[x : x + 1024] + 1
        kernel(memory[x : x + 1024], memory[y : y + 1024])
        assert np.array_equal(memory, expected), (x, y)
        # Only the last two share nothing, and need no barrier.
        apart = [v for v in kernel.variants if v["disjoint"]]
        assert bool(apart) == (y == 1024)
    assert [v["disjoint"] for v in apart] == [["X", "Y"]]
    assert [v["report"]["barriers"] for v in apart] == [0]
    assert all(v["report"]["barriers"] > 0 for v in kernel.variants if not v["disjoint"])


def test_arrays_that_are_apart_share_a_variant():
    kernel = tilewright.compile(ADD_ONE, target="sm_80")
    x, y, z = (array_at(0, 1024) for _ in range(3))
    for arrays in [(x, y), (y, x), (x, z), (z, y)]:
        kernel(*arrays)
    assert len(kernel.variants) == 2


def test_views_promise_not_to_overlap():
    kernel = tilewright.compile(SCALE, target="sm_80")
    memory = numbers(200)
    before = memory.copy()
    for x, y in [(0, 0), (0, 63), (63, 0)]:
        with pytest.raises(ValueError, match=REFUSAL):
            kernel(memory[x : x + 64], memory[y : y + 64], 2)
        assert np.array_equal(memory, before)
    kernel(memory[:64], memory[64:128], 2)
    assert np.array_equal(memory[64:128], before[:64] * 2)
    # Without elements, or without blocks, there is nothing to share.
    kernel(memory[:0], memory[:0], 2)
    assert kernel.variants[0]["disjoint"] == ["X", "Y"]


def test_views_that_may_overlap():
    kernel = tilewright.compile(MAY_OVERLAP, target="sm_80")
    memory = numbers(256)
    before = memory.copy()
    kernel(memory, memory, 2)
    assert np.array_equal(memory, before * 2)
    assert kernel.variants[-1]["disjoint"] == []
    kernel(memory[:128], memory[128:], 3)
    assert np.array_equal(memory[128:], before[:128] * 6)
    assert kernel.variants[-1]["disjoint"] == ["X", "Y"]


def test_one_promise_is_enough():
    """The message names the argument at which it stands."""
    source = SCALE.replace("%X: !tile.ptr<f32>,", "%X: !tile.ptr<f32> {tile.may_overlap},")
    memory = numbers(64)
    with pytest.raises(ValueError, match=r"tile\.may_overlap at 'Y' in the kernel"):
        tilewright.compile(source, target="sm_80")(memory, memory, 2)


def test_without_variants_the_kernel_keeps_its_promises():
    kernel = tilewright.compile(ADD_ONE, target="sm_80", specialize=False)
    kernel(np.zeros(1024, np.float32), np.zeros(1024, np.float32))
    assert len(kernel.variants) == 1
    kernel = tilewright.compile(SCALE, target="sm_80", specialize=False)
    memory = numbers(64)
    with pytest.raises(ValueError, match=REFUSAL):
        kernel(memory, memory, 2)


def test_interleaved_and_reversed_arrays():
    """By their bytes, not by the first and the last of them."""
    kernel = tilewright.compile(BARE, target="sm_80")
    memory = np.zeros((16, 128), np.float32)

    def launch(x, y):
        kernel(x, y, 0, 2, grid=0)

    launch(memory[:, :64], memory[:, 64:])
    launch(memory.ravel()[::2], memory.ravel()[1::2])
    launch(memory.ravel()[::-2], memory.ravel()[::2])
    for x, y in [
        (memory[:, :64], memory[:, 63:127]),
        (memory.ravel()[::-1], memory.ravel()[:1]),
        (memory.ravel()[::-2], memory.ravel()[1::2]),
    ]:
        with pytest.raises(ValueError, match=REFUSAL):
            launch(x, y)


@pytest.mark.usefixtures("fake_driver")
def test_arrays_of_a_gpu():
    kernel = tilewright.compile(SCALE, target="sm_80")
    with pytest.raises(ValueError, match=REFUSAL):
        kernel(CudaArray((8,)), CudaArray((8,)), 1)
    with pytest.raises(ValueError, match=REFUSAL):
        kernel(CudaArray((8,)), CudaArray((8,), address=(1 << 40) + 28), 1)
    kernel(CudaArray((8,)), CudaArray((8,), address=(1 << 40) + 32), 1)


# ----- every example, in place


TYPES = {"f16": "<f2", "f32": "<f4", "f64": "<f8", "i8": "|i1", "bf16": "|V2"}


class Raw:
    """Memory as an array of a type of the language."""

    def __init__(self, memory, kind, shape):
        self.dtype = {"bf16": "bfloat16"}.get(kind, TYPES[kind])
        self.__array_interface__ = {
            "shape": shape,
            "typestr": TYPES[kind],
            "data": (memory.ctypes.data, False),
            "version": 3,
        }


def find_shape(name, report, scalars):
    text = next(text for text in report["shapes"] if text.split("[")[0] == name)
    extents = text[text.index("[") + 1 : text.rindex("]")].split(",")
    return tuple(eval(extent, {}, scalars) for extent in extents)


@pytest.mark.parametrize("example", find_examples())
def test_every_example_in_place(without_ptxas, example):
    """An output that is also an input is right, or refused, and then all is as it was."""
    kernel = tilewright.compile_file(EXAMPLES / f"{example}.mlir", target="sm_80")
    report = kernel.report
    scalars = dict.fromkeys(find_sizes(example).tiles, 32)
    pointers = [argument for argument in report["arguments"] if argument["is_pointer"]]
    for argument in report["arguments"]:
        if not argument["is_pointer"]:
            scalars.setdefault(argument["name"], 1)
    written = [argument["name"] for argument in pointers if argument["is_written"]]
    assert written
    for output in written:
        for other in pointers:
            if other["name"] == output:
                continue
            assert launch_in_place(kernel, report, scalars, pointers, output, other["name"])


def launch_in_place(kernel, report, scalars, pointers, output, other):
    """Whether it is refused, or as right as with memory for each."""

    def launch(is_in_place):
        memory = {
            pointer["name"]: np.random.default_rng(at).integers(0, 2, 1 << 16, np.int8)
            for at, pointer in enumerate(pointers)
        }
        memory[output] = memory[other] if is_in_place else memory[other].copy()
        before = {name: each.copy() for name, each in memory.items()}
        arrays = [
            Raw(memory[p["name"]], p["type"], find_shape(p["name"], report, scalars))
            for p in pointers
        ]
        try:
            kernel(*arrays, **scalars)
        except ValueError as error:
            assert is_in_place
            assert "share memory" in str(error)
            assert all(np.array_equal(memory[name], before[name]) for name in memory)
            return None
        return memory[output]

    result = launch(is_in_place=True)
    return result is None or np.array_equal(result, launch(is_in_place=False))
