"""The functions with @tilewright.jit themselves: compiling, choosing constants, the command."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import types
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright import __main__ as command

BIN = os.environ.get("TILEWRIGHT_BIN")


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests load a driver, and with a GPU assertions have to be asked for."""
    monkeypatch.setattr(tilewright._core, "get_gpu_target", lambda: None)


@tilewright.jit
def scale(x, factor, n, BLOCK: tl.constexpr = 128):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


def test_launch_gives_the_kernel() -> None:
    x = np.arange(300, dtype=np.float32)
    kernel = scale[(3,)](x, 2.0, 300)
    assert np.array_equal(x, 2 * np.arange(300))
    assert ".visible .entry scale(" in kernel.ptx
    assert "tile.kernel @scale" in kernel.ir("tile")
    assert "#tile" in kernel.ir("placed") and "llvm.func" in kernel.ir("nvvm")
    assert kernel.report["kernel"] == "scale" and "summary" in kernel.report_text


def test_constants_of_calls_are_none_of_variants() -> None:
    """A 1 is a constant of the call, which has code of its own; variants below it have no more."""
    kernels = {}
    for n in (1, 3, 1, 5):
        x = np.ones(300, np.float32)
        kernels[n] = scale[(3,)](x, 2.0, n)
        assert x.sum() == 300 + n
    assert kernels[1] is not kernels[3] and kernels[3] is kernels[5]
    assert "n" not in kernels[1].variants[0]["divisibility"]
    for kernel in kernels.values():
        assert not any(variant["constants"] for variant in kernel.variants)
    # Code that was asked for by types alone takes any number.
    compiled = scale.compile("*fp32, fp32, i32")
    compiled(x, 2.0, 3, grid=3)
    compiled[3,](x, 2.0, 1)
    found = [variant["constants"] for variant in compiled.variants]
    assert {} in found and {"n": 1} in found


def test_grid_is_a_function_of_the_constants() -> None:
    x = np.ones(1000, np.float32)
    scale[lambda meta: (tilewright.cdiv(meta["n"], meta["BLOCK"]),)](x, 3.0, 1000, BLOCK=64)
    assert np.all(x == 3)


def test_compile_without_data() -> None:
    by_name = scale.compile({"x": "*fp16", "factor": "fp32", "n": "i32"}, {"BLOCK": 64})
    in_order = scale.compile("*fp16, fp32, i32", {"BLOCK": 64}, target="sm_80", num_warps=2)
    assert by_name.target == "sm_90a" and in_order.target == "sm_80"
    assert in_order.block == (64, 1, 1)
    with pytest.raises(TypeError, match="'factor' of 'scale' is missing in the signature"):
        scale.compile({"x": "*fp16", "n": "i32"})
    with pytest.raises(TypeError, match="'BLOCK' of 'scale' is a constant: its value stands in"):
        scale.compile("*fp16, fp32, i32, i32")
    with pytest.raises(TypeError, match="'scale' has no parameter 'y'"):
        scale.compile({"x": "*fp16", "y": "i32"})
    with pytest.raises(TypeError, match="'scale' has no parameter 'Q'"):
        scale.compile("*fp16, fp32, i32", {"Q": 64})
    with pytest.raises(
        TypeError, match=r"there is no option 'num_warp'; did you mean 'num_warps'\?"
    ):
        scale.compile("*fp16, fp32, i32", {"BLOCK": 64}, num_warp=4)
    with pytest.raises(TypeError, match=r"'BLOCK' is a parameter .* constants=\{'BLOCK': ...\}"):
        scale.compile("*fp16, fp32, i32", BLOCK=64)
    with pytest.raises(ValueError, match="'fp17' is no type"):
        scale.compile("*fp17, fp32, i32")


def test_a_kernel_is_no_function() -> None:
    with pytest.raises(RuntimeError, match=r"'scale' is a kernel: launch it by scale\[grid\]"):
        scale(1, 2, 3)
    with pytest.raises(RuntimeError, match="are for kernels"):
        tl.zeros((16,), tl.float32)


