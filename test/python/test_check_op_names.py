"""scripts/check-op-names.py finds questions that leave out the next op or loop."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPT = REPOSITORY / "scripts" / "check-op-names.py"

OPS = """
def Tile_FooOp : Tile_Op<"foo", [
    Tile_TouchesMemory, MemoryEffects<[MemRead<Tile_GlobalMemory>]>]> {
}
def Tile_WaitOp : Tile_Op<"wait", [Tile_MemoryOrderOpInterface]> {
}
def Tile_KernelOp : Tile_Op<"kernel"> {
}
class Tile_EndOp<string mnemonic> : Tile_Op<mnemonic>;
def Tile_ReleaseOp : Tile_EndOp<"release"> {
}
def Tile_PureOp : Tile_Op<"pure", [Pure]> {
}
"""


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("check_op_names", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tree(tmp_path):
    """Writes one source line into a file of a repository of five ops."""
    ops = tmp_path / "include/tilewright/Dialect/Tile/IR/Ops.td"
    ops.parent.mkdir(parents=True)
    ops.write_text(OPS)

    def write(file, line):
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("// A comment on FooOp.\n" + line + "\n")
        return tmp_path

    return write


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("lib/Compiler/A.cpp", "auto access = dyn_cast<MemoryAccessOpInterface>(op);"),
        ("lib/Compiler/A.cpp", "FooOp::create(builder, loc);"),
        ("lib/Compiler/A.cpp", 'emitError("no FooOp");'),
        ("lib/Compiler/A.cpp", "isa<KernelOp, MyFooOp, func::PureOp>(op)"),
        ("lib/Conversion/TileToNVVM/A.cpp", "struct Lowering : OpConversionPattern<FooOp> {"),
        ("lib/Conversion/TileToNVVM/A.cpp", "scf::IfOp::create(builder, loc, condition);"),
        ("lib/Compiler/A.cpp", "auto loop = dyn_cast<LoopLikeOpInterface>(op);"),
    ],
)
def test_other_words_are_accepted(script, tree, file, line):
    assert script.check(tree(file, line), exceptions={}) == []


@pytest.mark.parametrize(
    ("file", "line", "op"),
    [
        ("lib/Compiler/A.cpp", "if (isa<FooOp>(op))", "FooOp"),
        ("lib/Dialect/Tile/Analysis/A.cpp", ".Case([](FooOp foo) { return 1; })", "FooOp"),
        ("lib/Dialect/Tile/Transforms/A.cpp", "kernel.walk([](WaitOp) {});", "WaitOp"),
        ("include/tilewright/Compiler/A.h", "int get(tile::FooOp op);", "FooOp"),
        ("lib/Compiler/A.cpp", "bool is = isa<PureOp>(op);", "PureOp"),
        ("lib/Compiler/A.cpp", "bool is = isa<ReleaseOp>(op);", "ReleaseOp"),
        ("lib/Dialect/Tile/Analysis/A.cpp", "if (auto l = dyn_cast<scf::ForOp>(op))", "scf::ForOp"),
        ("lib/Conversion/TileToNVVM/A.cpp", "root.walk([](scf::WhileOp) {});", "scf::WhileOp"),
    ],
)
def test_questions_are_reported_with_their_line(script, tree, file, line, op):
    (offence,) = script.check(tree(file, line), exceptions={})
    assert offence.startswith(f"{file}:2: asks for {op} by name")


def test_exceptions_are_of_one_file_and_one_op(script, tree):
    root = tree("lib/Compiler/A.cpp", "isa<FooOp, WaitOp>(op)")
    (offence,) = script.check(root, exceptions={("lib/Compiler/A", "FooOp"): "a reason"})
    assert "asks for WaitOp" in offence


def test_exceptions_that_nothing_needs_are_reported(script, tree):
    root = tree("lib/Compiler/A.cpp", "return 1;")
    (offence,) = script.check(root, exceptions={("lib/Compiler/A", "FooOp"): "a reason"})
    assert "lib/Compiler/A needs no exception for FooOp any more" in offence


def test_a_repository_whose_ops_are_not_found_is_an_offence(script, tree):
    root = tree("include/tilewright/Dialect/Tile/IR/Ops.td", "")
    (offence,) = script.check(root, exceptions={})
    assert "no op is defined there" in offence


def test_the_ops_of_this_repository_are_known(script):
    ops = script.find_ops(REPOSITORY)
    assert {"LoadOp", "TransOp", "ReduceOp", "WarpgroupDotOp", "ReleaseOp"} <= ops
    assert not set(script.WORDS) & ops


def test_wrong_folder_is_an_error(tmp_path):
    result = subprocess.run(
        [sys.executable, SCRIPT, tmp_path], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert "not the repository" in result.stderr
