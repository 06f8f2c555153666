//===- Passes.td - From a placed program to threads --------*- tablegen -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_CONVERSION_TILETONVVM_PASSES
#define TILEWRIGHT_CONVERSION_TILETONVVM_PASSES

include "mlir/Pass/PassBase.td"
include "tilewright/Conversion/TileToNVVM/OrderPasses.td"
include "tilewright/Conversion/TileToNVVM/RegisterPasses.td"

def ConvertTileToNVVM : Pass<"convert-tile-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Lower a placed program to what one thread does";
  let description = [{
    Each tile becomes the registers that one thread holds of it, each kernel an `llvm.func` that is
    an `nvvm.kernel`. Memory becomes `llvm.load` and `llvm.store` of vectors, predicated PTX where
    elements may be out of range. Scalars keep `arith`, `math` and `scf`, which upstream passes lower.

    ```mlir
    tile.local_store %t, %s {vector_width = 4 : i64} : tensor<64x64xf32, #rows>, !tile.shared<...>
    ```
    becomes, once for each four registers of the tile,
    ```mlir
    llvm.store %v, %p {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
    ```

    The kernel must be placed: register layouts on all tiles, shared layouts, offsets and vector widths.
    An op or a type that the target lacks is an error.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def AttachSourceLines : Pass<"attach-source-lines"> {
  let summary = "Give instructions the lines and calls of the source that PTX can carry";
  let description = [{
    Behind `ensure-debug-info-scope-on-llvm-func`, which gives functions and single lines their scopes. Fused locations
    become their first line, since LLVM would make line 0 of several. Calls, in whatever order they are nested, become one
    chain from the line to the kernel, each line in the scope of its own file.

    ```mlir
    llvm.store %v, %p : i32, !llvm.ptr<1> loc(callsite(callsite("f.py":6:3 at "g.py":9:1) at "kernel.py":20:7))
    ```
    becomes, all three lines in a scope,
    ```mlir
    llvm.store %v, %p : i32, !llvm.ptr<1> loc(callsite("f.py":6:3 at callsite("g.py":9:1 at "kernel.py":20:7)))
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TILEWRIGHT_CONVERSION_TILETONVVM_PASSES
