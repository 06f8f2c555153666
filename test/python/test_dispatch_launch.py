"""Launches of Python kernels in the simulator: arrays of every form, grids, variants."""

import gc
import weakref

import numpy as np
import pytest
from dispatch_support import (
    MLIR_TYPES,
    Compiler,
    compile_text,
    core,
    make_scale,
    mlir_type,
    numbers,
    parameter,
    tilewright,
)
from package_support import DLPackArray, array_at


def copy_body(types, constants):
    """to[i] = from[i * stride] for i < n."""
    block = constants["BLOCK"]
    element = mlir_type(types["x"])
    index, pointers = f"tensor<{block}xindex>", f"tensor<{block}x{element}>"

    def integer(name):
        if name in constants:
            return f"arith.constant {constants[name]} : index"
        return f"arith.index_cast %{name} : {types[name]} to index"

    return f"""
  %size = {integer("n")}
  %step = {integer("stride")}
  %i = tile.iota 0 : {index}
  %sizes = tile.splat %size : index -> {index}
  %inside = arith.cmpi slt, %i, %sizes : {index}
  %steps = tile.splat %step : index -> {index}
  %far = arith.muli %i, %steps : {index}
  %xs = tile.splat %x : {element} -> {pointers}
  %ys = tile.splat %y : {element} -> {pointers}
  %from = tile.addptr %xs, %far : {pointers}, {index}
  %to = tile.addptr %ys, %i : {pointers}, {index}
  %t = tile.load %from mask %inside : {pointers}
  tile.store %to, %t mask %inside : {pointers}
"""


@pytest.fixture(scope="module")
def copy():
    compiler = Compiler(["x", "y", "n", "stride", "BLOCK"], copy_body)
    parameters = [parameter(name, constexpr=name == "BLOCK") for name in compiler.names]
    return core.Dispatcher("copy", parameters, compiler)


def take(copy, view, count, stride):
    """The elements of a view, as a kernel reads them."""
    result = np.zeros(count, view.dtype)
    copy[1](view, result, count, stride, BLOCK=64)
    return result


