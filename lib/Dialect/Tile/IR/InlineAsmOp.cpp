//===- InlineAsmOp.cpp - tile.inline_asm ----------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Elements of less are packed into registers of so many bits.
static constexpr int64_t kPackedBits = 32;

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

static int64_t getElementBits(Type element) {
  return isa<PtrType, IndexType>(element) ? 64
                                          : element.getIntOrFloatBitWidth();
}

int64_t InlineAsmOp::getElementsPerRegister(Type element) {
  int64_t room = std::max<int64_t>(1, kPackedBits / getElementBits(element));
  return std::min<int64_t>(getPack(), room);
}

int64_t InlineAsmOp::getRegisterBits(Type element) {
  return getElementBits(element) * getElementsPerRegister(element);
}

/// The types of the elements of results, then of operands: the order in which
/// registers are numbered.
static SmallVector<Type> getElements(InlineAsmOp op) {
  return llvm::map_to_vector(
      llvm::concat<const Type>(SmallVector<Type>(op->getResultTypes()),
                               SmallVector<Type>(op->getOperandTypes())),
      [](Type type) { return getElementTypeOrSelf(type); });
}

static llvm::InlineAsm::ConstraintInfoVector parseConstraints(InlineAsmOp op) {
  return llvm::InlineAsm::ParseConstraints(op.getConstraints());
}

/// What an operand's register is called, where it is that of a result.
static char resolveLetter(ArrayRef<llvm::InlineAsm::ConstraintInfo> all,
                          const llvm::InlineAsm::ConstraintInfo &one) {
  StringRef code = one.Codes.front();
  unsigned number;
  if (code.getAsInteger(10, number))
    return code.front();
  return all[number].Codes.front().front();
}

SmallVector<SmallVector<char>> InlineAsmOp::getRegisterLetters() {
  llvm::InlineAsm::ConstraintInfoVector all = parseConstraints(*this);
  SmallVector<SmallVector<char>> letters;
  size_t next = 0;
  for (Type element : getElements(*this)) {
    SmallVector<char> &own = letters.emplace_back();
    int64_t count = getPack() / getElementsPerRegister(element);
    for (int64_t each = 0; each < count; ++each)
      own.push_back(resolveLetter(all, all[next++]));
  }
  return letters;
}

//===----------------------------------------------------------------------===//
// Who uses it
//===----------------------------------------------------------------------===//

/// Whether scalars go nowhere but, through arithmetic, to stores through one
/// pointer, which the first thread makes.
static bool areOnlyStored(Operation *op) {
  SmallVector<Operation *> waiting = {op};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!waiting.empty()) {
    for (Operation *user : waiting.pop_back_val()->getUsers()) {
      if (hasTiles(user))
        return false;
      if (isa<StoreOp>(user) || !seen.insert(user).second)
        continue;
      if (!isMemoryEffectFree(user) || user->getNumRegions() != 0 ||
          user->hasTrait<OpTrait::IsTerminator>())
        return false;
      waiting.push_back(user);
    }
  }
  return true;
}

bool InlineAsmOp::isOnce() {
  return !getPure() && (hasTiles(*this) || !areOnlyStored(*this));
}

//===----------------------------------------------------------------------===//
// The verifier
//===----------------------------------------------------------------------===//

static LogicalResult verifyOneShape(InlineAsmOp op) {
  if (op->getNumResults() == 0)
    return op.emitOpError("has no result: what it computes is lost");
  Type first = op->getResult(0).getType();
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(op->getResultTypes()),
                                SmallVector<Type>(op->getOperandTypes()))) {
    if (failed(verifyCompatibleShape(first, type)) ||
        isa<RankedTensorType>(first) != isa<RankedTensorType>(type) ||
        getRegisterLayout(first) != getRegisterLayout(type))
      return op.emitOpError("takes and gives values of one shape and one "
                            "layout, not ")
             << first << " and " << type;
    Type element = getElementTypeOrSelf(type);
    if (!isa<PtrType, IndexType>(element) && !isMemoryElementType(element))
      return op.emitOpError("has elements of 8, 16, 32 or 64 bits, not ")
             << element << ": extend them";
  }
  return success();
}

/// The bits of a register of that letter, 0 where there is none.
static int64_t getBits(char letter) {
  return llvm::StringSwitch<int64_t>(StringRef(&letter, 1))
      .Case("h", 16)
      .Cases({"r", "f"}, 32)
      .Cases({"l", "d"}, 64)
      .Default(0);
}

static LogicalResult verifyLetter(InlineAsmOp op, size_t number, Type element,
                                  char letter) {
  int64_t has = getBits(letter), needs = op.getRegisterBits(element);
  if (has == 0)
    return op.emitOpError("constraint ")
           << number << " is '" << StringRef(&letter, 1)
           << "': registers are h, r, l, f and d, or a result's number";
  bool isFloat = letter == 'f' || letter == 'd';
  if (isFloat ? has == needs : has >= needs)
    return success();
  return op.emitOpError("constraint ")
         << number << " is '" << StringRef(&letter, 1) << "', a register of "
         << has << " bits, and " << op.getElementsPerRegister(element) << " x "
         << element << " has " << needs;
}