def test_unknown_parameters_of_the_decorator() -> None:
    with pytest.raises(ValueError, match="'scale' has no parameter 'm'"):
        tilewright.jit(scale.fn, do_not_specialize=["m"])
    # The first of several, in each process.
    names = [f"m{number}" for number in range(20)]
    with pytest.raises(ValueError, match="'scale' has no parameter 'm0'"):
        tilewright.jit(scale.fn, do_not_specialize=names[::-1])

    def several(*arrays): ...

    with pytest.raises(TypeError, match="'several' has the parameter"):
        tilewright.jit(several)
    with pytest.raises(ValueError, match="none has the number 9"):
        tilewright.jit(scale.fn, do_not_specialize=[9])
    with pytest.raises(TypeError, match="stands before a function"):
        tilewright.jit(3)


class Scaled(NamedTuple):
    """An array with its factor."""

    values: Any
    factor: Any


@tilewright.jit
def store_scaled(pair, out, n):
    best = Scaled(0.0, 1)
    for i in range(n):
        if tl.load(pair.values + i) > best.values:
            best = Scaled(values=tl.load(pair.values + i), factor=i)
    tl.store(out, best.values * pair.factor)
    tl.store(out + 1, best.factor)


def test_tuples_with_names() -> None:
    out = np.zeros(2, np.float32)
    store_scaled[(1,)](Scaled(np.array([1, 5, 3], np.float32), 2.0), out, 3)
    assert out.tolist() == [10, 1]


def test_kernels_are_pickled_by_name() -> None:
    for kernel in (scale, linear):
        assert pickle.loads(pickle.dumps(kernel)) is kernel
        assert copy.deepcopy([kernel])[0] is kernel
    local = tilewright.jit(lambda x: None)
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(local)


@tilewright.heuristics({"HAS_BIAS": lambda args: args["bias"] is not None})
@tilewright.jit
def linear(x, bias, out, n, HAS_BIAS: tl.constexpr):
    i = tl.arange(0, 128)
    value = tl.load(x + i, mask=i < n)
    if HAS_BIAS:
        value += tl.load(bias + i, mask=i < n)
    tl.store(out + i, value, mask=i < n)


def test_heuristics() -> None:
    x, out = np.ones(100, np.float32), np.zeros(100, np.float32)
    linear[(1,)](x, None, out, 100)
    assert np.all(out == 1)
    linear[(1,)](x, x + 4, out, 100)
    assert np.all(out == 6)
    asks_wrong = tilewright.heuristics({"HAS_BIAS": lambda args: args["biases"]})(linear.fn)
    with pytest.raises(
        TypeError, match="the heuristic for 'HAS_BIAS' of 'linear' asks for 'biases'"
    ):
        asks_wrong[(1,)](x, None, out, 100)


FACTOR = tl.constexpr(3)


@tilewright.jit
def times_global(x):
    tl.store(x, FACTOR)


def test_a_global_that_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.zeros(1, np.float32)
    times_global[(1,)](x)
    assert x[0] == 3
    monkeypatch.setitem(globals(), "FACTOR", tl.constexpr(4))
    with pytest.raises(RuntimeError, match="'FACTOR' has another value than when"):
        times_global[(1,)](x)
    assert x[0] == 3


