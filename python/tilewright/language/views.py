"""Matrices in global memory as views of the dialect: what block pointers and descriptors load."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright.language.casts import convert
from tilewright.language.context import emit, emit_many
from tilewright.language.shapes import broadcast_to_shape, describe
from tilewright.language.tensor import is_number, tensor, to_tensor
from tilewright.language.types import block_type, dtype, int8, int64, pointer_type


class _Index(dtype):
    """MLIR's type of positions."""

    def __init__(self) -> None:
        super().__init__("index", "index", 64, int64.kind())


INDEX = _Index()
#: No matrix has as many elements; an axis that is not checked has that extent.
UNBOUNDED = 2**62

#: What is read beyond a matrix.
PADDINGS = ("zero", "nan")


def in_memory(kind: dtype) -> dtype:
    """A boolean is a byte in memory."""
    return int8 if kind.is_bool() else kind


def to_index(value: tensor) -> tensor:
    """An integer as a position."""
    return emit("arith.index_cast", [value], INDEX)


def read_list(values: Any, what: str) -> list[Any]:
    """The numbers of a tuple or list, one for each axis.

    Raises:
        TypeError: It is neither.
    """
    if not isinstance(values, (tuple, list)):
        raise TypeError(f"{what} is a tuple with a number for each axis, not {describe(values)}")
    return list(values)


def read_integers(values: Any, what: str) -> list[tensor]:
    """Such numbers as integers of run time.

    Raises:
        TypeError: One is no integer.
    """
    tensors = [to_tensor(value, f"a number of {what}") for value in read_list(values, what)]
    for value in tensors:
        if value.type.is_block() or not value.dtype.is_int():
            raise TypeError(f"{what}: integers are wanted, not a value of type {value.type}")
    return tensors


def make_view(
    base: tensor, extents: Sequence[tensor | int], strides: Sequence[tensor | int]
) -> tensor:
    """The matrix behind a pointer; numbers of it that are known stand in its type."""
    kind = base.dtype
    assert isinstance(kind, pointer_type)

    def text(values: Sequence[tensor | int]) -> list[str]:
        return [str(value) if isinstance(value, int) else "?" for value in values]

    memory = kind.mlir.removeprefix("!tile.ptr<").removesuffix(">")
    view = dtype(
        "view",
        f"!tile.view<{'x'.join(text(extents))}x{memory}, [{', '.join(text(strides))}]>",
        64,
        int64.kind(),
    )
    dynamic = [[v for v in values if isinstance(v, tensor)] for values in (extents, strides)]
    operands = [base, *(to_index(value) for values in dynamic for value in values)]

    def static(values: Sequence[tensor | int]) -> str:
        numbers = [str(v) if isinstance(v, int) else "-9223372036854775808" for v in values]
        return f"array<i64: {', '.join(numbers)}>"

    attributes = [
        ("static_shape", static(extents)),
        ("static_strides", static(strides)),
        ("operandSegmentSizes", f"array<i32: 1, {len(dynamic[0])}, {len(dynamic[1])}>"),
    ]
    return emit("tile.view", operands, view, attributes)


def check_padding(padding: Any, kind: dtype) -> str:
    """What is read beyond a matrix of these elements.

    Raises:
        ValueError: There is no such padding of them.
    """
    if padding not in PADDINGS:
        raise ValueError(f"padding_option is 'zero' or 'nan', not {padding!r}")
    if padding == "nan" and not kind.is_floating():
        raise ValueError(f"padding_option 'nan' is for floats, not for {kind}")
    return str(padding)


def load_view(
    view: tensor, starts: Sequence[tensor], kind: dtype, shape: tuple[int, ...], padding: str
) -> tensor:
    """The block of a view that begins there."""
    operands, others = [view, *starts], 0
    if padding == "nan":
        operands.append(convert(to_tensor(float("nan")), kind))
        others = 1
    segments = ("operandSegmentSizes", f"array<i32: 1, {len(starts)}, 0, {others}>")
    result = block_type(in_memory(kind), shape)
    return convert(emit("tile.load_view", operands, result, [segments]), kind)


def store_view(
    view: tensor, starts: Sequence[tensor], value: Any, kind: dtype, shape: tuple[int, ...]
) -> None:
    """Writes the block of a view that begins there."""
    tile = convert(convert(to_tensor(value), kind), in_memory(kind))
    segments = ("operandSegmentSizes", f"array<i32: 1, 1, {len(starts)}, 0>")
    operands = [broadcast_to_shape(tile, shape), view, *starts]
    emit_many("tile.store_view", operands, [], [segments])


def read_extent(value: Any, what: str) -> tensor | int:
    """A number of run time, or one that is known.

    Raises:
        TypeError: It is no integer.
    """
    if isinstance(value, tensor) and value.constant is not None:
        value = value.constant
    if is_number(value) and not isinstance(value, (bool, float)):
        return int(value)
    (number,) = read_integers([value], what)
    return number


def widen(value: tensor | int) -> tensor | int:
    """A number of run time in 64 bits."""
    return value if isinstance(value, int) else convert(value, int64)
