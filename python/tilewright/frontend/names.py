"""What the names of a kernel stand for that are none of its own, and which of them are watched."""

from __future__ import annotations

import builtins
from typing import Any

from tilewright.function import KernelFunction, is_fixed, is_watched
from tilewright.language.context import current

_BUILTIN_NAMES = (
    "abs bool dict enumerate float getattr hasattr int isinstance len list max min print range "
    "reversed round str tuple type zip True False None"
)
_BUILTINS = {
    name: getattr(builtins, name) for name in _BUILTIN_NAMES.split() if hasattr(builtins, name)
}


def check_fixed(value: Any, shown: str) -> None:
    """Raises NameError where what a variable has may change, and nobody would see it."""
    if not is_fixed(value):
        raise NameError(
            f"'{shown}' is a {type(value).__name__}, whose changes a compiled kernel would not "
            "see: pass what the kernel needs of it as a parameter, or make that a constant by "
            "tl.constexpr()"
        )


def watch(owner: Any, name: str, value: Any, shown: str) -> None:
    """Has the kernel that is being compiled ask at each launch whether a variable is what it was.

    Args:
        owner: A dictionary of globals, or what has the attribute `name`.
        shown: What the kernel calls it.
    """
    if is_watched(value):
        current().options.setdefault("watched", []).append((owner, name))
        current().options["function"].watch(owner, name, value, shown)


def find_name(function: KernelFunction, name: str) -> Any:
    """What a name that is not local stands for; KeyError where it is nothing.

    Numbers and strings are constants of the kernel only as tl.constexpr: it does not see them
    change.
    """
    found = function.find_owner(name)
    if found is None and function.is_cell(name):
        raise NameError(f"'{name}' of the function around has no value yet")
    if found is None or found[0] is None:
        return _BUILTINS[name]
    owner, value = found
    plain = isinstance(value, (bool, int, float, str, tuple, list, dict, set))
    if plain and not name.startswith("__"):
        raise NameError(
            f"'{name}' is a variable of Python, whose changes a compiled kernel would not see: "
            f"make it a constant, {name} = tl.constexpr({value!r}), or pass it as a parameter"
        )
    check_fixed(value, name)
    watch(owner, name if isinstance(owner, dict) else "cell_contents", value, name)
    return value
