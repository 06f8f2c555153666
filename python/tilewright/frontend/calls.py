"""Calls: words, helpers, which become part of the kernel, and Python on constants."""

from __future__ import annotations

import ast
import types
from functools import partial
from typing import TYPE_CHECKING, Any

from tilewright.errors import CompileError
from tilewright.frontend.advice import describe_unknown_keyword
from tilewright.frontend.errors import KernelError
from tilewright.frontend.names import find_name
from tilewright.frontend.values import is_runtime
from tilewright.function import KernelFunction, find_helper
from tilewright.language import arithmetic
from tilewright.language import types as tl_types
from tilewright.language.program import device_print
from tilewright.language.tensor import tensor
from tilewright.language.types import unwrap

if TYPE_CHECKING:
    from tilewright.frontend.expressions import ExpressionVisitor


def _is_ours(function: Any) -> bool:
    """Whether it is a word, a method of a value, or a type of the language."""
    if getattr(function, "is_word", False):
        return True
    owner = getattr(function, "__self__", None)
    if isinstance(owner, (tensor, tl_types.dtype)):
        return True
    module = getattr(function, "__module__", None) or ""
    return module.startswith("tilewright.language") or module == "tilewright.sizes"


def _only_holds(function: Any) -> bool:
    """Whether a function of Python only holds values, or counts them."""
    return any(function is each for each in _HOLDERS) or (
        isinstance(function, type) and issubclass(function, tuple)
    )


_HOLDERS = (range, getattr, hasattr, len, list, zip, enumerate, reversed, type)


def _changes_its_owner(function: Any) -> bool:
    """Whether it is a method of a list or the like that does not only read."""
    owner = getattr(function, "__self__", None)
    reads = {"copy", "count", "get", "index", "items", "keys", "values"}
    return isinstance(owner, (list, dict, set)) and function.__name__ not in reads


def call(
    visitor: ExpressionVisitor,
    node: ast.Call,
    function: Any,
    arguments: list[Any],
    keywords: dict[str, Any],
) -> Any:
    """What a call gives."""
    helper = find_helper(function)
    if helper is not None:
        return _inline(visitor, node, helper, arguments, keywords)
    if function is min or function is max:
        return _call_extreme(visitor, node, function, arguments, keywords)
    if function is isinstance and len(arguments) == 2:
        return _is_instance(arguments[0], arguments[1])
    if function is print:
        return visitor.guard(node, device_print, *arguments, **keywords)
    if function is len and len(arguments) == 1 and isinstance(arguments[0], tensor):
        return _count_rows(visitor, node, arguments[0])
    if function is abs and is_runtime(arguments):
        return visitor.guard(node, arithmetic.abs, *arguments)
    if isinstance(function, tl_types.dtype):
        return visitor.guard(node, partial(arithmetic.cast, dtype=function), *arguments, **keywords)
    if not callable(function):
        shown = "a value of run time" if is_runtime(function) else repr(function)
        visitor.refuse(node.func, f"{shown} is no function")
    if _changes_its_owner(function):
        visitor.refuse(
            node, f"'{function.__name__}' changes a value in place: write a = a + [b], or a tuple"
        )
    takes_values = is_runtime(arguments) or is_runtime(list(keywords.values()))
    if takes_values and not _is_ours(function) and not _only_holds(function):
        name = getattr(function, "__name__", repr(function))
        visitor.refuse(
            node,
            f"'{name}' is a function of Python, which cannot take values of run time: "
            + _find_remedy(function, name),
        )
    if function is range:
        return _make_range(visitor, node, arguments, keywords)
    if keywords and _is_ours(function):
        wrong = describe_unknown_keyword(function, keywords)
        if wrong:
            visitor.refuse(node, wrong)
    return visitor.guard(node, function, *arguments, **keywords)


def _count_rows(visitor: ExpressionVisitor, node: ast.Call, value: tensor) -> Any:
    """len of a tile."""
    if not value.shape:
        is_pointer = value.dtype.is_ptr()
        instead = "a pointer has no length: pass the extent of its array as an argument"
        visitor.refuse(node, instead if is_pointer else "len of a scalar")
    return value.shape[0]


_CASTS = {"float": "x.to(tl.float32)", "int": "x.to(tl.int32)", "bool": "x != 0"}


