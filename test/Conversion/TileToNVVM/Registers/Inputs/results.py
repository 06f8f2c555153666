#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a loop of products that carries sums, and stores these behind it several times: at the
same places each time, behind a barrier.

results.py --sums=192 --times=3
"""

import argparse

from product_loop import print_product_loop

parser = argparse.ArgumentParser()
parser.add_argument("--sums", type=int, default=192)
parser.add_argument("--times", type=int, default=3)
parser.add_argument("--uniform", action="store_true", help="all threads store at the same places")
parser.add_argument("--barrier", default="nvvm.barrier0")
options = parser.parse_args()

GLOBAL = "!llvm.ptr<1>"
SUMS = range(options.sums)

print(f"""
module attributes {{tile.target = "sm_90a"}} {{
llvm.func @results(%a: {GLOBAL}, %row: i32, %count: i64)
    attributes {{nvvm.kernel, nvvm.reqntid = array<i32: 256>}} {{
  %thread = {"arith.addi %row, %row" if options.uniform else "nvvm.read.ptx.sreg.tid.x"} : i32""")
for each in SUMS:
    print(f"""  %m{each} = arith.constant {each} : i32
  %n{each} = arith.addi %thread, %m{each} : i32
  %o{each} = arith.muli %n{each}, %row : i32""")
print_product_loop(options.sums)
for time in range(options.times):
    print(f"  {options.barrier}")
    for each in SUMS:
        name = f"{time}_{each}"
        print(f"""  %p{name} = llvm.getelementptr %a[%o{each}] : ({GLOBAL}, i32) -> {GLOBAL}, f32
  llvm.store %total#{each}, %p{name} : f32, {GLOBAL}""")
print("""  llvm.return
}
}""")
