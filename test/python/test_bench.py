"""The benchmarks' parts that need no GPU, and the driver's functions on a stand-in."""

import ctypes
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from bench.cuda import Driver
from bench.ours import Compiled, compile_variants, evaluate, make_arguments, variants_of
from bench.problem import US, Tensors, Variant
from bench.problems import PROBLEMS
from bench.record import describe_run
from bench.results import Entry, layouts_markdown, markdown, variants_markdown
from bench.shapes import read_shapes
from bench.tensor_maps import make_tensor_map
from bench.timing import METHOD, ORDER_SEED, Stats, find_seed, measure, turns
from gputools.tools import EXAMPLES, ToolError, target_of

ROOT = Path(__file__).resolve().parents[2]
COMPARE = ROOT / "benchmarks" / "compare.py"


def transpose(dtype="f32", m=100, n=130):
    return PROBLEMS["transpose"](dtype, {"M": m, "N": n})


# Grids


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("ceildiv(M, 64) * ceildiv(N, 64)", 2 * 3),
        ("M / 64 + N % 64 - 1", 1 + 2 - 1),
        ("max(M, N, 1) * min(M, N)", 13000),
        ("(M + 1) * 2", 202),
    ],
)
def test_grids_are_evaluated(text, value):
    assert evaluate(text, {"M": 100, "N": 130}) == value


@pytest.mark.parametrize(
    "text", ["K", "M +", "M ** 2", "open('x')", "ceildiv(M, 0)", "ceildiv(M)", ""]
)
def test_what_is_no_grid_is_an_error(text):
    with pytest.raises(ToolError, match="cannot evaluate the grid"):
        evaluate(text, {"M": 100, "N": 130})


# Timing


class FakeTimer:
    """A GPU on which the clock goes on by what each launch says."""

    def __init__(self):
        self.now = 0.0
        self.log = []

    def flush(self):
        self.log.append("flush")
        self.now += 1000

    def mark(self):
        return self.now

    def synchronize(self):
        self.log.append("synchronize")

    def microseconds(self, start, stop):
        return stop - start

    def launch(self, name, time):
        def run():
            self.log.append(name)
            self.now += time

        return run


def test_contenders_take_turns_after_a_flush():
    timer = FakeTimer()
    launches = [timer.launch("a", 3), timer.launch("b", 5)]
    stats = measure(timer, launches, rounds=8, warmups=1, seed=5)
    assert timer.log[:2] == ["a", "b"]
    orders = [("a", "b")[index] for order in turns(2, 8, seed=5) for index in order]
    assert timer.log[2:] == [each for one in orders for each in ("flush", one)] + ["synchronize"]
    assert [stat.median for stat in stats] == [3, 5]
    assert stats[0].runs == 8


def test_turns_give_every_contender_every_place_behind_every_other():
    orders = list(turns(3, 20, seed=0))
    assert orders == list(turns(3, 20, seed=0)) != list(turns(3, 20, seed=1))
    assert [sorted(order) for order in orders] == [[0, 1, 2]] * 20
    assert [set(places) for places in zip(*orders, strict=True)] == [{0, 1, 2}] * 3
    behind = {pair for order in orders for pair in itertools.pairwise(order)}
    assert behind == set(itertools.permutations(range(3), 2))


def test_each_process_draws_another_order_and_may_be_asked_for_one(monkeypatch):
    monkeypatch.delenv("TILEWRIGHT_ORDER_SEED", raising=False)
    assert find_seed() != find_seed()
    monkeypatch.setenv("TILEWRIGHT_ORDER_SEED", "7")
    assert find_seed() == 7
    # Without a seed, it is the one that results record.
    assert list(turns(9, 20)) == list(turns(9, 20, ORDER_SEED))


def test_results_record_the_seed_of_orders():
    torch = SimpleNamespace(
        cuda=SimpleNamespace(get_device_name=lambda _: "a GPU"),
        version=SimpleNamespace(cuda="13.0"),
        __version__="2.11",
    )
    assert describe_run(torch)["order_seed"] == ORDER_SEED


