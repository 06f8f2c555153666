"""Some of what scripts/random-shapes.py runs, and that it sees what is wrong."""

import numpy as np
import pytest
from examples_support import TARGETS
from shapes import FAMILIES, draw
from shapes.arrays import Device

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
def test_what_is_wrong_is_seen(run, group):
    complaints = [run(group, seed, Spoiled())[0] for seed in range(12)]
    assert sum(complaint != "" for complaint in complaints) >= 8


def test_what_is_written_beside_is_seen(monkeypatch):
    def careless(x, out, order, shape=None):
        np.asarray(out.base)[...] = 0

    monkeypatch.setattr(permute, "permute", careless)
    complaints = [draw("moves", seed, Device()).run() for seed in range(0, 12, 3)]
    assert all(complaint == "other bits than NumPy has" for complaint in complaints)
