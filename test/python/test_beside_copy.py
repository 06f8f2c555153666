"""benchmarks/rows.py, permutations.py and memory.py, without a GPU: what is launched, checked and
recorded."""

import json
import sys
from types import SimpleNamespace

import numpy as np
import package_support
import pytest

import memory
import permutations
import rows
from bench import (
    beside_copy,
    both_languages,
    memory_cases,
    memory_work,
    more_memory_cases,
    permutation_cases,
)
from bench.permutation_cases import CONFIGS, PERMUTATIONS, TRANSPOSES, Permutation
from bench.row_cases import KERNELS, Rows
from bench.work import Work

package_support.import_package()

OURS, TRITON = both_languages.OURS, both_languages.TRITON


class Timer:
    """Each launch takes as long as it says."""

    now = 0.0

    def flush(self):
        pass

    def mark(self):
        return Timer.now

    def synchronize(self):
        pass

    def microseconds(self, start, stop):
        return stop - start


class Array(np.ndarray):
    """An array of NumPy with the names of PyTorch that are used here."""

    @staticmethod
    def of(numbers):
        return np.array(numbers).view(Array)

    def fill_(self, value):
        self[...] = value

    def float(self):
        return self.astype(np.float32)

    def double(self):
        return self.astype(np.float64)

    def is_floating_point(self):
        return self.dtype.kind == "f"

    def numel(self):
        return self.size

    def abs(self):
        return np.abs(self)

    def clone(self):
        return self.copy()


def lasting(microseconds):
    def launch():
        Timer.now += microseconds

    return launch


def test_the_fastest_stands_for_its_language(monkeypatch):
    monkeypatch.setattr(beside_copy, "make_copy", lambda torch, count: lasting(8.0))
    contenders = {
        "torch": lasting(16.0),
        f"{OURS}, a": lasting(20.0),
        f"{OURS}, b": lasting(10.0),
    }
    case = beside_copy.time_beside_copy(None, Timer(), 100, contenders, [OURS, TRITON], 3)
    assert case["best"] == {"torch": "torch", OURS: f"{OURS}, b"}
    assert case["of_copy"] == {"torch": 0.5, OURS: 0.8}
    assert case["microseconds"]["copy"] == 8.0


@pytest.mark.parametrize(("fault", "status"), [("", 0), ("wrong: 3 of 4", 1)])
def test_all_cases_are_timed_and_written_down(monkeypatch, tmp_path, capsys, fault, status):
    steps = SimpleNamespace(empty_cache=lambda: None)
    torch = SimpleNamespace(manual_seed=lambda seed: None, cuda=steps)
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr(beside_copy, "TorchTimer", lambda torch: None)
    monkeypatch.setattr(beside_copy, "describe_run", lambda torch: {"gpu": "H200"})
    monkeypatch.setattr(both_languages, "load_ours", lambda: {"softmax": None})
    options = beside_copy.make_parser("x").parse_args(
        ["--only", "a,c", "--without-triton", "--json", str(tmp_path / "x.json")]
    )
    options.cases = [name for name in ("ab", "b", "cb") if beside_copy.is_wanted(name, options)]

    def time_case(torch, timer, case, languages, options):
        assert languages == {OURS: {"softmax": None}} and options.rounds == 21
        return {"case": case, "best": {OURS: OURS}, "faults": {"x": fault} if case == "cb" else {}}

    assert beside_copy.time_all(options, time_case, str) == status
    cases = json.loads((tmp_path / "x.json").read_text())["cases"]
    assert [case["case"] for case in cases] == ["ab", "cb"]
    assert json.loads(capsys.readouterr().out.splitlines()[0])["case"] == "ab"


def test_geometric_means():
    assert beside_copy.geometric_mean([0.25, 1.0]) == pytest.approx(0.5)


# Permutations


def test_cases_are_what_the_targets_are_about():
    assert len(TRANSPOSES) == 32 and len(PERMUTATIONS) == 20
    assert {len(case.shape) for case in PERMUTATIONS} == {3, 4, 5}
    for case in [*TRANSPOSES, *PERMUTATIONS]:
        assert sorted(case.order) == list(range(len(case.shape)))
        assert case.type in CONFIGS
    assert len({case.name for case in [*TRANSPOSES, *PERMUTATIONS]}) == 52


