# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a program, launches it, and compares what it wrote."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

import tilewright
from differential.elements import Array, Element, Float, Integer, storage
from differential.evaluate import Tile, evaluate
from differential.functions import within
from differential.program import Program
from differential.source import write

TARGETS = ("sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a")
FLOAT8_TARGETS = TARGETS[2:]

# Not every policy that one may ask for has a layout for all accesses, and a
# program may ask for more shared memory than there is.
REFUSED_POLICY = "no shared layout of policy"
REFUSED = "bytes of shared memory"


@dataclass(frozen=True)
class Configuration:
    """How a program is run."""

    target: str
    optimize: bool = True
    device: str = "sim"

    def __str__(self) -> str:
        where = "" if self.device == "sim" else f" on {self.device}"
        return f"{self.target}{'' if self.optimize else ', not optimized'}{where}"


@dataclass(frozen=True)
class Failure:
    """What went wrong: `kind` is the same where the cause is likely to be the same."""

    kind: str
    text: str


@dataclass
class Buffer:
    """An array of a launch, and what it must hold afterwards."""

    name: str
    element: Element
    bits: Array
    expected: Tile


@dataclass
class Launch:
    """All that it takes to run a program and to know whether it is right."""

    source: str
    options: dict[str, Any]
    blocks: int
    buffers: list[Buffer]
    scalars: list[tuple[Element, int]]
    # 8-bit floats take sm_89.
    float8: bool = False
    aligned: bool = True


def prepare(program: Program) -> Launch:
    images = evaluate(program)
    return Launch(
        source=write(program),
        options={
            "shared_layout": program.shared_layout,
            "warpgroup_dots": program.warpgroup_dots,
            "specialize": program.specialize,
        },
        blocks=program.blocks,
        buffers=[Buffer(m.name, m.element, m.bits, images[m]) for m in program.memories],
        scalars=[(value.type.element, bits) for value, bits in program.scalars],
        float8=program.uses_float8(),
        aligned=program.aligned,
    )


def runs_on(launch: Launch, configuration: Configuration) -> bool:
    return not launch.float8 or configuration.target in FLOAT8_TARGETS


@dataclass(frozen=True)
class Configurations:
    """How all programs are run."""

    all: tuple[Configuration, ...]
    #: Without optimisation each program runs on one target only, the next program on another one.
    in_turn: bool = False

    def of(self, key: object, launch: Launch) -> list[Configuration]:
        """The configurations of the program with this key."""
        fitting = [each for each in self.all if runs_on(launch, each)]
        plain = [each for each in fitting if not each.optimize]
        if not self.in_turn or not plain:
            return fitting
        drawn = plain[zlib.crc32(str(key).encode()) % len(plain)]
        return [each for each in fitting if each.optimize or each is drawn]


def check(launch: Launch, configuration: Configuration) -> Failure | None:
    """Runs it; tells the first difference from what it must compute."""
    arrays = [to_array(buffer.element, buffer.bits, launch.aligned) for buffer in launch.buffers]
    try:
        _run(launch, arrays, configuration)
    except tilewright.CompileError as error:
        if REFUSED_POLICY in error.message and launch.options["shared_layout"] != "auto":
            return None
        if REFUSED in error.message:
            return None
        return Failure("refused: " + error.message[:40], str(error))
    except tilewright.SimulatorError as error:
        found = re.search(r"<source>:\d+: ([a-z -]+)", str(error))
        return Failure("simulator: " + (found[1] if found else str(error)[:40]), str(error))
    except tilewright.LaunchError as error:
        return Failure("launch: " + re.sub(r"line \d+|%\w+", "", str(error))[:60], str(error))
    for buffer, array in zip(launch.buffers, arrays, strict=True):
        bits = to_bits(array)
        wrong = _differs(buffer, bits)
        if wrong.any():
            return Failure("wrong", _describe(buffer, bits, wrong))
    return None


def _run(launch: Launch, arrays: list[Array], configuration: Configuration) -> None:
    options = dict(launch.options)
    if not configuration.optimize:
        options["optimize"] = False
    kernel = tilewright.compile(launch.source, target=configuration.target, **options)
    scalars = [_to_scalar(element, bits) for element, bits in launch.scalars]
    device = None if configuration.device == "sim" else configuration.device
    kernel.launch(*arrays, *scalars, grid=(launch.blocks,), device=device)


def to_array(element: Element, bits: Array, aligned: bool) -> Array:
    """A copy as NumPy holds such elements; one that is not aligned begins an element behind a
    multiple of 64 bytes."""
    size, start = element.bits // 8, 0 if aligned else element.bits // 8
    memory = np.empty(bits.size * size + 128, np.uint8)
    start += -memory.ctypes.data % 64
    array = memory[start : start + bits.size * size].view(storage(element))
    array[:] = bits.astype(f"uint{element.bits}").view(storage(element))
    return array


def to_bits(array: Array) -> Array:
    unsigned: Array = array.view(f"uint{array.itemsize * 8}")
    return unsigned.astype(np.uint64)


def _to_scalar(element: Element, bits: int) -> int | float:
    packed = np.array([bits], np.uint64)
    if isinstance(element, Integer):
        return int(element.signed(packed)[0])
    assert isinstance(element, Float)
    return float(element.decode(packed)[0])


def _differs(buffer: Buffer, bits: Array) -> Array:
    """Which elements are not what they must be. A NaN is any NaN."""
    element, expected = buffer.element, buffer.expected
    wrong: Array = expected.known & (bits != expected.bits)
    if isinstance(element, Float):
        wrong &= ~(element.is_nan(bits) & element.is_nan(expected.bits))
        bounded = ~expected.known & (expected.ulps > 0)
        if bounded.any():
            wrong |= bounded & ~within(element, bits, expected.reference, expected.ulps)
    return wrong


def _describe(buffer: Buffer, bits: Array, wrong: Array) -> str:
    element, expected = buffer.element, buffer.expected
    lines = [f"{buffer.name}: {wrong.sum()} of {wrong.size} elements of {element} are wrong"]
    for at in np.flatnonzero(wrong)[:4]:
        got, right = bits[at : at + 1], expected.bits[at : at + 1]
        bound = "" if expected.known[at] else f" (within {expected.ulps[at]:g} ulp)"
        lines.append(f"  [{at}] is {_show(element, got)}, not {_show(element, right)}{bound}")
    return "\n".join(lines)


def _show(element: Element, bits: Array) -> str:
    digits = f"0x{int(bits[0]):0{element.bits // 4}X}"
    if isinstance(element, Integer):
        return f"{element.signed(bits)[0]} ({digits})"
    assert isinstance(element, Float)
    return f"{float(element.decode(bits)[0])!r} ({digits})"
