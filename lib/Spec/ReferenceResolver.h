//===- ReferenceResolver.h - From syntax to typed operations ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ReferenceResolver.cpp has names, elements and operators, ReferenceCalls.cpp
// what is written as a call: functions, casts and reductions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SPEC_REFERENCERESOLVER_H
#define TILEWRIGHT_LIB_SPEC_REFERENCERESOLVER_H

#include "tilewright/Spec/KernelSpec.h"
#include "tilewright/Spec/SpecError.h"

namespace tilewright::spec {

/// Gives every name of a reference its meaning and every node its kind, integer
/// or real.
class ReferenceResolver {
public:
  ReferenceResolver(const ExprStatement &statement,
                    llvm::ArrayRef<Argument> arguments,
                    llvm::ArrayRef<unsigned> ranks)
      : statement(statement), tree(*statement.tree), arguments(arguments),
        ranks(ranks) {}

  llvm::Expected<Reference> resolve(llvm::StringRef text);

private:
  using Result = llvm::Expected<unsigned>;

  /// A name that stands for an index, while its reduction is being resolved.
  struct Binder {
    unsigned variable;
    bool isLeft;
    llvm::SmallVector<RangeSource, 2> ranges;
  };

  llvm::Error resolveLeft(const ExprNode &left);
  llvm::Error convertToOutput(unsigned value);

  static llvm::Error failAt(const ExprNode &node, const llvm::Twine &message) {
    return makeSpecError(message, node.getColumn());
  }

  Result resolveValue(unsigned index);
  Result resolveName(const ExprNode &node);
  Result resolveElement(const ExprNode &node);
  Result resolveIndex(unsigned index);
  Result resolveNegate(const ExprNode &node);
  Result resolveCall(const ExprNode &node);
  Result resolveReduction(const ExprNode &node, ValueOp op);
  Result resolveCast(const ExprNode &node, ElementType type);
  Result resolveWithin(const ExprNode &node);
  Result resolveAbs(const ExprNode &node);
  Result resolveFunction(const ExprNode &node, const MathFunction &function);
  Result resolveSelect(const ExprNode &node);
  Result resolveComparison(const ExprNode &node);
  Result resolveFold(const ExprNode &node, ValueOp op);

  std::optional<unsigned> findArgument(llvm::StringRef name) const;
  Binder *findBinder(llvm::StringRef name);
  llvm::Expected<unsigned> addVariable(const ExprNode &node);
  unsigned add(ValueNode node);
  unsigned toReal(unsigned value);
  Result addBinary(ValueOp op, unsigned left, unsigned right, unsigned column);

  /// inf and nan, where nothing else has that name.
  static bool isConstantName(llvm::StringRef name) {
    return name == "inf" || name == "nan";
  }

  bool isIntegerValue(unsigned value) const {
    return reference.nodes[value].isInteger;
  }

  const ExprStatement &statement;
  const ExprTree &tree;
  llvm::ArrayRef<Argument> arguments;
  llvm::ArrayRef<unsigned> ranks;
  Reference reference;
  std::vector<Binder> binders;
};

} // namespace tilewright::spec

#endif // TILEWRIGHT_LIB_SPEC_REFERENCERESOLVER_H
