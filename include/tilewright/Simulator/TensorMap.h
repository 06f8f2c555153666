//===- TensorMap.h - What bulk tensor copies know of a tensor ---*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_SIMULATOR_TENSORMAP_H
#define TILEWRIGHT_SIMULATOR_TENSORMAP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <optional>

namespace tilewright::sim {

/// A tensor in global memory and the box that `cp.async.bulk.tensor` moves. The
/// driver's 128 bytes are opaque, so the simulator has its own, which a kernel
/// finds in the same places: a parameter `.param .align 64 .b8 map[128]`, or
/// constant or global memory. Dimension 0 is the contiguous one.
///
///   sim::TensorMap map;
///   map.element = sim::TensorMap::Element::F16;
///   map.address = x;
///   map.rank = 2;
///   map.extents = {k, m};
///   map.strides = {k * 2};           // bytes, of dimension 1 and up
///   map.box = {64, 128};
///   map.swizzle = sim::TensorMap::Swizzle::Bytes128;
///   ArgumentBlock().add(llvm::cantFail(map.encode()))
///
/// verify() has the rules of cuTensorMapEncodeTiled (CUDA Driver API), and one
/// more: with a swizzle, rows of the box are as long as the mode's.
struct TensorMap {
  enum class Element : uint8_t {
    U8,
    U16,
    U32,
    S32,
    U64,
    S64,
    F16,
    BF16,
    F32,
    F64
  };
  enum class Swizzle : uint8_t { None, Bytes32, Bytes64, Bytes128 };
  enum class Fill : uint8_t { Zeros, NaN };
  static constexpr unsigned maximumRank = 5;
  static constexpr unsigned encodedBytes = 128;
  static constexpr unsigned encodedAlign = 64;
  /// As an argument of a kernel.
  struct alignas(encodedAlign) Encoded {
    std::array<uint8_t, encodedBytes> bytes = {};
  };

  Element element = Element::F32;
  uint64_t address = 0; ///< of element 0
  unsigned rank = 1;
  std::array<uint64_t, maximumRank> extents = {1, 1, 1, 1, 1};
  std::array<uint64_t, maximumRank - 1> strides = {};
  std::array<uint32_t, maximumRank> box = {1, 1, 1, 1, 1};
  /// The box takes every such element; without effect on dimension 0.
  std::array<uint32_t, maximumRank> elementStrides = {1, 1, 1, 1, 1};
  Swizzle swizzle = Swizzle::None;
  Fill fill = Fill::Zeros; ///< outside of the tensor

  llvm::Error verify() const;
  /// Fails where verify() does.
  llvm::Expected<Encoded> encode() const;
  /// None if these bytes are no map that encode() has made.
  static std::optional<TensorMap> decode(llvm::ArrayRef<uint8_t> bytes);

  unsigned elementBytes() const;
  /// Bytes of a row of the box, and of the box: what the mbarrier counts.
  uint64_t rowBytes() const { return uint64_t(box[0]) * elementBytes(); }
  uint64_t boxBytes() const;
  /// Rows of the box along a dimension, which elementStrides thins out.
  uint32_t boxRows(unsigned dim) const {
    return (box[dim] + elementStrides[dim] - 1) / elementStrides[dim];
  }
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_SIMULATOR_TENSORMAP_H
