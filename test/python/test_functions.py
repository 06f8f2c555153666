"""The functions of math in the simulator: special values, distances from the true functions, and
constants, which the compiler computes itself."""

import math
import re
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from conftest import ROOT
from package_support import import_package

from gputools.arrays import HostArrays
from gputools.functions import FUNCTIONS, Function, named
from gputools.ulp import kernel_text, measure, special_values, ulp_errors

tilewright = import_package()

ARRAYS = HostArrays()
EXACT = [function for function in FUNCTIONS if function.bound <= 0.5]
BY_NAME = {function.name: function for function in FUNCTIONS}
INF, NAN = math.inf, math.nan


def compiled(function, element="f32", target="sm_90a"):
    return tilewright.compile(kernel_text(function, element), target=target)


def evaluate(name, rows, element="f32", target="sm_90a", operands=1):
    """The function at each row of operands."""
    columns = np.array(rows, np.float64).reshape(-1, operands).T.copy()
    arrays = [ARRAYS.narrow(column, element) for column in columns]
    result = np.empty_like(arrays[0])
    compiled(Function(name, 0, named(name), operands), element, target)(*arrays, result)
    return ARRAYS.widen(result, element)


def assert_same(got, expected, rows, bound=0):
    """The numbers that f32 rounds to, or as far from the true ones as `bound`."""
    expected = np.array(expected)
    with np.errstate(all="ignore"):
        if not bound:
            expected = expected.astype(np.float32).astype(np.float64)
        far = ulp_errors(ARRAYS, "f32", got, expected) > bound
    cases = zip(rows, got, expected, far, strict=True)
    assert not [case for case in cases if case[-1]]


def test_a_sample_of_f32_and_special_values(target):
    for function in FUNCTIONS:
        found = measure(ARRAYS, function, "f32", compiled(function, "f32", target), 1 << 12)
        assert found.passed, (function.name, found)


@pytest.mark.parametrize(
    ("element", "target", "functions"),
    [
        ("f16", "sm_90a", FUNCTIONS),
        ("bf16", "sm_80", FUNCTIONS),
        # Where there are more instructions for bf16.
        ("bf16", "sm_90a", EXACT),
    ],
)
def test_all_values_of_16_bits(element, target, functions):
    for function in functions:
        found = measure(ARRAYS, function, element, compiled(function, element, target), 1 << 16)
        assert found.passed, (function.name, found)


@pytest.mark.parametrize(("name", "other"), [("sin", "cos"), ("cos", "sin")])
def test_both_functions_of_one_angle(name, other):
    text = kernel_text(BY_NAME[name], "f32")
    (stored,) = (line for line in text.splitlines() if "store_view" in line)
    before = f"  %o = math.{other} %xA : tensor<128xf32>\n{stored.replace('%r', '%o')}\n"
    kernel = tilewright.compile(text.replace(stored, before + stored), target="sm_90a")
    found = measure(ARRAYS, BY_NAME[name], "f32", kernel, 1 << 14)
    assert found.passed, found


