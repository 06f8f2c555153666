//===- Decoder.h - Statements to decoded instructions -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From statements (Ast.h) to instructions (Instr.h). Who knows an opcode is
// found in a table; the family that registered it takes modifiers and operands
// off the statement, and leaves in the instruction what executes it:
//
//   add.u32 %r3, %r1, 4;   ->   family Integer: takeType() is U32,
//                               destination(0, U32) 3, source(1, U32) 1, ...
//
// What a family leaves over, or does not know, is an error with the line of the
// text: nothing is executed that is not understood.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_PROGRAM_DECODER_H
#define TILEWRIGHT_LIB_SIMULATOR_PROGRAM_DECODER_H

#include "Program/Program.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include <map>

namespace tilewright::sim {

class Decoder;

/// Fills in `instr` for the statement that `decoder` stands at.
using DecodeFn = void (*)(Decoder &decoder, Instr &instr);

/// Families that share an opcode name are told apart by the class of the
/// instruction's first type.
enum class TypeClass : uint8_t { Any, Integer, Float, Half };

/// Opcode names to the families that decode them. A name may have several
/// parts ("cp.async"); the longest match wins.
class OpcodeTable {
public:
  /// Registers all families of Families.def.
  OpcodeTable();
  void add(llvm::StringRef name, DecodeFn decode,
           TypeClass types = TypeClass::Any) {
    entries[name][static_cast<size_t>(types)] = decode;
  }
  /// Null if unknown; `used` is set to the number of matched parts.
  DecodeFn find(llvm::ArrayRef<llvm::StringRef> parts, size_t &used) const;

private:
  llvm::StringMap<std::array<DecodeFn, 4>> entries;
};

/// What a family sees of a statement: modifiers to consume, operands to turn
/// into slots. The first error is kept and everything after it is harmless,
/// so families need no error paths of their own.
///
///   void decodeNot(Decoder &d, Instr &i) {     // not.b32 d, a;
///     i.type = d.takeType();
///     i.ops = {d.destination(0, i.type), d.source(1, i.type)};
///     i.exec = ...;
///   }
///
/// Modifiers that a family leaves over are an error: "unknown modifier".
class Decoder {
public:
  Decoder(Program &program, const ParsedModule &parsed);
  llvm::Error run();

  // Modifiers.
  llvm::StringRef opcode() const { return statement->parts[0]; }
  /// Consumes `.name` if it is there.
  bool take(llvm::StringRef name);
  /// Consumes the first of `names` that is there; its index, or -1.
  int takeOneOf(llvm::ArrayRef<llvm::StringRef> names);
  /// Consumes modifiers that start with `prefix` (cache hints).
  void skipPrefixed(llvm::StringRef prefix);
  /// Consumes the next type modifier; an error if there is none.
  Type takeType();
  /// The same, but `Type::None` if there is none.
  Type takeOptionalType();
  /// Consumes the next modifier, whatever it is.
  llvm::StringRef takeNext();
  /// Consumes .shared, .shared::cta or .shared::cluster.
  bool takeShared() {
    return takeOneOf({"shared", "shared::cta", "shared::cluster"}) >= 0;
  }
  /// Consumes .cta, .cluster, .gpu or .sys; None if there is none.
  Scope takeScope();
  /// The same, as a space; Generic if there is none.
  Space takeSharedSpace();
  /// Consumes a state space; Generic if there is none.
  Space takeSpace();
  /// Consumes .global and one of the .shared. The space that stands first, to
  /// which a copy goes; Generic if one of them is missing.
  Space takeCopyTarget();
  /// The next modifier, not consumed; empty at the end.
  llvm::StringRef peek() const;

  // Operands.
  size_t operandCount() const { return statement->operands.size(); }
  void expectOperands(size_t least, size_t most);
  const Operand &operand(size_t index);
  /// A slot or constant to read as `type`.
  int32_t source(size_t index, Type type) {
    return source(operand(index), type);
  }
  int32_t source(const Operand &operand, Type type);
  /// A register to write; `_` gives a scratch register.
  int32_t destination(size_t index, Type type) {
    return destination(operand(index), type);
  }
  int32_t destination(const Operand &operand, Type type);
  /// A predicate to read: slot * 2 + negated.
  int32_t predicateSource(size_t index) {
    return predicateSource(operand(index));
  }
  int32_t predicateSource(const Operand &operand);
  /// A predicate slot to write.
  int32_t predicateDestination(const Operand &operand);
  /// The elements of {a, b}, or the operand alone.
  llvm::ArrayRef<Operand> elements(size_t index);
  /// Base register or constant of [a + offset]; the offset goes into
  /// `instr.offset`.
  int32_t address(size_t index, Instr &instr);
  /// An integer known now.
  int64_t immediate(size_t index);
  int32_t constant(uint64_t value, int32_t symbol = -1);
  int32_t scratchRegister();
  /// The predicate that holds the carry of add.cc and its kin.
  int32_t carryPredicate();
  /// The pc of a label operand.
  uint32_t label(size_t index);
  /// The number in Program::branchTables of a `.branchtargets` operand.
  uint32_t branchTable(size_t index);
  bool isDefined(llvm::StringRef functionName) const;
  /// The symbol of a local or `.param` variable.
  int32_t localVariable(const Operand &operand);
  /// The number of the function that `operand` names.
  uint32_t callee(const Operand &operand);
  const ParsedFunction &parsedFunction(uint32_t number) const {
    return parsed.functions[number];
  }
  const Variable &variable(int32_t symbol) const {
    return program.variables[symbol];
  }
  llvm::StringRef target() const { return parsed.target; }
  /// The number in the target: 90 in "sm_90a".
  unsigned architecture() const;
  /// An error where the target is older.
  void requireArchitecture(unsigned least);
  bool inEntry() const { return function->isEntry; }

  /// The instruction is a wgmma: accesses of others to its registers are to be
  /// noted, in Instr::registerUses.
  void watchRegisters();

  void error(const llvm::Twine &message);
  bool failed() const { return !failure.empty(); }

private:
  bool decodeFunction(uint32_t number);
  bool decodeStatement(const Statement &from, Instr &instr);
  void noteRegisterUses();
  void collectShared();
  void describeKernels();
  int32_t presetSlot(SpecialRegister special, int64_t addend = 0,
                     int32_t symbol = -1);
  int32_t addressOf(int32_t symbol, int64_t offset);
  uint32_t labelPc(llvm::StringRef name);
  bool checkWidth(const RegisterRef &reg, Type type);

  Program &program;
  const ParsedModule &parsed;
  OpcodeTable opcodes;
  Function *function = nullptr;
  const ParsedFunction *body = nullptr;
  uint32_t functionIndex = 0;
  const Statement *statement = nullptr;
  llvm::SmallVector<llvm::StringRef, 8> modifiers;
  std::map<std::pair<uint64_t, int32_t>, int32_t> constants;
  llvm::StringMap<uint32_t> functionNumbers;
  std::vector<std::vector<uint32_t>> callees;
  std::vector<std::vector<int32_t>> sharedUses;
  /// Registers of the statement, and of all of the function.
  std::vector<RegisterUse> registers;
  std::vector<std::vector<RegisterUse>> registersOfBody;
  llvm::DenseSet<int32_t> watched;
  int32_t scratch = -1;
  int32_t carry = -1;
  std::string failure;
};

/// Each branch of the function gets the immediate post-dominator of its
/// block as its reconvergence point.
void findReconvergence(Program &program, const Function &function);

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_PROGRAM_DECODER_H
