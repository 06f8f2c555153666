# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of numbers, within the bounds of docs/math.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from statistics import NormalDist

import numpy as np

from conformance.case import Case, Result
from conformance.rules import convert
from conformance.values import Array, Values, draw, draw_from, make

SIZE = 256
EXACT = 0.0

_erf = np.vectorize(math.erf, otypes=[np.float64])
_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def _round_away(x: Array) -> Array:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def _invert_root(x: Array) -> Array:
    return np.copysign(1 / np.cbrt(np.abs(x)), x)


def _sine_of_turns(x: float) -> float:
    """Of pi times x: whole turns are taken away before anything is rounded."""
    if not math.isfinite(x):
        return math.nan
    rest = math.remainder(x, 2)
    if abs(rest) > 0.5:
        rest = math.copysign(1 - abs(rest), rest)
    return math.copysign(0.0, x) if rest == 0 else math.sin(math.pi * rest)


def _cosine_of_turns(x: float) -> float:
    if not math.isfinite(x):
        return math.nan
    return math.sin(math.pi * (0.5 - abs(math.remainder(x, 2))))


#: Word, what NumPy computes, units in the last place.
FUNCTIONS: tuple[tuple[str, Callable[..., Array], float], ...] = (
    ("tl.exp", np.exp, 4),
    ("tl.exp2", np.exp2, 3),
    ("tl.log", np.log, 1),
    ("tl.log2", np.log2, 1),
    ("tl.sin", np.sin, 2),
    ("tl.cos", np.cos, 2),
    ("tl.erf", _erf, 2),
    ("tl.sqrt", np.sqrt, 2),
    ("tl.sqrt_rn", np.sqrt, EXACT),
    ("tl.rsqrt", lambda x: 1 / np.sqrt(x), 2),
    ("tl.floor", np.floor, EXACT),
    ("tl.ceil", np.ceil, EXACT),
    ("tl.sigmoid", lambda x: 1 / (1 + np.exp(-x)), 6),
    ("tl.math.exp2", np.exp2, 3),
    ("tl.math.rsqrt", lambda x: 1 / np.sqrt(x), 2),
    ("tl.math.log2", np.log2, 1),
    ("libdevice.exp", np.exp, 4),
    ("libdevice.exp2", np.exp2, 3),
    ("libdevice.fast_expf", np.exp, 4),
    ("libdevice.expm1", np.expm1, 2),
    ("libdevice.log1p", np.log1p, 2),
    ("libdevice.log10", np.log10, 2),
    ("libdevice.fast_logf", np.log, 1),
    ("libdevice.tan", np.tan, 4),
    ("libdevice.asin", np.arcsin, 3),
    ("libdevice.acos", np.arccos, 2),
    ("libdevice.atan", np.arctan, 2),
    ("libdevice.tanh", np.tanh, 3),
    ("libdevice.erfc", _erfc, 5),
    ("libdevice.trunc", np.trunc, EXACT),
    ("libdevice.round", _round_away, EXACT),
    ("libdevice.rint", np.rint, EXACT),
    ("libdevice.nearbyint", np.rint, EXACT),
    ("libdevice.abs", np.abs, EXACT),
    ("libdevice.sinh", np.sinh, 9),
    ("libdevice.cosh", np.cosh, 9),
    ("libdevice.asinh", np.arcsinh, 5),
    ("libdevice.acosh", np.arccosh, 5),
    ("libdevice.atanh", np.arctanh, 5),
    ("libdevice.exp10", lambda x: np.power(10.0, x), 1),
    ("libdevice.cbrt", np.cbrt, 2),
    ("libdevice.rcbrt", _invert_root, 1),
    ("libdevice.sinpi", np.vectorize(_sine_of_turns, otypes=[np.float64]), 1),
    ("libdevice.cospi", np.vectorize(_cosine_of_turns, otypes=[np.float64]), 1),
    ("libdevice.rcp_rn", lambda x: 1 / x, EXACT),
    ("libdevice.saturatef", lambda x: np.fmin(np.fmax(x, 0), 1), EXACT),
)
#: Of two numbers.
PAIRS: tuple[tuple[str, Callable[..., Array], float], ...] = (
    ("libdevice.pow", np.power, 1),
    ("libdevice.atan2", np.arctan2, 2),
    ("libdevice.copysign", np.copysign, EXACT),
    ("libdevice.div_rn", np.divide, EXACT),
    ("tl.div_rn", np.divide, EXACT),
    ("tl.fdiv", np.divide, EXACT),
    ("tl.math.fdiv", np.divide, EXACT),
    ("libdevice.mul_rn", np.multiply, EXACT),
    ("libdevice.hypot", np.hypot, 2),
    ("libdevice.rhypot", lambda x, y: 1 / np.hypot(x, y), 1),
    ("libdevice.fdim", lambda x, y: np.where(x <= y, 0, x - y), EXACT),
)
#: Those that fp64 has.
IN_FP64 = (
    *("sqrt", "sqrt_rn", "rsqrt", "floor", "ceil", "trunc", "rint", "copysign", "fdiv"),
    *("exp", "exp2", "log", "log2", "log10", "sin", "cos", "tan", "tanh", "erf", "sigmoid", "pow"),
    *("expm1", "log1p", "asin", "acos", "atan", "atan2", "sinh", "cosh", "asinh", "acosh", "atanh"),
    *("exp10", "cbrt", "hypot", "fdim"),
)