def test_statistics():
    stats = Stats.of([10, 50, 20, 40, 30])
    assert (stats.median, stats.min, stats.max, stats.runs) == (30, 10, 50, 5)
    assert stats.spread == pytest.approx((40 - 20) / 30)


def last_row(table):
    return [cell.strip() for cell in table.strip().splitlines()[-1].strip("|").split("|")]


def test_layouts_stand_side_by_side():
    entry = Entry(transpose(m=1000, n=1000))
    layouts = ["auto", "none", "pad", "swizzle"]
    entry.best = {US: ("auto", stats_of(4.0))}
    entry.candidates = {US: {"auto": 4.4, "none": 8.0, "pad": 4.0}}
    row = ["transpose f32", "1000 x 1000", "4.4", "8.0", "4.0", "same", "1.100"]
    assert last_row(layouts_markdown([entry], layouts)) == row
    entry.failed = {f"{US} swizzle": "too large"}
    assert last_row(layouts_markdown([entry], layouts))[-2] == "failed"
    only_auto = Entry(transpose(m=1000, n=1000))
    only_auto.best = {US: ("auto", stats_of(4.0))}
    row = ["transpose f32", "1000 x 1000", "4.0", "same", "same", "same", "1.000"]
    assert last_row(layouts_markdown([only_auto], layouts)) == row


# Shapes


def test_the_layouts_file_can_be_read():
    problems = read_shapes(ROOT / "benchmarks" / "layouts.json")
    assert len({problem.title for problem in problems}) >= 10


def test_the_shapes_file_holds_every_problem_and_type():
    problems = read_shapes(ROOT / "benchmarks" / "shapes.json")
    titles = {problem.title for problem in problems}
    assert titles == {f"{name} {d}" for name, problem in PROBLEMS.items() for d in problem.dtypes}
    assert all(problem.source.is_file() for problem in problems)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "Expecting"),
        ("[]", "shapes.json: "),
        ('{"cases": [{"problem": "sort"}]}', "no problem 'sort'; there are copy"),
        ('{"cases": [{"problem": "copy"}]}', "there is no 'dtypes'"),
        (
            '{"cases": [{"problem": "copy", "dtypes": ["f16"], "sizes": [{"n": 1}]}]}',
            "copy has no type 'f16'",
        ),
        (
            '{"cases": [{"problem": "copy", "dtypes": ["f32"], "sizes": [{"n": 0}]}]}',
            "sizes of copy are positive n",
        ),
        (
            '{"cases": [{"problem": "copy", "dtypes": ["f32"], "sizes": [{"M": 1}]}]}',
            "sizes of copy are positive n",
        ),
    ],
)
def test_a_bad_shapes_file_is_an_error(text, reason, tmp_path):
    path = tmp_path / "shapes.json"
    path.write_text(text)
    with pytest.raises(ToolError, match=reason):
        read_shapes(path)


# Our kernels


def test_variants_are_all_combinations():
    variants = variants_of(transpose(), ["auto", "none"], [0, 4], ["32x16"])
    described = [variant.describe() for variant in variants]
    assert described == [
        *("auto", "auto 4 warps", "none", "none 4 warps"),
        *("32x16 auto", "32x16 auto 4 warps", "32x16 none", "32x16 none 4 warps"),
    ]
    text = variants[-1].text
    assert "@" not in text.replace("@transpose_f32", "").replace("between @ signs", "")
    assert "tensor<32x16xf32> -> tensor<16x32xf32>" in text
    assert variants_of(PROBLEMS["copy"]("f32", {"n": 1}), ["auto"], [0], ["32x16"]) == [
        Variant(EXAMPLES / "copy_f32.mlir")
    ]
    with pytest.raises(ToolError, match="not '64'"):
        transpose().tile_variant("64")


def test_the_same_code_is_compiled_into_one_contender(tools):
    tools.write(
        "tile-compile",
        """
print(".entry k" + ("_pad" if "--shared-layout=pad" in line else ""))
print(f'  .file 1 "{line}"')
print("a warning {here}", file=sys.stderr)
print(json.dumps({"kernels": [{"kernel": "k"}]}, indent=2), file=sys.stderr)
""",
    )
    variants = variants_of(transpose(), ["auto", "swizzle", "pad"], [0], [])
    compiled, failed = compile_variants(transpose(), variants, "sm_90a")
    assert not failed
    assert [one.variant.layout for one in compiled] == ["auto", "pad"]


