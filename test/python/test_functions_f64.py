# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of math of f64 in the simulator, against numbers with more bits.

The references are the C library's functions of 80-bit floats, whose mantissas have 11 bits more;
of erf, which NumPy does not have for them, a series of decimal numbers.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal, localcontext

import numpy as np
import pytest
from conftest import ROOT
from package_support import import_package

from gputools.functions import Function, named
from gputools.ulp import kernel_text

tilewright = import_package()

WIDE = np.longdouble
INF, NAN = math.inf, math.nan

pytestmark = pytest.mark.skipif(
    np.finfo(WIDE).nmant < 63, reason="this machine's long double has no more bits than f64"
)

#: In units in the last place, as docs/math.md has them.
BOUNDS = {
    "exp": 1,
    "exp2": 1,
    "log": 1,
    "log2": 1,
    "log10": 1,
    "sin": 1,
    "cos": 1,
    "tan": 2,
    "tanh": 2,
    "erf": 1,
    "powf": 1.5,
    "rsqrt": 1.5,
}


def run(name, *operands, target="sm_90a"):
    function = Function(name, 0, named(name), len(operands))
    arrays = [np.ascontiguousarray(each, np.float64) for each in operands]
    result = np.empty_like(arrays[0])
    tilewright.compile(kernel_text(function, "f64"), target=target)(*arrays, result)
    return result


def erf_of(number: float) -> WIDE:
    """By its series, with as many digits as its large terms cancel."""
    if not math.isfinite(number) or not 0 < abs(number) < 7:
        return WIDE(math.erf(number))
    with localcontext() as context:
        context.prec = 90
        x = Decimal(number)
        term, total, n = x, x, 0
        while abs(term) > abs(total) * Decimal(10) ** -30 or n < x * x:
            n += 1
            term *= -x * x / n
            total += term / (2 * n + 1)
        root = Decimal("3.14159265358979323846264338327950288419716939937510582097494459").sqrt()
        value = 2 * total / root
        # A rounded part, and what it leaves out.
        high = float(value)
        return WIDE(high) + WIDE(float(value - Decimal(high)))


def reference(name, *operands):
    with np.errstate(all="ignore"):
        wide = [np.asarray(each, np.float64).astype(WIDE) for each in operands]
        if name == "erf":
            return np.array([erf_of(float(each)) for each in operands[0]], WIDE)
        if name == "powf":
            return np.power(*wide)
        if name == "rsqrt":
            return 1 / np.sqrt(wide[0])
        return getattr(np, name)(*wide)


def measure_errors(got, exact):
    """In units in the last place; 0 of equal special values, infinite where they differ."""
    with np.errstate(all="ignore"):
        nearest = exact.astype(np.float64)
        exponents = np.maximum(np.frexp(nearest)[1] - 1, -1022)
        errors = np.abs(got.astype(WIDE) - exact) / np.ldexp(WIDE(1), exponents - 52)
    both_nan = np.isnan(got) & np.isnan(nearest)
    same = both_nan | ((got == nearest) & (np.signbit(got) == np.signbit(nearest)))
    special = ~np.isfinite(nearest) | (nearest == 0) | ~np.isfinite(got)
    # The largest number and infinity are neighbours.
    edge = np.abs(exact) >= WIDE(np.finfo(np.float64).max) * (1 - WIDE(2) ** -50)
    at_edge = edge & ~np.isnan(got) & (np.abs(got) >= np.finfo(np.float64).max * (1 - 2.0**-51))
    result = np.where(same, np.where(special, 0, errors), np.where(special, np.inf, errors))
    return np.where(at_edge & ~np.isnan(nearest), 0, result).astype(np.float64)


SPECIALS = [
    *(0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 0.5, -0.5, 5e-324, -5e-324, 2.0**-1022),
    *(np.finfo(np.float64).max, -np.finfo(np.float64).max, 709.78, 709.79, -745.1, -745.2),
    *(1024.0, 1023.9999999999999, -1074.0, -1075.0, -1074.9, 6.0, 5.999, 0.55, 1.0000000000000002),
    *(math.pi / 2, math.pi, 2.0**20, 2.0**20 + 0.5, 6381956970095103.0 * 2.0**797, 22.0, 0.7071),
]


def draw(name, count, seed):
    """Of all magnitudes, of the usual ones, and near the ends of the formulas' parts."""
    rng = np.random.default_rng(seed)
    third = count // 3
    bits = rng.integers(0, 2**64, third, np.uint64).view(np.float64)
    usual = rng.uniform(-40, 40, third)
    near = rng.uniform(-2, 2, count - 2 * third - len(SPECIALS))
    if name in ("log", "log2", "log10"):
        near = 1 + near * 2.0 ** rng.integers(-50, -1, near.size)
    if name in ("exp", "exp2"):
        usual *= 19
    return np.concatenate([bits, usual, near, SPECIALS])


@pytest.mark.parametrize("name", sorted(BOUNDS.keys() - {"powf"}))
def test_a_sample(name, target):
    count = 3000 if name == "erf" else 1 << 14
    x = draw(name, count, len(target))
    errors = measure_errors(run(name, x, target=target), reference(name, x))
    worst = int(np.argmax(errors))
    assert errors[worst] <= BOUNDS[name], (name, x[worst].hex(), errors[worst])


def test_powers(target):
    rng = np.random.default_rng(len(target))
    x = draw("powf", 1 << 13, 1)
    y = rng.permutation(draw("powf", 1 << 13, 2))
    # Pairs whose power is neither 0 nor infinite.
    base = np.exp(rng.uniform(-700, 700, 1 << 13))
    exponent = rng.uniform(-709, 709, 1 << 13) / np.log(base)
    every = np.array([(a, b) for a in SPECIALS for b in SPECIALS]).T
    whole = np.array([(a, b) for a in (-3.0, 2.0, 10.0) for b in range(-30, 30)]).T
    x, y = (
        np.concatenate(each)
        for each in ((x, base, every[0], whole[0]), (y, exponent, every[1], whole[1]))
    )
    errors = measure_errors(run("powf", x, y, target=target), reference("powf", x, y))
    worst = int(np.argmax(errors))
    assert errors[worst] <= BOUNDS["powf"], (x[worst].hex(), y[worst].hex(), errors[worst])


def test_whole_powers_are_exact():
    x = np.array([3.0, 10.0, 2.0, -2.0, 1.5, 7.0])
    y = np.array([2.0, 22.0, 1023.0, 51.0, 20.0, 18.0])
    assert run("powf", x, y).tolist() == [a**b for a, b in zip(x, y, strict=True)]
    assert run("exp2", np.arange(-1074.0, 1024)).tolist() == [
        math.ldexp(1, n) for n in range(-1074, 1024)
    ]


def test_the_page_has_the_bounds():
    text = (ROOT / "docs/math.md").read_text()
    table = text.partition("For `f64`")[2].partition("\n\n## ")[0]
    rows = re.findall(r"^\| (`.*`) \| ([\d.]+) \|$", table, re.MULTILINE)
    found = {name: float(bound) for names, bound in rows for name in re.findall(r"\w+", names)}
    exact = {name for name, bound in found.items() if bound <= 0.5}
    assert {name: bound for name, bound in found.items() if name not in exact} == BOUNDS


@pytest.mark.parametrize("name", ["expm1", "log1p", "asin", "acos", "atan", "erfc"])
def test_what_is_not_there(name):
    with pytest.raises(tilewright.CompileError, match=f"no GPU has math.{name} of 'f64'"):
        run(name, np.ones(4))
