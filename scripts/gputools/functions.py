"""The functions of math that kernels may use: what each is in f64, and how far a kernel may be off.

docs/math.md has the same bounds; test/python/test_functions.py holds the two together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gputools.arrays import Array, Arrays

Reference = Callable[..., Array]


@dataclass(frozen=True)
class Function:
    """`reference` takes the library and operands in f64. `bound` is in units in the last place of
    f32; results of f16 and bf16 are those of f32 rounded once more, or exact."""

    name: str
    bound: float
    reference: Reference
    operands: int = 1

    def bound_for(self, element: str) -> float:
        """The bound in units in the last place of `element`."""
        if element == "f32" or self.bound <= 0.5:
            return self.bound
        return 0.5 + self.bound / (2.0**13 if element == "f16" else 2.0**16)


def named(name: str) -> Reference:
    """The function that both libraries know by this name."""

    def reference(arrays: Arrays, *operands: Array) -> Array:
        return arrays.call(name, *operands)

    return reference


def round_half_away(arrays: Arrays, x: Array) -> Array:
    whole = arrays.call("trunc", x)
    up = arrays.call("copysign", 0 * whole + 1, x)
    rounded = arrays.functions.where(abs(x - whole) >= 0.5, whole + up, whole)
    return arrays.call("copysign", rounded, x)


FUNCTIONS = [
    Function("exp", 4, named("exp")),
    Function("exp2", 3, named("exp2")),
    Function("expm1", 2, named("expm1")),
    Function("log", 1, named("log")),
    Function("log2", 1, named("log2")),
    Function("log10", 2, named("log10")),
    Function("log1p", 2, named("log1p")),
    Function("sin", 2, named("sin")),
    Function("cos", 2, named("cos")),
    Function("tan", 4, named("tan")),
    Function("tanh", 3, named("tanh")),
    Function("asin", 3, named("arcsin")),
    Function("acos", 2, named("arccos")),
    Function("atan", 2, named("arctan")),
    Function("erf", 2, named("erf")),
    Function("erfc", 5, named("erfc")),
    Function("sqrt", 0.5, named("sqrt")),
    Function("rsqrt", 2, named("rsqrt")),
    Function("absf", 0, lambda arrays, x: abs(x)),
    Function("floor", 0, named("floor")),
    Function("ceil", 0, named("ceil")),
    Function("trunc", 0, named("trunc")),
    Function("round", 0, round_half_away),
    Function("roundeven", 0, named("roundeven")),
    Function("atan2", 2, named("arctan2"), operands=2),
    Function("powf", 1.25, named("pow"), operands=2),
]
