#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a loop of products that carries sums, and what a thread makes of these behind it, an
operation of all of them at a time, before it converts and stores them.

functions.py --sums=128 --ops=4 --threads=256
"""

import argparse

from product_loop import print_product_loop

parser = argparse.ArgumentParser()
parser.add_argument("--sums", type=int, default=160)
parser.add_argument("--ops", type=int, default=4, help="of each sum")
parser.add_argument("--threads", type=int, default=256)
parser.add_argument("--behind", default="", help="an op on each %%{}, in front of its conversion")
parser.add_argument("--wgmma", action="store_true", help="with a product by a warpgroup, too")
options = parser.parse_args()

SHARED = "!llvm.ptr<3>"
SUMS = range(options.sums)

print(f"""
module attributes {{tile.target = "sm_90a"}} {{
llvm.func @functions(%s: {SHARED}, %count: i64)
    attributes {{nvvm.kernel, nvvm.reqntid = array<i32: {options.threads}>}} {{""")
print_product_loop(options.sums)
if options.wgmma:
    print("""  %d = arith.constant 0 : i64
  %four = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
  %product = nvvm.wgmma.mma_async %d, %d, %four, #nvvm.shape<m = 64, n = 8, k = 16>,
    D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <col>]
    : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>""")
for op in range(options.ops):
    for each in SUMS:
        before = f"%v{op - 1}_{each}" if op else f"%total#{each}"
        print(f"  %v{op}_{each} = arith.mulf {before}, %total#{each} fastmath<contract> : f32")
print("  nvvm.barrier0")
for each in SUMS:
    last = f"v{options.ops - 1}_{each}"
    if options.behind:
        print(f"  %w{each} = {options.behind.format(last)}")
        last = f"w{each}"
    print(f"""  %h{each} = arith.truncf %{last} : f32 to f16
  %p{each} = llvm.getelementptr %s[{each}] : ({SHARED}) -> {SHARED}, f16
  llvm.store %h{each}, %p{each} : f16, {SHARED}""")
print("""  llvm.return
}
}""")
