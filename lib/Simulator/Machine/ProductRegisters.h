//===- ProductRegisters.h - Registers that wgmma uses -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wgmma.mma_async uses registers (all of D, and A unless that is in shared
// memory) from its issue to the wait that covers it. Around it stand
//
//   mov %f1, 0                 any access to its registers
//   wgmma.fence                must be fenced from it,
//   wgmma.mma_async {%f1 ...
//   wgmma.mma_async {%f1 ...   but products of one shape need no fence for one
//   wgmma.commit_group         accumulator;
//   wgmma.wait_group 0         and a wait must cover it
//   st.global [%rd1], %f1      before the next access.
//
// The decoder notes, for each instruction, which of such registers it accesses;
// the warp asks here when it executes one. Reading A beside a product that
// reads it too needs no fence, but a wait, as PTX says.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_MACHINE_PRODUCTREGISTERS_H
#define TILEWRIGHT_LIB_SIMULATOR_MACHINE_PRODUCTREGISTERS_H

#include "Program/Instr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include <cstdint>

namespace tilewright::sim {

class Warp;

/// The last uses of such a register, kept with the registers of a call.
struct ProductRegister {
  enum class Role : uint8_t { Read, Write, Accumulator, InputA };
  Role role = Role::Read;
  /// The place of the last use, as a product or not; none if `fence` is not the
  /// warp's.
  uint32_t pc = 0;
  uint32_t fence = ~0u;
  /// Of the last product: its number in the warp, 0 if there was none, and
  /// what must be the same for another one to follow without a wait.
  uint64_t product = 0;
  uint32_t productPc = 0;
  bool isAccumulator = false;
  uint64_t columns = 0;
  uint64_t k = 0;
  size_t position = 0; ///< in the list of D
};
using ProductRegisterTable = llvm::DenseMap<int32_t, ProductRegister>;

/// The use of registers by the products of a warp.
class ProductRegisters {
public:
  /// wgmma.fence
  void fence() { ++fences; }
  /// An instruction that is no product accesses registers.
  void access(Warp &warp, ProductRegisterTable &table,
              llvm::ArrayRef<RegisterUse> uses, unsigned lane) const;
  /// A product of n columns and k steps is issued; returns its number.
  uint64_t issue(Warp &warp, ProductRegisterTable &table,
                 llvm::ArrayRef<int32_t> accumulator,
                 llvm::ArrayRef<int32_t> inputA, uint64_t n, uint64_t k);
  /// A wait covers the products up to `number`.
  void complete(uint64_t number) { completed = std::max(completed, number); }

private:
  void issueOne(Warp &warp, ProductRegister &state,
                const ProductRegister &next) const;

  uint32_t fences = 0;
  uint64_t issued = 0;
  uint64_t completed = 0;
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_MACHINE_PRODUCTREGISTERS_H
