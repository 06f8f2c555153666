"""What to write in place of a name that is not there."""

from __future__ import annotations

import builtins
from types import ModuleType
from typing import Any

from tilewright import _core

# Words of Triton that are none here.
_INSTEAD = {
    "extract_slice": "tl.split cuts a tile in two, tl.gather takes elements by their numbers",
}


def describe_missing(owner: Any, name: str) -> str:
    """What follows "has no 'name'", from the colon on; empty where nothing helps."""
    from tilewright import language

    is_of_language = isinstance(owner, ModuleType) and owner.__name__.startswith(language.__name__)
    if is_of_language and name in _INSTEAD:
        return f": {_INSTEAD[name]}"
    if is_of_language and hasattr(language.libdevice, name):
        return f": write libdevice.{name}, from tilewright.language.extra"
    if is_of_language and name in language.__all__:
        return f": write tl.{name}"
    if not hasattr(owner, "__dict__"):
        return ""
    names = [each for each in dir(owner) if not each.startswith("_")]
    return _core.suggest_name(name, names)


def describe_undefined(name: str) -> str:
    """What follows "is not defined"."""
    from tilewright import language

    if hasattr(builtins, name) and name in language.__all__:
        return f": kernels do not have that function of Python; write tl.{name}"
    return ""
