"""The evaluation that random programs are compared with, and how a failure is found and kept."""

import itertools
import math
import random
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from package_support import import_package

import_package()
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from differential.elements import (  # noqa: E402
    BF16,
    E4M3,
    E5M2,
    F16,
    F32,
    I1,
    I64,
    INDEX,
    integer,
)
from differential.evaluate import NoProgramError, evaluate  # noqa: E402
from differential.functions import within  # noqa: E402
from differential.generate import generate, generate_nested  # noqa: E402
from differential.program import Body, Node, Program, Type, Value  # noqa: E402
from differential.source import write  # noqa: E402

from differential import arithmetic, cases, check, exhaustive, worker  # noqa: E402

SM_80 = check.Configuration("sm_80")
ON_SM_80 = check.Configurations((SM_80,))


def all_bits(element):
    return np.arange(1 << element.bits, dtype=np.uint64)


def random_bits(element, count=20000):
    return element.wrap(np.random.default_rng(0).integers(0, 1 << 64, count, np.uint64))


@pytest.mark.parametrize("element", [E4M3, E5M2, F16, BF16])
def test_all_numbers_of_small_floats_survive(element):
    bits = all_bits(element)
    found = element.encode(element.decode(bits))
    # A conversion saturates: infinity becomes the largest number.
    kept = ~element.is_nan(bits) & ~(np.isinf(element.decode(bits)) & element.saturates)
    assert np.array_equal(found[kept], bits[kept])
    assert element.is_nan(found[element.is_nan(bits)]).all()


@pytest.mark.parametrize(("element", "dtype"), [(F16, np.float16), (F32, np.float32)])
def test_rounding_is_that_of_numpy(element, dtype):
    numbers = element.decode(random_bits(element))
    halfway = (numbers[1:] + numbers[:-1]) / 2
    close = np.nextafter(halfway, np.inf)
    wide = random_bits(integer(64)).view(np.float64)
    for x in (numbers, halfway, close, wide):
        x = x[~np.isnan(x)]
        with np.errstate(over="ignore"):
            expected = x.astype(dtype).view(f"uint{element.bits}")
        assert np.array_equal(element.encode(x), expected.astype(np.uint64))


@pytest.mark.parametrize("element", [F16, BF16, F32])
@pytest.mark.parametrize("signed", [True, False])
def test_integers_become_floats_by_one_rounding(element, signed):
    rng = random.Random(0)
    for _ in range(500):
        number = rng.getrandbits(rng.randrange(1, 65))
        cut = rng.randrange(0, 60)
        number = ((number >> cut << cut) + rng.choice([0, 1, -1, 1 << cut >> 1])) % (1 << 64)
        value = number - (1 << 64) if signed and number >> 63 else number
        op = arithmetic.CASTS["arith.sitofp" if signed else "arith.uitofp"]
        got = element.decode(op(I64, element, np.array([number], np.uint64)))[0]
        assert got == nearest(element, value)


def nearest(element, value):
    """An integer as the nearest float, in exact arithmetic."""
    if value == 0:
        return 0.0
    unit = Fraction(2) ** (abs(value).bit_length() - element.precision)
    rounded = round(Fraction(value) / unit) * unit
    return float(rounded) if abs(rounded) <= element.max_finite else math.copysign(math.inf, value)


def test_divisions():
    def expect(name, a, b):
        if b == 0:
            return 0 if name.startswith("rem") else a
        exact = Fraction(a, b)
        whole = {"ceildivsi": math.ceil(exact), "floordivsi": math.floor(exact)}
        return a - b * math.trunc(exact) if name == "remsi" else whole.get(name, math.trunc(exact))

    for bits in (1, 4, 5):
        element = integer(bits)
        numbers = all_bits(element)
        a, b = (x.ravel() for x in np.meshgrid(numbers, numbers))
        for name in ("divsi", "ceildivsi", "floordivsi", "remsi"):
            got = arithmetic.INTEGER_BINARY[f"arith.{name}"](element, a, b)
            pairs = zip(element.signed(a).tolist(), element.signed(b).tolist(), strict=True)
            expected = [expect(name, x, y) % (1 << bits) for x, y in pairs]
            assert got.tolist() == expected


