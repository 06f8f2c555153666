"""What words of pointers, blocks, descriptors and functions do not take, and what they say then."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

import tilewright
from tilewright.frontend.program import compile_function

# In the kernels below: a tile of integers, a block of a matrix behind x, and a descriptor of it.
_NAMES = """
    nothing = None
    i = tl.arange(0, 16)
    block = tl.make_block_ptr(x, (n, 64), (64, 1), (0, 0), (16, 16), (1, 0))
    halves = tl.make_block_ptr(y, (n, 64), (64, 1), (0, 0), (16, 16), (1, 0))
    rows = tl.make_tensor_descriptor(x, [n, 64], [64, 1], [16, 16])
"""

TYPES = ["*fp32", "*i16", "i32"]

REFUSED = [
    ("x + 0.5", "a pointer moves by a number of elements, an integer, not fp32"),
    ("n - x", "a pointer cannot be subtracted"),
    ("None < n", "'None < n': None is neither less nor more than a number: compare with a"),
    (
        "n >= nothing",
        "'n >= nothing': 'nothing' is None, which is neither less nor more than a number: ask "
        "'nothing is None' first, or compare",
    ),
    ("n + tl.arange", r"\+ takes numbers and tiles, not the function arange\n"),
    ("tl.atomic_add(x, 1.0, sem='strong')", "sem of an atomic is one of relaxed, acquire, release"),
    ("tl.atomic_add(x, 1.0, scope='grid')", "scope of an atomic is one of cta, gpu, sys, not"),
    ("tl.atomic_add(y, 1)", "atomic_add works on integers of 32 and 64 bits and on floats, not on"),
    ("tl.atomic_xor(x, 1)", "atomic_xor works on integers, not on fp32"),
    ("tl.advance(x, (1, 1))", "advance takes what make_block_ptr gives, not a value of type"),
    ("tl.advance(block, (1,))", "a block of 2 axes moves by as many offsets"),
    ("tl.load(block, boundary_check=(2,))", "boundary_check has axes from 0 to 1, not 2"),
    ("tl.load(block, mask=i < n)", "a load of a block pointer has boundary_check in place of mask"),
    ("tl.load(halves, padding_option='nan')", "padding_option 'nan' is for floats, not for int16"),
    (
        "tl.load(x + i, boundary_check=(0,))",
        "boundary_check and padding_option are for block point",
    ),
    ("tl.load(x, mask=i < n)", "the mask of a load is a tile, .*, and the pointer is a single one"),
    (
        "tl.load(x, other=0.0)",
        "other is what is read where the mask is false, and there is no mask",
    ),
    ("tl.store(block, 0.0, mask=i < n)", "a store to a block pointer has boundary_check in place"),
    (
        "tl.store(x + i, 0.0, boundary_check=(0,))",
        "boundary_check is for block pointers; use a mask",
    ),
    ("tl.store(x + i, x + i)", "a value of type .* cannot be stored as fp32"),
    ("rows.gather(i, 0)", "gather and scatter are of descriptors whose blocks are one row"),
    ("tl.load_tensor_descriptor(x, [0, 0])", "takes what make_tensor_descriptor gives, not"),
    ("tl.cat(n, i)", "cat takes two tiles, not a value of type"),
    ("tl.map_elementwise(double)", "map_elementwise takes one tile or more"),
    ("tl.map_elementwise(double, i, pack=2)", "map_elementwise takes one element at a time"),
    ("tl.reduce(i, 0, two_values)", "the function of a reduction of 1 tiles gives as many values"),
    ("tl.reduce(i, 0, wider)", "the function of a reduction of int32 gives .*; cast it by .to()"),
    ("tl.inline_asm_elementwise(5, '=r', [i], tl.int32, True, 1)", "is a string, not 5"),
    ("tl.inline_asm_elementwise('', '=r,r', i, tl.int32, True, 1)", "args is a list of tiles and"),
    ("tl.multiple_of(i, (4, 4))", "multiple_of of 1 dimensions takes as many numbers, not 2"),
    ("tl.philox(n, n.to(tl.int64), n, n, n)", "s of philox have 32 bits, not int64"),
    ("tl.zeros('16', tl.float32)", "is a tuple of constants, not"),
    ("tl.static_range(0.5)", "static_range takes integers, not 0.5"),
    ("tl.static_assert(n > 0)", "static_assert takes a constant condition; device_assert one of"),
    ("tl.static_assert(1 > 2)", "static_assert does not hold"),
    ("tl.device_print(x)", "device_print begins with a constant text of ASCII"),
    ("len(n)", "len of a scalar"),
    ("len()", r"len\(\) takes exactly one argument \(0 given\)"),
    ("tl.store(x, 1 if n > 0 else 2**100)", "1267650600228229401496703205376 does not fit into 64"),
]


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """A module that has a kernel with each statement: kernels are read from files."""
    lines = ["import tilewright", "import tilewright.language as tl", ""]
    for name, made in (("double", "2 * a"), ("two_values", "a, a"), ("wider", "a.to(tl.int64)")):
        parameters = "a" if name == "double" else "a, b"
        lines += ["@tilewright.jit", f"def {name}({parameters}):", f"    return {made}", ""]
    for number, (statement, _) in enumerate(REFUSED):
        lines += [
            "@tilewright.jit",
            f"def kernel{number}(x, y, n):",
            _NAMES,
            f"    {statement}",
            "",
        ]
    path = Path(tmp_path_factory.mktemp("kernels"), "refused_kernels.py")
    path.write_text("\n".join(lines))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("number", range(len(REFUSED)), ids=lambda number: REFUSED[number][0])
def test_refused(kernels: ModuleType, number: int) -> None:
    statement, words = REFUSED[number]
    kernel = getattr(kernels, f"kernel{number}")
    with pytest.raises(tilewright.CompileError, match=words) as caught:
        compile_function(kernel, TYPES, {}, num_warps=4, num_stages=3, target="sm_90a")
    # The place is that of the statement.
    place = Path(kernels.__file__ or "").read_text().splitlines()[caught.value.line - 1]
    assert re.fullmatch(r"\s*" + re.escape(statement), place)
