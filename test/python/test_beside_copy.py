"""benchmarks/rows.py and permutations.py, without a GPU: what is launched, checked and recorded."""

from types import SimpleNamespace

import numpy as np
import package_support
import pytest

import permutations
import rows
from bench import beside_copy, both_languages, permutation_cases
from bench.permutation_cases import CONFIGS, PERMUTATIONS, TRANSPOSES, Permutation
from bench.row_cases import KERNELS, Rows

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
    assert permutations.is_good(case)
    assert not permutations.is_good({**case, "faults": {f"{OURS}, b": "wrong"}})


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
