"""How far functions of kernels are from the true ones, in units in the last place (ULP)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gputools.arrays import Array, Arrays
from gputools.functions import Function

# A launch of a kernel: operands, then the result.
Kernel = Callable[..., object]

# Wrong special values that are kept of each function.
SHOWN = 5

# Arguments at a time: 512 MiB of f64.
BATCH = 1 << 26


@dataclass(frozen=True)
class Format:
    """Digits of the significand; the exponents of the smallest and of the largest normal number."""

    bits: int
    digits: int
    smallest: int
    largest: int


FORMATS = {
    "f16": Format(16, 11, -14, 15),
    "bf16": Format(16, 8, -126, 127),
    "f32": Format(32, 24, -126, 127),
}


def as_hex(number: float) -> str:
    """All bits of a number, without zeros at the end: 0x1.8p+1."""
    return re.sub(r"\.?0*p", "p", number.hex())


@dataclass
class Place:
    """A result, with the numbers that it is of."""

    at: list[float]
    got: float
    expected: float
    ulp: float | None = None

    def __str__(self) -> str:
        numbers = ", ".join(map(as_hex, self.at))
        return f"({numbers}): {as_hex(self.got)}, right is {as_hex(self.expected)}"


@dataclass
class Finding:
    """What came of a function: its largest error; how many special values (a NaN, an infinity, a
    zero or its sign) are wrong, and some of them."""

    function: str
    element: str
    bound: float
    arguments: int = 0
    worst: Place | None = None
    wrong: int = 0
    wrong_at: list[Place] = field(default_factory=list)

    @property
    def max_ulp(self) -> float:
        return self.worst.ulp or 0 if self.worst else 0

    @property
    def passed(self) -> bool:
        return self.arguments > 0 and self.wrong == 0 and self.max_ulp <= self.bound

    def to_json(self) -> dict[str, Any]:
        def describe(place: Place) -> dict[str, Any]:
            return {
                "at": [as_hex(number) for number in place.at],
                "got": as_hex(place.got),
                "expected": as_hex(place.expected),
            }

        return {
            "function": self.function,
            "type": self.element,
            "arguments": self.arguments,
            "bound_ulp": self.bound,
            "max_ulp": round(self.max_ulp, 4),
            "worst": describe(self.worst) if self.worst else None,
            "wrong_specials": self.wrong,
            "wrong_at": [describe(place) for place in self.wrong_at],
            "passed": self.passed,
        }


def kernel_text(function: Function, element: str) -> str:
    """Y[i] = f(A[i], B[i], ...)."""
    names = ["A", "B", "C"][: function.operands]
    view = f"!tile.view<?x{element}, [1]>"
    pointer = f"!tile.ptr<{element}>"
    lines = []
    for name in [*names, "Y"]:
        lines.append(f"%v{name} = tile.view %{name}, shape [%n], strides [1] : {pointer} -> {view}")
    for name in names:
        lines.append(f"%x{name} = tile.load_view %v{name}[%i] : {view} -> tensor<128x{element}>")
    operands = ", ".join(f"%x{name}" for name in names)
    body = "\n  ".join(lines)
    return f"""
