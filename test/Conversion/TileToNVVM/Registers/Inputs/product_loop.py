# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loop of products that carries sums, for scripts beside this one."""


def print_product_loop(count: int) -> None:
    """Of `%count` iterations; its sums are `%total#0` and so on. `%zero` is a constant of f32."""
    sums = range(count)

    def join(pattern: str) -> str:
        return ", ".join(pattern.format(each) for each in sums)

    print(f"""  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.index_cast %count : i64 to index
  %total:{count} = scf.for %k = %none to %steps step %one
      iter_args({join("%x{0} = %zero")}) -> ({join("f32")}) {{
    %n = llvm.mlir.zero : f64
    %d = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%n, %n, %n, %n)
      : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>""")
    for each in sums:
        print(f"    %y{each} = llvm.fadd %x{each}, %zero : f32")
    print(f"""    scf.yield {join("%y{0}")} : {join("f32")}
  }}""")
