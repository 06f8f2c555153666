"""Calls that are as the one before but for values: they are told quickly, and mean the same."""

import enum
import sys

import numpy as np
import pytest
from dispatch_support import Compiler, core, make_scale, parameter
from package_support import OTHER, FakeTensor, address_on, install_fake_torch

NAMES = ("x", "n", "factor", "flag", "size", "option", "BLOCK")


class Number(enum.IntEnum):
    MANY = 128


@pytest.fixture
def torch(fake_driver):
    install_fake_torch()
    yield sys.modules["torch"]
    del sys.modules["torch"]


def make_listener():
    """A kernel of all kinds of parameters, with a compile() that keeps what it was told."""
    compiler = Compiler(NAMES, lambda types, constants: "", "sm_90a")
    parameters = [
        parameter("x"),
        parameter("n"),
        parameter("factor"),
        parameter("flag"),
        parameter("size", annotation="tl.int64"),
        parameter("option", default=None),
        parameter("BLOCK", constexpr=True),
    ]
    return core.Dispatcher("listen", parameters, compiler), compiler


def usual():
    return {
        "x": FakeTensor((300,)),
        "n": 300,
        "factor": 2.5,
        "flag": True,
        "size": 7,
        "BLOCK": 128,
        "num_warps": 4,
    }


def call(kernel, driver, arguments):
    """What the device was given, or the mistake; the compile() here makes none of tuples."""
    try:
        kernel[1](**arguments)
    except (TypeError, ValueError, OverflowError, AttributeError) as error:
        return repr(error)
    last = driver.fake_last_launch().contents
    if last.launches == call.before:
        return "no launch"
    return last.launches - call.before, last.arguments, last.context, last.stream, last.threads


