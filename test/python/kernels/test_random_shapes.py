"""Some of what scripts/random-shapes.py runs, and that it sees what is wrong."""

import random

import numpy as np
import pytest
from examples_support import TARGETS
from shapes import FAMILIES, draw
from shapes.arrays import Device, Drawing, Matrix

import permute
import tilewright


@pytest.fixture
def run(monkeypatch):
    """Of a seed: each time for the same target, for which its kernel is compiled once."""

    def run_case(group, seed, device):
        monkeypatch.setenv("TILEWRIGHT_TARGET", TARGETS[seed % len(TARGETS)])
        case = draw(group, seed, device)
        return case.run(), case.name

    return run_case


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("group", FAMILIES)
def test_case(run, group, seed):
    complaint, name = run(group, seed, Device())
    assert complaint == "", name


def test_some_rows_are_moved(monkeypatch, without_ptxas):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_80")
    # Which has none of what other tests compiled.
    kernel = tilewright.jit(permute.permute_kernel.fn)
    monkeypatch.setattr(permute, "permute_kernel", kernel)
    for seed in range(24):
        draw("moves", seed, Device()).run()
    assert any("tile.copy_rows" in each.report_text for each in kernel.kernels)


def test_case_is_that_of_its_number():
    assert draw("rows", 7, Device()).name == draw("rows", 7, Device()).name
    assert draw("rows", 7, Device()).name != draw("rows", 8, Device()).name


class Spoiled(Device):
    """A device of whose arrays one element becomes another on the way back."""

    def get(self, array):
        values = np.array(array)
        if values.size:
            values.reshape(-1).view("u1")[-1] ^= 0x55
        return values


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("group", FAMILIES)
def test_what_is_wrong_is_seen(run, monkeypatch, group):
    # The byte may be beside a matrix, too, which would be seen by that.
    monkeypatch.setattr(Matrix, "what_is_beside", lambda matrix: "")
    complaints = [run(group, seed, Spoiled())[0] for seed in range(12)]
    assert sum(complaint != "" for complaint in complaints) >= 8


class Noting(Device):
    """It knows what was put there last: what results are in."""

    def put(self, values, dtype):
        self.last = super().put(values, dtype)
        return self.last


def test_what_is_written_beside_a_permutation_is_seen(run, monkeypatch):
    complaints, right, device = [], permute.permute, Noting()

    def careless(x, out, order, shape=None):
        right(x, out, order, shape)
        inside = out.copy()
        device.last.view("u1")[...] ^= 0xFF
        out[...] = inside
        complaints.append("other bits than NumPy has" if out.size < device.last.size else "")

    monkeypatch.setattr(permute, "permute", careless)
    seen = [run("moves", seed, device)[0] for seed in range(0, 24, len(FAMILIES["moves"]))]
    assert seen == complaints and len(set(seen)) == 2


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("group", ["rows", "parts", "products"])
def test_what_is_beside_a_matrix_is_looked_at(run, monkeypatch, group):
    monkeypatch.setattr(Matrix, "what_is_beside", lambda matrix: "something else")
    complaints = [run(group, seed, Device())[0] for seed in range(8)]
    # Sums and products of several matrices are arrays of their own.
    assert sum("something else" in complaint for complaint in complaints) >= 7


def test_what_is_written_beside_a_matrix_is_seen():
    drawing = Drawing(random.Random(0), Device())
    count = 0
    for _ in range(9):
        matrix = drawing.result(2, 3, "float16")
        matrix.array[...] = 1
        assert matrix.what_is_beside() == ""
        for place in np.argwhere(matrix.whole != 1):
            matrix.whole[tuple(place)] = 0
            assert matrix.what_is_beside() == "elements beside the result were written"
            matrix.whole[tuple(place)] = 123
            count += 1
    assert count > 20
