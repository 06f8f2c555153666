//===- SlotMemory.h - Where slots of threads lie ----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slots lie behind the shared memory of a kernel, slot by slot, and in each of
// them 16 bytes for every thread, so that a warp's accesses have no conflicts:
//
//   SlotMemory slots(function);
//   slots.makeRoom(/*blocks=*/2);      // on a multiprocessor
//   if (slots.take())
//     storeVector(builder, loc, slots.makeAddress(builder, loc), words, ...);
//   slots.writeBytes();                // for the launch
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SLOTMEMORY_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SLOTMEMORY_H

#include "Slots/SlotCandidates.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tilewright/Target/GpuTarget.h"

namespace tilewright::tonvvm {

class SlotMemory {
public:
  /// The memory of a function that says how many threads it has and how many
  /// bytes of shared memory it takes without slots.
  explicit SlotMemory(mlir::LLVM::LLVMFuncOp function);

  int64_t getNumThreads() const { return threads; }
  /// How far one slot of a thread is from its next one.
  int64_t getStride() const { return kSlotBytes * threads; }

  /// There may be as many as leave room for so many blocks.
  void makeRoom(int64_t blocks);
  bool hasRoom(int64_t count) const { return numSlots + count <= room; }

  /// Takes one more, if there is room.
  bool take();
  /// Takes some more, behind the last one.
  void take(int64_t count) { numSlots += count; }
  bool isEmpty() const { return numSlots == 0; }

  /// The address of the last slot of this thread, or, where it is one of a
  /// warp, of that of the first thread, which all of its lanes read.
  mlir::Value makeAddress(mlir::OpBuilder &builder, mlir::Location loc,
                          bool isOfWarp = false);

  /// Says on the function how many bytes a launch needs, if there are slots.
  void writeBytes();

private:
  int64_t getFirstByte() const;
  std::string getSymbol();

  mlir::LLVM::LLVMFuncOp function;
  GpuTarget target;
  int64_t threads, sharedBytes;
  int64_t room = 0, numSlots = 0;
};

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SLOTMEMORY_H
