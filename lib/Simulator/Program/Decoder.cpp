//===- Decoder.cpp - Statements to decoded instructions -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program/Decoder.h"
#include "Ptx/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright::sim {

#define TILEWRIGHT_FAMILY(NAME) void register##NAME(OpcodeTable &table);
#include "Program/Families.def"

OpcodeTable::OpcodeTable() {
#define TILEWRIGHT_FAMILY(NAME) register##NAME(*this);
#include "Program/Families.def"
}

static TypeClass classOf(ArrayRef<StringRef> parts) {
  for (StringRef part : parts)
    if (auto type = typeFromName(part)) {
      if (*type == Type::F32 || *type == Type::F64 || *type == Type::F32x2)
        return TypeClass::Float;
      return isFloating(*type) ? TypeClass::Half : TypeClass::Integer;
    }
  return TypeClass::Any;
}

DecodeFn OpcodeTable::find(ArrayRef<StringRef> parts, size_t &used) const {
  for (used = parts.size(); used != 0; --used) {
    auto it = entries.find(join(parts.take_front(used), "."));
    if (it == entries.end())
      continue;
    DecodeFn any = it->second[static_cast<size_t>(TypeClass::Any)];
    return any ? any : it->second[static_cast<size_t>(classOf(parts))];
  }
  return nullptr;
}

Decoder::Decoder(Program &program, const ParsedModule &parsed)
    : program(program), parsed(parsed), callees(parsed.functions.size()),
      sharedUses(parsed.functions.size()) {}

Error Decoder::run() {
  // A declaration and a later definition have one name: the body wins.
  for (auto [index, function] : enumerate(parsed.functions))
    if (function.hasBody || !functionNumbers.contains(function.name))
      functionNumbers[function.name] = static_cast<uint32_t>(index);
  program.functions.resize(parsed.functions.size());
  for (uint32_t number = 0; number != parsed.functions.size(); ++number)
    if (!decodeFunction(number))
      return createStringError(failure);
  collectShared();
  describeKernels();
  return Error::success();
}

bool Decoder::decodeFunction(uint32_t number) {
  body = &parsed.functions[number];
  function = &program.functions[number];
  functionIndex = number;
  scratch = carry = -1;
  watched.clear();
  registersOfBody.clear();
  function->name = body->name;
  function->isEntry = body->isEntry;
  function->registerCount = body->registerCount;
  function->predicateCount = body->predicateCount;
  function->localBytes = body->localBytes;
  function->params = body->params;
  function->results = body->results;
  function->begin = static_cast<uint32_t>(program.code.size());
  for (const Statement &from : body->statements) {
    Instr instr;
    if (!decodeStatement(from, instr))
      return false;
    program.code.push_back(std::move(instr));
    program.infos.push_back({from.line, from.text, from.loc});
    registersOfBody.push_back(std::move(registers));
  }
  // Running off the end is a return; it also gives a label at the end a place.
  if (body->hasBody) {
    static const StringRef retPart = "ret";
    Statement end;
    end.parts.push_back(retPart);
    end.text = retPart;
    end.line =
        body->statements.empty() ? body->line : body->statements.back().line;
    Instr instr;
    if (!decodeStatement(end, instr))
      return false;
    program.code.push_back(std::move(instr));
    program.infos.push_back({end.line, end.text, {}});
  }
  function->end = static_cast<uint32_t>(program.code.size());
  noteRegisterUses();
  findReconvergence(program, *function);
  return true;
}

bool Decoder::decodeStatement(const Statement &from, Instr &instr) {
  statement = &from;
  registers.clear();
  instr.guard = from.guard;
  instr.guardNegated = from.guardNegated;
  size_t used = 0;
  DecodeFn decode = opcodes.find(from.parts, used);
  if (!decode) {
    error("unknown instruction '" + Twine(from.parts[0]) + "'");
  } else {
    modifiers.assign(from.parts.begin() + static_cast<ptrdiff_t>(used),
                     from.parts.end());
    decode(*this, instr);
    if (!modifiers.empty())
      error("'." + Twine(modifiers.front()) + "' is not supported on '" +
            from.parts[0] + "'");
  }
  return !failed();
}

void Decoder::watchRegisters() {
  for (const RegisterUse &use : registers)
    watched.insert(use.slot);
  registers.clear(); // wgmma itself looks after its own
}

void Decoder::noteRegisterUses() {
  if (watched.empty())
    return;
  for (auto [index, uses] : enumerate(registersOfBody)) {
    erase_if(uses, [&](const RegisterUse &use) {
      return !watched.contains(use.slot);
    });
    if (uses.empty())
      continue;
    program.code[function->begin + index].registerUses =
        static_cast<uint32_t>(program.registerUses.size());
    program.registerUses.push_back(std::move(uses));
  }
}

