"""What programs of Triton say on the host, and what needs no saying here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_F = TypeVar("_F", bound=Callable[..., object])


def set_allocator(allocator: Callable[[int, int, int | None], object] | None) -> None:
    """Takes what would give memory to descriptors that kernels make: they need none.

    Args:
        allocator: A function of a size, an alignment and a stream. It is never called.
    """
    if allocator is not None and not callable(allocator):
        raise TypeError(f"set_allocator takes a function, not {allocator!r}")


def constexpr_function(fn: _F) -> _F:
    """A function of Python that kernels call with constants: they may call any.

    >>> @constexpr_function
    ... def half(n):
    ...     return n // 2
    """
    return fn
