# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many cases in one kernel: written as a file of Python, compiled, launched and compared."""

from __future__ import annotations

import importlib.util
import itertools
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

import tilewright
from conformance.case import Case, Expected, Result, describe_wrong, find_wrong
from conformance.values import Array, from_memory, storage, tl_name
from tilewright.frontend.program import compile_function

TARGETS = ("sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a")

_HEAD = """
import math
import tilewright
import tilewright.language as tl
from tilewright.language.extra import libdevice
from conformance.helpers import *


@tilewright.jit
def at_0():
    return tl.arange(0, 1)


@tilewright.jit
def at_1(A: tl.constexpr):
    return tl.arange(0, A)


@tilewright.jit
def at_2(A: tl.constexpr, B: tl.constexpr):
    return tl.arange(0, A)[:, None] * B + tl.arange(0, B)[None, :]


@tilewright.jit
def at_3(A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    return at_2(A, B)[:, :, None] * C + tl.arange(0, C)[None, None, :]


@tilewright.jit
def at_4(A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr):
    return at_3(A, B, C)[:, :, :, None] * D + tl.arange(0, D)[None, None, None, :]
"""


@dataclass(frozen=True)
class Failure:
    """A case that is wrong on a target."""

    case: str
    target: str
    text: str


def _write_places(shape: tuple[int, ...]) -> str:
    return f"at_{len(shape)}({', '.join(map(str, shape))})"


def _write_case(number: int, case: Case, expected: Sequence[Expected]) -> str:
    """A function that loads the inputs, has the code, and stores what it gives."""
    names = list(case.inputs)
    results = [f"r{index}" for index in range(len(expected))]
    lines = ["", "", "@tilewright.jit", f"def case_{number}({', '.join(names + results)}):"]
    lines.append(f"    # {case.name}")
    for name, values in case.inputs.items():
        if values.shape and not case.raw:
            lines.append(f"    {name} = tl.load({name} + {_write_places(values.shape)})")
    code = case.code.strip("\n")
    if "\n" in code or code.lstrip().startswith("z = "):
        lines += [f"    {line}" for line in code.split("\n")]
    else:
        lines.append(f"    z = {code}")
    for index, (result, numbers) in enumerate(zip(case.results, expected, strict=True)):
        value = "z" if len(expected) == 1 else f"z{index}"
        if len(expected) > 1:
            lines.append(f"    {value} = z[{index}]")
        lines += _write_store(value, f"r{index}", result, numbers)
    return "\n".join(lines) + "\n"


def _write_store(value: str, pointer: str, result: Result, numbers: Expected) -> list[str]:
    lines = [
        f"    tl.static_assert({value}.dtype == {tl_name(result.dtype)}, "
        f"f'the type is {{{value}.dtype}}, not {result.dtype}')",
        f"    tl.static_assert({value}.shape == {numbers.shape!r}, "
        f"f'the shape is {{{value}.shape}}, not {numbers.shape}')",
    ]
    if numbers.shape == ():
        value = f"tl.full([1], {value}, {value}.dtype)"
    return [*lines, f"    tl.store({pointer} + {_write_places(numbers.shape)}, {value})"]


def _write_batch(cases: Sequence[Case], expected: Sequence[Sequence[Expected]]) -> str:
    text = _HEAD
    calls, parameters = [], []
    counter = itertools.count()
    for number, (case, numbers) in enumerate(zip(cases, expected, strict=True)):
        text += _write_case(number, case, numbers)
        own = [f"a{next(counter)}" for _ in range(len(case.inputs) + len(numbers))]
        parameters += own
        calls.append(f"    case_{number}({', '.join(own)})")
    text += f"\n\n@tilewright.jit\ndef batch({', '.join(parameters)}):\n"
    return text + "\n".join(calls) + "\n"


def _import_file(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"conformance_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _compile(source: str, signature: Sequence[str], target: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "batch.py"
        path.write_text(source, encoding="utf-8")
        function = _import_file(path).batch
        text = compile_function(function, signature, {}, num_warps=4, num_stages=3, target=target)
    return tilewright.compile(text, target, specialize=False)


@dataclass
class _Prepared:
    """The arguments of one case, and where its results come."""

    signature: list[str]
    arguments: list[Any]
    results: list[Array]


def _prepare(case: Case, expected: Sequence[Expected]) -> _Prepared:
    prepared = _Prepared([], [], [])
    for values in case.inputs.values():
        memory = values.to_memory()
        prepared.signature.append(f"*{values.dtype}" if values.shape else values.dtype)
        prepared.arguments.append(memory if values.shape else memory[()].item())
    for result, numbers in zip(case.results, expected, strict=True):
        # What nobody wrote is seen.
        count = prod(numbers.shape)
        memory = np.full(count * 8, 0xA5, np.uint8).view(storage(result.dtype))[:count].copy()
        prepared.signature.append(f"*{result.dtype}")
        prepared.arguments.append(memory)
        prepared.results.append(memory)
    return prepared


def run_batch(cases: Sequence[Case], target: str, device: str = "sim") -> list[Failure]:
    """Runs cases in one launch; where that fails as a whole, each alone."""
    refusals = [case for case in cases if case.refused]
    if refusals:
        failures = [each for case in refusals for each in _check_refusal(case, target)]
        rest = [case for case in cases if not case.refused]
        return failures + (run_batch(rest, target, device) if rest else [])
    try:
        return _run(cases, target, device)
    except Exception as error:
        if len(cases) == 1:
            return [Failure(cases[0].name, target, f"{type(error).__name__}: {error}")]
    return [failure for case in cases for failure in run_batch([case], target, device)]


def _check_refusal(case: Case, target: str) -> list[Failure]:
    signature = _prepare(case, []).signature
    try:
        _compile(_write_batch([case], [[]]), signature, target)
    except tilewright.CompileError as error:
        if case.refused in str(error):
            return []
        return [Failure(case.name, target, f"the message is not {case.refused!r}: {error}")]
    return [Failure(case.name, target, "it is not refused")]


def _run(cases: Sequence[Case], target: str, device: str) -> list[Failure]:
    expected = [case.compute() for case in cases]
    prepared = [_prepare(case, numbers) for case, numbers in zip(cases, expected, strict=True)]
    source = _write_batch(cases, expected)
    kernel = _compile(source, [entry for each in prepared for entry in each.signature], target)
    arguments = [argument for each in prepared for argument in each.arguments]
    kernel(*arguments, grid=(1,), device=None if device == "sim" else device)
    failures = []
    for case, numbers, each in zip(cases, expected, prepared, strict=True):
        for result, right, memory in zip(case.results, numbers, each.results, strict=True):
            got = from_memory(result.dtype, memory.reshape(right.shape))
            wrong = find_wrong(result, right, got)
            if wrong.any():
                text = describe_wrong(case, result, right, got, wrong)
                failures.append(Failure(case.name, target, text))
                break
    return failures
