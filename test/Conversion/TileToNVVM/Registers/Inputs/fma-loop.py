"""A loop of FMAs along K beside a copy, as a thread has it, of `--bytes`.

The copy is for the iteration `--ahead` steps of the counter later, if there is one; with `--always`
it asks for nothing. `--function`: attributes of the function.
"""

import argparse


def write_loop(
    ahead: int, always: bool, sums: int, steps: int, size: int, function: str,
    counter: str, unsigned: bool,
) -> str:  # fmt: skip
    mask, constraint, operand, kind = "@$3 ", ",b", ", %there", ", i1"
    cache = "cg" if size == 16 else "ca"
    kind_of_counter = "" if counter == "index" else f" : {counter}"
    if always:
        mask = constraint = operand = kind = ""
    lines = [
        "func.func @loop(%p: !llvm.ptr<3>, %from: !llvm.ptr<1>,",
        f"    %end: {counter}, %zero: f32) -> f32{function} {{",
        f"  %c0 = arith.constant 0 : {counter}",
        f"  %c2 = arith.constant 2 : {counter}",
        f"  %ahead = arith.constant {ahead} : {counter}",
        f"  %bytes = arith.constant {size} : i32",
        f"  %sums:{sums} = scf.for {'unsigned ' * unsigned}%k = %c0 to %end step %c2 iter_args("
        + ", ".join(f"%s{i} = %zero" for i in range(sums))
        + f") -> ({', '.join(['f32'] * sums)}){kind_of_counter} {{",
        "    nvvm.cp.async.wait.group 1",
        "    nvvm.barrier0",
        f"    %later = arith.addi %k, %ahead : {counter}",
        f"    %there = arith.cmpi slt, %later, %end : {counter}",
        f'    llvm.inline_asm has_side_effects asm_dialect = att "{mask}cp.async.{cache}'
        f'.shared.global [$0], [$1], {size}, $2;", "r,l,r{constraint},~{{memory}}" '
        f"%p, %from, %bytes{operand}"
        f" : (!llvm.ptr<3>, !llvm.ptr<1>, i32{kind}) -> ()",
        "    nvvm.cp.async.commit.group",
        "    %x = llvm.load %p : !llvm.ptr<3> -> f32",
        "    %q = llvm.getelementptr %p[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8",
        "    %y = llvm.load %q : !llvm.ptr<3> -> f32",
    ]
    before = "s"
    for step in range(steps):
        value = "y" if step else "x"
        lines += [
            f"    %t{step}_{i} = llvm.intr.fma(%{value}, %{value}, %{before}{i})"
            " : (f32, f32, f32) -> f32"
            for i in range(sums)
        ]
        before = f"t{step}_"
    lines += [
        f"    scf.yield {', '.join(f'%{before}{i}' for i in range(sums))}"
        f" : {', '.join(['f32'] * sums)}",
        "  }",
        "  return %sums#0 : f32",
        "}",
    ]
    return "\n".join(lines)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--ahead", type=int, default=4)
parser.add_argument("--always", action="store_true")
parser.add_argument("--sums", type=int, default=128)
parser.add_argument("--steps", type=int, default=2)
parser.add_argument("--bytes", type=int, default=4, dest="size")
parser.add_argument("--function", default="")
parser.add_argument("--counter", default="index", help="its type")
parser.add_argument("--unsigned", action="store_true")
print(write_loop(**vars(parser.parse_args())))
