//===- Reference.h - What a kernel should compute ---------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reference is one assignment in index notation, true for every element of
// the tensor on its left:
//
//   B[j, i] = A[i, j]
//   Y[i] = alpha * X[i]
//   C[m, n] = max(0, sum(k, A[m, k] * B[k, n]) + bias[n])
//   Y[i, j] = exp(X[i, j] - max(k, X[i, k])) / sum(k, exp(X[i, k] - max(k, X[i,
//   k])))
//
// Left side: a tensor and one index name an axis; each ranges over its axis.
//
// Right side: numbers, scalar arguments, indices, elements of tensors (as they
// were before the launch, also for tensors that a reference writes), and
//
//   + - * /  %        % and / between integers truncate toward zero
//   < <= > >= == !=   1 or 0; with a NaN 0, but != gives 1
//   select(c, a, b)   a where the integer c is not 0, else b
//   exp log erf ...   functions of real numbers, see MathFunctions.cpp
//   abs
//   inf nan           where no argument and no index has that name
//   min max           of two or more; NaN if any operand is NaN
//   minnum maxnum     the same, but a NaN operand is ignored
//   ceildiv           of two integers
//   f16(e), i32(e)... rounds to a type; float to integer truncates toward zero
//   within(f16, e)    e, where the kernel has it with the precision of a type
//   sum(k, e)         reductions over the index k; also min, max, minnum,
//                     maxnum, where the first operand is a name that is no
//                     argument of the kernel
//
// A reduction's index takes its range from the tensors in which it is, alone,
// an index; the extents must agree. Indices may be any integer expression of
// indices, integer scalars and elements of integer tensors. That they stay
// inside the tensor is proved when the sizes are known, for elements by the
// range that the shape of their tensor gives.
//
// Integers are computed in 64 bits, wrapping; anything else in double. Where a
// kernel's narrower arithmetic shows, a cast says so: i32(I[i] * J[i]) / 2. An
// integer meeting a float becomes a float; a float becomes an integer only by a
// cast.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_SPEC_REFERENCE_H
#define TILEWRIGHT_SPEC_REFERENCE_H

#include "tilewright/Spec/ElementType.h"
#include "tilewright/Spec/ExprTree.h"

namespace tilewright::spec {

struct Argument;
struct MathFunction;

enum class ValueOp : uint8_t {
  IntegerConstant,
  RealConstant,
  Scalar, ///< A scalar argument.
  Index,
  Load, ///< An element; the operands are its indices.
  /// An element as an index, which must lie in the range of its tensor. Not
  /// in references: made where the sizes are known.
  CheckedIndex,
  ToReal,
  Cast,
  Within, ///< The operand, known to the precision of a type.
  Negate,
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  CeilDivide,
  Min,
  Max,
  MinNum,
  MaxNum,
  Abs,
  Function, ///< One of MathFunctions.h.
  // Comparisons: of two integers or two reals; the result is 1 or 0.
  Less,
  LessEqual,
  Equal,
  NotEqual,
  Select, ///< The second operand where the first is not 0, else the third.
  // Reductions of their one operand over a variable.
  SumOver,
  MinOver,
  MaxOver,
  MinNumOver,
  MaxNumOver
};

inline bool isComparison(ValueOp op) {
  return op >= ValueOp::Less && op <= ValueOp::NotEqual;
}
inline bool isReduction(ValueOp op) { return op >= ValueOp::SumOver; }

/// An axis that gives a reduction its range.
struct RangeSource {
  unsigned argument;
  unsigned axis;
};

/// One operation of a resolved reference: every name is known, every node is an
/// integer or a real.
struct ValueNode {
  ValueOp op;
  bool isInteger = false;
  /// Place in the text.
  unsigned column = 0;
  /// Scalar, Load, Cast and Within: the type.
  ElementType type = ElementType::F32;
  /// Scalar and Load: a position among the kernel's arguments.
  unsigned argument = 0;
  /// Index and reductions: the number of the variable.
  unsigned variable = 0;
  int64_t integer = 0;
  double real = 0;
  /// Function: which one.
  const MathFunction *function = nullptr;
  /// Positions of the operands, each smaller than the node's.
  llvm::SmallVector<unsigned, 2> operands = {};
  /// Reductions: the ranges.
  llvm::SmallVector<RangeSource, 2> ranges = {};
};

class Reference {
public:
  /// Variables are numbered; the sets of them are 64-bit masks.
  static constexpr unsigned maxVariables = 64;

  /// Parses \p text and resolves its names. \p ranks has the rank of the tensor
  /// of each pointer argument. Errors are SpecErrors.
  static llvm::Expected<Reference> create(llvm::StringRef text,
                                          llvm::ArrayRef<Argument> arguments,
                                          llvm::ArrayRef<unsigned> ranks);

  /// The argument whose tensor stands on the left.
  unsigned getOutput() const { return output; }
  /// The arguments whose tensors are read, ascending.
  llvm::ArrayRef<unsigned> getInputs() const { return inputs; }
  /// Whether each element of the output is a copy of an element of the same
  /// type: then the result is compared bit for bit.
  bool movesElements() const { return moves; }

  /// The value's nodes; the last is the value of an element of the output.
  llvm::ArrayRef<ValueNode> getNodes() const { return nodes; }
  /// The names of the variables; the first ones are the left side's, in order.
  llvm::ArrayRef<std::string> getVariables() const { return variables; }

  /// The text of the reference.
  llvm::StringRef getText() const { return text; }

private:
  friend class ReferenceResolver;
  std::string text;
  unsigned output = 0;
  bool moves = false;
  std::vector<unsigned> inputs;
  std::vector<std::string> variables;
  std::vector<ValueNode> nodes;
};

} // namespace tilewright::spec

#endif // TILEWRIGHT_SPEC_REFERENCE_H