# Annex F of the C standard, and what it says of no function but follows from its limits.
SPECIALS = {
    "exp": [(0.0, 1), (-0.0, 1), (-INF, 0.0), (INF, INF), (89, INF), (-104, 0.0)],
    "exp2": [(0.0, 1), (-0.0, 1), (-INF, 0.0), (INF, INF), (128, INF), (-149, 2**-149)],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (-INF, -1), (INF, INF), (-100, -1), (89, INF)],
    "log": [(0.0, -INF), (-0.0, -INF), (1, 0.0), (-1, NAN), (INF, INF), (-INF, NAN)],
    "log2": [(0.0, -INF), (-0.0, -INF), (1, 0.0), (-1, NAN), (INF, INF), (2**-149, -149)],
    "log10": [(0.0, -INF), (-0.0, -INF), (1, 0.0), (-1, NAN), (INF, INF), (-INF, NAN)],
    "log1p": [(0.0, 0.0), (-0.0, -0.0), (-1, -INF), (-1.5, NAN), (INF, INF), (-INF, NAN)],
    "sin": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (2**-149, 2**-149)],
    "cos": [(0.0, 1), (-0.0, 1), (INF, NAN), (-INF, NAN)],
    "tan": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (-(2**-149), -(2**-149))],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1), (-20, -1), (2**-149, 2**-149)],
    "asin": [(0.0, 0.0), (-0.0, -0.0), (1.5, NAN), (-1.5, NAN), (INF, NAN), (1, math.pi / 2)],
    "acos": [(1, 0.0), (1.5, NAN), (-1.5, NAN), (INF, NAN), (-1, math.pi), (-0.0, math.pi / 2)],
    "atan": [(0.0, 0.0), (-0.0, -0.0), (INF, math.pi / 2), (-INF, -math.pi / 2)],
    "erf": [(0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1), (-5, -1)],
    "erfc": [(0.0, 1), (-0.0, 1), (INF, 0.0), (-INF, 2), (-5, 2), (11, 0.0)],
    "sqrt": [(0.0, 0.0), (-0.0, -0.0), (-1, NAN), (INF, INF), (-INF, NAN)],
    "rsqrt": [(0.0, INF), (-0.0, -INF), (-1, NAN), (INF, 0.0), (-INF, NAN), (4, 0.5)],
    "absf": [(-0.0, 0.0), (-INF, INF), (-1, 1)],
    "floor": [(-0.0, -0.0), (-0.5, -1), (0.5, 0.0), (INF, INF), (-INF, -INF)],
    "ceil": [(-0.0, -0.0), (-0.5, -0.0), (0.5, 1), (INF, INF), (-INF, -INF)],
    "trunc": [(-0.0, -0.0), (-0.5, -0.0), (-1.5, -1), (INF, INF), (-INF, -INF)],
    "round": [(-0.0, -0.0), (-0.25, -0.0), (0.5, 1), (2.5, 3), (-2.5, -3), (-INF, -INF)],
    "roundeven": [(-0.0, -0.0), (-0.5, -0.0), (1.5, 2), (2.5, 2), (-2.5, -2), (INF, INF)],
}
LARGEST = (2 - 2**-23) * 2.0**127
TINY = 2.0**-149

# x, y, x^y: the cases of the standard, in its order.
POWERS = [
    *[(0.0, -3, INF), (-0.0, -3, -INF), (-0.0, -1, -INF)],
    *[(0.0, -2, INF), (-0.0, -2, INF), (-0.0, -2.5, INF), (-0.0, -LARGEST, INF)],
    *[(0.0, -INF, INF), (-0.0, -INF, INF)],
    *[(0.0, 3, 0.0), (-0.0, 3, -0.0), (-0.0, 1, -0.0), (-0.0, 2**24 - 1, -0.0)],
    *[(0.0, 2, 0.0), (-0.0, 2, 0.0), (-0.0, 0.5, 0.0), (-0.0, INF, 0.0), (-0.0, 2**24, 0.0)],
    *[(-1, INF, 1), (-1, -INF, 1)],
    *[(1, y, 1) for y in (0.0, -0.0, 5, -2.5, INF, -INF, NAN, LARGEST)],
    *[(x, 0.0, 1) for x in (0.0, -0.0, 5, -2.5, INF, -INF, NAN, TINY)],
    *[(x, -0.0, 1) for x in (0.0, -0.0, 5, -2.5, INF, -INF, NAN, TINY)],
    *[(-2, 0.5, NAN), (-2, -1.5, NAN), (-TINY, 0.5, NAN), (-LARGEST, 1 / 3, NAN)],
    *[(0.5, -INF, INF), (-0.5, -INF, INF), (TINY, -INF, INF)],
    *[(2, -INF, 0.0), (-2, -INF, 0.0), (LARGEST, -INF, 0.0)],
    *[(0.5, INF, 0.0), (-0.5, INF, 0.0), (TINY, INF, 0.0)],
    *[(2, INF, INF), (-2, INF, INF), (LARGEST, INF, INF)],
    *[(-INF, -3, -0.0), (-INF, -1, -0.0)],
    *[(-INF, -2, 0.0), (-INF, -2.5, 0.0), (-INF, -INF, 0.0)],
    *[(-INF, 3, -INF), (-INF, 1, -INF)],
    *[(-INF, 2, INF), (-INF, 2.5, INF), (-INF, INF, INF)],
    *[(INF, -3, 0.0), (INF, -0.5, 0.0), (INF, -INF, 0.0), (INF, -TINY, 0.0)],
    *[(INF, 3, INF), (INF, 0.5, INF), (INF, INF, INF), (INF, TINY, INF)],
    *[(NAN, 1, NAN), (2, NAN, NAN), (NAN, NAN, NAN), (-1, NAN, NAN), (0.0, NAN, NAN)],
    # Whole powers are exact as far as they are f32, the largest and smallest numbers too.
    *[(LARGEST, 1, LARGEST), (-LARGEST, 1, -LARGEST), (TINY, 1, TINY), (-TINY, 1, -TINY)],
    *[(LARGEST, 1 + 2**-23, INF), (-2, 128, INF), (-2, 129, -INF), (2, -149, TINY)],
    *[(-2, -149, -TINY), (-2, -151, -0.0), (2, -150.5, 0.0), (TINY, 2, 0.0), (TINY, -1, INF)],
    *[(3, 2, 9), (-3, 3, -27), (10, 10, 1e10), (7, 8, 7**8), (-5, -1, -0.2), (4, 0.5, 2)],
    *[(2, 127, 2**127), (1.5, 40, 1.5**40), (1 + 2**-23, 2**24, (1 + 2**-23) ** 2**24)],
]

