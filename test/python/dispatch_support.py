"""Kernels that are Python functions, without the part that is Python: a compile() that writes the
text of a kernel by its signature, and keeps what it was asked."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from package_support import import_package

tilewright = import_package()
core = tilewright._core

MLIR_TYPES = {
    **{name: name for name in ("i1", "i8", "i16", "i32", "i64")},
    **{f"u{bits}": f"i{bits}" for bits in (8, 16, 32, 64)},
    "fp16": "f16",
    "bf16": "bf16",
    "fp32": "f32",
    "fp64": "f64",
    "fp8e4nv": "f8E4M3FN",
    "fp8e5": "f8E5M2",
}


def mlir_type(name):
    """That of an argument in compiled code."""
    if name == "*i1":  # A truth value in memory is a byte.
        return "!tile.ptr<i8>"
    return f"!tile.ptr<{MLIR_TYPES[name[1:]]}>" if name.startswith("*") else MLIR_TYPES[name]


def parameter(name, constexpr=False, default=core.REQUIRED, annotation="", fixed=(False, False)):
    """As the front end describes a parameter; `fixed`: do_not_specialize, and the same of the
    alignment alone."""
    return (name, constexpr, *fixed, default, annotation)


class Compiler:
    """A compile() for a body of MLIR, in which the constants stand in braces."""

    def __init__(self, names, body, target="sm_80"):
        self.names, self.body, self.target = names, body, target
        self.calls = []

    def __call__(self, signature, constants, options):
        self.calls.append((signature, constants, options))
        arguments = ", ".join(
            f"%{name}: {mlir_type(kind)}"
            for name, kind in zip(self.names, signature, strict=True)
            if kind != "constexpr"
        )
        body = self.body(dict(zip(self.names, signature, strict=True)), constants)
        return compile_text(
            f"tile.kernel @kernel({arguments}) {{\n{body}\n  tile.return\n}}",
            options.get("target", self.target),
            options.get("num_warps", 0),
        )


def compile_text(text, target="sm_80", num_warps=0):
    return core.compile_kernel(
        source=text.encode(),
        name="kernel.mlir",
        target=target,
        kernel="",
        shared_layout="auto",
        num_warps=num_warps,
        num_stages=0,
        warpgroup_dots=True,
        optimize=True,
        divisibility=[],
        specialize=True,
        lazy=True,
    )


def scale_body(types, constants):
    """y[i] = factor * x[i] for i < n, by pointers."""
    block, element = constants["BLOCK"], MLIR_TYPES[types["x"][1:]]
    size = (
        f"arith.constant {constants['n']} : index"
        if "n" in constants
        else f"arith.index_cast %n : {types['n']} to index"
    )
    factor = (
        f"arith.constant {float(constants['factor'])} : {element}"
        if "factor" in constants
        else "arith.addf %factor, %zero : f32"
    )
    pointers = f"tensor<{block}x!tile.ptr<{element}>>"
    index = f"tensor<{block}xindex>"
    return f"""
  %zero = arith.constant -0.0 : f32
  %size = {size}
  %scale = {factor}
  %block = arith.constant {block} : index
  %program = tile.program_id 0
  %start = arith.muli %program, %block : index
  %starts = tile.splat %start : index -> {index}
  %iota = tile.iota 0 : {index}
  %i = arith.addi %starts, %iota : {index}
  %sizes = tile.splat %size : index -> {index}
  %inside = arith.cmpi slt, %i, %sizes : {index}
  %xs = tile.splat %x : !tile.ptr<{element}> -> {pointers}
  %ys = tile.splat %y : !tile.ptr<{element}> -> {pointers}
  %from = tile.addptr %xs, %i : {pointers}, {index}
  %to = tile.addptr %ys, %i : {pointers}, {index}
  %t = tile.load %from mask %inside : {pointers}
  %scales = tile.splat %scale : {element} -> tensor<{block}x{element}>
  %r = arith.mulf %t, %scales : tensor<{block}x{element}>
  tile.store %to, %r mask %inside : {pointers}
"""


def make_scale(target="sm_80", **changes):
    """scale(x, y, n, factor, BLOCK) with its compiler; `changes`: of parameters, by name."""
    compiler = Compiler(["x", "y", "n", "factor", "BLOCK"], scale_body, target)
    parameters = [
        changes.get(name, parameter(name, constexpr=name == "BLOCK")) for name in compiler.names
    ]
    return core.Dispatcher("scale", parameters, compiler), compiler


def numbers(count, dtype=np.float32):
    return np.random.default_rng(0).standard_normal(count).astype(dtype)


def run_program(program, **environment):
    """In a process of its own, with the fake driver and all of this module."""
    head = """
import package_support
driver = package_support.load_fake_driver()
from dispatch_support import *
"""
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    return subprocess.run(
        [sys.executable, "-c", head + program],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
