//===- Module.h - A PTX module, ready to run --------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_SIMULATOR_MODULE_H
#define TILEWRIGHT_SIMULATOR_MODULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilewright::sim {

struct Program;

/// One `.param` of a kernel: where its bytes stand in the argument block.
struct ParameterInfo {
  std::string name;
  uint64_t offset = 0;
  uint64_t size = 0;
  unsigned align = 1;
};

/// What a launch must know about a kernel.
struct KernelInfo {
  std::string name;
  std::vector<ParameterInfo> parameters;
  uint64_t argumentBytes = 0; ///< size of the argument block
  std::array<unsigned, 3> requiredThreads = {0, 0, 0}; ///< .reqntid or zeros
  unsigned maximumThreads = 0;                         ///< .maxntid or zero
  /// .reqnctapercluster or zeros, and whether a launch must say it otherwise.
  std::array<unsigned, 3> requiredCluster = {0, 0, 0};
  bool isExplicitCluster = false;
  unsigned maximumRegisters = 0; ///< .maxnreg or zero
  unsigned minimumBlocks = 0;    ///< .minnctapersm or zero
  uint64_t staticSharedBytes = 0;
};

/// PTX text, parsed and decoded once, to be launched any number of times on
/// any device. Copies share the decoded program.
///
///   llvm::Expected<sim::Module> module = sim::Module::parse(ptx);
///   if (!module)
///     return module.takeError();
///
/// Syntax errors, instructions that the simulator does not know, and operands
/// that do not fit are all reported here, as "line 12: message: text", never
/// in the middle of a run.
class Module {
public:
  static llvm::Expected<Module> parse(std::string ptx);

  llvm::ArrayRef<KernelInfo> kernels() const;
  /// Null if there is no such kernel.
  const KernelInfo *findKernel(llvm::StringRef name) const;
  /// The text after `.target`, such as "sm_90a".
  llvm::StringRef target() const;

  const Program &program() const { return *decoded; }

private:
  std::shared_ptr<const Program> decoded;
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_SIMULATOR_MODULE_H
