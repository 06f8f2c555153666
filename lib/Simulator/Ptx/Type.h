//===- Type.h - PTX scalar types --------------------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_PTX_TYPE_H
#define TILEWRIGHT_LIB_SIMULATOR_PTX_TYPE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace tilewright::sim {

/// The fundamental, packed and alternate types of PTX ISA section 5.2.
enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  U16x2,
  S16x2,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F32x2,
  F64,
  E4M3,
  E5M2,
  E4M3x2,
  E5M2x2,
};

/// The spelling in PTX, without the dot.
llvm::StringRef typeName(Type type);
/// The type that a PTX modifier such as "f16x2" names.
std::optional<Type> typeFromName(llvm::StringRef name);
/// Bits of one value; 1 for a predicate.
unsigned typeBits(Type type);
inline unsigned typeBytes(Type type) { return typeBits(type) / 8; }
bool isSigned(Type type);
/// Integers and untyped bits, not packed ones.
bool isIntegral(Type type);
bool isFloating(Type type);

/// State spaces. `Generic` is an address without a stated space; `Param` is
/// the read-only block of kernel arguments (parameters of device functions
/// live in local memory). `Cluster` is the shared memory of all blocks of a
/// cluster.
enum class Space : uint8_t {
  Generic,
  Global,
  Shared,
  Local,
  Const,
  Param,
  Cluster
};
llvm::StringRef spaceName(Space space);

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_PTX_TYPE_H
