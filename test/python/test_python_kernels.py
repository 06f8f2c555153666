"""benchmarks/python_kernels.py, without a GPU: the same source in two languages, and the record."""

import ast
import itertools
import sys
import types

import numpy as np
import package_support
import pytest

import python_kernels
from bench import beside_triton, both_languages, python_cases, python_table
from bench.timing import Stats
from bench.work import Work, describe


def stats(median):
    return Stats(median, median, median, 0.0, 3, median)


def outcome(**times):
    """Of a case whose configurations have these times of ours and of Triton's."""
    made = beside_triton.Outcome("case", work=1e9, unit="GB/s")
    for config, pair in times.items():
        names = (both_languages.OURS, both_languages.TRITON)
        made.times[config] = {
            name: stats(each) for name, each in zip(names, pair, strict=True) if each
        }
    return made


@pytest.mark.parametrize("name", both_languages.module_paths())
def test_kernels_become_modules_of_triton(name):
    text = both_languages.module_paths()[name].read_text()
    changed = both_languages.for_triton(text)
    assert "tilewright" not in changed
    assert "import triton.language as tl" in changed
    ours, theirs = ast.parse(text), ast.parse(changed)
    assert len(list(ast.walk(ours))) == len(list(ast.walk(theirs)))


def test_copies_are_loaded_with_the_other_language(tmp_path, monkeypatch):
    triton = types.ModuleType("triton")
    triton.language = types.ModuleType("triton.language")
    triton.language.constexpr = lambda value: value
    triton.language.float32, triton.language.int32 = "fp32", "i32"
    triton.jit = lambda function=None, **options: function or (lambda each: each)
    triton.heuristics = triton.autotune = lambda *values, **options: lambda function: function
    triton.Config = lambda *values, **options: None
    monkeypatch.setitem(sys.modules, "triton", triton)
    extra = types.ModuleType("triton.language.extra")
    extra.libdevice = types.ModuleType("libdevice")
    monkeypatch.setitem(sys.modules, "triton.language", triton.language)
    monkeypatch.setitem(sys.modules, "triton.language.extra", extra)
    modules = both_languages.load_triton(tmp_path)
    assert modules.keys() == both_languages.module_paths().keys()
    assert modules["vector_add"].tl is triton.language
    assert str(tmp_path) in modules["vector_add"].__file__
    assert str(tmp_path) not in sys.path


def test_each_example_is_timed():
    folder = both_languages.FOLDER.parents[1] / "benchmarks/bench"
    names = ("python_cases.py", "python_products.py")
    text = "".join((folder / name).read_text() for name in names)
    timed = {name for name in both_languages.example_names() if f'"{name}",\n' in text}
    assert timed == set(both_languages.example_names())
    assert len(python_cases.CASES) >= len(timed)


def test_cases_can_be_listed(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["python_kernels.py", "--list", "--only", "great_circle"])
    assert python_kernels.main() == 0
    assert capsys.readouterr().out.splitlines() == ["great_circle f32 2^26"]


def test_ratios_are_those_of_one_configuration():
    made = outcome(a=(2.0, 4.0), b=(8.0, 3.0))
    assert made.ratio() == pytest.approx(3 / 8)
    assert made.ratio_of_best() == pytest.approx(3 / 2)
    assert outcome(a=(None, 4.0)).ratio() is None
    assert outcome(a=(2.0, None)).ratio() is None


def test_a_case_is_good_when_ours_ran_and_nobody_was_wrong():
    assert beside_triton.is_good(outcome(a=(2.0, None)))
    assert not beside_triton.is_good(outcome(a=(None, 4.0)))
    made = outcome(a=(2.0, 4.0))
    made.wrong.append("triton, a: result 0: 3 of 4 elements are wrong")
    assert not beside_triton.is_good(made)


def test_table():
    made = outcome(a=(2.0, 4.0))
    made.peers["cuBLAS"] = stats(1.0)
    made.failed["triton, b"] = "OutOfResources: shared memory"
    record = {
        "gpu": "H100",
        "driver": "1",
        "versions": {"triton": "3"},
        "date": "today",
        "rounds": 3,
        "method": "Turns.",
        "first_calls": {"tilewright": {"all": 100.0, "driver": 20.0}},
        "results": [made.to_json(), outcome().to_json()],
    }
    text = python_table.markdown(record)
    assert (
        "| case | a | 500000 | 250000 | GB/s | 2.000 | 2.000 | cuBLAS 1000000; failed: tri" in text
    )
    assert "| case | none ran |" in text
    assert "- tilewright: all 100.0, driver 20.0" in text


def test_options_are_described():
    assert describe({"blocks": (128, 64), "num_warps": 4}) == "blocks 128x64, warps 4"


class Array(np.ndarray):
    """An array of NumPy with the names of PyTorch that the check of results uses."""

    @staticmethod
    def of(numbers):
        return np.array(numbers, np.float32).view(Array)

    def fill_(self, value):
        self[...] = value

    def is_floating_point(self):
        return self.dtype.kind == "f"

    def double(self):
        return self.astype(np.float64)

    def abs(self):
        return np.abs(self)

    def numel(self):
        return self.size


class CountingTimer:
    """Each mark is a microsecond after the one before."""

    def __init__(self):
        self.clock = itertools.count()

    def flush(self):
        pass

    def mark(self):
        return next(self.clock)

    def synchronize(self):
        pass

    def microseconds(self, start, stop):
        return float(stop - start)


def fail(*arguments, **options):
    raise RuntimeError("too much shared memory")


@pytest.mark.parametrize(
    ("theirs", "wrong", "failed", "ratio"),
    [
        (lambda x, y, out, **options: np.add(x, y, out=out), [], {}, 1.0),
        (
            lambda x, y, out, **options: np.subtract(x, y, out=out),
            ["triton, block 64: result 0: 100 of 100 elements are wrong"],
            {},
            None,
        ),
        (fail, [], {"triton, block 64": "RuntimeError: too much shared memory"}, None),
    ],
)
def test_case_is_checked_before_it_is_timed(theirs, wrong, failed, ratio):
    package_support.import_package()
    x, y, out = Array.of(range(100)), Array.of([5] * 100), Array.of([0] * 100)
    work = Work(
        "vector_add",
        lambda example, **options: example.add(x, y, out, **options),
        [(out, lambda: x + y)],
        1200.0,
        configs=[{"block": 64}],
        peers={"nothing": lambda: None},
    )
    torch = types.SimpleNamespace(cuda=types.SimpleNamespace(synchronize=lambda: None))
    languages = {
        both_languages.OURS: both_languages.load_ours(),
        both_languages.TRITON: {"vector_add": types.SimpleNamespace(add=theirs)},
    }
    made = beside_triton.run_work(torch, CountingTimer(), "case", work, languages, 3)
    assert (made.wrong, made.failed, made.ratio()) == (wrong, failed, ratio)
    assert set(made.times["block 64"]) == {"tilewright", *(["triton"] if ratio else [])}
    assert set(made.peers) == {"nothing"}