def _sizes(dtype: str, seed: int) -> Values:
    """Half of it anywhere, half of it where functions are curved."""
    wild, tame = draw(dtype, SIZE // 2, seed), draw_from(dtype, SIZE // 2, -8, 8, seed)
    return Values(dtype, np.concatenate([wild.bits, tame.bits]))


#: What is computed by a power of two of a product: its rounding counts as often as x is large.
BY_POWERS = ("tl.exp", "tl.sigmoid", "libdevice.fast_expf")
#: 89 half units, beyond which there is only infinity and zero.
LOST_BY_POWERS = 104 * 2.0**-24


#: Those of fp32 that have no subnormal results.
FLUSHED = ("tl.exp2", "tl.math.exp2")
#: Those that take subnormal fp32 for 0.
FLUSHING = ("tl.sqrt",)


def _flush(x: Array) -> Array:
    return np.where(np.abs(x) < 2.0**-126, 0, x)


def _make_fp32(word: str, function: Callable[..., Array]) -> Callable[..., Array]:
    if word in FLUSHED:
        return lambda x: _flush(function(x))
    return (lambda x: function(_flush(x))) if word in FLUSHING else function


def _allow(dtype: str, ulps: float) -> float:
    """Of fp64 NumPy's own functions may be off by one."""
    return ulps + 1 if dtype == "fp64" and ulps else ulps


def make_cases() -> Iterator[Case]:
    for word, function, ulps in FUNCTIONS:
        relative = LOST_BY_POWERS if word in BY_POWERS else 0
        types = ["fp32"] + ["fp64"] * (word.split(".")[-1] in IN_FP64)
        for dtype in types:
            expected = _make_fp32(word, function) if dtype == "fp32" else function
            yield Case(
                f"{word}, {dtype}",
                f"{word}(x)",
                {"x": _sizes(dtype, 1)},
                [Result(dtype, expected, _allow(dtype, ulps), relative=relative)],
            )
    for word, function, ulps in PAIRS:
        for dtype in ["fp32"] + ["fp64"] * (word.split(".")[-1] in IN_FP64):
            inputs = {"x": _sizes(dtype, 2), "y": _sizes(dtype, 3)}
            yield Case(
                f"{word}, {dtype}",
                f"{word}(x, y)",
                inputs,
                [Result(dtype, function, _allow(dtype, ulps))],
            )
    for method in ("exp", "exp2", "log", "log2", "sqrt", "abs", "floor", "sigmoid"):
        yield Case(
            f"x.{method}()",
            f"x.{method}() == tl.{method}(x)",
            {"x": draw_from("fp32", SIZE, 0.1, 9)},
            [Result("int1", lambda x: x == x)],
        )
    yield from _of_statistics()
    yield from _of_gamma()
    yield from _of_lengths()
    yield from _of_bessel()
    yield from _of_normal()
    yield from _bits_of_numbers()
    yield from _others()


def _invert_erf(x: float) -> float:
    if not abs(x) < 1:
        return math.copysign(math.inf, x) if abs(x) == 1 else math.nan
    if abs(x) < 1e-3:
        return x * math.sqrt(math.pi) / 2 * (1 + math.pi / 12 * x * x)
    return NormalDist().inv_cdf((x + 1) / 2) / math.sqrt(2)


def _log_gamma(x: float) -> float:
    if x <= 0 and x == math.floor(x):
        return math.inf
    return math.lgamma(x) if abs(x) < 4e36 else abs(x)


def _gamma(x: float) -> float:
    if math.isnan(x) or x == -math.inf or (x < 0 and x == math.floor(x)):
        return math.nan
    if x == 0:
        return math.copysign(math.inf, x)
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf


def _of_gamma() -> Iterator[Case]:
    whole = np.arange(-47.0, 40)
    ends = [0.0, -0.0, np.inf, -np.inf, np.nan, 2.0**-126, -(2.0**-149), 35.04, 35.05, -2.5e7]
    for name, numbers in (
        ("from -45 to 40", draw_from("fp32", SIZE, -45, 40, 41)),
        ("about 0", draw_from("fp32", SIZE, -1, 3, 42)),
        ("anywhere", draw("fp32", SIZE, 43)),
        (
            "next to whole numbers",
            make("fp32", np.resize([*(whole + 1e-4), *(whole - 1e-4)], SIZE)),
        ),
        ("special", make("fp32", np.resize([*whole, *ends], SIZE))),
    ):
        expected = Result("fp32", np.vectorize(_gamma, otypes=[np.float64]), 1)
        yield Case(f"libdevice.tgamma, {name}", "libdevice.tgamma(x)", {"x": numbers}, [expected])


def _length(*parts: Array) -> Array:
    squares = np.sqrt(sum(part.astype(np.float64) ** 2 for part in parts))
    is_infinite = np.any([np.isinf(part) for part in parts], axis=0)
    return np.where(is_infinite, np.inf, squares)


def _of_lengths() -> Iterator[Case]:
    names = ("x", "y", "z", "w")
    for rank in (3, 4):
        inputs = {name: _sizes("fp32", 50 + seed) for seed, name in enumerate(names[:rank])}
        given = ", ".join(inputs)
        for word, function in (
            (f"norm{rank}d", _length),
            (f"rnorm{rank}d", lambda *parts: 1 / _length(*parts)),
        ):
            expected = Result("fp32", function, 1)
            yield Case(f"libdevice.{word}", f"libdevice.{word}({given})", inputs, [expected])


def _of_statistics() -> Iterator[Case]:
    """lgamma has zeros below 0, which no relative error survives."""
    ends = np.array([0.0, -0.0, 1, -1, 2, 0.5, 1.5, 3, 8, 2.0**-126, np.inf, np.nan])
    near = 1 - 2.0 ** np.linspace(-24, -1, SIZE // 4)
    for name, numbers in (
        ("between its poles", draw_from("fp32", SIZE, -1, 1, 11)),
        ("near its poles", make("fp32", np.concatenate([near, -near]))),
        ("tiny", draw_from("fp32", SIZE, -1e-3, 1e-3, 12)),
        ("anywhere", draw("fp32", SIZE, 13)),
        ("special", make("fp32", np.resize(ends, 16))),
    ):
        expected = Result("fp32", np.vectorize(_invert_erf, otypes=[np.float64]), 3)
        yield Case(f"libdevice.erfinv, {name}", "libdevice.erfinv(x)", {"x": numbers}, [expected])
    for name, numbers in (
        ("up to 0.5", draw_from("fp32", SIZE, -0.5, 0.5, 14)),
        ("about its zeros", draw_from("fp32", SIZE, 0.9, 2.1, 15)),
        ("up to 10", draw_from("fp32", SIZE, 0.5, 10, 16)),
        ("large", draw_from("fp32", SIZE, 10, 1e30, 17)),
        ("special", make("fp32", np.resize(ends, 16))),
        ("poles", make("fp32", -(np.arange(0.0, 16) ** 5))),
    ):
        expected = Result("fp32", np.vectorize(_log_gamma, otypes=[np.float64]), 4)
        yield Case(f"libdevice.lgamma, {name}", "libdevice.lgamma(x)", {"x": numbers}, [expected])
    for low in (-4.0, -100.0, -1e6):
        function = np.vectorize(_log_gamma, otypes=[np.float64])
        yield Case(
            f"libdevice.lgamma from {low}",
            "libdevice.lgamma(x)",
            {"x": draw_from("fp32", SIZE, low, 0, 18)},
            [Result("fp32", function, absolute=4e-7, relative=4e-7)],
        )


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(400)


def _bessel(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """A mean over a circle, of as many angles as make it exact; of numbers up to 1000."""
    angles = 2 * np.pi * np.arange(2048) / 2048

    def apply(x: Array) -> Array:
        bounded = np.where(np.abs(x) < 1000, x, 0.0)
        return function(bounded[..., None], angles).mean(-1)  # type: ignore[call-arg]

    return apply


def _j(order: int) -> Callable[[Array], Array]:
    return _bessel(lambda x, t: np.cos(order * t - x * np.sin(t)))  # type: ignore[misc]


def _i(order: int) -> Callable[[Array], Array]:
    return _bessel(lambda x, t: np.exp(x * np.cos(t)) * np.cos(order * t))  # type: ignore[misc]


def _y(order: int) -> Callable[[Array], Array]:
    """Integrals of their definition, the second up to where nothing is left of it."""

    def apply(x: Array) -> Array:
        x = x[..., None]
        angle = (_NODES + 1) * np.pi / 2
        result = (np.sin(x * np.sin(angle) - order * angle) * _WEIGHTS).sum(-1) / 2
        end = np.arcsinh(60 / x)
        for part in range(8):
            t = end * (part + (_NODES + 1) / 2) / 8
            factor = 2 * np.sinh(t) if order else 2
            piece = factor * np.exp(-x * np.sinh(t)) * _WEIGHTS * end / 16
            result -= piece.sum(-1) / np.pi
        return result

    return apply


def _of_bessel() -> Iterator[Case]:
    """Up to 8 they are as exact next to their zeros; beyond, up to an absolute error."""
    near = draw_from("fp32", SIZE, 1e-3, 8, 21)
    ends = make(
        "fp32", np.array([2.4048255, 5.520078, 3.8317060, 7.0155866, 8 - 2**-21, 1e-20] * 2)
    )
    # Of the second kind: their zeros, and next to 0, where 1 / x is infinite and they are not.
    ends_of_y = [0.8935770, 3.9576783, 7.0860510, 2.1971414, 5.4296808]
    ends_of_y = make("fp32", np.array([*ends_of_y, 1e-30, 2.5e-39, 0.5, 1.5, 2, 5.5]))
    far = draw_from("fp32", SIZE, 8, 200, 22)
    for name, function, ulps, special in (
        ("j0", _j(0), 6, ends),
        ("j1", _j(1), 5, ends),
        ("y0", _y(0), 7, ends_of_y),
        ("y1", _y(1), 8, ends_of_y),
    ):
        code = f"libdevice.{name}(x)"
        for kind, numbers in (("up to 8", near), ("at ends", special)):
            # The reference itself is off by some 1e-15.
            expected = Result("fp32", function, ulps, absolute=1e-14)
            padded = make("fp32", np.resize(numbers.numbers, 16)) if kind == "at ends" else numbers
            yield Case(f"{code}, {kind}", code, {"x": padded}, [expected])
        expected = Result("fp32", function, absolute=1e-7)
        yield Case(f"{code}, beyond", code, {"x": far}, [expected])
    specials = {"x": make("fp32", np.array([0, -0.0, np.inf, -np.inf, np.nan, -1, -1e-45, -1e30]))}
    inf, nan = np.inf, np.nan
    for name, numbers in (
        ("y0", [-inf, -inf, 0, nan, nan, nan, nan, nan]),
        ("y1", [-inf, -inf, 0, nan, nan, nan, nan, nan]),
    ):
        known = make("fp32", np.array(numbers))
        yield Case(
            f"libdevice.{name}, special",
            f"libdevice.{name}(x)",
            specials,
            [Result("fp32", lambda x, known=known: known)],
        )
    for name, function in (("cyl_bessel_i0", _i(0)), ("cyl_bessel_i1", _i(1))):
        code = f"libdevice.{name}(x)"
        for low, high in ((-4, 4), (4, 91.8), (-91.8, -80)):
            numbers = draw_from("fp32", SIZE, low, high, 23)
            expected = Result("fp32", function, 6, absolute=1e-16)
            yield Case(f"{code} from {low}", code, {"x": numbers}, [expected])
    for name, numbers in (
        ("j0", [1, 1, 0, 0, nan]),
        ("j1", [0, -0.0, 0, -0.0, nan]),
        ("cyl_bessel_i0", [1, 1, inf, inf, nan]),
        ("cyl_bessel_i1", [0, -0.0, inf, -inf, nan]),
    ):
        known = make("fp32", np.array([*numbers, 0, 0, 0]))
        yield Case(
            f"libdevice.{name}, special",
            f"tl.where(tl.arange(0, 8) < 5, libdevice.{name}(x), 0.0)",
            specials,
            [Result("fp32", lambda x, known=known: known)],
        )


def _scaled_erfc(x: float) -> float:
    if x > 25:
        return (1 - 1 / (2 * x * x) + 3 / (4 * x**4)) / (x * math.sqrt(math.pi))
    return math.exp(x * x) * math.erfc(x) if x > -26 else math.inf if x <= 0 else math.nan


def _quantile(p: float) -> float:
    if not 0 < p < 1:
        return math.copysign(math.inf, p - 0.5) if p in (0, 1) else math.nan
    return NormalDist().inv_cdf(p)


def _of_normal() -> Iterator[Case]:
    ends = make("fp32", np.array([0.0, 1, 0.5, 2, -1, np.inf, -np.inf, np.nan]))
    tiny = make("fp32", 2.0 ** -np.linspace(1, 148, SIZE))
    root = math.sqrt(0.5)
    for name, function, ulps, ranges in (
        ("erfcx", _scaled_erfc, 5, ((-9.3, 0), (0, 4), (4, 1000), (1e3, 1e18))),
        ("normcdf", lambda x: math.erfc(-x * root) / 2, 7, ((-13, -5), (-5, 0), (0, 9))),
        ("normcdfinv", _quantile, 5, ((1e-30, 0.01), (0.01, 0.5), (0.5, 1), (0.4999, 0.5001))),
        ("erfcinv", lambda x: 0.0 - _quantile(x / 2) * root, 4, ((1e-30, 0.1), (0.1, 1), (1, 2))),
    ):
        code, expected = f"libdevice.{name}(x)", np.vectorize(function, otypes=[np.float64])
        inputs = {f"from {low}": draw_from("fp32", SIZE, low, high, 24) for low, high in ranges}
        inputs["special"] = ends
        if name.endswith("inv"):
            inputs["tiny"] = tiny
        for kind, numbers in inputs.items():
            yield Case(f"{code}, {kind}", code, {"x": numbers}, [Result("fp32", expected, ulps)])


def _bits_of_numbers() -> Iterator[Case]:
    """Functions that look at bits: next floats, exponents, signs, counts."""

    def ilogb(values: Array) -> Array:
        exponents = np.frexp(values)[1] - 1.0
        exponents = np.where((values == 0) | np.isnan(values), -(2.0**31), exponents)
        return np.where(np.isinf(values), 2.0**31 - 1, exponents).astype(np.int32)

    def scale(values: Array) -> Array:
        return np.ldexp(values, np.arange(SIZE) - SIZE // 2)

    for kind, single in (("fp32", np.float32), ("fp64", np.float64)):
        inputs = {"x": _sizes(kind, 5), "y": _sizes(kind, 6)}
        for code, dtype, reference in (
            ("libdevice.signbit(x)", "int32", lambda v, w: np.signbit(v).astype(np.int32)),
            ("libdevice.ilogb(x)", "int32", lambda v, w: ilogb(v)),
            (
                "libdevice.nextafter(x, y)",
                kind,
                lambda v, w, single=single: np.nextafter(single(v), single(w)),
            ),
            (
                f"libdevice.ldexp(x, tl.arange(0, {SIZE}) - {SIZE // 2})",
                kind,
                lambda v, w: scale(v),
            ),
        ):
            # Rounded three times where it is subnormal.
            ulps = 1 if "ldexp" in code else EXACT
            yield Case(f"{code}, {kind}", code, inputs, [Result(dtype, reference, ulps)])
    bits_of_floats = {"x": _sizes("fp32", 5)}
    for code in (
        "libdevice.int_as_float(libdevice.float_as_int(x))",
        "libdevice.uint_as_float(libdevice.float_as_uint(x))",
    ):
        yield Case(code, code, bits_of_floats, [Result("fp32", lambda v: v)])
    for dtype in ("int32", "uint32", "int64", "uint64"):
        bits = int(dtype.removeprefix("u")[3:])
        numbers = {"x": draw(dtype, SIZE, 7)}

        def count(function: Callable[[str], int], bits: int = bits) -> Callable[[Array], Array]:
            texts = np.vectorize(lambda v: function(f"{int(v) % 2**bits:0{bits}b}"))
            return lambda values: texts(values).astype(np.int32)

        for name, function in (
            ("popc", lambda text: text.count("1")),
            ("clz", lambda text: len(text) - len(text.lstrip("0"))),
            ("ffs", lambda text: len(text) - text.rfind("1") if "1" in text else 0),
        ):
            results = [Result("int32", count(function))]
            yield Case(f"libdevice.{name}, {dtype}", f"libdevice.{name}(x)", numbers, results)
        back = [Result(dtype, lambda v: v)]
        yield Case(f"libdevice.brev, {dtype}", "libdevice.brev(libdevice.brev(x))", numbers, back)
        turned = [Result("int1", lambda v: v == v)]
        code = "libdevice.clz(libdevice.brev(x)) == libdevice.ffs(x) - 1"
        whole = {"x": draw_from("fp32", SIZE, 1, 2**20, 8)}
        yield Case(
            f"libdevice.brev turns, {dtype}", f"x = x.to(tl.{dtype})\nz = {code}", whole, turned
        )
    pair = {"x": draw("int32", SIZE, 9), "y": draw("int32", SIZE, 10)}
    high = [Result("int32", lambda v, w: ((v.astype(np.int64) * w) >> 32).astype(np.int32))]
    yield Case("libdevice.mulhi", "libdevice.mulhi(x, y)", pair, high)
    near = {"x": draw_from("fp32", SIZE, -99, 99, 11), "y": draw_from("fp32", SIZE, 1, 9, 12)}
    yield Case("libdevice.fmod", "libdevice.fmod(x, y)", near, [Result("fp32", np.fmod)])


def _others() -> Iterator[Case]:
    # Of whole numbers, whose products and sums fp64 has exactly.
    whole = {
        name: draw_from("fp32", SIZE, -(2**12), 2**12, seed) for seed, name in enumerate("abc")
    }
    yield Case(
        "tl.fma",
        "tl.fma(a, b, c)",
        whole,
        [Result("fp32", lambda a, b, c: a * b + c)],
    )
    yield Case(
        "tl.fma of fp16",
        "tl.fma(a, a, 0.5)",
        {"a": draw("fp16", SIZE)},
        [Result("fp16", lambda a: a * a + 0.5)],
    )
    for dtype, bits in (("uint32", 32), ("int32", 32), ("uint64", 64), ("int64", 64)):
        yield Case(
            f"tl.umulhi, {dtype}",
            "tl.umulhi(x, y)",
            {"x": draw(dtype, SIZE, 4), "y": draw(dtype, SIZE, 5)},
            [Result(dtype, lambda x, y, bits=bits: _multiply_high(x, y, bits))],
        )
    inf, nan = np.inf, np.nan
    special = {"x": make("fp32", [0.0, -0.0, 1.5, -3, inf, -inf, nan, 1e-45])}
    for word, function in (
        ("isnan", np.isnan),
        ("isinf", np.isinf),
        ("isfinited", np.isfinite),
        ("finitef", np.isfinite),
    ):
        yield Case(
            f"libdevice.{word}",
            f"libdevice.{word}(x)",
            special,
            [Result("int1", function)],
        )
    yield Case(
        "libdevice.llrint",
        "libdevice.llrint(x)",
        {"x": draw("fp32", SIZE, 6)},
        [Result("int64", lambda x: convert(np.rint(x), "int64"))],
    )
    rows = {"x": draw_from("fp32", (8, 32), -9, 9)}
    for axis in (0, 1):
        yield Case(
            f"tl.softmax, axis {axis}",
            f"tl.softmax(x, {axis})",
            rows,
            [Result("fp32", lambda x, axis=axis: _softmax(x, axis), 24, relative=LOST_BY_POWERS)],
        )
    parts = {name: draw_from("fp32", SIZE, 1, 9, seed) for seed, name in enumerate("abc")}
    yield Case(
        "a * b + c",
        "a * b + c",
        parts,
        [Result("fp32", lambda a, b, c: a * b + c, ulps=1)],
        shows="a product and a sum",
    )
    halves = {"x": make("fp32", np.arange(-8, 8) + 0.5)}
    yield Case(
        "halves are rounded away from zero",
        "libdevice.round(x)",
        halves,
        [Result("fp32", _round_away)],
        shows="rounding of halves",
    )
    whole = {"x": draw_from("int32", SIZE, -30, 30)}
    yield Case("x ** 3", "x ** 3", whole, [Result("int32", lambda x: x * x * x)])
    yield Case(
        "x ** 0.5",
        "x ** 0.5",
        {"x": draw_from("fp32", SIZE, 0, 99)},
        [Result("fp32", lambda x: x**0.5, ulps=1)],
    )


def _softmax(x: Array, axis: int) -> Array:
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def _multiply_high(x: Array, y: Array, bits: int) -> Array:
    unsigned = np.dtype(f"u{bits // 8}")
    pairs = zip(x.view(unsigned).tolist(), y.view(unsigned).tolist(), strict=True)
    return np.array([a * b >> bits for a, b in pairs], unsigned).view(x.dtype)
