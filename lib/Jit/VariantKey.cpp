//===- VariantKey.cpp - What a variant of a kernel relies on --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Jit/VariantKey.h"

#include "tilewright/Runtime/Divisibility.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tilewright;
using namespace tilewright::jit;

VariantKey VariantKey::ofDeclared(llvm::ArrayRef<spec::Argument> arguments) {
  VariantKey key;
  for (const spec::Argument &argument : arguments)
    key.bytes.push_back(
        static_cast<char>(llvm::Log2_32(argument.divisibility)));
  key.bytes.push_back(tensorMapsFlag);
  return key;
}

VariantKey VariantKey::ofLaunch(llvm::ArrayRef<spec::Argument> arguments,
                                const spec::ArgumentBlock &values,
                                bool areDisjoint, unsigned most) {
  VariantKey key;
  key.bytes.resize_for_overwrite(arguments.size() + 1);
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    unsigned divisibility =
        argument.hasDivisibility() && argument.isSpecialized
            ? runtime::pickDivisibility(values.getBits(index), most)
            : argument.divisibility;
    key.bytes[index] = static_cast<char>(llvm::Log2_32(divisibility));
  }
  key.bytes.back() =
      static_cast<char>(tensorMapsFlag | (areDisjoint ? disjointFlag : 0));
  return key;
}

void VariantKey::applyTo(PipelineOptions &options,
                         llvm::ArrayRef<spec::Argument> arguments) const {
  options.divisibility.clear();
  options.disjoint.clear();
  options.tensorMaps &= mayUseTensorMaps();
  for (const spec::Argument &argument : arguments)
    if (areDisjoint() && argument.isPointer())
      options.disjoint.push_back(argument.name);
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (argument.hasDivisibility())
      options.divisibility.push_back({argument.name, getDivisibility(index)});
}
