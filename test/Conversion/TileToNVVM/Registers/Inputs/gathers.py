#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a loop that carries sums, loads elements of rows and two columns by an address for each,
and stores them to shared memory.

gathers.py --sums=128 --rows=32
"""

import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--sums", type=int, default=128, help="what the loop carries")
parser.add_argument("--rows", type=int, default=32)
parser.add_argument("--second", default="i16", help="the type of elements of the second column")
parser.add_argument("--no-product", action="store_true")
parser.add_argument("--order", default="nvvm.barrier0", help="between loads and stores")
parser.add_argument("--write", default="", help="an op of the loop behind the stores")
parser.add_argument("--marked", action="store_true", help="that registers are few is said already")
parser.add_argument("--constant", action="store_true", help="elements a constant apart")
parser.add_argument("--near", action="store_true", help="columns a constant apart")
parser.add_argument("--left", type=int, default=0, help="words of a left operand in registers")
parser.add_argument("--scores", type=int, default=0, help="sums of mma.sync that begin at zero")
parser.add_argument("--results", type=int, default=0, help="elements stored behind the loop")
options = parser.parse_args()

GLOBAL, SHARED = "!llvm.ptr<1>", "!llvm.ptr<3>"


def join(pattern: str) -> str:
    return ", ".join(pattern.format(each) for each in range(options.sums))


print(f"""
module attributes {{tile.target = "sm_90a"}} {{
llvm.func @gather(%a: {GLOBAL}, %s: {SHARED}, %limit: i32, %row: i32, %column: i32,
                  %count: i64, %step: i64)
    attributes {{nvvm.kernel, nvvm.reqntid = array<i32: 128>}} {{
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.index_cast %count : i64 to index
  %thread = nvvm.read.ptx.sreg.tid.x : i32""")
for column in range(2):
    print(f"""  %d{column} = arith.constant {32 * column} : i32
  %e{column} = arith.addi %thread, %d{column} : i32
  %c{column} = arith.muli %e{column}, %column : i32""")
for row in range(options.rows):
    # The remainder is not computed twice.
    print(f"""  %m{row} = arith.constant {row} : i32
  %n{row} = arith.addi %thread, %m{row} : i32
  %o{row} = arith.remui %n{row}, %limit : i32
  %r{row} = arith.muli %o{row}, %row : i32""")
    for column in range(2):
        each = f"{row}_{column}"
        element = "i16" if column == 0 else options.second
        if options.constant:
            print(f"  %p{each} = llvm.getelementptr %a[{2 * row + column}]")
            print(f"    : ({GLOBAL}) -> {GLOBAL}, {element}")
            continue
        print(f"""  %i{each} = arith.addi %r{row}, %c{column} : i32
  %w{each} = arith.extsi %i{each} : i32 to i64
  %p{each} = llvm.getelementptr %a[%w{each}] : ({GLOBAL}, i64) -> {GLOBAL}, {element}""")
mark = " {tilewright.few_registers}" if options.marked else ""
print(f"""  %total:{options.sums} = scf.for %k = %none to %steps step %one
      iter_args({join("%x{0} = %zero")}) -> ({join("f32")}) {{
    %number = arith.index_cast %k : index to i64
    %far = arith.muli %number, %step : i64""")
names = [f"{row}_{column}" for column in range(2) for row in range(options.rows)]
for each in names:
    of = "i16" if each.endswith("_0") else options.second
    place = f"%p{each}[%far] : ({GLOBAL}, i64)"
    if options.near and each.endswith("_1"):
        place = f"%q{each[:-2]}_0[32] : ({GLOBAL})"
    print(f"""    %q{each} = llvm.getelementptr {place} -> {GLOBAL}, {of}
    %l{each} = llvm.load %q{each} : {GLOBAL} -> i16""")
print(f"    {options.order}")
for number, each in enumerate(names):
    print(f"""    %t{each} = llvm.getelementptr %s[{number}] : ({SHARED}) -> {SHARED}, i16
    llvm.store %l{each}, %t{each} : i16, {SHARED}""")
if not options.no_product:
    print("""    %n = llvm.mlir.zero : f64
    %d = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%n, %n, %n, %n)
      : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>""")
for product in range(0, options.scores, 4):
    print(f"""    %h{product} = llvm.mlir.zero : vector<2xf16>
    %s{product} = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"
      ({", ".join([f"%h{product}"] * 6 + ["%zero"] * 4)}) :
      ({", ".join(["vector<2xf16>"] * 6 + ["f32"] * 4)}) -> !llvm.struct<(f32, f32, f32, f32)>""")
if options.left:
    words = range(options.left)
    for word in words:
        print(f"""    %h{word} = arith.constant {word} : i64
    %f{word} = arith.addi %number, %h{word} : i64
    %v{word} = arith.trunci %f{word} : i64 to i32""")
    registers = ",".join("r" for _ in words)
    print(f"""    %w = llvm.inline_asm has_side_effects
      {{tilewright.left_words = array<i32: 0, {options.left}>}} "wgmma.mma_async", "=f,{registers}"
      {", ".join(f"%v{word}" for word in words)} :
      ({", ".join("i32" for _ in words)}) -> f32""")
if options.write:
    print(f"    {options.write}")
for number in range(options.sums):
    print(f"    %y{number} = llvm.fadd %x{number}, %zero : f32")
print(f"""    scf.yield {join("%y{0}")} : {join("f32")}
  }}{mark}""")
if options.results:
    print("  nvvm.barrier0")
for result in range(options.results):
    print(f"  %z{result} = llvm.getelementptr %a[{result}] : ({GLOBAL}) -> {GLOBAL}, f32")
for result in range(options.results):
    print(f"  llvm.store %total#{result}, %z{result} : f32, {GLOBAL}")
print("""  llvm.return
}
}""")
