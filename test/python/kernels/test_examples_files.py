"""The files of examples/python themselves."""

import ast

import pytest
from examples_support import EXAMPLES

# What kernels share.
SHARED = ("arrays", "costs_of_blocks")
MODULES = sorted(path for path in EXAMPLES.glob("*.py") if path.stem not in SHARED)

# What a kernel of a page of documentation may have.
MOST_LINES = 60


def is_kernel(node):
    return isinstance(node, ast.FunctionDef) and any(
        "tilewright.jit" in ast.unparse(decorator) for decorator in node.decorator_list
    )


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_kernels_are_short_and_have_references(path):
    functions = [
        node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)
    ]
    kernels = [function for function in functions if is_kernel(function)]
    assert kernels
    for kernel in kernels:
        assert kernel.end_lineno - kernel.lineno < MOST_LINES, kernel.name
    assert "reference" in {function.name for function in functions}


def test_each_example_is_tested():
    tests = "".join(
        path.read_text() for path in EXAMPLES.parents[1].glob("test/python/kernels/*.py")
    )
    assert [path.stem for path in MODULES if f"import {path.stem}" not in tests] == []
