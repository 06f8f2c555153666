"""Words that read and write memory in one step, among all programs."""

from __future__ import annotations

from typing import Any

from tilewright.language.context import Attributes, emit, word
from tilewright.language.memory import fit, get_pointee
from tilewright.language.tensor import read_constant, tensor, to_tensor
from tilewright.language.types import dtype, int1

_ORDERS = ("relaxed", "acquire", "release", "acq_rel")
_SCOPES = ("cta", "gpu", "sys")


def _read_order(sem: Any, scope: Any) -> Attributes:
    order = read_constant(sem, "sem of an atomic") or "acq_rel"
    where = read_constant(scope, "scope of an atomic") or "gpu"
    if order not in _ORDERS:
        raise ValueError(f"sem of an atomic is one of {', '.join(_ORDERS)}, not {order!r}")
    if where not in _SCOPES:
        raise ValueError(f"scope of an atomic is one of {', '.join(_SCOPES)}, not {where!r}")
    return [("order", f"#tile<atomic_order {order}>"), ("scope", f"#tile<atomic_scope {where}>")]


def _check_type(kind: dtype, name: str) -> None:
    if (
        kind.is_ptr()
        or kind.primitive_bitwidth < 16
        or (kind.is_int() and kind.primitive_bitwidth < 32)
    ):
        raise TypeError(f"{name} works on integers of 32 and 64 bits and on floats, not on {kind}")


def _update(
    name: str, kind: str, pointer: Any, val: Any, mask: Any, sem: Any, scope: Any
) -> tensor:
    pointee = get_pointee(pointer, name)
    _check_type(pointee, name)
    value = to_tensor(val, "what is combined")
    operands = [pointer, fit(pointer, value, pointee, "what is combined")]
    if mask is not None:
        operands.append(fit(pointer, mask, int1, f"the mask of {name}"))
    attributes = [("kind", f"#tile<atomic_kind {kind}>"), *_read_order(sem, scope)]
    return emit("tile.atomic_rmw", operands, pointee.with_shape(pointer.type.shape), attributes)


def _refuse_floats(pointer: Any, name: str) -> None:
    pointee = get_pointee(pointer, name)
    if not pointee.is_int():
        raise TypeError(f"{name} works on integers, not on {pointee}")


@word
def atomic_add(
    pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None
) -> tensor:
    """Adds to memory; gives what stood there before.

    `sem` is 'relaxed', 'acquire', 'release' or 'acq_rel' (the default), `scope` 'cta', 'gpu' (the
    default) or 'sys'. Where `mask` is false nothing is done.
    """
    return _update("atomic_add", "add", pointer, val, mask, sem, scope)


@word
def atomic_max(
    pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None
) -> tensor:
    """Stores the greater of memory and `val`; gives what stood there before."""
    kind = "umax" if _is_unsigned(pointer) else "max"
    return _update("atomic_max", kind, pointer, val, mask, sem, scope)


@word
def atomic_min(
    pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None
) -> tensor:
    """Stores the less of memory and `val`; gives what stood there before."""
    kind = "umin" if _is_unsigned(pointer) else "min"
    return _update("atomic_min", kind, pointer, val, mask, sem, scope)


def _is_unsigned(pointer: Any) -> bool:
    return get_pointee(pointer, "an atomic").is_int_unsigned()


@word
def atomic_and(
    pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None
) -> tensor:
    """Stores memory & `val`, of integers; gives what stood there before."""
    _refuse_floats(pointer, "atomic_and")
    return _update("atomic_and", "and", pointer, val, mask, sem, scope)


@word
def atomic_or(
    pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None
) -> tensor:
    """Stores memory | `val`, of integers; gives what stood there before."""
    _refuse_floats(pointer, "atomic_or")
    return _update("atomic_or", "or", pointer, val, mask, sem, scope)


@word
def atomic_xor(
    pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None
) -> tensor:
    """Stores memory ^ `val`, of integers; gives what stood there before."""
    _refuse_floats(pointer, "atomic_xor")
    return _update("atomic_xor", "xor", pointer, val, mask, sem, scope)


@word
def atomic_xchg(
    pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None
) -> tensor:
    """Stores `val`; gives what stood there before."""
    return _update("atomic_xchg", "xchg", pointer, val, mask, sem, scope)


@word
def atomic_cas(pointer: Any, cmp: Any, val: Any, sem: Any = None, scope: Any = None) -> tensor:
    """Stores `val` where memory is `cmp`, bit by bit; gives what stood there before."""
    pointee = get_pointee(pointer, "atomic_cas")
    expected, desired = to_tensor(cmp), to_tensor(val)
    operands = [
        pointer,
        fit(pointer, expected, pointee, "what is expected"),
        fit(pointer, desired, pointee, "what is stored"),
    ]
    result = pointee.with_shape(pointer.type.shape)
    return emit("tile.atomic_cas", operands, result, _read_order(sem, scope))