tile.kernel @function({"".join(f"%{name}: {pointer}, " for name in [*names, "Y"])}%n: index)
    shapes [{", ".join(f'"{name}[n]"' for name in [*names, "Y"])}] grid ["ceildiv(n, 128)"] {{
  %p = tile.program_id 0
  %size = arith.constant 128 : index
  %i = arith.muli %p, %size : index
  {body}
  %r = math.{function.name} {operands} : tensor<128x{element}>
  tile.store_view %r, %vY[%i] : tensor<128x{element}>, {view}
  tile.return
}}
"""


def ulp_errors(arrays: Arrays, element: str, got: Array, expected: Array) -> Array:
    """The error of each result, all in f64: infinite where one is a NaN and the other is not, where
    a zero has the wrong sign, and where an infinity is missing. An infinity where there should be
    none counts as the power of two above the largest number."""
    where, isnan = arrays.functions.where, arrays.functions.isnan
    isinf = arrays.functions.isinf
    form = FORMATS[element]
    limit = 2.0 ** (form.largest + 1)
    rounds_up = limit - 2.0 ** (form.largest - form.digits)
    no_number = isnan(got) & isnan(expected)
    wrong = isnan(got) != isnan(expected)
    other_sign = (arrays.to_integers(got) < 0) != (arrays.to_integers(expected) < 0)
    wrong = wrong | other_sign & ((got == 0) | (expected == 0))
    wrong = wrong | isinf(expected) & (got != expected)
    # Where the correctly rounded result is infinite, so much is what an infinity stands for.
    limits = arrays.functions.full_like(got, limit)
    got = where(isinf(got), arrays.call("copysign", limits, got), got)
    limits = arrays.call("copysign", limits, expected)
    expected = where(abs(expected) >= rounds_up, limits, expected)

    exponent = (arrays.to_integers(expected) >> 52 & 0x7FF) - 1023
    exponent = arrays.call("clip", exponent, form.smallest, form.largest)
    unit = arrays.from_integers((exponent + (1023 + 1 - form.digits)) << 52)
    error = where(wrong, math.inf, abs(got - expected) / unit)
    return where(no_number, 0.0, error)


def draw(index: Array) -> Array:
    """A random number of 32 bits for each index, the same in both libraries."""
    mixed = index * 0x5851F42D4C957F2D + 0x14057B7EF767814F
    for shift, factor in ((29, 0x3F51AFD7ED558CCD), (32, 0x44CEB9FE1A85EC53)):
        mixed = (mixed ^ (mixed >> shift)) * factor
    return mixed >> 32 & 0xFFFFFFFF


def arguments_of_one(
    arrays: Arrays, element: str, count: int, first: int, size: int
) -> tuple[Array, ...]:
    """`size` of `count` arguments, from number `first` on: spread evenly over all bit patterns, one
    at random from each part; with as many as there are patterns, each once."""
    index = arrays.integers(first, size)
    part = 2 ** FORMATS[element].bits // count
    return (arrays.floats(index * part + draw(index) % part, element),)


def argument_pairs(
    arrays: Arrays, name: str, element: str, first: int, size: int
) -> tuple[Array, ...]:
    """Random pairs. In every second one, the second number is such that the result is an ordinary
    one."""
    index = arrays.integers(first, size)
    where = arrays.functions.where
    x, y = (arrays.floats(draw(index * 2 + operand), element) for operand in (0, 1))
    wide, share = arrays.widen(x, element), draw(index * 2 + 1) / 2.0**32
    if name == "powf":
        # Some x near 1; |x|^y from 2^-152 to 2^130; some y whole.
        near = 1 + (share - 0.5) * arrays.call("exp2", -(draw(index * 2) % 24) / 1.0)
        wide = where(index & 2 == 0, wide, near)
        x = arrays.narrow(wide, element)
        logarithm = arrays.call("log2", abs(arrays.widen(x, element)))
        partner = (draw(index * 2 + 5) / 2.0**32 * 282 - 152) / logarithm
        partner = where(index & 4 == 0, partner, arrays.call("trunc", partner))
    else:
        partner = wide * arrays.call("exp2", share * 80 - 40)
    return x, where(index & 1 == 0, arrays.widen(y, element), partner)


def special_values(arrays: Arrays, element: str) -> Array:
    """Numbers of both signs: zeros, infinity, NaN, ones, whole and half numbers, the smallest and
    the largest numbers, and what overflows or underflows some function."""
    form = FORMATS[element]
    smallest, unit = 2.0**form.smallest, 2.0 ** (1 - form.digits)
    largest = (2 - unit) * 2.0**form.largest
    magnitudes = [0.0, math.inf, math.nan, 1.0, 1 - unit / 2, 1 + unit, 0.5, 1.5, 2.0, 2.5, 3.0]
    magnitudes += [10.0, 11.0, 17.5, 88.5, 89.0, 104.0, 128.0, 150.0, 1 / unit, 1 / unit + 1]
    magnitudes += [smallest * unit, smallest * (1 - unit), smallest, largest]
    return arrays.array([sign * number for number in magnitudes for sign in (1, -1)])


def batches(
    arrays: Arrays, function: Function, element: str, count: int
) -> Iterator[tuple[Array, ...]]:
    """Operands of `count` results, and of special values."""
    specials = arrays.narrow(special_values(arrays, element), element)
    if function.operands == 1:
        yield (specials,)
    else:
        index = arrays.integers(0, len(specials) ** 2)
        yield specials[index % len(specials)], specials[index // len(specials)]
    for first in range(0, count, BATCH):
        size = min(BATCH, count - first)
        if function.operands == 1:
            yield arguments_of_one(arrays, element, count, first, size)
        else:
            x, y = argument_pairs(arrays, function.name, element, first, size)
            yield x, arrays.narrow(y, element)


def measure_batch(
    arrays: Arrays,
    function: Function,
    kernel: Kernel,
    operands: tuple[Array, ...],
    finding: Finding,
) -> None:
    result = arrays.empty_like(operands[0])
    kernel(*operands, result)
    wide = [arrays.widen(operand, finding.element) for operand in operands]
    got = arrays.widen(result, finding.element)
    expected = function.reference(arrays, *wide)
    error = ulp_errors(arrays, finding.element, got, expected)

    def place(at: int, ulp: float | None = None) -> Place:
        return Place(
            [float(operand[at]) for operand in wide], float(got[at]), float(expected[at]), ulp
        )

    wrong = arrays.functions.isinf(error)
    finding.arguments += len(error)
    finding.wrong += int(wrong.sum())
    if wrong.any():
        for at in arrays.integers(0, len(error))[wrong][: SHOWN - len(finding.wrong_at)]:
            finding.wrong_at.append(place(int(at)))
    error = arrays.functions.where(wrong, 0.0, error)
    at = int(error.argmax())
    if finding.worst is None or float(error[at]) > finding.max_ulp:
        finding.worst = place(at, float(error[at]))


def measure(
    arrays: Arrays, function: Function, element: str, kernel: Kernel, count: int
) -> Finding:
    """Of `count` arguments or pairs, and special values. A count that is not all is a power of
    two."""
    finding = Finding(function.name, element, function.bound_for(element))
    with np.errstate(all="ignore"):
        for operands in batches(arrays, function, element, count):
            measure_batch(arrays, function, kernel, operands, finding)
    return finding
