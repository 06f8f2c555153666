//===- Divisibility.cpp - What compiled code may assume of values ---------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/Divisibility.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilewright;
using namespace tilewright::runtime;

llvm::Error runtime::verifyDivisibility(const spec::KernelSpec &spec,
                                        const spec::ArgumentBlock &arguments) {
  return verifyDivisibility(spec.getName(), spec.getArguments(), arguments);
}

/// Fails where an argument is not from where to where compiled code says.
static llvm::Error verifyBounds(llvm::StringRef kernel,
                                llvm::ArrayRef<spec::Argument> declared,
                                const spec::ArgumentBlock &arguments) {
  for (auto [index, argument] : llvm::enumerate(declared)) {
    if (!argument.hasBounds())
      continue;
    int64_t value = arguments.getInteger(index);
    if (argument.least <= value && value <= argument.most)
      continue;
    return llvm::createStringError(
        llvm::formatv("'{0}' is {1}, and the compiled code of '{2}' relies on "
                      "it being from {3} to {4}",
                      argument.name, value, kernel, argument.least,
                      argument.most)
            .str());
  }
  return llvm::Error::success();
}

llvm::Error runtime::verifyDivisibility(llvm::StringRef kernel,
                                        llvm::ArrayRef<spec::Argument> declared,
                                        const spec::ArgumentBlock &arguments) {
  for (auto [index, argument] : llvm::enumerate(declared)) {
    // Divisibility by a power of two is a question of the low bits, whatever
    // the sign and width.
    uint64_t bits = arguments.getBits(index);
    if (bits % argument.divisibility == 0)
      continue;
    std::string text =
        argument.isPointer()
            ? llvm::formatv("at {0:x}, {1} bytes past a multiple of {2}", bits,
                            bits % argument.divisibility, argument.divisibility)
                  .str()
            : llvm::formatv("{0}, no multiple of {1}",
                            spec::decodeInteger(argument.type, bits),
                            argument.divisibility)
                  .str();
    return llvm::createStringError(
        llvm::formatv("'{0}' is {1}, on which the compiled code relies; "
                      "compile '{2}' with divisibility {3} for it",
                      argument.name, text, kernel,
                      pickDivisibility(bits, argument.divisibility))
            .str());
  }
  return verifyBounds(kernel, declared, arguments);
}
