//===- Passes.td - Arithmetic without undefined results ----*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_CONVERSION_ARITHTONVVM_PASSES
#define TILEWRIGHT_CONVERSION_ARITHTONVVM_PASSES

include "mlir/Pass/PassBase.td"

def ConvertArithToNVVM : Pass<"convert-arith-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Give each result of arith on scalars the value that the language says";
  let description = [{
    LLVM leaves some results open: of a division by zero, a shift by too much, a float that does not fit an
    integer. Its passes may then do as they like, with other values too. And where LLVM's passes and its
    NVPTX target convert between integers and floats, some results are rounded twice or wrong. This pass
    writes such ops so that nothing is open, and conversions as instructions of PTX, as text that LLVM does
    not look into.

    ```mlir
    %q = arith.divui %a, %b : i32
    %f = arith.sitofp %a : i32 to bf16
    ```
    becomes
    ```mlir
    %safe = llvm.inline_asm "max.u32 $0, $1, 1;", "=r,r" %b : (i32) -> i32   // a division by 0 is one by 1
    %q = arith.divui %a, %safe : i32

    %near = llvm.inline_asm "cvt.rz.f32.s32 $0, $1;", "=f,r" %a : (i32) -> f32
    %back = llvm.inline_asm "cvt.rzi.s32.f32 $0, $1;", "=r,f" %near : (f32) -> i32
    %odd = ...                             // the lowest bit of %near set where %back is not %a
    %f = arith.truncf %odd : f32 to bf16   // so that this one rounding is right
    ```

    A quotient of f32 with `fastmath<arcp>` becomes `div.full.f32`, which is off by 2 units in the last place at most. Four or more by one number
    are products with its reciprocal, and as exact; from eight on a branch has what operands near the ends of the range need.

    The meaning of each op is in [the language](../language.md#arithmetic-and-shapes). An op that a target
    lacks, and a rounding mode, are errors.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif // TILEWRIGHT_CONVERSION_ARITHTONVVM_PASSES