# y, x, the angle of (x, y).
ANGLES = [
    *[(0.0, -0.0, math.pi), (-0.0, -0.0, -math.pi), (0.0, 0.0, 0.0), (-0.0, 0.0, -0.0)],
    *[(0.0, -1, math.pi), (-0.0, -1, -math.pi), (0.0, -INF, math.pi), (-0.0, -INF, -math.pi)],
    *[(0.0, 1, 0.0), (-0.0, 1, -0.0), (0.0, INF, 0.0), (-0.0, INF, -0.0)],
    *[(y, x, math.copysign(math.pi / 2, y)) for y in (1, -1, TINY, -TINY) for x in (0.0, -0.0)],
    *[(1, -INF, math.pi), (-1, -INF, -math.pi), (TINY, -INF, math.pi)],
    *[(1, INF, 0.0), (-1, INF, -0.0), (-LARGEST, INF, -0.0)],
    *[(INF, x, math.pi / 2) for x in (0.0, 1, -1, LARGEST)],
    *[(-INF, x, -math.pi / 2) for x in (0.0, 1, -1, -LARGEST)],
    *[(INF, -INF, 0.75 * math.pi), (-INF, -INF, -0.75 * math.pi)],
    *[(INF, INF, math.pi / 4), (-INF, INF, -math.pi / 4)],
    *[(NAN, 1, NAN), (1, NAN, NAN), (NAN, INF, NAN), (0.0, NAN, NAN), (NAN, NAN, NAN)],
    *[(TINY, LARGEST, 0.0), (-TINY, LARGEST, -0.0), (LARGEST, TINY, math.pi / 2)],
    *[(TINY, TINY, math.pi / 4), (LARGEST, -LARGEST, 0.75 * math.pi)],
]


def test_special_values_are_those_of_the_standard():
    assert SPECIALS.keys() == {f.name for f in FUNCTIONS if f.operands == 1}
    for name, cases in SPECIALS.items():
        arguments, expected = zip(*cases, (NAN, NAN), strict=True)
        assert_same(evaluate(name, arguments), expected, [(name, x) for x in arguments])


@pytest.mark.parametrize(("name", "cases", "bound"), [("powf", POWERS, 0), ("atan2", ANGLES, 0.75)])
def test_special_pairs_are_those_of_the_standard(name, cases, bound):
    rows = [case[:2] for case in cases]
    assert_same(evaluate(name, rows, operands=2), [case[2] for case in cases], rows, bound)


