//===- TensorMap.h - A parameter by which boxes are copied ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that copies boxes of a tensor has, behind its declared arguments, a
// parameter of 128 bytes for each tensor map, which stands at a multiple of 64.
// Devices make them of the arguments of a launch; what is in them only devices
// know. For the rows of A[M, K], f16, in boxes of 128 by 64:
//
//   TensorMap map;
//   map.pointer = 0;                        // A
//   map.type = ElementType::F16;
//   map.extents = {{1, {4}}, {1, {3}}};     // K, M: the innermost first
//   map.strides = {{1, {4}}};               // of dimension 1: K elements
//   map.box = {64, 128};
//   map.swizzleBytes = 128;
//   evaluate(map, values)                   // none where this launch has no
//   map
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_SPEC_TENSORMAP_H
#define TILEWRIGHT_SPEC_TENSORMAP_H

#include "tilewright/Spec/Argument.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>

namespace tilewright::spec {

/// A number of each launch: a constant times the values of integer arguments,
/// with their signs.
struct LaunchNumber {
  int64_t constant = 1;
  llvm::SmallVector<unsigned, 2> arguments;

  bool operator==(const LaunchNumber &other) const {
    return constant == other.constant && arguments == other.arguments;
  }
};

/// What a tensor map is made from. Dimension 0 is the innermost one, whose
/// elements stand side by side.
struct TensorMap {
  static constexpr unsigned byteSize = 128;
  static constexpr unsigned alignment = 64;
  /// Coordinates beyond it are taken to be it: they are outside all the same.
  static constexpr int64_t maxExtent = (int64_t(1) << 31) - 1 - (1 << 20);

  /// A tensor that each copy moves to where it stands has two dimensions more,
  /// behind its own: the steps of 2^4 bytes from the pointer, modulo 2^64
  /// bytes, in two numbers of 30 bits. Addresses are sums modulo 2^64, so that
  /// steps back are there, too.
  static constexpr unsigned moveDims = 2, moveStepBits = 4, moveDimBits = 30;

  /// The argument that points at element 0.
  unsigned pointer = 0;
  ElementType type = ElementType::F32;
  llvm::SmallVector<LaunchNumber, 2> extents;
  /// In elements, of dimension 1 and up.
  llvm::SmallVector<LaunchNumber, 2> strides;
  /// Elements that a copy moves along each dimension.
  llvm::SmallVector<unsigned, 5> box;
  /// Whether the box has along dimension 1 only what is left of the tensor
  /// behind whole boxes.
  bool isLast = false;
  /// How the box lies in shared memory: 0, 32, 64 or 128.
  unsigned swizzleBytes = 0;

  unsigned getRank() const { return extents.size(); }
  /// Adds the dimensions by which it is moved.
  void addMoveDims();
  bool operator==(const TensorMap &other) const;
};

/// What of a tensor map a launch decides.
struct TensorMapValues {
  uint64_t address = 0;
  llvm::SmallVector<uint64_t, 5> extents;
  /// In bytes, of dimension 1 and up.
  llvm::SmallVector<uint64_t, 4> strides;
  llvm::SmallVector<uint32_t, 5> box;

  /// Whether they differ in nothing but the address.
  bool isAlike(const TensorMapValues &other) const {
    return extents == other.extents && strides == other.strides &&
           box == other.box;
  }
  bool operator==(const TensorMapValues &other) const {
    return address == other.address && isAlike(other);
  }
};

/// Nothing where a launch with these arguments cannot have the map. GPUs have
/// none of a tensor whose address or strides are no multiples of 16 bytes,
/// whose strides are 0 or 2^40 bytes or more, or whose extents are 0 (CUDA
/// Driver API, cuTensorMapEncodeTiled); and coordinates in it, which are signed
/// numbers of 32 bits, are of boxes that begin up to a tile, of at most 2^20
/// elements, behind the end.
std::optional<TensorMapValues> evaluate(const TensorMap &map,
                                        const ArgumentBlock &arguments);

/// Whether a launch with these arguments can have all of the maps.
inline bool canHave(llvm::ArrayRef<TensorMap> maps,
                    const ArgumentBlock &arguments) {
  return llvm::all_of(maps, [&](const TensorMap &map) {
    return evaluate(map, arguments).has_value();
  });
}

/// For a kernel that requires bulk copies: the error of a launch that can not
/// have all of the maps. It says which argument stands in the way. None where
/// an extent is 0, since there is nothing to copy then.
llvm::Error refuseWithoutMaps(llvm::StringRef kernel,
                              llvm::ArrayRef<Argument> declared,
                              llvm::ArrayRef<TensorMap> maps,
                              const ArgumentBlock &arguments);

/// All of it, for programs.
llvm::json::Value toJSON(const TensorMap &map);
bool fromJSON(const llvm::json::Value &value, TensorMap &map,
              llvm::json::Path path);

} // namespace tilewright::spec

#endif // TILEWRIGHT_SPEC_TENSORMAP_H
