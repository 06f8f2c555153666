//===- KernelSpec.h - What a kernel takes and computes ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's source says in a few strings how large its tensors are, how many
// blocks to launch and what the result should be. KernelSpec checks them
// against the kernel's arguments, once, and answers every question about a
// launch:
//
//   KernelDescription description;
//   description.name = "transpose";
//   description.arguments = {pointer("A", F16), pointer("B", F16),
//                            scalar("M", I32), scalar("N", I32)};
//   description.shapes = {"A[M, N]", "B[N, M]"};
//   description.grid = {"ceildiv(M, 64) * ceildiv(N, 64)"};
//   description.references = {"B[j, i] = A[i, j]"};
//
//   Expected<KernelSpec> spec = KernelSpec::create(description);
//   Expected<ScalarValues> sizes = ScalarValues::parse(*spec, "M=100 N=64");
//   Expected<Binding> launch = spec->bind(*sizes);
//   launch->grid       // 2, 1, 1
//   launch->extents[0] // 100, 64
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_SPEC_KERNELSPEC_H
#define TILEWRIGHT_SPEC_KERNELSPEC_H

#include "tilewright/Spec/Argument.h"
#include "tilewright/Spec/Reference.h"
#include "tilewright/Spec/TensorShape.h"
#include <array>

namespace tilewright::spec {

/// A kernel's description as its source gives it, unchecked.
struct KernelDescription {
  std::string name;
  std::vector<Argument> arguments;
  /// One for each pointer argument, in any order: "A[M, N]", or with the
  /// numbers that it holds, "I[n] in 0 .. M - 1".
  std::vector<std::string> shapes;
  /// One to three numbers of blocks: "ceildiv(M, 64)".
  std::vector<std::string> grid;
  /// At most one for each tensor; a kernel without any can be run, not checked.
  std::vector<std::string> references;
  /// Whether launches that can have no tensor maps are refused, in place of
  /// getting code without.
  bool requiresTensorMaps = false;
};

/// "'n' is 300; an i8 takes -128 to 255": the error where a scalar is given
/// that its type does not take. \p text: as it was given.
llvm::Error makeRangeError(const Argument &argument, llvm::StringRef text);

class KernelSpec;

/// The values of a launch's scalar arguments.
class ScalarValues {
public:
  /// Parses "M=4096 N=4096 alpha=2.5" (separated by white space or commas).
  /// Every scalar argument must be given once, as what encodeGivenInteger and
  /// encodeGivenReal take.
  static llvm::Expected<ScalarValues> parse(const KernelSpec &spec,
                                            llvm::StringRef text);

  /// The same from one number an argument, in its type's bits; anything for
  /// pointers.
  static llvm::Expected<ScalarValues> fromBits(const KernelSpec &spec,
                                               llvm::ArrayRef<uint64_t> bits);

  /// How many arguments the kernel has whose scalars these are.
  size_t size() const { return bits.size(); }
  /// The bits of an argument's value, in its type. Meaningless for pointers.
  uint64_t getBits(unsigned argument) const { return bits[argument]; }

private:
  llvm::SmallVector<uint64_t> bits;
};

/// A kernel with its scalars known: everything of a launch but addresses.
struct Binding {
  ScalarValues scalars;
  /// The extents of the tensors, by argument, outermost first; empty for
  /// scalars.
  std::vector<llvm::SmallVector<int64_t>> extents;
  /// The numbers that they hold, where their shapes tell.
  std::vector<std::optional<ElementRange>> ranges;
  /// Numbers of blocks, 0 or more; axes that the kernel does not use have 1.
  std::array<int64_t, 3> grid = {1, 1, 1};

  /// The number of elements of an argument's tensor; below 2^63.
  uint64_t getElementCount(unsigned argument) const;
};

class KernelSpec {
public:
  /// Errors are SpecErrors that know their field and string.
  static llvm::Expected<KernelSpec>
  create(const KernelDescription &description);

  llvm::StringRef getName() const { return name; }
  llvm::ArrayRef<Argument> getArguments() const { return arguments; }
  std::optional<unsigned> findArgument(llvm::StringRef argument) const;
  /// The shape of a pointer argument.
  const TensorShape &getShape(unsigned argument) const {
    return shapes[shapeOfArgument[argument]];
  }
  llvm::ArrayRef<IntExpr> getGrid() const { return grid; }
  llvm::ArrayRef<Reference> getReferences() const { return references; }

  /// Evaluates shapes and grid. Fails on extents below 0, on overflow, on
  /// division by zero, on a tensor of 2^63 bytes or more, and on the scalars of
  /// another kernel.
  llvm::Expected<Binding> bind(const ScalarValues &scalars) const;

private:
  llvm::Error bindShape(unsigned argument, const IntScope &scope,
                        Binding &binding) const;
  llvm::Error addShape(llvm::StringRef text);
  llvm::Error addGridAxis(llvm::StringRef text);
  llvm::Error addReference(llvm::StringRef text);

  std::string name;
  std::vector<Argument> arguments;
  std::vector<TensorShape> shapes;
  /// The shape of each argument; noShape for scalars.
  std::vector<unsigned> shapeOfArgument;
  std::vector<IntExpr> grid;
  std::vector<Reference> references;

  static constexpr unsigned noShape = ~0u;
};

} // namespace tilewright::spec

#endif // TILEWRIGHT_SPEC_KERNELSPEC_H
