//===- Passes.td - Math functions from what PTX has --------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_CONVERSION_MATHTONVVM_PASSES
#define TILEWRIGHT_CONVERSION_MATHTONVVM_PASSES

include "mlir/Pass/PassBase.td"

def ConvertMathToNVVM : Pass<"convert-math-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Compute math functions from what PTX has";
  let description = [{
    PTX has a few functions of f32, and LLVM has no mathematics library for GPUs. This pass writes the
    functions of `math` on scalars of f32 in terms of arithmetic, `math.exp2`, `math.fma`, `math.sqrt` and
    rounding, which are single instructions. f16 and bf16 are computed in f32 and rounded once. For f64 there are fewer,
    made of arithmetic, `math.fma` and rounding.

    ```mlir
    %y = math.exp %x : f32
    ```
    becomes
    ```mlir
    %h = arith.mulf %x, %log2e : f32   // and the part of the product that rounding lost
    %p = math.exp2 %h : f32
    %y = arith.mulf %p, %correction : f32
    ```

    Where a block has `math.sin` and `math.cos` of one f32, its distance from the nearest quarter turn is computed once for both.

    `math.exp2` with `fastmath<afn>` becomes `ex2.approx.ftz.f32`, which has no subnormal results, `math.sqrt` with it `sqrt.approx.ftz.f32`, which
    takes subnormal numbers for 0, `math.rsqrt` of f32 `rsqrt.approx.f32`.
    `math.powf` by a constant 2 is a product.

    Maxima and minima of `arith` become LLVM's intrinsics, which are instructions of PTX.

    There are `exp exp2 expm1 log log2 log10 log1p sin cos tan tanh atan atan2 asin acos erf erfc powf`, and of f64
    `exp exp2 log log2 log10 sin cos tan tanh erf powf`; how exact they
    are is in [a page of its own](../math.md). One that is not in these lists is an error at
    the op. No function of constants is computed here: it becomes its formula like any other.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
}

#endif // TILEWRIGHT_CONVERSION_MATHTONVVM_PASSES
