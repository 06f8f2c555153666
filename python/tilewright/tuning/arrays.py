"""Arrays that are as they were after kernels wrote to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def _detach(array: Any) -> Any:
    """The same memory, without PyTorch's account of gradients."""
    return array.detach() if hasattr(array, "detach") else array


def _clone(array: Any) -> Any:
    """A copy of an array of PyTorch, CuPy or NumPy.

    Raises:
        TypeError: It has no method that copies.
    """
    array = _detach(array)
    if hasattr(array, "clone"):
        try:
            return array.clone()
        except RuntimeError:
            # The GPU's memory is full.
            return array.cpu()
    if hasattr(array, "copy"):
        return array.copy()
    raise TypeError("it has neither clone() nor copy()")


def _overwrite(array: Any, values: Any) -> None:
    array = _detach(array)
    if hasattr(array, "copy_"):
        array.copy_(values)
    else:
        array[...] = values


def set_to_zero(array: Any) -> None:
    """Makes all elements 0."""
    array = _detach(array)
    if hasattr(array, "zero_"):
        array.zero_()
    else:
        array[...] = 0


class SavedArrays:
    """What arguments had in them before anything was tried."""

    def __init__(self, named: Mapping[str, Any]) -> None:
        self._named = named
        self._saved: dict[str, Any] = {}

    def save(self, names: Iterable[str], is_asked: bool) -> None:
        """Keeps what is in these, unless it is kept already.

        Args:
            is_asked: The user named them, and is told where one cannot be copied.
        """
        for name in names:
            array = self._named.get(name)
            if name in self._saved or array is None:
                continue
            try:
                self._saved[name] = _clone(array)
            except TypeError as error:
                if is_asked:
                    raise TypeError(f"'{name}' cannot be restored: {error}") from None

    def put_back(self, names: Iterable[str] | None = None) -> None:
        """Writes what was kept into these arrays, or into all."""
        for name in self._saved if names is None else names:
            if name in self._saved:
                _overwrite(self._named[name], self._saved[name])
