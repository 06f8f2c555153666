# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches as text: a kernel, with what it is given and what it must make in comments above it.

    //! blocks 1
    //! option num_warps ...
    //! scalar i8 05
    //! array X0 i8: 00*3 7F 80        before: bits in hexadecimal, `*3` for three times
    //! result Y1 f32: 3F800000 ? ~3FF0000000000000:7

A result is bits, `?` for anything, or `~` with an f64 and how many units in the last place it may
be off from that.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

import numpy as np

from differential.check import Buffer, Launch
from differential.elements import (
    BF16,
    E4M3,
    E5M2,
    F16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    INDEX,
    Array,
    Element,
)
from differential.evaluate import Tile

_ELEMENTS = {str(e): e for e in (I8, I16, I32, I64, INDEX, F16, BF16, F32, F64, E4M3, E5M2)}


def dump(launch: Launch, note: str) -> str:
    """`note` says what went wrong, in lines of its own."""
    lines = [f"// {line}".rstrip() for line in note.splitlines()]
    lines.append(f"//! blocks {launch.blocks}")
    lines += [f"//! option {name} {value}" for name, value in launch.options.items()]
    lines += ["//! float8"] * launch.float8 + ["//! unaligned"] * (not launch.aligned)
    lines += [f"//! scalar {element} {bits:X}" for element, bits in launch.scalars]
    for buffer in launch.buffers:
        before = _join(_hex(buffer.element, bits) for bits in buffer.bits)
        lines.append(f"//! array {buffer.name} {buffer.element}: {before}")
        after = _join(_expected(buffer, at) for at in range(buffer.bits.size))
        if after != before:
            lines.append(f"//! result {buffer.name} {buffer.element}: {after}")
    return "\n".join(lines) + "\n" + launch.source


def _hex(element: Element, bits: int) -> str:
    return f"{int(bits):0{element.bits // 4}X}"


def _expected(buffer: Buffer, at: int) -> str:
    tile = buffer.expected
    if tile.known[at]:
        return _hex(buffer.element, tile.bits[at])
    if tile.ulps[at] > 0:
        return f"~{int(tile.reference[at : at + 1].view(np.uint64)[0]):016X}:{tile.ulps[at]:g}"
    return "?"


def _join(words: Iterable[str]) -> str:
    runs = ((word, len(list(group))) for word, group in groupby(words))
    return " ".join(word if count == 1 else f"{word}*{count}" for word, count in runs)


def parse(text: str) -> Launch:
    lines = [line[4:] for line in text.splitlines() if line.startswith("//! ")]
    source = "\n".join(line for line in text.splitlines() if not line.startswith("//")) + "\n"
    launch = Launch(source, {}, 1, [], [], "float8" in lines, "unaligned" not in lines)
    for line in lines:
        match line.split(maxsplit=1):
            case ["blocks", count]:
                launch.blocks = int(count)
            case ["option", words]:
                name, value = words.split()
                launch.options[name] = {"True": True, "False": False}.get(value, value)
            case ["scalar", words]:
                kind, bits = words.split()
                launch.scalars.append((_ELEMENTS[kind], int(bits, 16)))
            case ["array", words]:
                name, element, elements = _split(words)
                before = np.array([int(word, 16) for word in elements], np.uint64)
                launch.buffers.append(Buffer(name, element, before, Tile.exact(before.copy())))
            case ["result", words]:
                name, element, elements = _split(words)
                buffer = next(buffer for buffer in launch.buffers if buffer.name == name)
                buffer.expected = _parse_expected(elements)
    return launch


def _split(words: str) -> tuple[str, Element, list[str]]:
    head, _, tail = words.partition(":")
    name, kind = head.split()
    elements: list[str] = []
    for word in tail.split():
        text, _, count = word.partition("*")
        elements += [text] * int(count or 1)
    return name, _ELEMENTS[kind], elements


def _parse_expected(words: list[str]) -> Tile:
    known = np.array([word[0] not in "?~" for word in words])
    bits = np.array([int(word, 16) if word[0] not in "?~" else 0 for word in words], np.uint64)
    bounded = [word[1:].partition(":") if word[0] == "~" else ("0", "", "0") for word in words]
    reference: Array = np.array([int(word[0], 16) for word in bounded], np.uint64).view(np.float64)
    return Tile(bits, known, np.array([float(word[2]) for word in bounded]), reference)