def constants_kernel(name, rows):
    """The function of constants; each in a tile of its own, and a scalar for good measure."""
    lines = []
    for at, row in enumerate(rows):
        bits = [f"0x{np.float32(x).view(np.uint32):08X}" for x in row]
        for operand, x in enumerate(bits):
            lines.append(f"%x{at}_{operand} = arith.constant dense<{x}> : tensor<32xf32>")
        operands = ", ".join(f"%x{at}_{operand}" for operand in range(len(row)))
        lines.append(f"%r{at} = math.{name} {operands} : tensor<32xf32>")
        lines.append(f"%c{at} = arith.constant {32 * at} : index")
        lines.append(f"tile.store_view %r{at}, %y[%c{at}] : tensor<32xf32>, !tile.view<?xf32, [1]>")
    body = "\n  ".join(lines)
    return f"""
tile.kernel @constants(%Y: !tile.ptr<f32>, %n: index) shapes ["Y[n]"] grid ["1"]
    attributes {{num_warps = 1 : i32}} {{
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  {body}
  tile.return
}}
"""


def compute_constants(name, rows):
    result = np.full(32 * len(rows), 7, np.float32)
    tilewright.compile(constants_kernel(name, rows), target="sm_90a")(result)
    columns = result.reshape(-1, 32)
    assert np.array_equal(columns, columns[:, :1].repeat(32, axis=1), equal_nan=True)
    return columns[:, 0].astype(np.float64)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_constants_are_within_the_same_bounds(function):
    """What MLIR and LLVM compute while they compile, by the host's library."""
    values = special_values(ARRAYS, "f32").astype(np.float32)
    values = np.concatenate([values, np.linspace(-3.3, 3.3, 12, dtype=np.float32)])
    rows = [(x,) for x in values]
    if function.operands == 2:
        chosen = values[:: len(values) // 14]
        rows = [(x, y) for x in chosen for y in chosen]
        rows += [case[:2] for case in (POWERS if function.name == "powf" else ANGLES)]
    if function.name == "atan2":  # See the next test.
        rows = [row for row in rows if any(row)]
    got = compute_constants(function.name, rows)
    with np.errstate(all="ignore"):
        wide = [
            np.array(column, np.float32).astype(np.float64) for column in zip(*rows, strict=True)
        ]
        error = ulp_errors(ARRAYS, "f32", got, function.reference(ARRAYS, *wide))
    assert error.max() <= function.bound, rows[error.argmax()]


def test_the_angle_of_two_constant_zeros():
    cases = [case for case in ANGLES if not any(case[:2])]
    rows = [case[:2] for case in cases]
    assert_same(compute_constants("atan2", rows), [case[2] for case in cases], rows)


def test_powers_near_the_ends_of_the_range():
    """The error of a logarithm is multiplied by the exponent, the largest where x is near 1."""
    rng = np.random.default_rng(5)
    x = rng.uniform(0.5**0.5, 2**0.5, 1 << 16).astype(np.float32).astype(np.float64)
    ends = rng.uniform(100, 128, x.size) * rng.choice([-1, 1], x.size)
    y = (ends / np.log2(x)).astype(np.float32).astype(np.float64)
    got = evaluate("powf", np.stack([x, y], 1), operands=2)
    error = ulp_errors(ARRAYS, "f32", got, x**y)
    assert error.max() <= BY_NAME["powf"].bound, (x[error.argmax()], y[error.argmax()])


@pytest.mark.parametrize("exponent", [0, -0.0, 1, -1, 2, 3, -2, 0.5, -0.5, 1.5, INF, -INF, NAN])
def test_powers_by_a_constant(exponent):
    bits = f"0x{np.float32(exponent).view(np.uint32):08X}"
    constant = f"%c = arith.constant dense<{bits}> : tensor<128xf32>\n  %r = math.powf %xA, %c"
    text = kernel_text(BY_NAME["powf"], "f32").replace("%r = math.powf %xA, %xB", constant)
    assert constant in text
    kernel = tilewright.compile(text, target="sm_90a")

    def reference(arrays, x):
        return np.power(x, np.full_like(x, exponent))

    def launch(x, y):
        kernel(x, x, y)

    found = measure(ARRAYS, Function("powf", 1, reference), "f32", launch, 1 << 12)
    assert found.passed, found
    if exponent in (1, 2):  # Where the result has no more digits than an f32, it is exact.
        x = np.arange(-4095, 4095, dtype=np.float32)
        y = np.empty_like(x)
        launch(x, y)
        assert np.array_equal(y, x**exponent)


# Errors that the measurement must find: in the 20th bit, and in the sign of one zero.
PLANTED = [
    ("dense<1.000002> : tensor<128xf32>\n  %r = arith.mulf", 0),
    ("dense<0.0> : tensor<128xf32>\n  %r = arith.addf", 1),
]


@pytest.mark.parametrize(("planted", "wrong"), PLANTED)
def test_a_planted_error_is_found(planted, wrong):
    function = BY_NAME["expm1"]
    text = kernel_text(function, "f32").replace("%r = math", "%e = math")
    planted = f"%c = arith.constant {planted} %e, %c : tensor<128xf32>\n  tile.store_view"
    kernel = tilewright.compile(text.replace("tile.store_view", planted), target="sm_90a")
    found = measure(ARRAYS, function, "f32", kernel, 1 << 12)
    assert not found.passed
    assert found.wrong == wrong
    assert bool(found.wrong_at) == bool(wrong)
    assert (found.max_ulp > function.bound) == (wrong == 0)


F64 = np.array([0.0, -0.0, INF, -INF, NAN, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994], float)


def numbers_of_f64():
    random = np.random.default_rng(5)
    bits = random.integers(-(2**63), 2**63, 2000, dtype=np.int64)
    return np.concatenate([F64, F64 + 2.0**52, random.normal(size=500) * 9, bits.view(np.float64)])


def test_functions_of_f64(target):
    x = numbers_of_f64()
    for name in ("absf", "floor", "ceil", "trunc", "round", "roundeven", "sqrt", "rsqrt"):
        y = np.empty_like(x)
        compiled(BY_NAME[name], "f64", target)(x, y)
        with np.errstate(all="ignore"):
            expected = BY_NAME[name].reference(ARRAYS, x)
        np.testing.assert_array_equal(y, expected, err_msg=name)
        defined = ~np.isnan(x) & ~np.isnan(expected)
        assert np.array_equal(np.signbit(y[defined]), np.signbit(expected[defined])), name


QUESTIONS = {
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "isnormal": lambda x: np.isfinite(x) & (abs(x) >= np.finfo(x.dtype).smallest_normal),
}
QUESTION = """
tile.kernel @question(%A: !tile.ptr<{float}>, %Y: !tile.ptr<i8>, %n: index)
    shapes ["A[n]", "Y[n]"] grid ["ceildiv(n, 128)"] {{
  %p = tile.program_id 0
  %size = arith.constant 128 : index
  %i = arith.muli %p, %size : index
  %a = tile.view %A, shape [%n], strides [1] : !tile.ptr<{float}> -> !tile.view<?x{float}, [1]>
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<i8> -> !tile.view<?xi8, [1]>
  %x = tile.load_view %a[%i] : !tile.view<?x{float}, [1]> -> tensor<128x{float}>
  %is = math.{name} %x : tensor<128x{float}>
  %r = arith.extui %is : tensor<128xi1> to tensor<128xi8>
  tile.store_view %r, %y[%i] : tensor<128xi8>, !tile.view<?xi8, [1]>
  tile.return
}}
"""


@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "sm_120a"])
@pytest.mark.parametrize(("element", "dtype"), [("f16", "f2"), ("f32", "f4"), ("f64", "f8")])
def test_questions(element, dtype, target):
    x = numbers_of_f64().view(dtype)
    if element != "f64":
        x = np.concatenate([x, ARRAYS.narrow(special_values(ARRAYS, element), element)])
    for name, question in QUESTIONS.items():
        y = np.empty(len(x), np.int8)
        source = QUESTION.format(float=element, name=name)
        tilewright.compile(source, target=target)(x, y)
        assert np.array_equal(y, question(x)), name


