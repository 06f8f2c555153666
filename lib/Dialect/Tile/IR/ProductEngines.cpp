//===- ProductEngines.cpp - The table of what multiplies ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/ProductEngines.h"

#include "tilewright/Layout/Registers/MmaLayout.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

const EngineInfo &tilewright::tile::getEngineInfo(Engine engine) {
  static const EngineInfo table[] = {
      {Engine::Fma, 1, 1, 1, 4, false, 0, 0, nullptr},
      {Engine::MmaSync, 1, MmaShape().m, MmaShape().n, 16, false, 0, 0,
       nullptr},
      {Engine::Wgmma, WarpgroupMma::warps, WarpgroupMma::m,
       WarpgroupMma::leastN, WarpgroupMma::kBytes, true, 2, 1,
       &GpuTarget::wgmma},
  };
  const EngineInfo &info = table[static_cast<size_t>(engine)];
  assert(info.engine == engine && "the table is in the order of the engines");
  return info;
}

bool ProductType::isMadeBy(Engine engine) const {
  return llvm::is_contained(engines, engine);
}

static bool isHalf(Type type) { return isa<Float16Type, BFloat16Type>(type); }
static bool isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}
static bool isF32(Type type) { return type.isF32(); }
static bool isF64(Type type) { return type.isF64(); }

static ArrayRef<ProductType> getProductTypes() {
  static const ProductType table[] = {
      {isHalf,
       isF32,
       /*isTf32=*/false,
       {Engine::MmaSync, Engine::Wgmma},
       nullptr,
       ""},
      {isF32,
       isF32,
       /*isTf32=*/false,
       {Engine::Fma},
       nullptr,
       "f32 is multiplied exactly; with 'tf32' after the operands tensor cores "
       "do it"},
      {isF32,
       isF32,
       /*isTf32=*/true,
       {Engine::MmaSync, Engine::Wgmma},
       nullptr,
       ""},
      {isF64, isF64, /*isTf32=*/false, {Engine::MmaSync}, nullptr, ""},
      {[](Type type) { return type.isInteger(8); },
       [](Type type) { return type.isInteger(32); },
       /*isTf32=*/false,
       {Engine::MmaSync, Engine::Wgmma},
       nullptr,
       ""},
      {isFloat8,
       isF32,
       /*isTf32=*/false,
       {Engine::MmaSync, Engine::Wgmma},
       &GpuTarget::float8,
       "",
       /*hasImpreciseSums=*/true},
  };
  return table;
}

const ProductType *tilewright::tile::findProductType(Type operand, Type sum,
                                                     bool isTf32) {
  const ProductType *row =
      llvm::find_if(getProductTypes(), [&](const ProductType &type) {
        return type.isTf32 == isTf32 && type.isOperand(operand) &&
               type.isSum(sum);
      });
  return row == getProductTypes().end() ? nullptr : row;
}

bool tilewright::tile::mayMultiply(Type left, Type right) {
  return left == right || (isFloat8(left) && isFloat8(right));
}

const ProductType &tilewright::tile::getProductType(DotOp dot) {
  return *findProductType(getElementTypeOrSelf(dot.getA().getType()),
                          getElementTypeOrSelf(dot.getType()), dot.getTf32());
}
