"""What to write in place of a name that is not there."""

from __future__ import annotations

import builtins
import inspect
import re
from collections.abc import Iterable
from functools import cache
from types import ModuleType
from typing import Any

from tilewright import _core

# What to write in place of a word of Triton that is none here, or of PyTorch, NumPy or CUDA.
_INSTEAD = {
    "extract_slice": "tl.split cuts a tile in two, tl.gather takes elements by their numbers",
    "mean": "write tl.sum(x, axis) / n",
    "any": "write tl.max(x, axis)",
    "all": "write tl.min(x, axis)",
    "prod": "write tl.reduce with a function that multiplies",
    "matmul": "write tl.dot",
    "transpose": "write tl.trans, or tl.permute",
    "concat": "write tl.cat",
    "concatenate": "write tl.cat",
    "stack": "write tl.join",
    "clip": "write tl.clamp",
    "relu": "write tl.maximum(x, 0)",
    "sign": "write tl.where(x > 0, 1, tl.where(x < 0, -1, 0))",
    "square": "write x * x",
    "ones": "write tl.full(shape, 1, dtype)",
    "empty": "write tl.zeros(shape, dtype)",
    "inf": 'write float("inf")',
    "nan": 'write float("nan")',
    "astype": "write x.to(dtype)",
    "item": "a scalar is a value as it is",
    "stride": "strides of arrays are parameters of the kernel",
    "barrier": "write tl.debug_barrier()",
    "syncthreads": "write tl.debug_barrier()",
    "bool": "write tl.int1",
    "int": "write tl.int32",
    "long": "write tl.int64",
    "half": "write tl.float16",
    "float": "write tl.float32",
    "double": "write tl.float64",
}

# The same of functions of CUDA's libdevice, by patterns of their names; of what is none of these
# the nearest name helps.
_LIBDEVICE_INSTEAD = {
    "jn|yn": "libdevice.j0, j1, y0 and y1 are there; those of a higher order are not",
    "isfinite": "write libdevice.isfinited",
    "logb": "write libdevice.ilogb(x).to(tl.float32)",
    "remainder": "write x - libdevice.rint(x / y) * y, or libdevice.fmod",
    "sincos|fast_sincosf": "write libdevice.sin and libdevice.cos",
    "sqrt_r[zdu]|rsqrt_rn|(add|sub|mul|div|rcp|fma)_r[zdu]": "results are rounded to nearest only",
    "fma_rn": "write tl.fma",
    "rcp64h": "write 1 / x",
    "(float|double|half|u?int|u?ll)2(float|double|half|u?int|u?ll)(_r[nzdu])?": (
        "write x.to(dtype), behind libdevice.rint, floor or ceil where it rounds in another way "
        "than the cast"
    ),
    "hiloint2double|double2(lo|hi)int": "write x.to(dtype, bitcast=True), and shifts",
    "u?mul24|u?sad|u?r?hadd|u?mul64hi|u?mulhi64": "write the formula, in wider integers",
    "byte_perm": "write shifts and &, or prmt.b32 by tl.inline_asm_elementwise",
}


def _describe_function_of_cuda(name: str) -> str:
    for pattern, instead in _LIBDEVICE_INSTEAD.items():
        if re.fullmatch(pattern, name):
            return f": {instead}"
    return ""


def describe_missing(owner: Any, name: str) -> str:
    """What follows "has no 'name'", from the colon on; empty where nothing helps."""
    from tilewright import language

    is_of_language = isinstance(owner, ModuleType) and owner.__name__.startswith(language.__name__)
    if (is_of_language or isinstance(owner, language.tensor)) and name in _INSTEAD:
        return f": {_INSTEAD[name]}"
    if is_of_language and hasattr(language.libdevice, name):
        return f": write libdevice.{name}, from tilewright.language.extra"
    if is_of_language and name in language.__all__:
        return f": write tl.{name}"
    if owner is language.libdevice and (instead := _describe_function_of_cuda(name)):
        return instead
    if not hasattr(owner, "__dict__"):
        return ""
    names = [each for each in dir(owner) if not each.startswith("_")]
    return _core.suggest_name(name, names)


def describe_runtime_index(owner: Any) -> str:
    """What is wrong with an index that is known at run time only."""
    from tilewright.language import shapes, tensor

    if not isinstance(owner, tensor):
        return "an index is a constant, and this is a value of run time"
    if owner.type.scalar.is_ptr():
        return shapes.POINTER_INDEX
    return "an index is a constant: an element of a tile is got by tl.where and tl.sum"


def check_place(values: tuple[Any, ...], index: int) -> None:
    """Raises:
    ValueError: The tuple has no such place.
    """
    if not -len(values) <= index < len(values):
        hint = "" if values else "; that of a pointer or a number has none: pass extents of arrays"
        raise ValueError(f"a tuple or a shape of {len(values)} has no place {index}{hint}")


def describe_undefined(name: str, known: Iterable[str]) -> str:
    """What follows "is not defined", where these names are."""
    from tilewright import language

    if hasattr(builtins, name) and name in language.__all__:
        return f": kernels do not have that function of Python; write tl.{name}"
    if name in language.__all__:
        return f": write tl.{name}"
    meant: str = _core.suggest_name(name, list(known))
    if meant or not hasattr(builtins, name):
        return meant
    return (
        ": kernels do not have that function of Python; one without @tilewright.jit that uses it "
        "may be called on constants"
    )


@cache
def _list_parameters(word: Any) -> tuple[list[str], bool]:
    """The names of what a word takes, and whether it takes others, too."""
    parameters = inspect.signature(word).parameters.values()
    takes_any = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters)
    return [each.name for each in parameters if each.name != "self"], takes_any


def describe_unknown_keyword(word: Any, keywords: Iterable[str]) -> str:
    """What is wrong with a call of a word by names of arguments that it does not have, or ""."""
    known, takes_any = _list_parameters(getattr(word, "__func__", word))
    unknown = [] if takes_any else [name for name in keywords if name not in known]
    if not unknown:
        return ""
    meant = _core.suggest_name(unknown[0], known) or f"; it takes {', '.join(known)}"
    return f"{word.__name__} has no argument '{unknown[0]}'{meant}"
