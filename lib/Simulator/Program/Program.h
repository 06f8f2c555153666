//===- Program.h - A decoded module -----------------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module, ready to run: all instructions of all functions in one list, whose
// indices are pcs, and what they name by number (constants, variables, branch
// tables). It stays the same in all launches; what changes is in a
// LaunchContext, a Block and a Warp.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_PROGRAM_PROGRAM_H
#define TILEWRIGHT_LIB_SIMULATOR_PROGRAM_PROGRAM_H

#include "Program/Instr.h"
#include "Ptx/Ast.h"
#include "tilewright/Simulator/Module.h"
#include <vector>

namespace tilewright::sim {

/// For messages; parallel to Program::code.
struct InstrInfo {
  unsigned line = 0;
  llvm::StringRef text;
  LocRef loc;

  /// The text, cut where a list of registers makes it long.
  std::string shortText() const {
    constexpr size_t longest = 120;
    return text.size() <= longest ? text.str()
                                  : text.take_front(longest).str() + " ...";
  }
};

/// `value` plus the address of `symbol`, if there is one.
struct Constant {
  uint64_t value = 0;
  int32_t symbol = -1;
};

/// A register to fill when its function starts; `addend` goes on top, and the
/// offset of a variable in shared memory.
struct PresetRegister {
  SpecialRegister special = SpecialRegister::TidX;
  int32_t slot = -1;
  int64_t addend = 0;
  int32_t symbol = -1;
};

struct Function {
  std::string name;
  bool isEntry = false;
  uint32_t begin = 0; ///< pc of the first instruction
  uint32_t end = 0;
  uint32_t registerCount = 0;
  uint32_t predicateCount = 0;
  uint64_t localBytes = 0;
  std::vector<int32_t> params;
  std::vector<int32_t> results;
  std::vector<PresetRegister> presets;
  /// `.shared` variables that it or a callee uses, in the order of the text.
  std::vector<int32_t> sharedSymbols;
};

struct Program {
  uint64_t identity = 0; ///< unique in the process
  std::string text;
  std::string target;
  std::vector<Variable> variables;
  std::vector<std::string> files;
  std::vector<std::vector<CallSite>> callChains;
  std::vector<Function> functions;
  std::vector<Instr> code;
  std::vector<InstrInfo> infos;
  std::vector<Constant> constants;
  std::vector<std::vector<uint32_t>> branchTables;
  /// What instructions access of the registers that wgmma uses.
  std::vector<std::vector<RegisterUse>> registerUses = {{}};
  std::vector<KernelInfo> kernels;
  /// Function numbers, parallel to `kernels`.
  std::vector<uint32_t> kernelFunctions;

  /// For messages: "PTX line 40 `st.global.b32 [%rd1], %r1`", and the source
  /// line where it is known.
  std::string placeOf(uint32_t pc) const;
  /// The same of source lines: "file.py:12", innermost first, then where
  /// inlined functions were called; empty where unknown.
  std::vector<SourcePlace> sourcesOf(uint32_t pc) const;

  /// Where a branch may go, besides on.
  template <class Visit>
  void forTargets(const Instr &instr, Visit visit) const {
    if (instr.flow == Flow::Branch)
      visit(instr.target);
    if (instr.flow == Flow::Table)
      for (uint32_t target : branchTables[instr.target])
        visit(target);
  }
};

/// Where the address windows lie that make generic addresses out of shared,
/// local and parameter offsets. Each is aligned to 4 GiB, so the low half of
/// a generic address is the offset.
namespace window {
constexpr uint64_t shared = 0x0000'0100'0000'0000;
constexpr uint64_t local = 0x0000'0200'0000'0000;
constexpr uint64_t param = 0x0000'0300'0000'0000;
constexpr uint64_t size = 0x0000'0001'0000'0000;
/// Shared memory of a cluster: addresses of each block, its own ones, too, have
/// its rank times this above the offset.
constexpr uint64_t blockSize = 0x0100'0000;
/// Allocations begin here, but those whose address the caller chooses.
constexpr uint64_t global = 0x0000'7000'0000'0000;

/// The space that a generic address points into. Offsets in a window are not
/// told from addresses of global memory, which may be as small: who has made
/// one of the other knows.
constexpr Space spaceOf(uint64_t address) {
  switch (address & ~(size - 1)) {
  case shared:
    return Space::Shared;
  case local:
    return Space::Local;
  case param:
    return Space::Param;
  default:
    return Space::Global;
  }
}
} // namespace window

/// Shared and local offsets start here, so that small integers are not
/// addresses; sm_90 keeps the first KiB of shared memory for itself.
constexpr uint64_t firstOffset = 1024;

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_PROGRAM_PROGRAM_H