def test_a_global_that_is_set_to_the_same_again(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.zeros(1, np.float32)
    times_global[(1,)](x)
    monkeypatch.setitem(globals(), "FACTOR", tl.constexpr(3))
    times_global[(1,)](x)
    assert x[0] == 3


class Settings:
    size = tl.constexpr(5)
    plain = 7


def make_closure() -> tuple[tilewright.JITFunction, list[object]]:
    amount = tl.constexpr(1)

    @tilewright.jit
    def closed(x):
        tl.store(x, amount)

    def change(value: int) -> None:
        nonlocal amount
        amount = tl.constexpr(value)

    return closed, [change]


@tilewright.jit
def helper_one(x):
    return x + 1


@tilewright.jit
def reads_class(x):
    tl.store(x, Settings.size + Settings.plain)


@tilewright.jit
def calls_helper(x):
    tl.store(x, helper_one(tl.load(x)))


def test_other_variables_that_change(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.zeros(1, np.float32)
    reads_class[(1,)](x)
    assert x[0] == 12
    monkeypatch.setattr(Settings, "plain", 8)
    with pytest.raises(RuntimeError, match=r"'Settings\.plain' has another value"):
        reads_class[(1,)](x)
    closed, (change,) = make_closure()
    closed[(1,)](x)
    change(2)
    with pytest.raises(RuntimeError, match="'amount' has another value"):
        closed[(1,)](x)
    calls_helper[(1,)](x)
    assert x[0] == 2
    monkeypatch.setitem(globals(), "helper_one", tilewright.jit(lambda x: x))
    with pytest.raises(RuntimeError, match="'helper_one' has another value"):
        calls_helper[(1,)](x)


def add_one(value: int) -> int:
    return value + 1


def add_two(value: int) -> int:
    return value + 2


class Table:
    pair = (1, 2)
    nothing: Any = None
    count = np.int64(1)
    text = "abc"
    function = add_one
    numbers = [1]  # noqa: RUF012
    array = np.ones(1)

    def __init__(self) -> None:
        self.size = 4


an_object = Table()


@tilewright.jit
def reads_table(x):
    more = 0 if Table.nothing is None else 100
    tl.store(x, Table.pair[0] + Table.function(Table.count) + more + len(Table.text) - 3)


@pytest.mark.parametrize(
    ("name", "value"),
    [("pair", (5, 2)), ("nothing", 1), ("function", add_two), ("count", np.int64(2)), ("text", "")],
)
def test_attributes_of_classes_that_change(
    monkeypatch: pytest.MonkeyPatch, name: str, value: Any
) -> None:
    x = np.zeros(1, np.float32)
    reads_table[(1,)](x)
    assert x[0] == 3
    monkeypatch.setattr(Table, name, value)
    with pytest.raises(RuntimeError, match=rf"'Table\.{name}' has another value"):
        reads_table[(1,)](x)


class Counter:
    def __init__(self, start: int) -> None:
        self.start = start

    def get(self) -> int:
        return self.start


def add_default(value: int, *, more: int = 1) -> int:
    return value + more


def add_other_default(value: int, *, more: int = 2) -> int:
    return value + more


add_other_default.__code__ = add_default.__code__


class Same:
    value: Any = None


@tilewright.jit
def reads_value(x):
    tl.store(x, Same.value)


@tilewright.jit
def reads_first(x):
    tl.store(x, Same.value[0])


@tilewright.jit
def calls_value(x):
    tl.store(x, Same.value(1) if Same.value is add_default else Same.value())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (1.0, 1),
        (1, True),
        (0.0, -0.0),
        ((0.0, 1), (-0.0, 1)),
        (tl.constexpr(0.0), tl.constexpr(-0.0)),
        (Counter(1).get, Counter(2).get),
        (add_default, add_other_default),
    ],
)
def test_values_that_are_equal_but_not_the_same(
    monkeypatch: pytest.MonkeyPatch, before: Any, after: Any
) -> None:
    x = np.zeros(1, np.float32)
    of = reads_value
    if isinstance(before, tuple):
        of = reads_first
    elif isinstance(before, types.FunctionType | types.MethodType):
        of, before, after = calls_value, staticmethod(before), staticmethod(after)
    kernel = tilewright.jit(of.fn)
    monkeypatch.setattr(Same, "value", before)
    for _ in range(2):
        kernel[(1,)](x)
    monkeypatch.setattr(Same, "value", after)
    with pytest.raises(RuntimeError, match=r"'Same\.value' has another value"):
        kernel[(1,)](x)


