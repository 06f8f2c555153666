//===- Instr.h - A decoded instruction --------------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A decoded instruction: a function that executes it for the lanes of a warp,
// and numbers for what it needs to know. Of
//
//   add.u32 %r3, %r1, 4;
//
// `exec` adds 32 lanes, and `ops` are {3, 1, ~0}: the slots of two registers,
// and constant 0 of the program, which is 4.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_PROGRAM_INSTR_H
#define TILEWRIGHT_LIB_SIMULATOR_PROGRAM_INSTR_H

#include "Ptx/Scope.h"
#include "Ptx/Type.h"
#include "tilewright/Simulator/LaunchReport.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <cstdint>

namespace tilewright::sim {

class Warp;
struct Instr;

/// What a handler tells the warp's run loop.
enum class Step : uint8_t {
  Next,   ///< go on with the following instruction
  Yield,  ///< the same, and let other warps run: part of a spin loop
  Control ///< the handler has set the fragment's pc, lanes or state itself
};

/// Executes one instruction for the lanes of `mask`, which is not empty.
using ExecFn = Step (*)(Warp &warp, const Instr &instr, uint32_t mask);

/// A function of an instruction's family, of whatever type.
using HelperFn = void (*)();

/// How control leaves an instruction, besides going on to the next.
enum class Flow : uint8_t { Fall, Branch, Table, Exit };

/// One access of an instruction to a register that a wgmma uses somewhere.
struct RegisterUse {
  int32_t slot = -1;
  bool isWrite = false;
};

/// What the modifiers of an access or a fence order.
struct MemoryOrder {
  Scope scope = Scope::None; ///< None: a plain access
  bool acquires = false;
  bool releases = false;
};

/// Operands are numbers: `slot >= 0` is a register, `~slot` a constant of the
/// program; either way Warp::source gives 32 lanes of 64 bits.
struct Instr {
  ExecFn exec = nullptr;
  int32_t guard = -1; ///< predicate slot, or -1
  bool guardNegated = false;
  /// Membership mask operand of a `.sync` instruction: all its lanes must
  /// meet here before it executes. `noSync` if there is none.
  int32_t syncMask = noSync;
  /// Executed for lanes that waited at a barrier, when it lets them go.
  ExecFn resume = nullptr;
  InstrKind kind = InstrKind::Other;
  Flow flow = Flow::Fall;
  Type type = Type::None;
  Space space = Space::Generic;
  uint8_t accessBytes = 0; ///< per lane, of a memory access
  uint32_t target = 0;     ///< pc of a branch, number of a function or a table
  uint32_t reconverge = noPc; ///< where the sides of this branch meet
  llvm::SmallVector<int32_t, 8> ops;
  int64_t offset = 0;            ///< added to an address
  bool isComment = false;        ///< no GPU executes it, and nothing counts it
  bool hasNarrowAddress = false; ///< the address register has 32 bits
  MemoryOrder order;
  /// Its result, or what it leaves in memory, depends on the order of blocks.
  bool seesOtherBlocks = false;
  /// Meaning is up to the instruction's family.
  std::array<uint8_t, 8> attr = {};
  uint64_t extra = 0;
  /// Number in Program::registerUses; 0: no register that wgmma uses.
  uint32_t registerUses = 0;
  std::array<HelperFn, 2> helpers = {};

  static constexpr int32_t noSync = INT32_MIN;
  /// Every lane of the warp that has not exited must come.
  static constexpr int32_t syncAll = INT32_MIN + 1;
  static constexpr uint32_t noPc = ~0u;
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_PROGRAM_INSTR_H
