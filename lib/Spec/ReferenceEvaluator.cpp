//===- ReferenceEvaluator.cpp - Runs the instructions of a reference ------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneMath.h"
#include "ReferenceCode.h"
#include "tilewright/Spec/ElementCodec.h"
#include "tilewright/Spec/ReferenceProgram.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace tilewright;
using namespace tilewright::spec;

struct ReferenceEvaluator::State {
  State(std::shared_ptr<const ReferenceCode> code,
        llvm::ArrayRef<const void *> tensors)
      : code(std::move(code)), tensors(tensors.begin(), tensors.end()),
        registers(this->code->registerCount) {}

  void enterRow(uint64_t row);
  void run(llvm::ArrayRef<Instruction> code, unsigned lanes);
  void load(const Instruction &instruction, unsigned lanes);

  std::shared_ptr<const ReferenceCode> code;
  llvm::SmallVector<const void *> tensors;
  std::vector<Lanes> registers;
  std::optional<uint64_t> currentRow;
};

void ReferenceEvaluator::State::load(const Instruction &instruction,
                                     unsigned lanes) {
  const void *data = tensors[instruction.argument];
  const Lanes &offsets = registers[instruction.a];
  Lanes &target = registers[instruction.target];
  dispatchElementType(instruction.type, [&](auto codec) {
    using Codec = decltype(codec);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      auto value = Codec::decode(Codec::load(data, offsets.integer[lane]));
      if constexpr (Codec::isInteger)
        target.integer[lane] = value;
      else
        target.real[lane] = value;
      if (instruction.isUncertain)
        target.uncertainty[lane] =
            offsets.uncertainty[lane] == 0 ? 0 : HUGE_VAL;
    }
  });
}

void ReferenceEvaluator::State::run(llvm::ArrayRef<Instruction> instructions,
                                    unsigned lanes) {
  LaneMath math(lanes, code->roundoff);
  for (size_t pc = 0; pc < instructions.size(); ++pc) {
    const Instruction &instruction = instructions[pc];
    Lanes &target = registers[instruction.target];
    switch (instruction.op) {
    case Opcode::Load:
      load(instruction, lanes);
      break;
    case Opcode::LoopBegin:
      if (instruction.integer == 0)
        pc += instruction.jump - 1;
      else
        std::fill_n(target.integer, lanes, 0);
      break;
    case Opcode::LoopEnd: {
      int64_t next = target.integer[0] + 1;
      if (next < instruction.integer) {
        std::fill_n(target.integer, lanes, next);
        pc += instruction.jump - 1;
      }
      break;
    }
    default:
      math.apply(instruction, target, registers[instruction.a],
                 registers[instruction.b], registers[instruction.c]);
      break;
    }
  }
}

void ReferenceEvaluator::State::enterRow(uint64_t row) {
  if (currentRow == row)
    return;
  currentRow = row;
  uint64_t rest = row;
  for (size_t axis = code->extents.size(); axis-- > 1;) {
    uint64_t extent = code->extents[axis - 1];
    registers[code->indexRegisters[axis - 1]].integer[0] = rest % extent;
    rest /= extent;
  }
  run(code->rowCode, 1);
  for (unsigned target : code->rowRegisters)
    registers[target].broadcast();
}

ReferenceEvaluator::ReferenceEvaluator(const ReferenceProgram &program,
                                       llvm::ArrayRef<const void *> tensors)
    : state(std::make_unique<State>(program.code, tensors)) {}

ReferenceEvaluator::~ReferenceEvaluator() = default;

void ReferenceEvaluator::evaluate(
    llvm::ArrayRef<uint64_t> elements,
    llvm::MutableArrayRef<ReferenceValue> values) {
  const ReferenceCode &code = *state->code;
  const Lanes &result = state->registers[code.result];
  uint64_t rowLength = code.getRowLength();
  bool isInteger = spec::isInteger(code.outputType);

  for (size_t done = 0; done < elements.size();) {
    uint64_t row = elements[done] / rowLength;
    uint64_t rowBegin = row * rowLength;
    state->enterRow(row);

    unsigned lanes = 0;
    for (uint64_t element : elements.drop_front(done).take_front(laneCount)) {
      if (element - rowBegin >= rowLength)
        break;
      if (!code.indexRegisters.empty())
        state->registers[code.indexRegisters.back()].integer[lanes] =
            element - rowBegin;
      ++lanes;
    }
    state->run(code.elementCode, lanes);

    for (unsigned lane = 0; lane < lanes; ++lane) {
      ReferenceValue &value = values[done + lane];
      value = ReferenceValue();
      if (isInteger)
        value.integer = result.integer[lane];
      else
        value.real = result.real[lane];
      double uncertainty = result.uncertainty[lane];
      value.uncertainty = std::isnan(uncertainty) ? HUGE_VAL : uncertainty;
    }
    done += lanes;
  }
}
