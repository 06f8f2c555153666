//===- ReferenceCode.h - Instructions of a reference ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register holds one value and one uncertainty for each of `laneCount`
// elements; an instruction works on all of them. Reductions are loops:
//
//   Constant  acc, 0
//   LoopBegin k, extent, to the instruction after LoopEnd
//   ...
//   SumStep   acc, value
//   LoopEnd   k, extent, to the instruction after LoopBegin
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SPEC_REFERENCECODE_H
#define TILEWRIGHT_LIB_SPEC_REFERENCECODE_H

#include "tilewright/Spec/ElementType.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace tilewright::spec {

struct MathFunction;

inline constexpr unsigned laneCount = 32;

enum class Opcode : uint8_t {
  Constant,
  Load, ///< The element at offset \p a of the argument's tensor.
  ToReal,
  CheckedIndex,
  Cast,
  Within,
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
  Function,
  Less,
  LessEqual,
  Equal,
  NotEqual,
  Select,
  SumStep, ///< target += a
  LoopBegin,
  LoopEnd
};

struct Instruction {
  Opcode op;
  /// Whether the result (of a cast and a comparison: the operand) is an
  /// integer.
  bool isInteger = false;
  /// Whether the uncertainty can be other than 0.
  bool isUncertain = false;
  ElementType type = ElementType::F32;
  unsigned target = 0;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  /// Load: the argument that is read.
  unsigned argument = 0;
  /// LoopBegin and LoopEnd: where to go on, relative to this instruction.
  int jump = 0;
  /// Constant's value; a loop's extent; the least that CheckedIndex may be.
  int64_t integer = 0;
  /// The most that CheckedIndex may be.
  int64_t limit = 0;
  /// Constant's value; the weight of a term's size in SumStep.
  double real = 0;
  const MathFunction *function = nullptr;
};

struct ReferenceCode {
  unsigned output;
  ElementType outputType;
  llvm::SmallVector<int64_t> extents;
  uint64_t elementCount;
  bool movesElements;
  double roundoff;
  double elementWork;
  double rowWork;

  /// The registers of the left indices, outermost first.
  llvm::SmallVector<unsigned> indexRegisters;
  unsigned registerCount;
  /// Run once a row, on lane 0; then lane 0 of these registers is copied to the
  /// others.
  std::vector<Instruction> rowCode;
  std::vector<unsigned> rowRegisters;
  /// Run for up to laneCount elements of a row.
  std::vector<Instruction> elementCode;
  unsigned result;

  uint64_t getRowLength() const {
    return extents.empty() ? 1 : static_cast<uint64_t>(extents.back());
  }
};

} // namespace tilewright::spec

#endif // TILEWRIGHT_LIB_SPEC_REFERENCECODE_H