void Decoder::error(const Twine &message) {
  if (failure.empty())
    failure = ("line " + Twine(statement->line) + ": " + message + ": " +
               statement->text + describeSource(statement->loc, parsed.files))
                  .str();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

void Decoder::expectOperands(size_t least, size_t most) {
  if (operandCount() >= least && operandCount() <= most)
    return;
  error("expected " + Twine(least) +
        (most > least ? " to " + Twine(most) : Twine()) + " operands, found " +
        Twine(operandCount()));
}

const Operand &Decoder::operand(size_t index) {
  static const Operand missing;
  if (index < operandCount())
    return statement->operands[index];
  error("operand " + Twine(index + 1) + " is missing");
  return missing;
}

bool Decoder::checkWidth(const RegisterRef &reg, Type type) {
  if (reg.type == Type::Pred) {
    error("a predicate register stands where a value is needed");
    return false;
  }
  if (typeBits(reg.type) < typeBits(type)) {
    error("a ." + typeName(reg.type) + " register is too narrow for ." +
          typeName(type));
    return false;
  }
  return true;
}

static uint64_t floatConstant(const Operand &operand, Type type) {
  const bool isBits = operand.kind == Operand::Kind::FloatBits;
  if (type == Type::F64)
    return isBits ? llvm::bit_cast<uint64_t>(
                        static_cast<double>(llvm::bit_cast<float>(
                            static_cast<uint32_t>(operand.bits))))
                  : operand.bits;
  if (isBits || typeBits(type) == 64)
    return operand.bits;
  return llvm::bit_cast<uint32_t>(
      static_cast<float>(llvm::bit_cast<double>(operand.bits)));
}

int32_t Decoder::source(const Operand &operand, Type type) {
  switch (operand.kind) {
  case Operand::Kind::Register:
    registers.push_back({operand.reg.slot, /*isWrite=*/false});
    return checkWidth(operand.reg, type) ? operand.reg.slot : 0;
  case Operand::Kind::Special:
    if (isClock(operand.special))
      error("only 'mov' can read a clock");
    return presetSlot(operand.special);
  case Operand::Kind::Integer:
    return constant(operand.bits);
  case Operand::Kind::Float:
  case Operand::Kind::FloatBits:
    return constant(floatConstant(operand, type));
  case Operand::Kind::Symbol:
    return addressOf(operand.symbol, operand.offset);
  case Operand::Kind::Name:
    error("'" + operand.name + "' is not declared");
    return 0;
  default:
    error("an operand has the wrong form");
    return 0;
  }
}

int32_t Decoder::destination(const Operand &operand, Type type) {
  if (operand.kind == Operand::Kind::Sink)
    return scratchRegister();
  if (operand.kind != Operand::Kind::Register) {
    error("the destination is not a register");
    return 0;
  }
  registers.push_back({operand.reg.slot, /*isWrite=*/true});
  return checkWidth(operand.reg, type) ? operand.reg.slot : 0;
}

int32_t Decoder::scratchRegister() {
  if (scratch < 0)
    scratch = static_cast<int32_t>(function->registerCount++);
  return scratch;
}

int32_t Decoder::carryPredicate() {
  if (carry < 0)
    carry = static_cast<int32_t>(function->predicateCount++);
  return carry;
}

int32_t Decoder::predicateSource(const Operand &operand) {
  if (operand.isPredicate())
    return operand.reg.slot * 2 + (operand.negated ? 1 : 0);
  error("expected a predicate register");
  return 0;
}

int32_t Decoder::predicateDestination(const Operand &operand) {
  if (operand.kind == Operand::Kind::Sink)
    return static_cast<int32_t>(function->predicateCount++);
  if (operand.isPredicate() && !operand.negated)
    return operand.reg.slot;
  error("expected a predicate register");
  return 0;
}

ArrayRef<Operand> Decoder::elements(size_t index) {
  const Operand &whole = operand(index);
  if (whole.kind == Operand::Kind::Vector)
    return whole.elements;
  return whole;
}

int32_t Decoder::address(size_t index, Instr &instr) {
  const Operand &whole = operand(index);
  if (whole.kind != Operand::Kind::Address) {
    error("operand " + Twine(index + 1) + " is not an address");
    return 0;
  }
  const Operand &base = whole.elements[0];
  instr.offset = whole.offset;
  instr.hasNarrowAddress =
      base.kind == Operand::Kind::Register && typeBits(base.reg.type) == 32;
  // A 32-bit register is an address of shared, local or parameter memory.
  return source(base,
                base.kind == Operand::Kind::Register ? Type::B32 : Type::B64);
}

int64_t Decoder::immediate(size_t index) {
  const Operand &value = operand(index);
  if (value.kind != Operand::Kind::Integer)
    error("operand " + Twine(index + 1) + " is not a constant integer");
  return static_cast<int64_t>(value.bits);
}

int32_t Decoder::constant(uint64_t value, int32_t symbol) {
  auto [it, isNew] = constants.try_emplace(
      {value, symbol}, static_cast<int32_t>(program.constants.size()));
  if (isNew)
    program.constants.push_back({value, symbol});
  return ~it->second;
}

int32_t Decoder::presetSlot(SpecialRegister special, int64_t addend,
                            int32_t symbol) {
  for (const PresetRegister &preset : function->presets)
    if (preset.special == special && preset.addend == addend &&
        preset.symbol == symbol)
      return preset.slot;
  const auto slot = static_cast<int32_t>(function->registerCount++);
  function->presets.push_back({special, slot, addend, symbol});
  return slot;
}

/// Local variables move with the frame, and each block of a cluster has shared
/// ones elsewhere; everything else is a constant.
int32_t Decoder::addressOf(int32_t symbol, int64_t offset) {
  const Variable &variable = program.variables[symbol];
  switch (variable.space) {
  case Space::Local:
    return presetSlot(SpecialRegister::LocalFrame,
                      static_cast<int64_t>(variable.offset) + offset);
  case Space::Shared:
    if (!is_contained(sharedUses[functionIndex], symbol))
      sharedUses[functionIndex].push_back(symbol);
    return presetSlot(SpecialRegister::SharedWindow, offset, symbol);
  case Space::Param: // its offset was computed by layoutParameters
    return constant(variable.offset + static_cast<uint64_t>(offset));
  default:
    if (variable.isExtern)
      error("'" + Twine(variable.name) + "' is defined in another module");
    break;
  }
  return constant(static_cast<uint64_t>(offset), symbol);
}

//===----------------------------------------------------------------------===//
// Labels and functions
//===----------------------------------------------------------------------===//

uint32_t Decoder::labelPc(StringRef name) {
  if (const uint32_t *at = body->lookup(body->labels, statement->scope, name))
    return function->begin + *at;
  error("label '" + name + "' is not defined");
  return function->begin;
}

uint32_t Decoder::label(size_t index) {
  const Operand &target = operand(index);
  if (target.kind == Operand::Kind::Name)
    return labelPc(target.name);
  error("operand " + Twine(index + 1) + " is not a label");
  return function->begin;
}

uint32_t Decoder::branchTable(size_t index) {
  const Operand &table = operand(index);
  std::vector<uint32_t> targets;
  const auto *names =
      table.kind == Operand::Kind::Name
          ? body->lookup(body->branchTables, statement->scope, table.name)
          : nullptr;
  if (!names) {
    error("the branch table is not defined");
    return 0;
  }
  for (StringRef name : *names)
    targets.push_back(labelPc(name));
  program.branchTables.push_back(std::move(targets));
  return static_cast<uint32_t>(program.branchTables.size() - 1);
}

bool Decoder::isDefined(StringRef functionName) const {
  auto it = functionNumbers.find(functionName);
  return it != functionNumbers.end() && parsed.functions[it->second].hasBody;
}

int32_t Decoder::localVariable(const Operand &operand) {
  if (operand.kind == Operand::Kind::Symbol &&
      program.variables[operand.symbol].space == Space::Local)
    return operand.symbol;
  error("arguments and results of calls must be .param variables");
  return 0;
}

uint32_t Decoder::callee(const Operand &operand) {
  auto it = operand.kind == Operand::Kind::Name
                ? functionNumbers.find(operand.name)
                : functionNumbers.end();
  if (it == functionNumbers.end()) {
    error("only calls of named functions are supported");
    return 0;
  }
  if (!parsed.functions[it->second].hasBody)
    error("function '" + operand.name + "' has no body");
  callees[functionIndex].push_back(it->second);
  return it->second;
}

/// Gives each function the shared variables of all that it can reach.
void Decoder::collectShared() {
  for (uint32_t root = 0; root != program.functions.size(); ++root) {
    SetVector<uint32_t> reached;
    reached.insert(root);
    std::vector<int32_t> &symbols = program.functions[root].sharedSymbols;
    for (size_t next = 0; next != reached.size(); ++next) {
      const uint32_t number = reached[next];
      append_range(symbols, sharedUses[number]);
      reached.insert(callees[number].begin(), callees[number].end());
    }
    llvm::sort(symbols);
    symbols.erase(llvm::unique(symbols), symbols.end());
  }
}

void Decoder::describeKernels() {
  for (auto [number, function] : enumerate(parsed.functions)) {
    if (!function.isEntry || !function.hasBody)
      continue;
    KernelInfo kernel;
    kernel.name = function.name;
    for (int32_t symbol : function.params) {
      const Variable &param = program.variables[symbol];
      kernel.parameters.push_back(
          {param.name, param.offset, param.size, param.align});
      kernel.argumentBytes = param.offset + param.size;
    }
    llvm::copy(function.requiredThreads, kernel.requiredThreads.begin());
    kernel.maximumThreads = function.maximumThreads;
    llvm::copy(function.requiredCluster, kernel.requiredCluster.begin());
    kernel.isExplicitCluster = function.isExplicitCluster;
    kernel.maximumRegisters = function.maximumRegisters;
    kernel.minimumBlocks = function.minimumBlocks;
    for (int32_t symbol : program.functions[number].sharedSymbols) {
      const Variable &variable = program.variables[symbol];
      if (!variable.isExtern)
        kernel.staticSharedBytes =
            alignTo(kernel.staticSharedBytes, variable.align) + variable.size;
    }
    program.kernels.push_back(std::move(kernel));
    program.kernelFunctions.push_back(static_cast<uint32_t>(number));
  }
}

} // namespace tilewright::sim