def test_a_failed_compilation_is_the_compilers_error(tools):
    tools.write("tile-compile", "print('f.mlir:1:1: error: no', file=sys.stderr)\nsys.exit(1)\n")
    compiled, failed = compile_variants(transpose(), [Variant(transpose().source)], "sm_90a")
    assert not compiled
    assert failed == {"us auto": "f.mlir:1:1: error: no"}


def test_a_grid_has_three_extents():
    compiled = Compiled(Variant(transpose().source), "", {"grid": ["ceildiv(M, 64)", "N"]})
    assert compiled.grid(transpose()) == [2, 130, 1]


def arguments_of(*arguments):
    keys = ("name", "type", "bytes", "is_pointer", "divisibility")
    return {"arguments": [dict(zip(keys, values, strict=True)) for values in arguments]}


def test_arguments_are_in_the_kernels_order_and_types():
    tensor = SimpleNamespace(data_ptr=lambda: 4096)
    tensors = Tensors({"X": tensor}, tensor, tensor)
    problem = PROBLEMS["scale"]("f32", {"n": 2**33})
    report = arguments_of(
        ("alpha", "f32", 4, False, 1), ("X", "f32", 8, True, 16), ("n", "i64", 8, False, 4)
    )
    values = make_arguments(problem, tensors, report)
    assert [type(value) for value in values] == [ctypes.c_float, ctypes.c_uint64, ctypes.c_int64]
    assert [value.value for value in values][1:] == [4096, 2**33]
    with pytest.raises(ToolError, match="n is 8589934592, but the code needs a multiple of 3"):
        make_arguments(problem, tensors, arguments_of(("n", "i64", 8, False, 3)))


def test_targets_of_gpus():
    assert [target_of(*it) for it in ((8, 0), (8, 9), (9, 0), (10, 0), (12, 0))] == [
        *("sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120a")
    ]


# The driver


class FakeLibrary:
    """Records calls; `fails` names the function that returns an error."""

    def __init__(self, fails=""):
        self.fails = fails
        self.calls = []

    def cuGetErrorString(self, code, text):  # noqa: N802
        text._obj.value = b"out of luck"
        return 0

    def cuModuleLoadDataEx(self, module, ptx, count, options, values):  # noqa: N802
        self.calls.append(("load", ptx))
        if self.fails == "load":
            ctypes.memmove(values[0], b"ptxas: no\0", 10)
            return 218
        return 0

    def __getattr__(self, name):
        def call(*arguments):
            self.calls.append((name, arguments))
            return 2 if self.fails == name else 0

        return call


def test_a_launch_hands_the_driver_pointers_to_the_arguments():
    library = FakeLibrary()
    function = Driver(library).load(".entry k", "k", 65536)
    assert library.calls[0] == ("load", b".entry k\0")
    assert library.calls[-1][1][1:] == (8, 65536)
    launch = function.bind([3, 2, 1], 256, [ctypes.c_int64(2**40), ctypes.c_float(1.5)], 0)
    launch()
    name, call = library.calls[-1]
    assert name == "cuLaunchKernel"
    assert call[1:8] == (3, 2, 1, 256, 1, 1, 65536)
    pointers = call[9]
    assert ctypes.cast(pointers[0], ctypes.POINTER(ctypes.c_int64)).contents.value == 2**40
    assert ctypes.cast(pointers[1], ctypes.POINTER(ctypes.c_float)).contents.value == 1.5


