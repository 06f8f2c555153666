"""What is said where a decorator, a configuration or a whole function is wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright import _core
from tilewright.language import constexpr as constant


@tilewright.jit
def fill(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)


@tilewright.jit
def copy(a, b, n, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(b + place, tl.load(a + place, place < n), place < n)


@tilewright.jit
def fill_by_alias(x, BLOCK: constant):
    tl.store(x + tl.arange(0, BLOCK), 1.0)


def test_a_constant_by_another_name() -> None:
    """Annotations that are texts, as all of this file, may name what is imported under a name."""
    x = np.zeros(16, np.float32)
    fill_by_alias[(1,)](x, BLOCK=16)
    assert np.all(x == 1)


def test_unknown_options_of_the_decorator() -> None:
    with pytest.raises(TypeError, match=r"has no option 'debuge'; did you mean 'debug'\?"):
        tilewright.jit(debuge=True)
    with pytest.raises(TypeError, match=r"@tilewright\.jit has no option 'stages'$"):
        tilewright.jit(stages=3)


def test_the_nearest_name_is_suggested() -> None:
    """The first of those that are as near, and none that is another word."""
    words = ["load", "leaf", "store", "max"]
    assert _core.suggest_name("loaf", words) == "; did you mean 'load'?"
    assert _core.suggest_name("sotre", words) == "; did you mean 'store'?"
    assert _core.suggest_name("laod", words) == "; did you mean 'load'?"
    assert _core.suggest_name("mx", words) == "; did you mean 'max'?"
    assert _core.suggest_name("exp", words) == _core.suggest_name("loops", words) == ""
    assert _core.suggest_name("load", []) == ""


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tilewright.next_power_of_2(2.5), "takes an integer, not 2.5"),
        (lambda: tilewright.heuristics({"B": 5})(fill), "functions of the arguments, .* not {'B'"),
        (lambda: tilewright.heuristics(5)(fill), "a dict of names and functions .* not 5"),
        (lambda: tilewright.Config(5), "Config takes a dict of constants by name, .* not 5"),
        (lambda: tilewright.Config({5: 6}), "Config takes a dict of constants by name"),
        (lambda: tilewright.Config({}, num_warps=True), "num_warps is to be int, not bool"),
        (lambda: tilewright.Config({"num_stages": 3.0}), "num_stages is to be int, not float"),
        (lambda: tilewright.Config({}, num_ctas=True), "num_ctas is to be int, not bool"),
        (lambda: tilewright.Config({}, maxnreg="64"), "maxnreg is to be int, not str"),
        (lambda: tilewright.autotune(None, key=[])(fill), "is a list of tilewright.Config, not No"),
        (lambda: tilewright.autotune([5], key=[])(fill), r"tilewright.Config, not \[5\]"),
    ],
)
def test_what_stands_around_kernels_takes(make: Callable[[], object], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        make()


def test_names_of_parameters() -> None:
    names = ["a", "b", "n", "BLOCK"]
    assert copy.arg_names == names
    tuned = tilewright.autotune([tilewright.Config({"BLOCK": 16})], key=["n"])(copy)
    assert tilewright.heuristics({})(tuned).arg_names == names


def test_next_power_of_2_of_numbers_of_numpy() -> None:
    assert tilewright.next_power_of_2(np.int32(1000)) == 1024


def test_signatures_that_are_too_short() -> None:
    with pytest.raises(TypeError, match=r"has 3 types, and 'fill' 1 parameters .*: x"):
        fill.compile("*fp32, i32, i32", {"BLOCK": 16})
    with pytest.raises(TypeError, match=r"has 1 type, and 'choose' 2 parameters .*: x, n"):
        choose.compile("*fp32")


def test_signatures_promise_what_is_a_multiple() -> None:
    options = {"num_warps": 1, "target": "sm_90a"}
    plain = copy.compile("*fp32, *fp32, i32", {"BLOCK": 128}, **options)
    promised = copy.compile("*fp32:16, *fp32:16, i32:16", {"BLOCK": 128}, **options)
    assert "ld.global.v4" in promised.ir("ptx")
    assert "ld.global.v4" not in plain.ir("ptx")
    one = copy.compile("*fp32, *fp32, i32:1", {"BLOCK": 128}, **options)
    assert "n: i32" not in repr(one)


@pytest.mark.parametrize(
    ("signature", "kind", "words"),
    [
        ("*fp32:x, *fp32, i32", ValueError, "is what it is a multiple of, such as 16"),
        ("*fp32:1, *fp32, i32", ValueError, "'[*]fp32:1' promises nothing"),
        ("*fp32, *fp32, fp32:1", ValueError, "'fp32:1' promises nothing"),
        ("*f32, *fp32, i32", ValueError, "'f32' is no type; did you mean 'fp32'"),
        ("tensordesc<fp32[16]>:1, *fp32, i32", ValueError, "of a descriptor nothing .*':1' away"),
        ("*fp32, tensordesc<fp32[16]>:16, i32", ValueError, "of a descriptor .*':16' away"),
        ("*fp32:, *fp32, i32", ValueError, "'[*]fp32:' promises nothing"),
        ("*fp32, *fp32:12, i32", ValueError, "the divisibility of 'b' is to be a power of two"),
        ("*fp32, *fp32, fp32:16", tilewright.CompileError, "'n' is a float: only integers"),
    ],
)
def test_promises_that_signatures_cannot_make(
    signature: str, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        copy.compile(signature, {"BLOCK": 128})


@pytest.mark.parametrize("option", ["num_warps", "num_stages"])
def test_sizes_are_no_truth_values(option: str) -> None:
    words = f"{option} is to be int, not bool"
    x = np.zeros(16, np.float32)
    with pytest.raises(TypeError, match=words):
        fill[(1,)](x, BLOCK=16, **{option: True})
    with pytest.raises(TypeError, match=words):
        fill.compile("*fp32", {"BLOCK": 16}, **{option: True})
    with pytest.raises(TypeError, match=words):
        tilewright.compile("tile.kernel @nothing() { tile.return }", **{option: True})


def test_sizes_that_no_kernel_has_are_passed_over() -> None:
    configs = [
        tilewright.Config({"BLOCK": 16}, num_warps=3),
        tilewright.Config({"BLOCK": 16}, num_stages=9),
        tilewright.Config({"BLOCK": 16}),
    ]
    kernel = tilewright.autotune(configs, key=[])(fill)
    kernel[(1,)](np.zeros(16, np.float32))
    assert kernel.best_config is configs[2]
    assert "num_warps is a power of two" in kernel.passed_over[configs[0]]
    assert "num_stages is a number from 0 to 8" in kernel.passed_over[configs[1]]
    broken = tilewright.autotune(configs[:2], key=[])(fill)
    with pytest.raises(ValueError, match="no configuration of 'fill' works"):
        broken[(1,)](np.zeros(16, np.float32))


def test_heuristics_around_autotune() -> None:
    tuned = tilewright.autotune([tilewright.Config({"BLOCK": 16})], key=[])(fill)
    kernel = tilewright.heuristics({"EVEN": lambda args: args["BLOCK"] % 2 == 0})(tuned)
    with pytest.raises(TypeError, match="autotune chooses it; write @autotune above @heuristics"):
        kernel[(1,)](np.zeros(16, np.float32))


def test_functions_that_are_no_plain_ones() -> None:
    async def waits(x):
        await asyncio.sleep(1)

    with pytest.raises(tilewright.CompileError) as caught:
        tilewright.jit(waits).compile("*fp32")
    assert caught.value.message == "a kernel is made by def, and 'waits' is not"
    assert (caught.value.file, caught.value.line > 0) == (__file__, True)


def test_what_is_nested_too_deeply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        "import tilewright, tilewright.language as tl",
        "@tilewright.jit",
        f"def deep(x, n): tl.store(x, {' + '.join(['n'] * 900)})",
    ]
    (tmp_path / "too_deep.py").write_text("\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import too_deep

    with pytest.raises(tilewright.CompileError, match="'deep' is nested too deeply") as caught:
        too_deep.deep.compile("*fp32, i32")
    assert caught.value.line == 3


@tilewright.jit
def choose(x, n):
    if n > 3:
        raise ValueError("n is too large")
    tl.store(x, 1.0)


@tilewright.jit
def raise_at_once(x):
    raise ValueError("not ready")


@pytest.mark.parametrize(
    ("kernel", "signature", "told"),
    [
        (
            choose,
            "*fp32, i32",
            "a 'raise' behind a condition of run time: write tl.device_assert: n is too large",
        ),
        (raise_at_once, "*fp32", "not ready"),
    ],
)
def test_raise(kernel: tilewright.JITFunction, signature: str, told: str) -> None:
    with pytest.raises(tilewright.CompileError) as caught:
        kernel.compile(signature)
    assert caught.value.message == told


@tilewright.jit
def double(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * 2)


@pytest.mark.parametrize(
    ("x", "told"),
    [
        ([1.0] * 100, "+ takes numbers and tiles, not a tuple of 100 values"),
        ((1.0,), "+ takes numbers and tiles, not a tuple of 1 value, (fp32[],)"),
        ((1.0, 2.0), "+ takes numbers and tiles, not a tuple of 2 values, (fp32[], fp32[])"),
    ],
)
def test_lists_in_place_of_arrays(x: Any, told: str) -> None:
    with pytest.raises(tilewright.CompileError) as caught:
        double[(1,)](x, np.zeros(16, np.float32), BLOCK=16)
    assert caught.value.message == told


@tilewright.jit
def half_an_address(x):
    tl.store(x, x.to(tl.int32))


@tilewright.jit
def type_with_a_mask(x):
    i = tl.arange(0, 16)
    tl.store(x + i, tl.int32(x + i, mask=i < 3))


@tilewright.jit
def is_there(x):
    """Whether an address is 0 is no question of its bits."""
    tl.store(x, x.to(tl.int1) & (x.to(tl.int64) != 0))


@pytest.mark.parametrize(
    ("kernel", "told"),
    [
        (half_an_address, "a pointer has 64 bits, and int32 has not: cast it to tl.int64 first"),
        (type_with_a_mask, "cast() got an unexpected keyword argument 'mask'"),
    ],
)
def test_casts(kernel: tilewright.JITFunction, told: str) -> None:
    with pytest.raises(tilewright.CompileError) as caught:
        kernel.compile("*i32")
    assert caught.value.message == told


def test_a_pointer_as_a_condition() -> None:
    x = np.zeros(16, np.int32)
    is_there[(1,)](x)
    assert x[0] == 1