def _find_remedy(function: Any, name: str) -> str:
    """What to write in place of a function of Python."""
    import tilewright.language as words

    if isinstance(function, types.FunctionType):
        return "put @tilewright.jit before its definition"
    if name in _CASTS:
        return f"write {_CASTS[name]}"
    if getattr(getattr(words, name, None), "is_word", False):
        return f"write tl.{name}"
    return "write it with words of tilewright.language"


def _make_range(
    visitor: ExpressionVisitor, node: ast.Call, arguments: list[Any], keywords: dict[str, Any]
) -> Any:
    from tilewright.language.program import range as tl_range

    if not 1 <= len(arguments) <= 3 or set(keywords) - {"step"}:
        visitor.refuse(node, "range takes an end, or a start and an end, and a step")
    return visitor.guard(node, tl_range, *arguments, **keywords)


def _call_extreme(
    visitor: ExpressionVisitor,
    node: ast.Call,
    function: Any,
    arguments: list[Any],
    keywords: dict[str, Any],
) -> Any:
    """min and max of Python: of constants, or of two and more values."""
    if not is_runtime(arguments):
        return visitor.guard(node, function, *arguments, **keywords)
    word = arithmetic.minimum if function is min else arithmetic.maximum
    if len(arguments) < 2 or keywords:
        visitor.refuse(node, f"{function.__name__} of one tile is tl.{function.__name__}")
    result = arguments[0]
    for each in arguments[1:]:
        result = visitor.guard(node, word, result, each)
    return result


def _is_instance(value: Any, kinds: Any) -> bool:
    """What Python's isinstance says, but that constants are of class tl.constexpr too."""
    wanted = kinds if isinstance(kinds, tuple) else (kinds,)
    if tl_types.constexpr in wanted and not is_runtime(value):
        return True
    return isinstance(value, tuple(kind for kind in wanted if isinstance(kind, type)))


#: Bodies of functions in a kernel: more would be compiled for hours.
_MAX_CALLS = 2**14


def _inline(
    visitor: ExpressionVisitor,
    node: ast.Call,
    helper: KernelFunction,
    arguments: list[Any],
    keywords: dict[str, Any],
) -> Any:
    """Puts the body of a helper in the place of its call."""
    if helper in visitor.active:
        visitor.refuse(
            node, f"'{helper.__name__}' calls itself: kernels have no recursion; write a loop"
        )
    if len(visitor.active) > 64:
        visitor.refuse(node, "more than 64 calls are in each other here")
    visitor.context.calls += 1
    if visitor.context.calls > _MAX_CALLS:
        visitor.refuse(
            node,
            f"more than {_MAX_CALLS} calls become part of the kernel: a function does so as often "
            "as it is called, also by functions and in loops that are unrolled",
        )
    names = _bind(visitor, node, helper, arguments, keywords)
    visitor.mark(node)
    try:
        return run_function(helper, names, visitor)
    except KernelError as mistake:
        mistake.callers.append(visitor.source.get_place(node))
        raise
    except CompileError as error:
        visitor.refuse(node, str(error))


def _bind(
    visitor: ExpressionVisitor,
    node: ast.Call,
    helper: KernelFunction,
    arguments: list[Any],
    keywords: dict[str, Any],
) -> dict[str, Any]:
    try:
        bound = helper.signature.bind(*arguments, **keywords)
    except TypeError as error:
        unknown = [name for name in keywords if name not in helper.signature.parameters]
        why = f"there is no parameter '{unknown[0]}'" if unknown else str(error)
        visitor.refuse(node, f"{why}: it is {helper.__name__}{helper.signature}")
    bound.apply_defaults()
    # As in Triton, a parameter of a helper may be called tl.constexpr and get a value of run time:
    # what needs a constant says so.
    return {each.name: unwrap(bound.arguments[each.name]) for each in helper.parameters}


def run_function(helper: KernelFunction, names: dict[str, Any], visitor: ExpressionVisitor) -> Any:
    """Carries out a helper's body with these arguments; gives what it returns."""
    from tilewright.frontend.statements import StatementVisitor

    source = helper.source
    visitor.builder.enter_call(source.file)
    try:
        inner = StatementVisitor(
            source, partial(find_name, helper), names, visitor.context, [*visitor.active, helper]
        )
        inner.mark(source.tree)
        outer = visitor.context.options.get("visitor")
        visitor.context.options["visitor"] = inner
        try:
            returned = inner.visit_body(source.tree.body)
        finally:
            visitor.context.options["visitor"] = outer
    finally:
        visitor.builder.leave_call()
    return None if returned is None else returned.value
