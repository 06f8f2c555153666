"""What names stand for, as lists of values that regions of the program can carry.

A value of a kernel is a `tensor`, a `composite`, a tuple of values, or anything that is known
at compile time. Loops and branches carry only tensors:

>>> flatten((x, 4, block))
[x, *block.offsets]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tilewright.language.composite import composite
from tilewright.language.context import constant
from tilewright.language.shapes import splat
from tilewright.language.tensor import is_number, tensor, to_tensor


@dataclass(frozen=True)
class Undefined:
    """What a name stands for that has a value on some ways only."""

    reason: str


def is_runtime(value: Any) -> bool:
    """Whether a part of it is known at run time only."""
    if isinstance(value, (tuple, list)):
        return any(is_runtime(each) for each in value)
    return isinstance(value, (tensor, composite))


def is_carried(value: Any) -> bool:
    """Whether regions carry a part of it: numbers become tensors for that."""
    if isinstance(value, (tuple, list)):
        return any(is_carried(each) for each in value)
    return isinstance(value, (tensor, composite)) or is_number(value)


def as_runtime(value: Any) -> Any:
    """The same with tensors in place of numbers."""
    if isinstance(value, (tuple, list)):
        return rebuild_sequence(value, [as_runtime(each) for each in value])
    return to_tensor(value) if is_number(value) else value


def rebuild_sequence(like: Any, items: list[Any]) -> Any:
    """A list, a tuple or a named tuple, as the other is, of these items."""
    if hasattr(like, "_fields"):
        return type(like)(*items)
    return list(items) if isinstance(like, list) else tuple(items)


def same_names(a: Any, b: Any) -> bool:
    """Whether two tuples call their parts the same, where they do."""
    return bool(getattr(a, "_fields", None) == getattr(b, "_fields", None))


def flatten(value: Any) -> list[tensor]:
    """Its tensors, in order."""
    if isinstance(value, tensor):
        return [value]
    if isinstance(value, composite):
        return value.get_parts()
    if isinstance(value, (tuple, list)):
        return [part for each in value for part in flatten(each)]
    return []


def rebuild(value: Any, parts: Iterator[tensor]) -> Any:
    """The same with other tensors, in the order of `flatten`."""
    if isinstance(value, tensor):
        return next(parts)
    if isinstance(value, composite):
        return value.with_parts([next(parts) for _ in value.get_parts()])
    if isinstance(value, (tuple, list)):
        return rebuild_sequence(value, [rebuild(each, parts) for each in value])
    return value


def has_structure(value: Any, like: Any) -> bool:
    """Whether it may stand where `like` stands: as many parts, of the same types and constants."""
    if isinstance(like, (tuple, list)) or isinstance(value, (tuple, list)):
        return (
            isinstance(like, (tuple, list))
            and isinstance(value, (tuple, list))
            and same_names(value, like)
            and len(value) == len(like)
            and all(has_structure(a, b) for a, b in zip(value, like, strict=True))
        )
    if isinstance(like, composite):
        return like.fits(value)
    if isinstance(like, tensor) and isinstance(value, tensor):
        return bool(value.type == like.type)
    return same_constant(value, like)


def same_constant(a: Any, b: Any) -> bool:
    """Whether both are known at compile time, and equal."""
    if is_runtime(a) or is_runtime(b):
        return False
    if a is b:
        return True
    try:
        return type(a) is type(b) and bool(a == b)
    except Exception:
        return False


def describe_kind(value: Any) -> str:
    """What it is, for messages."""
    if isinstance(value, tensor):
        return str(value.type)
    if isinstance(value, composite):
        return str(value.type)
    if isinstance(value, (tuple, list)):
        name = type(value).__name__ if hasattr(value, "_fields") else ""
        return name + "(" + ", ".join(describe_kind(each) for each in value) + ")"
    return repr(value)


# What the end of one branch writes, given its value.
Fit = Callable[[], tensor]


def fit_pair(a: Any, b: Any) -> tuple[Any, Fit, Fit] | None:
    """How two branches' values become one: its type, and for each branch what makes it.

    Equal types stay. A number takes the type of the other; a scalar becomes a tile of its type.
    Nothing where they do not fit.
    """

    def make(value: Any, kind: Any) -> Fit:
        def fit() -> tensor:
            if is_number(value):
                return constant(value, kind)
            return value if value.type == kind else splat(value, kind.shape)

        return fit

    kinds = [None if is_number(each) else each.type for each in (a, b)]
    if kinds[0] is None and kinds[1] is None:
        kind = to_kind(a, b)
    elif kinds[0] is None or kinds[1] is None:
        number, kind = (a, kinds[1]) if kinds[0] is None else (b, kinds[0])
        if not fits_number(number, kind):
            return None
    elif kinds[0] == kinds[1]:
        kind = kinds[0]
    elif kinds[0].scalar == kinds[1].scalar and kinds[0].is_block() != kinds[1].is_block():
        kind = kinds[0] if kinds[0].is_block() else kinds[1]
    else:
        return None
    return kind, make(a, kind), make(b, kind)


def to_kind(a: Any, b: Any) -> Any:
    """The type in which two numbers meet."""
    from tilewright.language.promotion import promote, type_of_number

    return promote(type_of_number(a), type_of_number(b))


def fits_number(number: Any, kind: Any) -> bool:
    """Whether a number of Python can take a type."""
    from tilewright.language.promotion import type_of_number

    return not kind.scalar.is_ptr() and type_of_number(number).kind() <= kind.scalar.kind()
