"""benchmarks/python_kernels.py, without a GPU: the same source in two languages, and the record."""

import ast
import sys
import types

import pytest

import python_kernels
from bench import both_languages, python_cases, python_table
from bench.timing import Stats


def stats(median):
    return Stats(median, median, median, 0.0, 3)


def outcome(**times):
    """Of a case whose configurations have these times of ours and of Triton's."""
    made = python_kernels.Outcome("case", work=1e9, unit="GB/s")
    for config, pair in times.items():
        names = (both_languages.OURS, both_languages.TRITON)
        made.times[config] = {
            name: stats(each) for name, each in zip(names, pair, strict=True) if each
        }
    return made


@pytest.mark.parametrize("name", both_languages.example_names())
def test_examples_become_modules_of_triton(name):
    text = (both_languages.FOLDER / f"{name}.py").read_text()
    changed = both_languages.for_triton(text)
    assert "tilewright" not in changed
    assert "import triton.language as tl" in changed
    ours, theirs = ast.parse(text), ast.parse(changed)
    assert len(list(ast.walk(ours))) == len(list(ast.walk(theirs)))


def test_copies_are_loaded_with_the_other_language(tmp_path, monkeypatch):
    triton = types.ModuleType("triton")
    triton.language = types.ModuleType("triton.language")
    triton.language.constexpr = lambda value: value
    triton.language.float32 = "fp32"
    triton.jit = lambda function=None, **options: function or (lambda each: each)
    triton.heuristics = triton.autotune = lambda *values, **options: lambda function: function
    triton.Config = lambda *values, **options: None
    monkeypatch.setitem(sys.modules, "triton", triton)
    monkeypatch.setitem(sys.modules, "triton.language", triton.language)
    modules = both_languages.load_triton(tmp_path)
    assert sorted(modules) == both_languages.example_names()
    assert modules["vector_add"].tl is triton.language
    assert str(tmp_path) in modules["vector_add"].__file__
    assert str(tmp_path) not in sys.path


def test_each_example_is_timed():
    text = (both_languages.FOLDER.parents[1] / "benchmarks/bench/python_cases.py").read_text()
    timed = {name for name in both_languages.example_names() if f'"{name}",\n' in text}
    assert timed == set(both_languages.example_names())
    assert len(python_cases.CASES) >= len(timed)


def test_ratios_are_those_of_one_configuration():
    made = outcome(a=(2.0, 4.0), b=(8.0, 3.0))
    assert made.ratio() == pytest.approx(3 / 8)
    assert made.ratio_of_best() == pytest.approx(3 / 2)
    assert outcome(a=(None, 4.0)).ratio() is None
    assert outcome(a=(2.0, None)).ratio() is None


def test_a_case_is_good_when_ours_ran_and_nobody_was_wrong():
    assert python_kernels.is_good(outcome(a=(2.0, None)))
    assert not python_kernels.is_good(outcome(a=(None, 4.0)))
    made = outcome(a=(2.0, 4.0))
    made.wrong.append("triton, a: result 0: 3 of 4 elements are wrong")
    assert not python_kernels.is_good(made)


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
    assert (
        python_kernels.describe({"blocks": (128, 64), "num_warps": 4}) == "blocks 128x64, warps 4"
    )