@pytest.mark.parametrize("element", permutation_cases.TYPES)
def test_all_configurations_are_right(element):
    case = Permutation(element, (70, 3, 65), (2, 0, 1))
    x = np.random.default_rng(0).integers(-128, 128, case.shape)
    x = x.astype(permutation_cases.TYPES[element])
    right = x.transpose(case.order)
    out = Array.of(np.empty(right.shape, x.dtype))
    languages = {OURS: both_languages.load_ours()}
    launches = permutations.make_launches(case, x, out, languages, {OURS: 4})
    assert len(launches) == 4
    torch = SimpleNamespace(equal=np.array_equal)
    for launch in launches.values():
        assert permutations.find_mistake(torch, out, right, launch) == ""
    assert permutations.find_mistake(torch, out, right, lambda: None) == "wrong"
    assert "Zero" in permutations.find_mistake(torch, out, right, lambda: 1 // 0)


def test_table_of_permutations():
    case = {
        "case": "f16 8 x 8",
        "transpose": True,
        "faults": {},
        "microseconds": {"copy": 9.0, f"{OURS}, a": 10.0},
        "of_copy": {OURS: 0.9},
        "best": {OURS: f"{OURS}, a"},
    }
    text = permutations.markdown({"gpu": "H200", "date": "today", "software": "x", "cases": [case]})
    assert "| f16 8 x 8 | 9.0 | 10.0 | 0.900 | - | - | a |  |" in text
    assert f"{OURS}: 0.900 of a copy in geometric mean" in text
    assert "3 to 5" not in text
    assert beside_copy.is_good(case)
    assert not beside_copy.is_good({**case, "faults": {f"{OURS}, b": "wrong"}})


# Rows


def make_rows(result, expected):
    return Rows("softmax", lambda: None, [(result, lambda: expected)], lambda: None, 8, [])


def test_results_must_be_right_and_the_same_twice():
    result, right = Array.of(np.zeros(4, np.float32)), Array.of(np.ones(4, np.float32))
    made = make_rows(result, right)
    values = iter([1.0, 1.0, 1.0, 1.001, 2.0])

    def launch():
        result.fill_(next(values))

    assert rows.find_mistake(made, launch, 4e-3) == ""
    assert rows.find_mistake(made, launch, 4e-3) == "wrong: other bits in the second run"
    assert rows.find_mistake(made, launch, 4e-3) == "wrong"
    assert rows.find_mistake(made, launch, 4e-3).startswith("failed: StopIteration")


def test_table_of_rows():
    case = {
        "kernel": "softmax",
        "type": "f16",
        "shape": (4, 8),
        "faults": {f"{OURS}, b": "failed: registers"},
        "microseconds": {"copy": 9.0, f"{OURS}, a": 10.0},
        "of_copy": {OURS: 0.9},
        "best": {OURS: f"{OURS}, a"},
    }
    text = rows.markdown({"gpu": "H200", "date": "today", "software": "x", "cases": [case]})
    assert "| softmax | f16 | 4 x 8 | 9.0 | 10.0 | 0.900 | - | - | - | a |" in text
    assert f"{OURS}, softmax: 0.900 of a copy" in text
    assert rows.is_good(case)
    assert not rows.is_good({**case, "faults": {f"{OURS}, b": "wrong: other bits"}})
    assert {"rms_norm_backward", "layer_norm_backward"} <= set(KERNELS)


# What memory limits


@pytest.mark.parametrize("cases", [memory_cases, more_memory_cases])
def test_cases_are_odd_and_of_several_types(cases):
    assert len(cases.CASES) == sum(
        len(elements) * len(shapes) * len(starts)
        for _, elements, shapes, starts in cases.KERNELS.values()
    )
    for _, elements, shapes, _ in cases.KERNELS.values():
        assert set(elements) <= set(memory_work.TYPES)
        assert any(n % 2 for shape in shapes for n in shape)


def test_names_of_cases_are_different():
    assert memory.CASES.keys() == memory_cases.CASES.keys() | more_memory_cases.CASES.keys()
    assert len(memory.CASES) == len(memory_cases.CASES) + len(more_memory_cases.CASES)
    assert any(starts == [0, 1] for _, _, _, starts in memory_cases.KERNELS.values())


@pytest.mark.parametrize(
    ("theirs", "fault"),
    [
        (lambda x, y, out, **options: np.add(x, y, out=out), ""),
        (
            lambda x, y, out, **options: None,
            "wrong: result 0: 100 of 100 elements are wrong",
        ),
        (lambda x, y, out, **options: 1 // 0, "failed: ZeroDivisionError"),
    ],
)
def test_faults_of_kernels_that_memory_limits(theirs, fault):
    x, y, out = (Array.of(np.ones(100, np.float32)) for _ in range(3))
    work = Work(
        "vector_add",
        lambda example, **options: example.add(x, y, out, **options),
        [(out, lambda: x + y)],
        1200.0,
        configs=[{"num_warps": 1}],
    )
    torch = SimpleNamespace(cuda=SimpleNamespace(synchronize=lambda: None))
    languages = {
        OURS: both_languages.load_ours(),
        TRITON: {"vector_add": SimpleNamespace(add=theirs)},
    }
    launches = memory.launches_of(work, languages)
    assert list(launches) == [f"{OURS}, warps 1", f"{TRITON}, warps 1"]
    faults = [memory.find_fault(torch, work, launch) for launch in launches.values()]
    assert faults[0] == ""
    assert faults[1].startswith(fault) and bool(faults[1]) == bool(fault)


def test_table_of_what_memory_limits():
    case = {
        "case": "cumsum f32 3x5",
        "faults": {f"{TRITON}, b": "failed: registers"},
        "microseconds": {"copy": 9.0, f"{OURS}, a": 10.0},
        "of_copy": {OURS: 0.9},
        "best": {OURS: f"{OURS}, a"},
        "spread": 0.01,
    }
    text = memory.markdown({"gpu": "H200", "date": "today", "software": "x", "cases": [case]})
    assert "| cumsum f32 3x5 | 9.0 | 10.0 | 0.900 | - | - | 0.01 | a |" in text
    assert f"{OURS}: 0.900 of a copy in geometric mean" in text
    assert beside_copy.is_good(case)
    assert not beside_copy.is_good({**case, "faults": {f"{OURS}, a": "wrong: result 0"}})
