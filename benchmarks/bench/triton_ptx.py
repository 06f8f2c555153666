"""Triton's PTX, made without a GPU, in a form that tile-run --code takes for one of our kernels.

This is generated on demand and kept nowhere.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gputools.tools import ToolError

_TYPES = {"f16": "fp16", "bf16": "bf16", "f32": "fp32", "f64": "fp64", "i8": "i8", "i32": "i32"}
_ENTRY = re.compile(r"\.entry\s+(?P<name>\w+)\s*\((?P<parameters>[^)]*)\)")
_DYNAMIC_SHARED = re.compile(r"\.extern(?P<variable>\s+\.shared\s[^;\[]*)\[\s*\]\s*;")
# Triton appends pointers to a scratch buffer and a profiler's.
_EXTRA_PARAMETERS = 2


def import_triton() -> Any:
    try:
        return importlib.import_module("triton")
    except ImportError as error:
        raise ToolError(
            f"this needs Triton, which compiles without a GPU: pip install triton ({error})"
        ) from error


@dataclass(frozen=True)
class TritonKernel:
    """One of bench/triton_layouts.py, and what it is compiled with."""

    name: str
    constants: Mapping[str, Any]
    num_warps: int
    num_stages: int
    # Compute capability: 80 or 90.
    capability: int


def signature_of(
    names: Sequence[str], arguments: Sequence[Mapping[str, Any]], constants: Mapping[str, Any]
) -> tuple[dict[str, str], dict[tuple[int], list[list[Any]]]]:
    """Triton's types and promises of divisibility, from those of our kernel's report. `names`: of
    Triton's parameters, where the constants stand last."""
    runtime = [name for name in names if name not in constants]
    if len(runtime) != len(arguments):
        raise ToolError(f"Triton's kernel takes {', '.join(runtime)}, ours {len(arguments)} values")
    signature = {}
    promises = {}
    for index, (name, argument) in enumerate(zip(runtime, arguments, strict=True)):
        kind = argument["type"]
        signature[name] = f"*{_TYPES[kind]}" if argument["is_pointer"] else kind
        # Triton knows one divisor only, and of pointers it is in bytes, as is ours.
        if argument["divisibility"] % 16 == 0:
            promises[index,] = [["tt.divisibility", 16]]
    signature |= dict.fromkeys(constants, "constexpr")
    return signature, promises


def adapt(ptx: str, entry: str, count: int, shared_bytes: int, dynamic_bytes: int) -> str:
    """The module as our runner launches a kernel of ours: with its one kernel called `entry`, its
    first `count` parameters, and `dynamic_bytes` of dynamic shared memory; where these are too few,
    the size stands in the code."""
    found = _ENTRY.findall(ptx)
    if len(found) != 1:
        raise ToolError(f"Triton's PTX has {len(found)} kernels, not one")
    parameters = found[0][1].split(",")
    if len(parameters) != count + _EXTRA_PARAMETERS:
        raise ToolError(
            f"Triton's kernel has {len(parameters)} parameters, not {count} and "
            f"{_EXTRA_PARAMETERS} of Triton's own: this version is not known here"
        )
    for parameter in parameters[count:]:
        extra = parameter.split()[-1]
        if f"[{extra}]" in ptx:
            raise ToolError(f"Triton's kernel reads its own parameter {extra}")
    kept = ",".join(parameters[:count])
    head = f".entry {entry}({kept}\n)"
    ptx = _ENTRY.sub(lambda _: head, ptx)
    # What follows the code is for debuggers.
    ptx = re.split(r"^\s*\.section\b", ptx, maxsplit=1, flags=re.MULTILINE)[0]
    if dynamic_bytes >= shared_bytes:
        return ptx
    return _DYNAMIC_SHARED.sub(lambda found: f"{found['variable']}[{shared_bytes}];", ptx)


def compile_for(
    kernel: TritonKernel, entry: str, arguments: Sequence[Mapping[str, Any]], dynamic_bytes: int
) -> tuple[str, int]:
    """PTX that stands in for our kernel `entry` with these arguments and so much dynamic shared
    memory, and the shared bytes that it needs."""
    triton = import_triton()
    compiler = importlib.import_module("triton.compiler")
    backends = importlib.import_module("triton.backends.compiler")
    function = getattr(importlib.import_module("bench.triton_layouts"), kernel.name)
    signature, promises = signature_of(function.arg_names, arguments, kernel.constants)
    source = compiler.ASTSource(
        function, signature=signature, constexprs=dict(kernel.constants), attrs=promises
    )
    compiled = triton.compile(
        source,
        target=backends.GPUTarget("cuda", kernel.capability, 32),
        options={"num_warps": kernel.num_warps, "num_stages": kernel.num_stages},
    )
    shared_bytes = compiled.metadata.shared
    ptx = adapt(compiled.asm["ptx"], entry, len(arguments), shared_bytes, dynamic_bytes)
    return ptx, shared_bytes