CHANGES = {
    "address": lambda: {"x": FakeTensor((300,), address=OTHER)},
    "address of another variant": lambda: {"x": FakeTensor((300,), address=address_on(0, 4))},
    "device": lambda: {"x": FakeTensor((300,), device=1)},
    "no memory": lambda: {"x": FakeTensor((300,), address=0)},
    "unaligned": lambda: {"x": FakeTensor((300,), address=OTHER + 1)},
    "elements": lambda: {"x": FakeTensor((300,), "float16")},
    "strides": lambda: {"x": FakeTensor((300,), strides=(2,))},
    "no array": lambda: {"x": None},
    "number for an array": lambda: {"x": 5},
    "value": lambda: {"n": 301},
    "one": lambda: {"n": 1},
    "negative": lambda: {"n": -(2**31)},
    "wide": lambda: {"n": 2**31},
    "unsigned": lambda: {"n": 2**63},
    "too wide": lambda: {"n": 2**64},
    "truth for an integer": lambda: {"n": True},
    "float for an integer": lambda: {"n": 300.0},
    "integer of NumPy": lambda: {"n": np.int64(2**40)},
    "enumerator": lambda: {"n": Number.MANY},
    "tuple": lambda: {"n": (300, 1)},
    "text": lambda: {"n": "300"},
    "array for an integer": lambda: {"n": FakeTensor((1,))},
    "float": lambda: {"factor": -0.0},
    "integer for a float": lambda: {"factor": 2},
    "truth": lambda: {"flag": False},
    "integer for a truth": lambda: {"flag": 1},
    "declared": lambda: {"size": 2**62},
    "declared, too wide": lambda: {"size": 2**63},
    "declared, no integer": lambda: {"size": 7.5},
    "declared, none": lambda: {"size": None},
    "default": lambda: {"option": 3},
    "constant": lambda: {"BLOCK": 256},
    "constant of another class": lambda: {"BLOCK": 128.0},
    "constant that is equal": lambda: {"BLOCK": Number.MANY},
    "constant, none": lambda: {"BLOCK": None},
    "constant, a truth value": lambda: {"BLOCK": True},
    "constant, too wide": lambda: {"BLOCK": 2**64 + 128},
    "warps": lambda: {"num_warps": 8},
    "no warps": lambda: {"num_warps": None},
    "target": lambda: {"target": "sm_80"},
    "stream": lambda: {"stream": 0x77},
    "limit": lambda: {"instruction_limit": 5},
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_call_that_differs_is_read_anew(fake_driver, torch, change):
    """After calls that were the same, a kernel does what one does that had none."""
    arguments = {**usual(), **CHANGES[change]()}
    call.before = fake_driver.fake_last_launch().contents.launches
    fresh, told = make_listener()
    expected = call(fresh, fake_driver, arguments)
    used, told_before = make_listener()
    for _ in range(3):
        used[1](**usual())
    call.before = fake_driver.fake_last_launch().contents.launches
    assert call(used, fake_driver, arguments) == expected
    # What the compiler is asked, where it is.
    assert told_before.calls[-1:] in (told.calls, [told_before.calls[0]])
    assert len(told_before.calls) <= 2
    signatures = {each[0] for each in told_before.calls}
    assert all(each[0] in signatures for each in told.calls)
    call.before = fake_driver.fake_last_launch().contents.launches
    once = usual()
    assert call(used, fake_driver, once)[:2] == (1, [once["x"].address, 300, 0x40200000, 1, 7])


def test_constants_are_compared_by_value(fake_driver, torch):
    """Numbers that are made anew at each call, beyond those that Python keeps."""
    kernel, compiler = make_listener()
    for text in ["1000", "1000", "1000", "2000", "1000"]:
        kernel[1](**{**usual(), "BLOCK": int(text), "option": float(text)})
    assert [each[1]["BLOCK"] for each in compiler.calls] == [1000, 2000]


def test_tuples_and_arrays_of_others_are_read_each_time(fake_driver, torch):
    kernel, compiler = make_listener()
    sizes = [16, 32]
    for _ in range(3):
        kernel[1](**{**usual(), "BLOCK": sizes})
    sizes[1] = 64
    kernel[1](**{**usual(), "BLOCK": sizes})
    assert len(compiler.calls) == 2


def test_the_environment_and_the_grid(fake_driver, torch, monkeypatch):
    scale, _ = make_scale("sm_90a")
    x, y = FakeTensor((300,)), FakeTensor((300,), address=OTHER)
    last = fake_driver.fake_last_launch

    def launch(grid=(3,)):
        return scale[grid](x, y, 300, 2.5, BLOCK=128)

    kernels = [launch() for _ in range(3)]
    for target in ("sm_80", "sm_80", "sm_80", "sm_90a", "sm_80", ""):
        monkeypatch.setenv("TILEWRIGHT_TARGET", target)
        kernels.append(launch())
    monkeypatch.delenv("TILEWRIGHT_TARGET")
    kernels.append(launch())
    assert [each.target for each in kernels] == ["sm_90a"] * 3 + ["sm_80"] * 3 + [
        "sm_90a",
        "sm_80",
        "sm_90a",
        "sm_90a",
    ]
    assert launch((5, 2)) is kernels[0]
    assert list(last().contents.grid) == [5, 2, 1]
    before = last().contents.launches
    assert launch(lambda meta: (meta["n"] // meta["BLOCK"],)) is kernels[0]
    assert list(last().contents.grid) == [2, 1, 1]
    assert launch((0,)) is None
    with pytest.raises(ValueError, match="grid axis 1 has 70000 blocks"):
        launch((1, 70000))
    assert last().contents.launches == before + 1


def test_names_that_change(fake_driver, torch):
    scale, _ = make_scale("sm_90a")
    names = {"FACTOR": 2}
    x, y = FakeTensor((300,)), FakeTensor((300,), address=OTHER)
    scale.watch(names, "FACTOR", names["FACTOR"], "FACTOR")
    for _ in range(3):
        scale[3](x, y, 300, 2.5, BLOCK=128)
    names["FACTOR"] = 3
    with pytest.raises(RuntimeError, match="'FACTOR' has another value"):
        scale[3](x, y, 300, 2.5, BLOCK=128)


def test_arrays_that_share_memory(fake_driver, torch):
    scale, _ = make_scale("sm_90a")
    x, y = FakeTensor((300,)), FakeTensor((300,), address=OTHER)
    for _ in range(3):
        kernel = scale[3](x, y, 300, 2.5, BLOCK=512)
    assert scale[3](x, x, 300, 2.5, BLOCK=512) is kernel
    assert [each["disjoint"] for each in kernel.variants] == [["x", "y"], []]