def round_exactly(value, digits, smallest, limit):
    """A fraction, rounded once to a float of so many digits: to nearest, ties to even."""
    if value == 0:
        return 0.0
    exponent = math.floor(math.log2(abs(value.numerator)) - math.log2(value.denominator))
    exponent += (abs(value) >= Fraction(2) ** (exponent + 1)) - (
        abs(value) < Fraction(2) ** exponent
    )
    unit = Fraction(2) ** (max(exponent, smallest) - digits + 1)
    rounded = round(value / unit) * unit
    return math.copysign(INF, rounded) if abs(rounded) >= limit else float(rounded)


@pytest.mark.parametrize(
    ("element", "digits", "smallest", "largest"),
    [
        ("f16", 11, -14, 15),
        ("bf16", 8, -126, 127),
        ("f32", 24, -126, 127),
        ("f64", 53, -1022, 1023),
    ],
)
def test_fma_rounds_once(element, digits, smallest, largest, target):
    random = np.random.default_rng(11)
    spread = random.integers(-digits, digits, (3, 400))
    wide = random.choice([1.0, 1.5, -1.25, 1.75, -1.0], (3, 400)) + random.integers(
        0, 9, (3, 400)
    ) * (2.0 ** (1 - digits))
    wide[2] = -wide[0] * wide[1] * random.choice([1, 0.5, 2.0**-digits], 400)
    wide = np.where(random.random((3, 400)) < 0.8, wide, wide * 2.0**spread)
    operands = list(wide) if element == "f64" else [ARRAYS.narrow(row, element) for row in wide]
    result = np.empty_like(operands[0])
    compiled(Function("fma", 0, named("fma"), 3), element, target)(*operands, result)
    if element == "f64":
        exact, got = operands, result
    else:
        exact = [ARRAYS.widen(row, element) for row in operands]
        got = ARRAYS.widen(result, element)
    expected = [
        round_exactly(Fraction(a) * Fraction(b) + Fraction(c), digits, smallest, 2 ** (largest + 1))
        for a, b, c in zip(*exact, strict=True)
    ]
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_functions_of_integers(bits):
    random = np.random.default_rng(3)
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1)
    values = [0, 1, -1, 2, low, high - 1, low + 1, *random.integers(low, high, 300).tolist()]
    values += [value >> int(random.integers(0, bits)) for value in values]
    patterns = [value % 2**bits for value in values]
    expected = {
        "absi": [abs(value) % 2**bits for value in values],
        "ctlz": [bits - pattern.bit_length() for pattern in patterns],
        "cttz": [(p & -p).bit_length() - 1 if p else bits for p in patterns],
        "ctpop": [pattern.bit_count() for pattern in patterns],
    }
    for target in ("sm_80", "sm_120a"):
        for name, right in expected.items():
            x = np.array(values, f"int{bits}")
            y = np.empty_like(x)
            compiled(Function(name, 0, named(name)), f"i{bits}", target)(x, y)
            assert (y.astype(object) % 2**bits).tolist() == right, (name, target)


def test_the_script_measures_in_the_simulator(tmp_path):
    script = [sys.executable, ROOT / "scripts" / "math-ulp.py", "--device=sim"]
    options = ["--only=erf,powf", "--samples=8", "--pairs=8", f"--json={tmp_path / 'ulp.json'}"]
    done = subprocess.run([*script, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "6 functions" in done.stdout
    assert '"max_ulp"' in (tmp_path / "ulp.json").read_text()
    done = subprocess.run([*script, "--only=sine"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "no 'sine'; there are exp, exp2" in done.stderr


def test_the_documented_bounds_are_those_that_are_checked():
    page = (ROOT / "docs" / "math.md").read_text().partition("For `f64`")[0]
    rows = re.findall(r"^\| `([\w` ]+)` \| ([\d.]+) \|", page, re.MULTILINE)
    documented = {name: float(bound) for names, bound in rows for name in names.split("` `")}
    assert documented == {function.name: function.bound for function in FUNCTIONS}
