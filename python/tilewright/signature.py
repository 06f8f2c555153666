"""Signatures as text: what kernels are compiled for without any data.

>>> types = read_signature(kernel, "*fp16:16, i32, i32:1")
>>> read_entries(kernel, types, {"BLOCK": 128})
Entries(entries=["*fp16", "i32", "constexpr", "constexpr"], constants={"BLOCK": 128, "step": 1},
        promises={"x": 16})
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tilewright.function import KernelFunction
from tilewright.language.descriptor import descriptor_arguments


@dataclass
class Entries:
    """The parameters of a kernel as the front end takes them."""

    #: The type of each, "constexpr" of those that are constants.
    entries: list[Any] = field(default_factory=list)
    constants: dict[str, Any] = field(default_factory=dict)
    #: What parameters are multiples of.
    promises: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, text: str) -> None:
        """A parameter that has a type."""
        kind, divisor = _split_promise(text)
        if divisor == 1:
            self.add_constant(name, 1)
            return
        if divisor is not None:
            self.promises[name] = divisor
        descriptor = descriptor_arguments.parse(kind)
        entry, constant = (kind, None) if descriptor is None else descriptor.describe()
        self.entries.append(entry)
        if constant is not None:
            self.constants[name] = constant

    def add_constant(self, name: str, value: Any) -> None:
        self.entries.append("constexpr")
        self.constants[name] = value


def read_entries(
    function: KernelFunction, types: Mapping[str, str], constants: Mapping[str, Any]
) -> Entries:
    """All parameters, in their order."""
    if not isinstance(constants, Mapping):
        raise TypeError(f"constants are given as {{'BLOCK': 128}}, not as {constants!r}")
    unknown = constants.keys() - {each.name for each in function.parameters}
    if unknown:
        raise TypeError(function.describe_missing(min(unknown)))
    read = Entries()
    for each in function.parameters:
        if each.name in constants:
            read.add_constant(each.name, constants[each.name])
        elif types.get(each.name, "constexpr") != "constexpr":
            if each.is_constexpr:
                raise TypeError(
                    f"'{each.name}' of '{function.__name__}' is a constant: its value stands in "
                    f"the constants, and no type ('{types[each.name]}') in the signature"
                )
            read.add(each.name, types[each.name])
        elif each.default is not inspect.Parameter.empty:
            read.add_constant(each.name, each.default)
        else:
            where = "constants" if each.is_constexpr else "signature"
            raise TypeError(f"'{each.name}' of '{function.__name__}' is missing in the {where}")
    return read


def read_signature(
    function: KernelFunction, signature: Mapping[str, str] | str | Sequence[str]
) -> dict[str, str]:
    """The types that it says, by the names of parameters."""
    names = [each.name for each in function.parameters]
    if isinstance(signature, Mapping):
        unknown = [name for name in signature if name not in names]
        if unknown:
            raise TypeError(function.describe_missing(unknown[0]))
        return {name: _take_text(entry) for name, entry in signature.items()}
    if not isinstance(signature, (str, Sequence)):
        raise TypeError(f"a signature is a text such as '*fp32, i32', not {signature!r}")
    # Not at commas between the brackets of a descriptor.
    parts = re.split(r",(?![^\[]*\])", signature) if isinstance(signature, str) else signature
    entries = [_take_text(entry) for entry in parts]
    if len(entries) == len(names):
        return dict(zip(names, entries, strict=True))
    plain = [each.name for each in function.parameters if not each.is_constexpr]
    if len(entries) != len(plain):
        raise TypeError(
            f"the signature has {len(entries)} type{'s' if len(entries) != 1 else ''}, and "
            f"'{function.__name__}' {len(plain)} parameters that are no constants: "
            f"{', '.join(plain)}"
        )
    return dict(zip(plain, entries, strict=True))


def _take_text(entry: Any) -> str:
    if not isinstance(entry, str):
        raise TypeError(f"the types of a signature are texts such as '*fp32', not {entry!r}")
    return entry.strip()


def _split_promise(text: str) -> tuple[str, int | None]:
    """The type, and what is promised, of "*fp16:16"."""
    kind, colon, divisor = text.rpartition(":")
    if not colon:
        return text, None
    kind = kind.strip()
    if descriptor_arguments.parse(kind) is not None:
        raise ValueError(
            f"'{text}': of a descriptor nothing can be promised, neither of its address nor of its "
            f"shape: leave ':{divisor.strip()}' away"
        )
    is_integer = re.fullmatch(r"(i|u|u?int)\d+", kind) is not None
    if not divisor.strip().isdecimal() or (int(divisor) == 1 and not is_integer):
        raise ValueError(
            f"'{text}' promises nothing: behind the colon is what it is a multiple of, such as 16, "
            "or for an integer 1, which it is then"
        )
    return kind, int(divisor)
