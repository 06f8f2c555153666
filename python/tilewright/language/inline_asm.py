"""PTX in kernels, element by element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright.language.context import emit_many, quote, word
from tilewright.language.shapes import broadcast_to_shape, describe, join_shapes
from tilewright.language.tensor import read_constant, tensor, to_tensor
from tilewright.language.types import dtype
from tilewright.sizes import is_integer


def _read_text(value: Any, what: str) -> str:
    text = read_constant(value, what)
    if not isinstance(text, str):
        raise TypeError(f"{what} is a string, not {text!r}")
    return text


def _read_types(given: Any) -> list[dtype]:
    kinds = list(given) if isinstance(given, (tuple, list)) else [given]
    for kind in kinds:
        if not isinstance(kind, dtype) or kind.is_block():
            raise TypeError(f"dtype is the type of the result, or a tuple of types, not {kind!r}")
    return kinds


def _read_pack(value: Any) -> int:
    pack = read_constant(value, "pack")
    if not is_integer(pack):
        raise TypeError(f"pack is how many elements are computed at a time, not {pack!r}")
    return pack


def _read_operands(args: Any) -> list[tensor]:
    """The operands in one shape."""
    if not isinstance(args, (tuple, list)):
        raise TypeError(f"args is a list of tiles and numbers, not {describe(args)}")
    operands = [to_tensor(each, "an operand") for each in args]
    shape: tuple[int, ...] = ()
    for each in operands:
        shape = join_shapes(shape, each.type.shape)
    return [broadcast_to_shape(each, shape) for each in operands]


def _check_elements(kinds: Sequence[dtype]) -> None:
    for kind in kinds:
        if kind.is_bool():
            raise TypeError("inline assembly takes no int1: cast it by .to(tl.int8)")


@word
def inline_asm_elementwise(
    asm: Any, constraints: Any, args: Any, dtype: Any, is_pure: Any, pack: Any
) -> Any:
    """PTX that is run for each element, or for `pack` of them at a time.

    `$0`, `$1` and so on are registers, first of the results, then of `args`; `constraints` has one
    for each, such as ``"=r,r,r"``: h, r and l are of 16, 32 and 64 bits, f and d of floats.
    Elements of 8 and 16 bits are packed: with ``pack=4``, four int8 stand in one register. `dtype`
    is the type of the result; with a tuple of types there are as many results. With
    ``is_pure=False`` the text may do more than to compute: it is run where it stands. For a scalar
    every thread runs it; its value is what the first one gets, such as of a clock.
    """
    kinds, operands = _read_types(dtype), _read_operands(args)
    _check_elements([*kinds, *(each.dtype for each in operands)])
    shape = operands[0].type.shape if operands else ()
    attributes = [
        ("text", quote(_read_text(asm, "asm"))),
        ("constraints", quote("".join(_read_text(constraints, "constraints").split()))),
        ("pack", f"{_read_pack(pack)} : i32"),
    ]
    if read_constant(is_pure, "is_pure"):
        attributes.append(("pure", "unit"))
    types = [kind.with_shape(shape) for kind in kinds]
    results = emit_many("tile.inline_asm", operands, types, attributes)
    return tuple(results) if isinstance(dtype, (tuple, list)) else results[0]