def test_a_function_that_is_defined_again(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.zeros(1, np.float32)
    reads_table[(1,)](x)
    again = types.FunctionType(add_one.__code__, globals())
    assert again != Table.function
    monkeypatch.setattr(Table, "function", again)
    reads_table[(1,)](x)
    assert x[0] == 3


@tilewright.jit
def reads_object(x):
    tl.store(x, an_object.size)


def test_attributes_of_objects_that_change(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.zeros(1, np.float32)
    reads_object[(1,)](x)
    assert x[0] == 4
    monkeypatch.setattr(an_object, "size", 5)
    with pytest.raises(RuntimeError, match=r"'an_object\.size' has another value"):
        reads_object[(1,)](x)


@tilewright.jit
def reads_list(x):
    tl.store(x, Table.numbers[0])


@tilewright.jit
def reads_array(x):
    tl.store(x, Table.array[0])


@pytest.mark.parametrize(
    ("kernel", "told"),
    [
        (reads_list, r"'Table\.numbers' is a list, whose changes a compiled kernel would not see"),
        (reads_array, r"'Table\.array' is a ndarray, whose changes"),
    ],
)
def test_what_may_change_unseen_is_refused(kernel: tilewright.JITFunction, told: str) -> None:
    with pytest.raises(tilewright.CompileError, match=told):
        kernel[(1,)](np.zeros(1, np.float32))


def test_sizes_that_no_kernel_has() -> None:
    x = np.zeros(1, np.float32)
    with pytest.raises(ValueError, match="num_warps is a power of two from 1 to 32, not 3"):
        times_global[(1,)](x, num_warps=3)
    with pytest.raises(ValueError, match="num_stages is a number from 0 to 8, not 100"):
        times_global[(1,)](x, num_stages=100)
    times_global[(1,)](x, num_stages=0)


def test_numbers_of_numpy_are_constants() -> None:
    x = np.ones(16, np.float32)
    scale[(1,)](x, 2.0, 16, BLOCK=np.int64(16))
    assert np.all(x == 2)


@tilewright.jit
def counts(out, start, end, step):
    for i in range(start, end, step):
        tl.store(out, i)


def test_a_step_that_does_not_count_up() -> None:
    out = np.zeros(1, np.int32)
    counts[(1,)](out, 0, 10, 4)
    assert out[0] == 8
    for step in (0, -2):
        with pytest.raises(tilewright.SimulatorError, match=r"not above 0.*range\(n, 0, -step\)"):
            counts[(1,)](out, 10, 0, step)


@tilewright.jit
def counts_down(out, start, end, step):
    at = 0
    for i in range(start, end, -step):
        tl.store(out + at, i)
        at += 1
    for i in tl.range(start, end, step=-step):
        tl.store(out + at, i)
        at += 1


@pytest.mark.parametrize("start", [10, -3, 2**31 - 1, 2**40])
def test_a_step_of_run_time_that_counts_down(start: int) -> None:
    for way in (0, 1, 7, 8, -5):
        for step in (1, 3, 8):
            out = np.full(32, -9, np.int64)
            counts_down[(1,)](out, start, start - way, step)
            expected = 2 * list(range(start, start - way, -step))
            assert out.tolist() == expected + [-9] * (32 - len(expected))
    with pytest.raises(tilewright.SimulatorError, match="written with a minus, and not below 0"):
        counts_down[(1,)](out, 10, 0, -1)


@tilewright.jit
def asserts(x, n):
    i = tl.arange(0, 16)
    value = tl.load(x + i)
    tl.device_assert(value < n, "values are small")


def test_device_assert_in_the_simulator() -> None:
    asserts[(1,)](np.arange(16, dtype=np.int32), 16)
    with pytest.raises(tilewright.SimulatorError, match="values are small"):
        asserts[(1,)](np.arange(16, dtype=np.int32), 15)


def test_device_assert_where_nobody_wants_it() -> None:
    asserts[(1,)](np.arange(16, dtype=np.int32), 15, debug=False)
    tilewright.jit(debug=False)(asserts.fn)[(1,)](np.arange(16, dtype=np.int32), 15)
    with pytest.raises(tilewright.SimulatorError, match="values are small"):
        tilewright.jit(debug=False)(asserts.fn)[(1,)](np.zeros(16, np.int32), 0, debug=True)


def test_the_source_is_that_of_the_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "moved_kernels.py"
    text = "import tilewright\nimport tilewright.language as tl\n"
    for name, value in (("one", 1), ("two", 2)):
        text += f"@tilewright.jit\ndef {name}(o):\n    tl.store(o, {value})\n"
    path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    import moved_kernels  # type: ignore[import-not-found]

    path.write_text("# One line.\n# Another.\n# And a third.\n" + text)
    out = np.zeros(1, np.float32)
    moved_kernels.two[(1,)](out)
    assert out[0] == 2


FILE = """
import tilewright
import tilewright.language as tl


@tilewright.jit
def fill(x, value, KIND: tl.constexpr, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), value.to(KIND))
"""


@pytest.fixture
def kernel_file(tmp_path: Path) -> Path:
    path = tmp_path / "fill_kernel.py"
    path.write_text(FILE)
    return path


def run_command(*arguments: object) -> int:
    return command.main([str(argument) for argument in arguments])


def test_command(kernel_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "fill.mlir"
    given = ["--signature", "*fp16,i32", "--constant", "KIND=tl.float16", "--constant", "BLOCK=64"]
    assert run_command("compile", f"{kernel_file}:fill", *given, "-o", out) == 0
    assert "tile.kernel @fill" in out.read_text()
    if BIN is not None:
        subprocess.run([Path(BIN) / "tile-compile", out, "-o", os.devnull], check=True)
        subprocess.run([Path(BIN) / "tile-opt", out, "-o", os.devnull], check=True)
    assert run_command("compile", f"{kernel_file}:fill", *given, "--emit", "ptx") == 0
    assert ".entry fill" in capsys.readouterr().out
    kernel_file.write_text(FILE + "    tl.device_assert(value > 0)\n")
    for options, is_there in ([], False), (["--debug"], True):
        assert run_command("compile", f"{kernel_file}:fill", *given, *options) == 0
        assert ("    assert %" in capsys.readouterr().out) == is_there
    assert run_command("compile", f"{kernel_file}:fill", *given, "--report") == 0
    assert "kernel fill for sm_90a" in capsys.readouterr().out


def test_command_tells_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run_command("--version")
    assert not ended.value.code
    assert capsys.readouterr().out == f"tilewright {tilewright.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["FILE:fil", "--signature", ""],
            "has no kernel 'fil' with @tilewright.jit; did you mean 'fill'?",
        ),
        (["nowhere.py:fill", "--signature", ""], "there is no file nowhere.py"),
        (["fill", "--signature", ""], "a kernel is FILE.py:NAME"),
        (["FILE:fill", "--signature", "*fp16"], "the signature has 1 type, and"),
        (["FILE:fill", "--signature", "*fp16,i32", "--constant", "B"], "a constant is NAME=VALUE"),
        (
            ["FILE:fill", "--signature", "*fp16,i32", "--constant", "KIND=tl.f"],
            "there is no tl.f",
        ),
    ],
)
def test_command_refuses(
    arguments: list[str], message: str, kernel_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [each.replace("FILE", str(kernel_file)) for each in arguments]
    assert run_command("compile", *arguments) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ") and message in error


def test_command_shows_mistakes(kernel_file: Path) -> None:
    kernel_file.write_text(FILE.replace("value.to(KIND)", "values"))
    given = ["--signature", "*fp16,i32", "--constant", "KIND=1", "--constant", "BLOCK=64"]
    finished = subprocess.run(
        [sys.executable, "-m", "tilewright", "compile", f"{kernel_file}:fill", *given],
        capture_output=True,
        text=True,
    )
    assert finished.returncode == 1
    place, line, caret = finished.stderr.splitlines()
    assert place == f"{kernel_file}:8:39: error: 'values' is not defined; did you mean 'value'?"
    assert line.index("values") == caret.index("^")