def test_tensor_maps_are_made_of_the_arguments():
    library = FakeLibrary()
    described = {
        "pointer": 1,
        "type": "bf16",
        "extents": [{"constant": 2, "arguments": [0]}, {"constant": 1, "arguments": [2]}],
        "strides": [{"constant": 1, "arguments": [0, 2]}],
        "box": [64, 16],
        "last": False,
        "swizzle_bytes": 128,
    }
    arguments = [ctypes.c_int32(8), ctypes.c_uint64(2**40), ctypes.c_int64(3)]
    encoded = make_tensor_map(Driver(library), described, arguments)
    assert ctypes.sizeof(encoded) == 128
    assert ctypes.addressof(encoded) % 128 == 0
    name, call = library.calls[-1]
    assert name == "cuTensorMapEncodeTiled"
    assert call[0]._obj is encoded
    # CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, of two dimensions.
    assert (call[1], call[2], call[3].value) == (9, 2, 2**40)
    # Strides are in bytes, of all dimensions but the first.
    extents, strides, box, element_strides = (list(array) for array in call[4:8])
    assert (extents, strides[0], box, element_strides) == ([16, 3], 48, [64, 16], [1, 1])
    # No interleave, 128 bytes of swizzle and of promotion, zeros outside.
    assert call[8:] == (0, 3, 2, 0)
    with pytest.raises(ToolError, match="making a tensor map: out of luck"):
        make_tensor_map(Driver(FakeLibrary("cuTensorMapEncodeTiled")), described, arguments)


def test_errors_of_the_driver_say_what_failed():
    with pytest.raises(ToolError, match="rejected the PTX of k: ptxas: no: out of luck"):
        Driver(FakeLibrary("load")).load("", "k", 0)
    with pytest.raises(ToolError, match="65536 bytes of shared memory for k: out of luck"):
        Driver(FakeLibrary("cuFuncSetAttribute")).load("", "k", 65536)
    launch = Driver(FakeLibrary("cuLaunchKernel")).load("", "k", 0).bind([1, 1, 1], 32, [], 0)
    with pytest.raises(ToolError, match="launching k: out of luck"):
        launch()
    with pytest.raises(ToolError, match="copying 8 bytes: out of luck"):
        Driver(FakeLibrary("cuMemcpyDtoDAsync_v2")).copy(16, 32, 8, 0)


# Results


def stats_of(median):
    return Stats(median, median, median, 0.015, 31, median)


def test_ratios_are_of_rates():
    entry = Entry(transpose(m=1000, n=1000))
    entry.best = {US: ("auto", stats_of(4.0)), "copy": ("", stats_of(3.0))}
    entry.candidates = {US: {"auto": 4.0, "none": 8.0}}
    assert entry.rate(US) == pytest.approx(2000)
    assert entry.ratio("copy") == pytest.approx(0.75)
    assert entry.ratio("triton") is None
    environment = {"gpu": "G", "driver": "1", "versions": {"torch": "2"}, "date": "today"}
    environment |= {"rounds": 31, "method": METHOD}
    table = markdown(environment, [entry])
    row = table.strip().splitlines()[-1]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells == [
        *("transpose f32", "1000 x 1000", "2000", "2667", "-", "-"),
        *("0.75", "-", "-", "1.5%", "yes"),
    ]
    head = table.strip().splitlines()[-3]
    assert head.count("|") == row.count("|")
    assert "| none | 8.0 | 1000 GB/s |" in variants_markdown([entry])
    assert json.loads(json.dumps(entry.to_json()))["ratios"]["torch"] is None


def test_a_wrong_contender_and_a_skipped_problem_stand_in_the_table():
    wrong, skipped = Entry(transpose(), wrong=["us auto"]), Entry(transpose(), skipped="no memory")
    environment = {"gpu": "", "driver": "", "versions": {}, "date": "", "rounds": 2, "method": ""}
    table = markdown(environment, [wrong, skipped])
    assert "WRONG: us auto" in table
    assert "skipped: no memory" in table


# The command


def compare(*arguments, **environment):
    return subprocess.run(
        [sys.executable, COMPARE, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def test_mistakes_on_the_command_line(tmp_path):
    assert "no peer cublas" in compare("--without=cublas").stderr
    assert "two or more" in compare("--rounds=1").stderr
    assert "no problem is left" in compare("--only=sort").stderr
    assert "cannot read" in compare("--shapes", tmp_path / "absent.json").stderr


def test_a_missing_package_is_named(tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('not here')\n")
    result = compare("--only=copy", PYTHONPATH=str(tmp_path))
    assert result.returncode == 1
    assert "needs the Python package torch: not here" in result.stderr
