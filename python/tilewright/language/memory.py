"""Words that read and write global memory."""

from __future__ import annotations

from typing import Any

from tilewright.language.block_pointer import block_pointer, view_block
from tilewright.language.casts import convert, to_bool
from tilewright.language.context import constant, emit, emit_many, word
from tilewright.language.promotion import fits
from tilewright.language.shapes import broadcast_to_shape, describe, join_shapes
from tilewright.language.tensor import is_number, read_constant, tensor, to_tensor
from tilewright.language.types import dtype, int1, pointer_type
from tilewright.language.views import check_padding, in_memory, load_view, store_view

_CACHE_MODIFIERS = {
    "load": (".ca", ".cg", ".cv"),
    "store": (".wb", ".cg", ".cs", ".wt"),
}
_EVICTION_POLICIES = ("evict_first", "evict_last", "evict_normal")


def _check_hints(what: str, cache_modifier: Any, eviction_policy: Any) -> None:
    """Hints for caches change no result; they are checked, and not used."""
    for name, given, known in (
        ("cache_modifier", cache_modifier, _CACHE_MODIFIERS[what]),
        ("eviction_policy", eviction_policy, _EVICTION_POLICIES),
    ):
        hint = read_constant(given, name)
        if hint and hint not in known:
            raise ValueError(f"{name} of a {what} is one of {', '.join(known)}, not {hint!r}")


def get_pointee(pointer: Any, what: str) -> dtype:
    """What the elements of a pointer, or of a tile of pointers, point to.

    Raises:
        TypeError: It is neither.
    """
    if not isinstance(pointer, tensor) or not isinstance(pointer.dtype, pointer_type):
        raise TypeError(f"{what} takes a pointer or a tile of pointers, not {describe(pointer)}")
    return pointer.dtype.element_ty


def _make_constant(number: bool | int | float, kind: dtype) -> tensor:
    """A number as an element: of the type at once where that is what a cast would give."""
    if kind.is_floating() or (isinstance(number, int) and fits(number, kind)):
        return constant(number, kind)
    return to_tensor(number)


def fit(pointer: tensor, value: Any, kind: dtype, what: str) -> tensor:
    """A mask or a value in the shape of the pointers."""
    value = _make_constant(value, kind) if is_number(value) else to_tensor(value, what)
    shape = pointer.type.shape
    if value.type.is_block() and not pointer.type.is_block():
        raise ValueError(f"{what} is a tile, {value.type}, and the pointer is a single one")
    joined = _join(value.type.shape, shape)
    if joined != shape:
        raise ValueError(
            f"{what} has the shape {list(value.type.shape)}, which does not fit into that of the "
            f"pointers, {list(shape)}"
            + (f": give each element of {list(joined)} a pointer" if joined else "")
        )
    if kind.is_bool() and value.dtype.is_ptr():
        raise TypeError(f"{what} is made of conditions, not of pointers ({value.type})")
    converted = to_bool(value) if kind.is_bool() else convert(value, kind)
    return broadcast_to_shape(converted, shape)


def _join(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape in which two tiles meet, if they do."""
    try:
        return join_shapes(a, b)
    except ValueError:
        return None


def _broadcast_to_mask(pointer: tensor, mask: Any) -> tensor:
    """Pointers of a load grow to the shape of its mask, as long as they are a tile.

    Only of a load: what is stored or combined has a pointer for each element, or several threads
    would write one.
    """
    if not pointer.type.is_block() or not isinstance(mask, tensor):
        return pointer
    joined = _join(pointer.type.shape, mask.type.shape)
    return broadcast_to_shape(pointer, joined) if joined else pointer


def _load_block(pointer: block_pointer, boundary_check: Any, padding_option: Any) -> tensor:
    padding = read_constant(padding_option, "padding_option") or "zero"
    check_padding(padding, pointer.element)
    view, starts = view_block(pointer, boundary_check)
    return load_view(view, starts, pointer.element, pointer.block_shape, padding)


@word
def load(
    pointer: Any,
    mask: Any = None,
    other: Any = None,
    boundary_check: Any = (),
    padding_option: Any = "",
    cache_modifier: Any = "",
    eviction_policy: Any = "",
    volatile: Any = False,
) -> tensor:
    """What stands behind a pointer, a tile of pointers or a block pointer.

    Where `mask` is false nothing is read, and the result is `other`, or zero. Of a block pointer,
    `boundary_check` names the axes along which the block may go beyond the matrix; what is beyond
    reads as zero, or as NaN with ``padding_option="nan"``.
    """
    _check_hints("load", cache_modifier, eviction_policy)
    if isinstance(pointer, block_pointer):
        if mask is not None or other is not None:
            raise ValueError(
                "a load of a block pointer has boundary_check in place of mask and other"
            )
        return _load_block(pointer, boundary_check, padding_option)
    kind = get_pointee(pointer, "load")
    if boundary_check not in ((), [], None) or padding_option:
        raise ValueError(
            "boundary_check and padding_option are for block pointers; use mask and other"
        )
    if mask is None and other is not None:
        raise ValueError("other is what is read where the mask is false, and there is no mask")
    pointer = _broadcast_to_mask(pointer, mask)
    operands, segments = [pointer], [1, 0, 0]
    if mask is not None:
        operands.append(fit(pointer, mask, int1, "the mask of a load"))
        segments[1] = 1
    memory = in_memory(kind)
    if other is not None:
        operands.append(fit(pointer, other, memory, "other"))
        segments[2] = 1
    attributes = [("operandSegmentSizes", f"array<i32: {', '.join(map(str, segments))}>")]
    if read_constant(volatile, "volatile"):
        attributes.append(("is_volatile", "unit"))
    result = memory.with_shape(pointer.type.shape)
    return convert(emit("tile.load", operands, result, attributes), kind)


@word
def store(
    pointer: Any,
    value: Any,
    mask: Any = None,
    boundary_check: Any = (),
    cache_modifier: Any = "",
    eviction_policy: Any = "",
) -> None:
    """Writes `value` to where a pointer, a tile of pointers or a block pointer says.

    The value is cast to what is pointed to. Where `mask` is false nothing is written; of a block
    pointer, nothing beyond the matrix along the axes of `boundary_check`.
    """
    _check_hints("store", cache_modifier, eviction_policy)
    if isinstance(pointer, block_pointer):
        if mask is not None:
            raise ValueError("a store to a block pointer has boundary_check in place of a mask")
        view, starts = view_block(pointer, boundary_check)
        store_view(view, starts, value, pointer.element, pointer.block_shape)
        return
    kind = get_pointee(pointer, "store")
    if boundary_check not in ((), [], None):
        raise ValueError("boundary_check is for block pointers; use a mask")
    value = _make_constant(value, kind) if is_number(value) else to_tensor(value, "what is stored")
    if value.dtype.is_ptr() != kind.is_ptr():
        raise TypeError(f"a value of type {value.type} cannot be stored as {kind}")
    tile = fit(pointer, convert(value, kind), in_memory(kind), "what is stored")
    operands = [pointer, tile]
    if mask is not None:
        operands.append(fit(pointer, mask, int1, "the mask of a store"))
    emit_many("tile.store", operands, [])
