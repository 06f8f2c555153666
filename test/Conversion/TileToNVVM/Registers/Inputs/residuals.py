#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a loop that carries sums, and behind it loads that go through shared memory.

residuals.py --sums=128 --loads=128
"""

import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--sums", type=int, default=128, help="what the loop carries")
parser.add_argument("--loads", type=int, default=128)
parser.add_argument("--first", default="nvvm.barrier0", help="between loads and stores")
parser.add_argument("--write", default="", help="an op behind the stores")
parser.add_argument("--last", default="nvvm.barrier0", help="behind it")
options = parser.parse_args()

GLOBAL, SHARED = "!llvm.ptr<1>", "!llvm.ptr<3>"


def join(pattern: str) -> str:
    return ", ".join(pattern.format(each) for each in range(options.sums))


print(f"""
module attributes {{tile.target = "sm_90a"}} {{
llvm.func @add(%a: {GLOBAL}, %s: {SHARED}, %count: i64)
    attributes {{nvvm.kernel, nvvm.reqntid = array<i32: 128>}} {{
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.index_cast %count : i64 to index
  %total:{options.sums} = scf.for %k = %none to %steps step %one
      iter_args({join("%x{0} = %zero")}) -> ({join("f32")}) {{""")
for number in range(options.sums):
    print(f"    %y{number} = llvm.fadd %x{number}, %zero : f32")
print(f"""    scf.yield {join("%y{0}")} : {join("f32")}
  }}""")
for load in range(options.loads):
    print(f"""  %p{load} = llvm.getelementptr %a[{load}] : ({GLOBAL}) -> {GLOBAL}, i16
  %l{load} = llvm.load %p{load} : {GLOBAL} -> i16""")
print(f"  {options.first}")
for store in range(options.loads):
    print(f"""  %t{store} = llvm.getelementptr %s[{store}] : ({SHARED}) -> {SHARED}, i16
  llvm.store %l{store}, %t{store} : i16, {SHARED}""")
print(f"""  {options.write}
  {options.last}""")
for result in range(options.sums):
    print(f"""  %z{result} = llvm.getelementptr %a[{result}] : ({GLOBAL}) -> {GLOBAL}, f32
  llvm.store %total#{result}, %z{result} : f32, {GLOBAL}""")
print("""  llvm.return
}
}""")
