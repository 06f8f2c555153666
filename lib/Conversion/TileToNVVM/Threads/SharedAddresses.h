//===- SharedAddresses.h - Where a shared access goes -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the registers of a thread lie in a shared tile. Layouts are linear, so
// that an offset is the XOR of what the thread gives and what the register
// does. Bits that only the register changes are added, and become part of an
// instruction:
//
//   offset(thread, reg 3) = part(thread) ^ 0x40 + 0x200
//                           one pointer for all   a constant of the instruction
//                           registers with 0x40
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SHAREDADDRESSES_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SHAREDADDRESSES_H

#include "Threads/ThreadIndex.h"
#include "tilewright/Layout/Shared/SharedLayout.h"

#include <map>

namespace tilewright::tonvvm {

/// `base` + `offset` bytes, inside of the object that base points into.
mlir::Value addBytes(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value base, mlir::Value offset);
mlir::Value addBytes(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value base, int64_t offset);

/// `base` + the element at `offset`, i32, counted without padding.
mlir::Value addElements(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value base, mlir::Value offset,
                        const SharedLayout &layout, unsigned elementBytes);

/// For each register of an access to a shared tile, the address of its element.
class SharedAddresses {
public:
  /// `registers` maps (register, lane, warp) to the element at the address.
  SharedAddresses(mlir::OpBuilder &builder, mlir::Location loc,
                  ThreadIndex &thread, mlir::Value base,
                  const LinearLayout &registers, const SharedLayout &layout,
                  unsigned elementBytes);

  mlir::Value get(unsigned reg);

private:
  /// The address for the bits of a register's offset that the thread's own
  /// change.
  mlir::Value getThreadPointer(int32_t part);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Value base;
  const SharedLayout &layout;
  unsigned elementBytes;
  LinearLayout toOffset;
  ThreadCoordinate offset;
  std::map<int32_t, mlir::Value> threadPointers;
};

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SHAREDADDRESSES_H
