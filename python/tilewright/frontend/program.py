"""A whole kernel: its arguments, its body, and the text that comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from tilewright import _core
from tilewright.errors import CompileError
from tilewright.frontend.errors import KernelError
from tilewright.frontend.names import find_name
from tilewright.frontend.statements import StatementVisitor
from tilewright.frontend.values import rebuild_sequence
from tilewright.function import KernelFunction
from tilewright.language.context import Context, emit_many, enter
from tilewright.language.descriptor import descriptor_arguments
from tilewright.language.tensor import tensor
from tilewright.language.types import dtype, parse_type, pointer_type, unwrap

#: The type of a parameter: "*fp32", "i32"; a tuple of them; "constexpr".
Signature = Any


class _Arguments:
    """The arguments of the kernel, in the order of the dialect."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.types: list[dtype] = []

    def add(self, name: str, entry: Signature) -> None:
        """A parameter, or each part of a tuple."""
        if isinstance(entry, (tuple, list)):
            fields = getattr(entry, "_fields", range(len(entry)))
            for field, part in zip(fields, entry, strict=True):
                self.add(f"{name}_{field}", part)
        elif entry != "constexpr":
            self.names.append(name)
            self.types.append(parse_type(entry))


def _make_value(entry: Signature, constant: Any, parts: Any) -> Any:
    if isinstance(entry, (tuple, list)):
        constants = constant if isinstance(constant, (tuple, list)) else [constant] * len(entry)
        values = [_make_value(e, c, parts) for e, c in zip(entry, constants, strict=True)]
        whole = rebuild_sequence(entry, values) if isinstance(entry, tuple) else tuple(values)
        return whole.make_value() if isinstance(whole, descriptor_arguments) else whole
    return unwrap(constant) if entry == "constexpr" else next(parts)


def _quote(names: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def _promises(types: Sequence[dtype]) -> str:
    """Arrays may be the same one, also behind block pointers and descriptors: a launch that knows
    better gets code of its own."""
    of_pointer = "tile.may_overlap"
    promises = [of_pointer if isinstance(kind, pointer_type) else "" for kind in types]
    return "[" + ", ".join(f"{{{promise}}}" for promise in promises) + "]"


def _check_names(visitor: StatementVisitor, function: KernelFunction) -> None:
    """PTX, and the command line, know ASCII only."""
    for name in (function.__name__, *(each.name for each in function.parameters)):
        if not name.isascii():
            visitor.refuse(
                function.source.tree,
                f"the names of a kernel and of its parameters have the letters a to z, digits and "
                f"_: '{name}' needs another",
            )


def _write_body(
    function: KernelFunction,
    signature: Sequence[Signature],
    constants: Mapping[str, Any],
    types: Sequence[dtype],
    context: Context,
) -> None:
    """The statements, with the parameters' values, in the region that is open."""
    source = function.source
    handles = context.builder.begin_region([kind.mlir for kind in types])
    parts = iter([tensor(handle, kind) for handle, kind in zip(handles, types, strict=True)])
    visitor = StatementVisitor(source, partial(find_name, function), {}, context, [function])
    context.options["visitor"] = visitor
    context.options["function"] = function
    _check_names(visitor, function)
    for each, entry in zip(function.parameters, signature, strict=True):
        constant = constants.get(each.name)
        value = visitor.guard(source.tree, _make_value, entry, constant, parts)
        visitor.names[each.name] = value
    returned = visitor.visit_body(source.tree.body)
    if returned is not None and returned.value is not None:
        node = visitor.returning or source.tree
        visitor.refuse(node, "a kernel returns nothing: store its results")
    emit_many("tile.return", [], [])


def _describe(
    function: KernelFunction,
    arguments: _Arguments,
    num_warps: int,
    num_stages: int,
    require: Sequence[str],
    begins_early: bool,
) -> list[tuple[str, str]]:
    """The attributes of the kernel."""
    inputs = ", ".join(kind.mlir for kind in arguments.types)
    return [
        ("sym_name", f'"{function.__name__}"'),
        ("function_type", f"({inputs}) -> ()"),
        ("arg_names", _quote(arguments.names)),
        ("arg_attrs", _promises(arguments.types)),
        ("num_warps", f"{num_warps} : i32"),
        ("num_stages", f"{num_stages} : i32"),
        *([("require", _quote(require))] if require else []),
        *([("begins_early", "unit")] if begins_early else []),
    ]


def compile_function(
    function: KernelFunction,
    signature: Sequence[Signature],
    constants: Mapping[str, Any],
    *,
    num_warps: int,
    num_stages: int,
    target: str,
    require: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
) -> str:
    """The tile program of a kernel for these types of its parameters.

    Args:
        signature: For each parameter its type, or "constexpr" where `constants` has its value.

    Raises:
        CompileError: The kernel is wrong; the error has the user's line.
    """
    source = function.source
    arguments = _Arguments()
    for parameter, entry in zip(function.parameters, signature, strict=True):
        arguments.add(parameter.name, entry)
    place = source.get_place(source.tree)
    builder = _core.IrBuilder(source.file, place.line, place.column)
    context = Context(builder, num_warps, target, dict(options or {}))
    with enter(context):
        try:
            _write_body(function, signature, constants, arguments.types, context)
        except KernelError as mistake:
            raise mistake.to_error() from mistake.__cause__
        except RecursionError:
            text = (
                f"'{function.__name__}' is nested too deeply: give parts of expressions names, and "
                "let fewer returns follow one another"
            )
            raise KernelError(text, place).to_error() from None
        region = builder.end_region()
        builder.set_place(place.line, place.column)
        begins_early = "begins_early" in context.options
        attributes = _describe(function, arguments, num_warps, num_stages, require, begins_early)
        builder.op("tile.kernel", [], [], attributes, [region])
    try:
        return builder.finish()
    except ValueError as error:
        raise CompileError(
            f"{place.file}:{place.line}: error: the front end wrote no legal program, which is a "
            f"mistake of its own:\n{error}"
        ) from None
