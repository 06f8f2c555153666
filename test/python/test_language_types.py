"""Types of the language, what they are asked, and constants."""

import itertools

import package_support
import pytest

package_support.import_package()

import tilewright.language as tl  # noqa: E402
from tilewright.language.promotion import promote, promote_number, type_of_number  # noqa: E402
from tilewright.language.tensor import Shape  # noqa: E402
from tilewright.language.types import parse_type, unwrap  # noqa: E402

SIGNED = [tl.int8, tl.int16, tl.int32, tl.int64]
UNSIGNED = [tl.uint8, tl.uint16, tl.uint32, tl.uint64]
FLOATS8 = [tl.float8e4nv, tl.float8e5, tl.float8e4b8, tl.float8e4b15, tl.float8e5b16]
FLOATS = [tl.float16, tl.bfloat16, tl.float32, tl.float64]
ALL = [tl.int1, *SIGNED, *UNSIGNED, *FLOATS8, *FLOATS]


def test_questions_of_kinds():
    for kind in ALL:
        assert kind.is_floating() == (kind in FLOATS8 + FLOATS)
        assert kind.is_standard_floating() == (kind in FLOATS)
        assert kind.is_fp8() == (kind in FLOATS8)
        assert kind.is_int() == (kind in [tl.int1, *SIGNED, *UNSIGNED])
        assert kind.is_int_signed() == (kind in SIGNED)
        assert kind.is_int_unsigned() == (kind in [tl.int1, *UNSIGNED])
        assert kind.is_bool() == kind.is_int1() == (kind is tl.int1)
        assert not kind.is_ptr() and not kind.is_block() and kind.scalar is kind


@pytest.mark.parametrize(
    "question, kind",
    [
        *[(f"is_{kind.name}", kind) for kind in [*SIGNED, *UNSIGNED]],
        *[(f"is_{kind.name}", kind) for kind in [*FLOATS8, *FLOATS]],
    ],
)
def test_questions_of_single_types(question, kind):
    assert [each for each in ALL if getattr(each, question)()] == [kind]


def test_widths():
    assert [kind.primitive_bitwidth for kind in SIGNED] == [8, 16, 32, 64]
    assert [kind.int_bitwidth for kind in UNSIGNED] == [8, 16, 32, 64]
    assert tl.int1.primitive_bitwidth == 1 and tl.int1.itemsize == 1
    assert [kind.fp_mantissa_width for kind in FLOATS] == [10, 7, 23, 52]
    assert tl.int8.get_int_min_value() == -128 and tl.uint16.get_int_max_value() == 65535


def test_pointers_and_tiles():
    pointer = tl.pointer_type(tl.float16)
    assert pointer.is_ptr() and pointer.element_ty == tl.float16
    assert not pointer.is_int() and not pointer.is_floating()
    assert pointer == tl.pointer_type(tl.float16) != tl.pointer_type(tl.int16)
    tile = tl.block_type(tl.int8, (4, 8))
    assert tile.scalar == tile.element_ty == tl.int8
    assert tile.shape == (4, 8) and tile.numel == 32 and tile.is_block()
    assert str(tile) == "<[4, 8], int8>"
    with pytest.raises(TypeError, match="a pointer points to numbers of a type"):
        tl.pointer_type(3)


def test_types_are_written_in_signatures():
    for kind in ALL:
        if kind not in FLOATS8[2:]:
            assert parse_type(kind.name) == kind
    assert parse_type("*i64") == tl.pointer_type(tl.int64)
    assert parse_type("**u8") == tl.pointer_type(tl.pointer_type(tl.uint8))
    assert parse_type("*kfp32") == tl.pointer_type(tl.float32)
    with pytest.raises(ValueError, match="'fp17' is no type"):
        parse_type("fp17")


def test_integers_by_their_width():
    assert tl.get_int_dtype(bitwidth=16, signed=False) == tl.uint16
    assert tl.get_int_dtype(64, True) == tl.int64
    assert tl.get_int_dtype(1, False) == tl.int1
    with pytest.raises(ValueError, match="there is no integer of 7 bits"):
        tl.get_int_dtype(7, True)


def test_numbers_alone():
    assert type_of_number(True) == tl.int1
    for number, kind in ((2**31 - 1, tl.int32), (-(2**31), tl.int32), (2**31, tl.uint32)):
        assert type_of_number(number) == kind
    for number, kind in ((2**32, tl.int64), (-(2**31) - 1, tl.int64), (2**63, tl.uint64)):
        assert type_of_number(number) == kind
    for number in (0.0, 1.5, float("inf"), float("nan"), 3.4e38):
        assert type_of_number(number) == tl.float32
    for number in (1e39, 1e-40):
        assert type_of_number(number) == tl.float64
    with pytest.raises(ValueError, match="does not fit into 64 bits"):
        type_of_number(2**64)


def test_promotion_is_symmetric():
    for a, b in itertools.product([tl.int1, *SIGNED, *UNSIGNED, *FLOATS], repeat=2):
        assert promote(a, b) == promote(b, a)
        assert promote(a, a) == a


def test_numbers_beside_a_type():
    assert promote_number(3, tl.float16) == tl.float16
    assert promote_number(3, tl.float16, division=True) == tl.float32
    assert promote_number(0.5, tl.int64) == tl.float32
    assert promote_number(1e39, tl.float16) == tl.float16
    assert promote_number(7, tl.int1) == tl.int32
    with pytest.raises(ValueError, match="-1 does not fit into uint8, which has no sign"):
        promote_number(-1, tl.uint8)


def test_constants_are_computed_with():
    four = tl.constexpr(4)
    assert isinstance(four + 1, tl.constexpr)
    results = [four + 1, 1 + four, four - 1, 9 - four, four * 2, 2 * four, four / 8, 2 / four]
    assert [each.value for each in results] == [5, 5, 3, 5, 8, 8, 0.5, 0.5]
    results = [four // 3, 9 // four, four % 3, 9 % four, four**2, -four]
    assert [each.value for each in results] == [1, 2, 1, 1, 16, -4]
    assert four > 3 and four >= four and four < 5 and four <= 4 and four == 4 and four != 5
    assert tl.constexpr(four).value == 4 and list(range(four)) == [0, 1, 2, 3]
    assert unwrap((four, [four, "x"])) == (4, [4, "x"])


def test_shapes_are_put_together():
    shape = Shape((4, 8))
    assert shape[:-1] + [32] == (4, 32) == Shape((4, 32))  # noqa: RUF005
    assert [2] + shape == [2, 4, 8] and shape != [4]  # noqa: RUF005
    assert isinstance(shape[:1], Shape) and shape[1] == 8
