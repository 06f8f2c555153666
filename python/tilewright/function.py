"""A function of Python that becomes a kernel, or a part of one, as it stands in its file.

The cache on disk and the front end go by it; `jit_function.py`, above both, compiles it.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tilewright import _core
from tilewright.language.types import constexpr, dtype
from tilewright.source import FunctionSource, parse_source, read_lines


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel or of a helper."""

    name: str
    kind: Any
    default: Any
    is_constexpr: bool
    #: What its annotation says of its type: "i64", or nothing.
    type_name: str
    do_not_specialize: bool
    do_not_specialize_on_alignment: bool


def _is_constexpr(annotation: Any, names: Mapping[str, Any]) -> bool:
    if isinstance(annotation, str):
        return "constexpr" in annotation or names.get(annotation) is constexpr
    return annotation is constexpr or isinstance(annotation, constexpr)


def _type_name(annotation: Any) -> str:
    """The type that an annotation gives a scalar: tl.int64, "i64", "tl.int64"."""
    if isinstance(annotation, str):
        return annotation
    if isinstance(annotation, dtype) and not annotation.is_block() and not annotation.is_ptr():
        return annotation.name
    return ""


def _describe(parameter: Parameter) -> tuple[Any, ...]:
    """A parameter as the dispatcher takes it."""
    default = parameter.default
    return (
        parameter.name,
        parameter.is_constexpr,
        parameter.do_not_specialize,
        parameter.do_not_specialize_on_alignment,
        _core.REQUIRED if default is inspect.Parameter.empty else default,
        parameter.type_name,
    )


def _names(option: Any, parameters: Sequence[str]) -> set[str]:
    """Parameters by name or number."""
    chosen = [option] if isinstance(option, (str, int)) else option or ()
    for each in chosen:
        if isinstance(each, int) and not 0 <= each < len(parameters):
            raise ValueError(
                f"there are {len(parameters)} parameters, and none has the number {each}"
            )
    return {parameters[each] if isinstance(each, int) else str(each) for each in chosen}


class KernelFunction(_core.Dispatcher):
    """Its parameters, its source, and where its names have their values.

    `JITFunction` is the one class of these: who stands below it knows it by this name.
    """

    # For the dispatcher: as an argument it is part of the code, wherever it is given.
    __tilewright_constant__ = True

    def __init__(
        self,
        fn: Callable[..., Any],
        do_not_specialize: Any = None,
        do_not_specialize_on_alignment: Any = None,
    ) -> None:
        if not isinstance(fn, types.FunctionType):
            raise TypeError(f"@tilewright.jit stands before a function, not before {fn!r}")
        self.fn = fn
        self._lines = read_lines(fn)
        functools.update_wrapper(self, fn)
        self.__name__: str = fn.__name__
        self.__qualname__: str = fn.__qualname__
        self.signature = inspect.signature(fn)
        names = list(self.signature.parameters)
        for each in self.signature.parameters.values():
            if each.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
                raise TypeError(
                    f"'{fn.__name__}' has the parameter '{each}': kernels have names for all of "
                    "them; several values together are a tuple"
                )
        unspecialized = _names(do_not_specialize, names)
        unaligned = _names(do_not_specialize_on_alignment, names)
        unknown = (unspecialized | unaligned) - set(names)
        if unknown:
            raise ValueError(f"do_not_specialize: {self.describe_missing(min(unknown))}")
        self.parameters = [
            Parameter(
                each.name,
                each.kind,
                each.default,
                _is_constexpr(each.annotation, fn.__globals__),
                _type_name(each.annotation),
                each.name in unspecialized,
                each.name in unaligned,
            )
            for each in self.signature.parameters.values()
        ]
        super().__init__(fn.__name__, [_describe(each) for each in self.parameters], self._compile)

    def _compile(
        self, signature: Sequence[Any], constants: Mapping[str, Any], options: Mapping[str, Any]
    ) -> Any:
        """Makes the kernel for these types and constants."""
        raise NotImplementedError

    @property
    def arg_names(self) -> list[str]:
        """The names of its parameters, in order."""
        return list(self.signature.parameters)

    def describe_missing(self, name: str) -> str:
        """That there is no such parameter, and which one may be meant."""
        meant = _core.suggest_name(name, self.arg_names)
        return f"'{self.fn.__name__}' has no parameter '{name}'{meant}"

    @cached_property
    def source(self) -> FunctionSource:
        """Its syntax tree, parsed when it is first needed."""
        return parse_source(self.fn, self._lines)

    @cached_property
    def _cells(self) -> Mapping[str, Any]:
        """The variables of functions around this one."""
        return dict(zip(self.fn.__code__.co_freevars, self.fn.__closure__ or (), strict=True))

    def is_cell(self, name: str) -> bool:
        """Whether it is a variable of a function around this one."""
        return name in self._cells

    def find_owner(self, name: str) -> tuple[Any, Any] | None:
        """Where a name that is not local has its value, and the value.

        The owner is a cell or a dictionary of globals; nothing where it is Python's own.
        """
        if name in self._cells:
            cell = self._cells[name]
            try:
                return cell, cell.cell_contents
            except ValueError:
                return None
        if name in self.fn.__globals__:
            return self.fn.__globals__, self.fn.__globals__[name]
        return (None, getattr(builtins, name)) if hasattr(builtins, name) else None

    def list_outer_names(self) -> list[str]:
        """The names that are not local and have a value, but those of Python's own."""
        return [*self._cells, *self.fn.__globals__]


def find_helper(function: Any) -> KernelFunction | None:
    """The function with @jit that is meant, through autotune and heuristics around it."""
    while not isinstance(function, KernelFunction):
        inner = getattr(function, "fn", None)
        if inner is None or not getattr(function, "is_launcher", False):
            return None
        function = inner
    return function


def is_watched(value: Any) -> bool:
    """Whether launches ask if a variable with this value still has it: all but modules."""
    return not isinstance(value, types.ModuleType)


def is_fixed(value: Any) -> bool:
    """Whether nothing in it can be changed but attributes, of which launches ask by name."""
    if isinstance(value, tuple):
        return all(is_fixed(each) for each in value)
    return isinstance(value, type) or not (isinstance(value, set) or hasattr(value, "__setitem__"))