def test_fma_rounds_once():
    one, tiny = F32.encode(np.array([1.0, 2.0**-24]))
    near = F32.encode(np.array([1 + 2.0**-12]))
    # (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24, which is halfway; an addend decides.
    up = arithmetic.fma(F32, near, near, F32.encode(np.array([2.0**-149])))
    down = arithmetic.fma(F32, near, near, F32.encode(np.array([-(2.0**-149)])))
    assert F32.decode(up)[0] == 1 + 2.0**-11 + 2.0**-23
    assert F32.decode(down)[0] == 1 + 2.0**-11
    assert one != tiny


def test_bounds():
    three = F32.encode(np.array([3.0, 3.0, 0.0, -0.0]))
    reference = np.array([3 + 2.0**-22, 3 + 2.0**-20, 0.0, 0.0])
    assert within(F32, three, reference, np.full(4, 1.5)).tolist() == [True, False, True, False]


def test_a_program_is_the_same_for_the_same_seed():
    for draw in (generate, generate_nested):
        assert write(draw(7)) == write(draw(7)) != write(draw(8))


def swap_two(body, first):
    """Two of one type; not the condition of a loop and not its counter, or it might never end."""
    values = [at for at in range(first, len(body.yields)) if body.yields[at].type != Type(INDEX)]
    for a, b in itertools.combinations(values, 2):
        if body.yields[a].type == body.yields[b].type:
            body.yields[a], body.yields[b] = body.yields[b], body.yields[a]
            return


@pytest.mark.parametrize("op", ["scf.for", "scf.while", "scf.if"])
def test_what_a_region_yields_matters(op):
    """Whoever takes what one of them yields for something else is found out."""
    found = 0
    for seed in range(30):
        program = generate_nested(seed)
        images = evaluate(program)
        for node in [node for node in program.nodes() if node.op == op]:
            for body in node.bodies:
                swap_two(body, 1 if body is not node.bodies[-1] and op == "scf.while" else 0)
        changed = evaluate(program)
        found += any(not np.array_equal(images[m].bits, changed[m].bits) for m in images)
    assert found > 0


def test_loops_end():
    before, after, one = Body([Value(Type(I1))]), Body([Value(Type(I1))]), Value(Type(I1))
    before.yields, after.yields = [before.arguments[0]] * 2, [after.arguments[0]]
    nodes = [
        Node("arith.constant", [], [one], {"bits": 1}),
        Node("scf.while", [one], [Value(Type(I1))], bodies=[before, after]),
    ]
    with pytest.raises(NoProgramError):
        evaluate(Program(Body(nodes=nodes), [], [], blocks=1, num_warps=1))


def test_programs_are_right():
    for seed in range(3):
        assert not worker.run_one(seed, ON_SM_80, 0).findings


def test_configurations_in_turn():
    every = tuple(
        check.Configuration(target, optimize)
        for target in check.TARGETS
        for optimize in (True, False)
    )
    launch = check.prepare(generate(0))
    assert len(check.Configurations(every).of(0, launch)) == 12
    drawn = [check.Configurations(every, in_turn=True).of(key, launch) for key in range(60)]
    assert all([each.optimize for each in of_key].count(False) == 1 for of_key in drawn)
    assert all(len(of_key) == 7 for of_key in drawn)
    assert {each for of_key in drawn for each in of_key} == set(every)


def test_a_difference_is_found_made_small_and_kept(monkeypatch):
    monkeypatch.setitem(
        arithmetic.INTEGER_BINARY, "arith.maxsi", arithmetic.INTEGER_BINARY["arith.maxui"]
    )
    seeds = (seed for seed in range(500) if "arith.maxsi" in write(generate(seed)))
    findings = (worker.run_one(seed, ON_SM_80, 1).findings for seed in seeds)
    case = next(found[0].case for found in findings if found)
    assert "arith.maxsi" in case
    lines = [line for line in case.splitlines() if not line.startswith("//")]
    assert len(lines) < 20
    # As text it fails in the same way.
    failure = check.check(cases.parse(case), SM_80)
    assert failure is not None
    assert failure.kind == "wrong"


def test_cases_are_what_was_written():
    launch = check.prepare(generate(3))
    text = cases.dump(launch, "a note")
    again = cases.parse(text)
    assert again.source == launch.source
    assert again.options == launch.options
    assert cases.dump(again, "a note") == text


def test_each_pair_of_types_is_there():
    keys = exhaustive.keys()
    assert len(keys) == len(set(keys)) > 150
    assert {"i1 to bf16", "f64 to f8E4M3FN", "index to i8", "f16 to i64"} <= set(keys)
    assert not worker.run_one("i8 to i16", ON_SM_80, 0).findings