/// "2 for 4 x i8": how many registers the values take, for messages.
static std::string describeRegisters(InlineAsmOp op, TypeRange types) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(
      types, stream,
      [&](Type type) {
        Type element = getElementTypeOrSelf(type);
        int64_t each = op.getElementsPerRegister(element);
        stream << op.getPack() / each << " for " << op.getPack() << " x "
               << element;
      },
      ", ");
  return text.empty() ? "none" : text;
}

static LogicalResult verifyCount(InlineAsmOp op, StringRef what, size_t given,
                                 TypeRange types) {
  size_t needed = 0;
  for (Type type : types)
    needed +=
        op.getPack() / op.getElementsPerRegister(getElementTypeOrSelf(type));
  if (given == needed)
    return success();
  return op.emitOpError("the constraints have ")
         << given << (given == 1 ? " register" : " registers") << " of " << what
         << ", and with a pack of " << op.getPack() << " there "
         << (needed == 1 ? "is " : "are ") << needed << ": "
         << describeRegisters(op, types);
}

static LogicalResult verifyConstraints(InlineAsmOp op) {
  llvm::InlineAsm::ConstraintInfoVector all = parseConstraints(op);
  if (all.empty())
    return op.emitOpError("the constraints cannot be read: \"")
           << op.getConstraints()
           << "\"; they are such as \"=r,r,r\", results with '=' first";
  using llvm::InlineAsm;
  constexpr InlineAsm::ConstraintPrefix order[] = {
      InlineAsm::isOutput, InlineAsm::isInput, InlineAsm::isClobber};
  size_t counts[4] = {0, 0, 0, 0}, place = 0;
  for (auto [number, one] : llvm::enumerate(all)) {
    if (one.isIndirect || one.isMultipleAlternative || one.Codes.size() != 1 ||
        one.Type == InlineAsm::isLabel)
      return op.emitOpError("constraint ")
             << number << " of \"" << op.getConstraints()
             << "\" is none of a register";
    while (place < 3 && order[place] != one.Type)
      ++place;
    if (place == 3)
      return op.emitOpError("the constraints are those of results, then of "
                            "operands, then what is clobbered, not \"")
             << op.getConstraints() << "\"";
    ++counts[one.Type];
  }
  if (failed(verifyCount(op, "results", counts[llvm::InlineAsm::isOutput],
                         op->getResultTypes())) ||
      failed(verifyCount(op, "operands", counts[llvm::InlineAsm::isInput],
                         op->getOperandTypes())))
    return failure();
  size_t number = 0;
  for (Type element : getElements(op))
    for (int64_t each = op.getElementsPerRegister(element), at = 0;
         at < op.getPack(); at += each, ++number)
      if (failed(verifyLetter(op, number, element,
                              resolveLetter(all, all[number]))))
        return failure();
  return success();
}

/// A dollar is followed by another one or by the number of a register, also in
/// braces.
static LogicalResult verifyReferences(InlineAsmOp op, size_t numRegisters) {
  StringRef rest = op.getText();
  while (true) {
    rest = rest.drop_front(std::min(rest.find('$'), rest.size()));
    if (!rest.consume_front("$"))
      return success();
    if (rest.consume_front("$"))
      continue;
    StringRef digits = rest.take_while(llvm::isDigit);
    unsigned number;
    if (digits.getAsInteger(10, number))
      return op.emitOpError("'$' in the text stands before the number of a "
                            "register; a dollar itself is '$$'");
    if (number >= numRegisters)
      return op.emitOpError("the text refers to $")
             << number << ", and the constraints have " << numRegisters
             << " registers, from $0 on";
    rest = rest.drop_front(digits.size());
  }
}

LogicalResult InlineAsmOp::verify() {
  if (!llvm::isPowerOf2_32(getPack()) || getPack() > kMaxPack)
    return emitOpError("'pack' is a power of two up to ")
           << kMaxPack << ", not " << getPack();
  if (getUnshared() && getPure())
    return emitOpError("is 'unshared', and 'pure' text finds the same in all "
                       "threads");
  if (failed(verifyOneShape(*this)) || failed(verifyConstraints(*this)))
    return failure();
  size_t numRegisters = 0;
  for (ArrayRef<char> letters : getRegisterLetters())
    numRegisters += letters.size();
  return verifyReferences(*this, numRegisters);
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

void InlineAsmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get(), GlobalMemory::get());
  effects.emplace_back(MemoryEffects::Write::get(), GlobalMemory::get());
  effects.emplace_back(MemoryEffects::Write::get(), Execution::get());
}

SmallVector<MemoryAccess, 2> InlineAsmOp::getMemoryAccesses() {
  if (getPure())
    return {};
  MemoryAccess anything;
  anything.isRead = anything.isWrite = true;
  return {anything};
}

Speculation::Speculatability InlineAsmOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}
