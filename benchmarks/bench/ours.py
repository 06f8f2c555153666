"""Tilewright's kernels as contenders: compiled by tile-compile, launched through the driver."""

from __future__ import annotations

import ast
import ctypes
import math
import operator
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.cuda import Driver
from bench.problem import US, Contender, Problem, Tensors, Variant
from bench.tensor_maps import make_tensor_map
from gputools.tools import ToolError, compile_kernel

_OPERATORS: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    # Sizes are not negative: rounding down is rounding toward zero.
    ast.Div: operator.floordiv,
    ast.Mod: operator.mod,
}
_FUNCTIONS: dict[str, Callable[..., int]] = {
    "ceildiv": lambda a, b: -(-a // b),
    "min": min,
    "max": max,
}


def evaluate(text: str, values: Mapping[str, float]) -> int:
    """An extent of a grid, in a kernel's index notation: ceildiv(M, 64) * ceildiv(N, 64)."""

    def visit(node: ast.AST) -> int:
        match node:
            case ast.Expression(body=body):
                return visit(body)
            case ast.Constant(value=int(value)):
                return value
            case ast.Name(id=name) if name in values:
                return int(values[name])
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _OPERATORS[type(op)](visit(left), visit(right))
            case ast.Call(func=ast.Name(id=name), args=args) if name in _FUNCTIONS:
                return _FUNCTIONS[name](*map(visit, args))
        raise ToolError(f"cannot evaluate the grid '{text}' with {dict(values)}")

    try:
        return visit(ast.parse(text, mode="eval"))
    except (SyntaxError, ZeroDivisionError, TypeError) as error:
        raise ToolError(f"cannot evaluate the grid '{text}': {error}") from error


@dataclass(frozen=True)
class Compiled:
    """A variant's PTX and report."""

    variant: Variant
    ptx: str
    report: dict[str, Any]

    @property
    def code(self) -> str:
        """The PTX without the name of the source, which says nothing of what it does."""
        return "".join(
            line for line in self.ptx.splitlines(True) if not line.lstrip().startswith(".file")
        )

    def grid(self, problem: Problem) -> list[int]:
        extents = [evaluate(text, problem.scalars) for text in self.report["grid"]]
        return extents + [1] * (3 - len(extents))


def compile_variant(problem: Problem, variant: Variant, target: str) -> Compiled:
    args = " ".join(f"{name}={value}" for name, value in problem.scalars.items())
    with tempfile.TemporaryDirectory() as folder:
        source = variant.source
        if variant.text:
            source = Path(folder) / "variant.mlir"
            source.write_text(variant.text)
        ptx, report = compile_kernel(
            source, args, target=target, layout=variant.layout, num_warps=variant.num_warps
        )
    return Compiled(variant, ptx, report)


def compile_variants(
    problem: Problem, variants: list[Variant], target: str
) -> tuple[list[Compiled], dict[str, str]]:
    """All that differ (of variants with the same code, the first), and why others have no code:
    too large a tile, for one."""
    compiled: dict[str, Compiled] = {}
    failed = {}
    for variant in variants:
        try:
            one = compile_variant(problem, variant, target)
        except ToolError as error:
            failed[f"{US} {variant.describe()}"] = str(error)
            continue
        compiled.setdefault(one.code, one)
    return list(compiled.values()), failed


_FLOATS: dict[str, Callable[[Any], Any]] = {"f32": ctypes.c_float, "f64": ctypes.c_double}
_INTEGERS: dict[int, Callable[[Any], Any]] = {
    1: ctypes.c_int8,
    2: ctypes.c_int16,
    4: ctypes.c_int32,
    8: ctypes.c_int64,
}


def make_arguments(problem: Problem, tensors: Tensors, report: Mapping[str, Any]) -> list[Any]:
    """The kernel's arguments in its order, checked against what the code relies on."""
    values = []
    for argument in report["arguments"]:
        name = argument["name"]
        if argument["is_pointer"]:
            value: Any = ctypes.c_uint64(tensors.by_name[name].data_ptr())
        elif argument["type"] in _FLOATS:
            value = _FLOATS[argument["type"]](problem.scalars[name])
        else:
            value = _INTEGERS[argument["bytes"]](problem.scalars[name])
        divisibility = argument["divisibility"]
        if divisibility > 1 and value.value % divisibility:
            raise ToolError(
                f"{name} is {value.value}, but the code needs a multiple of {divisibility}"
            )
        values.append(value)
    return values


def make_contender(torch: Any, problem: Problem, tensors: Tensors, compiled: Compiled) -> Contender:
    launch_facts = compiled.report["launch"]
    driver = Driver()
    function = driver.load(
        compiled.ptx, compiled.report["kernel"], launch_facts["dynamic_shared_bytes"]
    )
    arguments = make_arguments(problem, tensors, compiled.report)
    # Not in reports of old versions, nor what is asked for below.
    maps = [
        make_tensor_map(driver, each, arguments) for each in launch_facts.get("tensor_maps", [])
    ]
    grid = compiled.grid(problem)
    programs: list[Any] = []
    # Blocks that run several programs each, of which a multiprocessor has room for one.
    if launch_facts.get("persistent"):
        programs = [ctypes.c_uint32(extent) for extent in grid]
        most = torch.cuda.get_device_properties(0).multi_processor_count
        grid = [min(math.prod(grid), most), 1, 1]
    # Or at once.
    at_once = launch_facts.get("block_programs", [1, 1, 1])
    if math.prod(at_once) > 1:
        programs = [ctypes.c_uint32(extent) for extent in grid]
        grid = [-(-extent // count) for extent, count in zip(grid, at_once, strict=True)]
    launch = function.bind(
        grid,
        launch_facts["threads"],
        [*arguments, *maps, *programs],
        torch.cuda.current_stream().cuda_stream,
    )
    return Contender(US, compiled.variant.describe(), launch)


def variants_of(
    problem: Problem, layouts: list[str], warps: list[int], tiles: list[str]
) -> list[Variant]:
    """All combinations; the kernel's own tiles first. 0 warps: as the kernel says."""
    bases = [Variant(problem.source)]
    bases += [variant for tile in tiles if (variant := problem.tile_variant(tile))]
    return [
        Variant(base.source, layout, count, base.text, base.config)
        for base in bases
        for layout in layouts
        for count in warps
    ]