@pytest.mark.parametrize("target", ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"])
def test_scale(target):
    scale, _ = make_scale(target)
    for count in (1, 5, 64, 257, 1000):
        x, y = numbers(count), np.zeros(count, np.float32)
        x[0] = np.nan
        kernel = scale[-(-count // 128),](x, y, count, -2.5, BLOCK=128)
        np.testing.assert_array_equal(y, x * np.float32(-2.5))
        assert kernel.target == target
        assert len(scale.kernels) == (1 if count == 1 else 2)


INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "float16", "float32", "float64"])
def test_elements(copy, dtype):
    x = np.random.default_rng(1).integers(0, 2 if dtype == "bool" else 250, 50).astype(dtype)
    assert np.array_equal(take(copy, x, 50, 1), x)


def test_views(copy):
    memory = np.arange(1, 61, dtype=np.float32)
    matrix = memory.reshape(6, 10)
    for view, count, stride in [
        (memory[::-1], 60, -1),
        (memory[::2], 30, 2),
        (memory[::-3], 20, -3),
        (memory[7:], 53, 1),
        (matrix[:, 3], 6, 10),
        (matrix[::-1, 3], 6, -10),
        (matrix.T[4], 6, 10),
        (np.broadcast_to(memory[5], 9), 9, 0),
    ]:
        assert np.array_equal(take(copy, view, count, stride), view), (count, stride)
    # The whole range that the strides reach is there, and nothing beyond it.
    assert np.array_equal(take(copy, matrix[::-1, ::-1], 60, -1), memory[::-1])
    assert np.array_equal(take(copy, matrix[1:3].T, 20, 1), memory[10:30])
    with pytest.raises(tilewright.SimulatorError, match="out-of-bounds"):
        take(copy, matrix[:3], 31, 1)
    with pytest.raises(tilewright.SimulatorError, match="out-of-bounds"):
        take(copy, memory[10:], 2, -1)


def test_arrays_without_extents_and_without_elements(copy):
    x, y = np.full((), 3.5, np.float32), np.zeros((), np.float32)
    copy[1](x, y, 1, 1, BLOCK=64)
    assert y == 3.5
    for empty in (np.zeros(0, np.float32), np.zeros((4, 0), np.float32)[::-1]):
        copy[1](empty, y, 0, 1, BLOCK=64)
    with pytest.raises(tilewright.SimulatorError, match="out-of-bounds"):
        copy[1](np.zeros(0, np.float32), y, 1, 1, BLOCK=64)


def test_arrays_of_dlpack(copy):
    x = numbers(40)
    y = np.zeros(40, np.float32)
    copy[1](DLPackArray(x[::-1]), DLPackArray(y), 40, -1, BLOCK=64)
    assert np.array_equal(y, x[::-1])


def test_arrays_that_are_read_only(copy):
    x, y = numbers(40), np.zeros(40, np.float32)
    x.flags.writeable = False
    assert np.array_equal(take(copy, x, 40, 1), x)
    with pytest.raises(ValueError, match="'y' is read-only, and the kernel writes to it"):
        copy[1](y, x, 40, 1, BLOCK=64)


def test_arrays_without_good_memory(copy):
    memory = np.zeros(41, np.int8)
    with pytest.raises(ValueError, match=r"'x' begins at 0x.*, no multiple of the 4 bytes"):
        take(copy, memory[1:].view(np.float32), 4, 1)
    records = np.zeros(5, np.dtype([("a", "f4"), ("b", "i1")]))
    with pytest.raises(ValueError, match="'x' has strides of 5 bytes, no multiple of the 4"):
        take(copy, records["a"], 5, 1)


def test_arrays_that_share_memory():
    scale, _ = make_scale()
    x = numbers(300)
    before = x.copy()
    kernel = scale[3](x, x, 300, 2.0, BLOCK=128)
    assert np.array_equal(x, before * 2)
    assert [variant["disjoint"] for variant in kernel.variants] == [[]]
    assert scale[3](x[:150], x[150:], 150, 2.0, BLOCK=128) is kernel
    assert np.array_equal(x[150:], before[:150] * 4)
    assert [variant["disjoint"] for variant in kernel.variants] == [[], ["x", "y"]]


def test_grids():
    scale, compiler = make_scale()
    x, y = numbers(300), np.zeros(300, np.float32)
    metas = []

    def grid(meta):
        metas.append(meta)
        return (-(-meta["n"] // meta["BLOCK"]),)

    for each in (3, (3,), [3], (3, 1), (3, 1, 1), (np.int64(3),), grid, lambda meta: 3):
        y[:] = 0
        scale[each](x, y, 300, 2.0, BLOCK=128, num_warps=8)
        assert np.array_equal(y, x * 2)
    assert len(compiler.calls) == 1
    (meta,) = metas
    assert list(meta) == ["x", "y", "n", "factor", "BLOCK", "num_warps"]
    assert meta["x"] is x
    assert (meta["n"], meta["BLOCK"], meta["num_warps"]) == (300, 128, 8)


def test_grids_without_blocks_do_nothing():
    scale, compiler = make_scale()
    for grid in (0, (0,), (3, 0), (0, 1, 1), lambda meta: (meta["n"], 0)):
        assert scale[grid](numbers(3), numbers(3), 3, 1.0, BLOCK=64) is None
    assert compiler.calls == []


@pytest.mark.parametrize(
    ("grid", "error", "words"),
    [
        ((), ValueError, "scale: a grid has one to three numbers of blocks, not 0"),
        ((1, 1, 1, 1), ValueError, "not 4"),
        (-1, ValueError, "scale: a grid has 0 or more blocks, not -1"),
        ((1, -1), ValueError, "0 or more blocks"),
        (1.0, TypeError, "a grid has whole numbers of blocks, not a float"),
        ("3", TypeError, "scale: a grid is a number of programs, .* not str"),
        (None, TypeError, "scale: a grid is a number of programs, .* not NoneType"),
        (True, TypeError, "scale: a grid is a number of programs, .* not bool"),
        (np.array([2, 1]), TypeError, "scale: a grid is a number .* not numpy.ndarray"),
        ((2, False), TypeError, "scale: a grid is a number of programs, .* not bool"),
        ((2**70,), ValueError, "'grid' is .*, which does not fit an i64"),
        (2**31, ValueError, "2147483647"),
        ((1, 65536), ValueError, "65535"),
        (lambda meta: None, TypeError, "a grid is a number of programs, .* not NoneType"),
        (
            lambda meta: meta["m"],
            TypeError,
            r"the grid of 'scale' asks for 'm', which is no argument of this launch; it is scale\(",
        ),
    ],
)
def test_grids_that_are_wrong(grid, error, words):
    scale, _ = make_scale()
    with pytest.raises(error, match=words):
        scale[grid](numbers(3), numbers(3), 3, 1.0, BLOCK=64)


def test_the_first_call_compiles_one_variant():
    scale, compiler = make_scale()
    x, y = array_at(0, 64), array_at(0, 64)
    x[:] = numbers(64)
    kernel = scale[1](x, y, 64, 2.0, BLOCK=64)
    assert [v["divisibility"] for v in kernel.variants] == [
        {"x": 16, "y": 16, "n": 16, "factor": 1}
    ]
    assert kernel.ptx == kernel.variants[0]["ptx"]
    assert scale[1](x, y, 63, 2.0, BLOCK=64) is kernel
    assert len(kernel.variants) == 2
    assert kernel.ptx == kernel.variants[0]["ptx"]
    assert len(compiler.calls) == 1


def test_what_is_not_to_be_specialized_has_one_variant():
    general = parameter("n", fixed=(True, False))
    unaligned = parameter("x", fixed=(False, True))
    scale, compiler = make_scale(n=general, x=unaligned)
    y = array_at(0, 64)
    for count, offset in [(64, 0), (63, 4), (1, 8), (32, 0)]:
        x = array_at(offset, 64)
        x[:], y[:] = numbers(64), 0
        kernel = scale[1](x, y, count, 2.0, BLOCK=64)
        assert np.array_equal(y[:count], x[:count] * 2)
    assert [v["divisibility"] for v in kernel.variants] == [{"x": 1, "y": 16, "n": 1, "factor": 1}]
    assert [v["constants"] for v in kernel.variants] == [{}]
    assert len(compiler.calls) == 1


def test_promises_of_the_text_hold_where_nothing_is_specialized():
    text = "tile.kernel @k(%n: i32 {tile.divisibility = 8}) { tile.return }"
    kernel = core.Dispatcher(
        "k", [parameter("n", fixed=(True, False))], lambda *_: compile_text(text)
    )
    assert kernel[1](16).variants[0]["divisibility"] == {"n": 8}
    with pytest.raises(ValueError, match="'n' is 12, no multiple of 8"):
        kernel[1](12)


def test_scalars_arrive():
    """Each is stored as it is, in its own type."""
    values = {"a": -5, "b": 2**40, "c": 2**64 - 1, "d": 0.1, "e": True, "f": 1.5, "g": 200}
    annotations = {"f": "fp64", "g": "u8"}
    names = [*values, "out"]

    def body(types, constants):
        lines = []
        for place, name in enumerate(values):
            kind = MLIR_TYPES[types[name]]
            bits = {"f32": "i32", "f64": "i64"}.get(kind, kind)
            cast = f"arith.bitcast %{name} : {kind} to {bits}" if kind != bits else None
            lines.append(f"  %{name}_bits = {cast}" if cast else "")
            source = f"%{name}_bits" if cast else f"%{name}"
            lines.append(
                f"  %{name}_wide = arith.extui {source} : {bits} to i64"
                if bits != "i64"
                else f"  %{name}_zero = arith.constant 0 : i64\n"
                f"  %{name}_wide = arith.addi {source}, %{name}_zero : i64"
            )
            lines.append(
                f"  %{name}_place = arith.constant {place} : index\n"
                f"  %{name}_places = tile.splat %{name}_place : index -> tensor<1xindex>\n"
                f"  %{name}_outs = tile.splat %out : !tile.ptr<i64> -> tensor<1x!tile.ptr<i64>>\n"
                f"  %{name}_at = tile.addptr %{name}_outs, %{name}_places : "
                "tensor<1x!tile.ptr<i64>>, tensor<1xindex>\n"
                f"  %{name}_tile = tile.splat %{name}_wide : i64 -> tensor<1xi64>\n"
                f"  tile.store %{name}_at, %{name}_tile : tensor<1x!tile.ptr<i64>>"
            )
        return "\n".join(lines)

    compiler = Compiler(names, body)
    parameters = [parameter(name, annotation=annotations.get(name, "")) for name in names]
    kernel = core.Dispatcher("k", parameters, compiler)
    out = np.zeros(7, np.uint64)
    kernel[1](*values.values(), out)
    assert compiler.calls[0][0] == ("i32", "i64", "u64", "fp32", "i1", "fp64", "u8", "*u64")
    bits = [2**32 - 5, 2**40, 2**64 - 1, int(np.float32(0.1).view(np.uint32)), 1]
    assert list(out) == [*bits, int(np.float64(1.5).view(np.uint64)), 200]


def test_warmup_compiles_what_the_launch_takes():
    scale, compiler = make_scale()
    x, y = array_at(0, 64), array_at(0, 64)
    x[:], y[:] = numbers(64), 0
    kernel = scale.warmup(x, y, 64, 2.0, BLOCK=64, grid=(1,))
    assert not y.any()
    assert len(kernel.variants) == 1
    assert scale[1](x, y, 64, 2.0, BLOCK=64) is kernel
    assert len(kernel.variants) == 1
    # Types stand for arrays at multiples of 16 that share nothing.
    assert scale.warmup(np.float32, np.dtype("float32"), 128, 2.0, BLOCK=64) is kernel
    assert len(kernel.variants) == 1
    assert scale.warmup("*fp32:16", "*fp32:4", "i32:16", "fp32", BLOCK=64) is kernel
    assert kernel.variants[1]["divisibility"] == {"x": 16, "y": 4, "n": 16, "factor": 1}
    # Of an integer without a multiple nothing is known, not that it is 1.
    scale.warmup("*fp32:16", "*fp32:4", "i32", "fp32", BLOCK=64)
    assert kernel.variants[2]["divisibility"] == {"x": 16, "y": 4, "n": 1, "factor": 1}
    assert kernel.variants[2]["constants"] == {}
    assert len(compiler.calls) == 1


class TypeOfTheLanguage:
    """As tl.float16."""

    __tilewright_constant__ = True
    name = "fp16"


def test_types_of_other_libraries():
    compiler = Compiler(["a"], lambda types, constants: "")
    kernel = core.Dispatcher("k", [parameter("a")], compiler)
    kernel.warmup(TypeOfTheLanguage())
    assert compiler.calls[-1][0] == ("*fp16",)
    kernel.warmup("*bf16:16")
    assert compiler.calls[-1][0] == ("*bf16",)
    for wrong in ("fp32x", "*", "i32:", "i32:3", "i32:-2", "*fp32:1", "fp32:1", ""):
        with pytest.raises(ValueError, match=r"'a' is to be a value, or a type such as"):
            kernel.warmup(wrong)
    with pytest.raises(ValueError, match=r"'a' is the number 1 .* \"i32:1\": give 1 in its place"):
        kernel.warmup("i32:1")
    with pytest.raises(TypeError, match="not set"):
        kernel.warmup({1})


def test_ways_through_the_compiler():
    scale, _ = make_scale()
    kernel = scale.warmup(np.float32, np.float32, 128, 2.0, BLOCK=64)
    source = kernel.ir("tile")
    assert source.startswith("tile.kernel @kernel(")
    again = compile_text(source)
    assert again.ir("tile") == source
    assert "tile.registers" in kernel.ir("placed") or "#tile" in kernel.ir("placed")
    assert "llvm.func" in kernel.ir("nvvm")
    assert kernel.ir("ptx") == kernel.ptx
    # The variant that was made first, of which the report is too.
    assert "tile.divisibility = 16" in kernel.ir("placed")
    assert kernel.report["kernel"] == "kernel"
    for wrong in ("cubin", "", "mlir"):
        with pytest.raises(ValueError, match=f"there is no ir '{wrong}'"):
            kernel.ir(wrong)


def test_errors_of_the_passes_come_with_the_launch():
    text = """tile.kernel @k(%n: i32) {
  %t = arith.constant dense<1.0> : tensor<3xf32>
  %u = math.tan %t : tensor<3xf32>
  tile.return
}"""
    kernel = core.Dispatcher("k", [parameter("n")], lambda *_: compile_text(text))
    for _ in range(2):
        with pytest.raises(tilewright.CompileError) as caught:
            kernel[1](3)
        assert (caught.value.file, caught.value.line) == ("kernel.mlir", 2)
    (made,) = kernel.kernels
    assert made.variants == []
    for ask in (lambda: made.ptx, lambda: made.report, lambda: made.ir("nvvm")):
        with pytest.raises(tilewright.CompileError):
            ask()


def test_dispatchers_are_collected():
    """Also where their compiler refers to them, as that of a function of Python does."""

    class Function(core.Dispatcher):
        def __init__(self):
            super().__init__("f", [parameter("n", default=(self,))], self.make)

        def make(self, *_):
            return compile_text("tile.kernel @k() { tile.return }")

    function = Function()
    function.bound = function[1]
    function[lambda meta: 1](None)
    gone = weakref.ref(function.make.__func__)
    found = weakref.ref(Function)
    del function, Function
    gc.collect()
    assert found() is None
    assert gone() is None
