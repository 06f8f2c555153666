//===- Ptxas.h - PTX to machine code with NVIDIA's assembler ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas is optional: the driver assembles PTX itself. Where it is found it
// turns PTX into a cubin ahead of time and says what the kernel costs.
//
//   Expected<std::optional<Ptxas>> ptxas = Ptxas::find();
//   if (!ptxas)  ...               // TILEWRIGHT_PTXAS names no program
//   if (!*ptxas) ...               // none on this machine: carry on without
//   Expected<PtxasOutput> out = (*ptxas)->assemble(ptx, target);
//   out->kernels[0].registers;     // a thread
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TARGET_PTXAS_H
#define TILEWRIGHT_TARGET_PTXAS_H

#include "tilewright/Target/GpuTarget.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace tilewright {

/// What one kernel costs, as `ptxas -v` reports it. Bytes are a thread's, but
/// for shared memory, which is a block's.
struct PtxasResources {
  std::string name;
  unsigned registers = 0;
  unsigned spillStoreBytes = 0;
  unsigned spillLoadBytes = 0;
  unsigned stackFrameBytes = 0;
  /// Dynamic shared memory is not in it: that is chosen at launch.
  unsigned staticSharedBytes = 0;
  /// Why each `wgmma` waits for the one before, where ptxas says so.
  std::string whySerialized;
};

struct PtxasOutput {
  llvm::SmallVector<char, 0> cubin;
  /// The kernels in the order of the log, which need not be that of the PTX.
  llvm::SmallVector<PtxasResources, 1> kernels;
  /// All that ptxas printed, warnings included.
  std::string log;
};

/// Reads the resource lines of a `ptxas -v` log; other lines are skipped.
llvm::SmallVector<PtxasResources, 1> parsePtxasLog(llvm::StringRef log);

/// A ptxas program on this machine.
class Ptxas {
public:
  /// Looks in the order: the environment variable TILEWRIGHT_PTXAS, PATH,
  /// /usr/local/cuda/bin, /usr/local/cuda-*/bin (newest first), and the wheel
  /// nvidia-cuda-nvcc of the active Python environment (VIRTUAL_ENV). Nothing
  /// where none of these has one; an error where TILEWRIGHT_PTXAS is set and is
  /// not a program.
  static llvm::Expected<std::optional<Ptxas>> find();

  explicit Ptxas(std::string path) : path(std::move(path)) {}

  llvm::StringRef getPath() const { return path; }

  /// Assembles one PTX module for `target`. The error carries what ptxas said;
  /// that it ignores `setmaxnreg` is one.
  llvm::Expected<PtxasOutput> assemble(llvm::StringRef ptx,
                                       const GpuTarget &target) const;

private:
  std::string path;
};

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_PTXAS_H
