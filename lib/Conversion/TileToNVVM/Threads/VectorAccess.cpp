//===- VectorAccess.cpp - One load or store of a few registers --*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction moves *words*: registers of 8, 16, 32 or 64 bits, each of
// which may hold several elements. LLVM has no predicated load, so those are
// PTX written here.
//
//===----------------------------------------------------------------------===//

#include "Threads/VectorAccess.h"

#include "Threads/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

namespace {
/// How the bytes of an access are split into words.
struct Words {
  IntegerType type;
  unsigned count;

  Words(MLIRContext *context, unsigned elementBytes, unsigned elements) {
    unsigned bytes = elementBytes * elements;
    unsigned wordBytes = elementBytes == 8 ? 8 : std::min(bytes, 4u);
    type = IntegerType::get(context, wordBytes * 8);
    count = bytes / wordBytes;
  }
  unsigned bytes() const { return count * type.getWidth() / 8; }
  Type vectorType() const {
    return count == 1 ? Type(type) : Type(VectorType::get(count, type));
  }
};
} // namespace

/// The type an element has while words are taken apart: LLVM has no 8-bit
/// floats.
static Type getStorageType(Type elementType) {
  return elementType.isFloat(8) ? IntegerType::get(elementType.getContext(), 8)
                                : elementType;
}

static Value getElement(OpBuilder &builder, Location loc, Value vector,
                        unsigned index) {
  Value position =
      LLVM::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(index));
  return LLVM::ExtractElementOp::create(builder, loc, vector, position);
}

static Value makeVector(OpBuilder &builder, Location loc, Type type,
                        ArrayRef<Value> elements) {
  Value vector = LLVM::UndefOp::create(builder, loc, type);
  for (auto [index, element] : llvm::enumerate(elements)) {
    Value position = LLVM::ConstantOp::create(builder, loc,
                                              builder.getI32IntegerAttr(index));
    vector =
        LLVM::InsertElementOp::create(builder, loc, vector, element, position);
  }
  return vector;
}

SmallVector<Value> tonvvm::unpack(OpBuilder &builder, Location loc,
                                  ArrayRef<Value> words, Type elementType) {
  Type storage = getStorageType(elementType);
  unsigned perWord = words[0].getType().getIntOrFloatBitWidth() /
                     storage.getIntOrFloatBitWidth();
  SmallVector<Value> elements;
  for (Value word : words) {
    if (perWord == 1) {
      elements.push_back(LLVM::BitcastOp::create(builder, loc, storage, word));
      continue;
    }
    Value vector = LLVM::BitcastOp::create(
        builder, loc, VectorType::get(perWord, storage), word);
    for (unsigned index = 0; index < perWord; ++index)
      elements.push_back(getElement(builder, loc, vector, index));
  }
  if (storage != elementType)
    for (Value &element : elements)
      element = arith::BitcastOp::create(builder, loc, elementType, element);
  return elements;
}

static SmallVector<Value> packInto(OpBuilder &builder, Location loc,
                                   ArrayRef<Value> elements,
                                   const Words &words) {
  Type storage = getStorageType(elements[0].getType());
  size_t perWord = elements.size() / words.count;
  SmallVector<Value> packed;
  for (size_t word = 0; word < words.count; ++word) {
    SmallVector<Value> parts(elements.slice(word * perWord, perWord));
    if (storage != elements[0].getType())
      for (Value &part : parts)
        part = arith::BitcastOp::create(builder, loc, storage, part);
    Value vector = perWord == 1
                       ? parts[0]
                       : makeVector(builder, loc,
                                    VectorType::get(perWord, storage), parts);
    packed.push_back(LLVM::BitcastOp::create(builder, loc, words.type, vector));
  }
  return packed;
}

SmallVector<Value> tonvvm::pack(OpBuilder &builder, Location loc,
                                ArrayRef<Value> elements) {
  Words words(builder.getContext(),
              tile::getElementBytes(elements[0].getType()), elements.size());
  return packInto(builder, loc, elements, words);
}

LoadedWord tonvvm::findLoad(Value word) {
  LoadedWord found = {word.getDefiningOp()};
  APInt position;
  if (auto part = word.getDefiningOp<LLVM::ExtractValueOp>())
    found = {part.getContainer().getDefiningOp(), part.getPosition().front()};
  else if (auto element = word.getDefiningOp<LLVM::ExtractElementOp>();
           element &&
           matchPattern(element.getPosition(), m_ConstantInt(&position)))
    found = {element.getVector().getDefiningOp(), position.getSExtValue()};
  return isa_and_nonnull<LLVM::InlineAsmOp, LLVM::LoadOp>(found.op)
             ? found
             : LoadedWord();
}

bool tonvvm::isLoadedAlone(Value element) {
  while (auto cast = element.getDefiningOp<LLVM::BitcastOp>())
    element = cast.getArg();
  return element.getType().isIntOrFloat() && findLoad(element).op;
}

Operation *tonvvm::findLoadOfElements(ArrayRef<Value> elements,
                                      Value predicate) {
  if (getKnown(predicate) == false)
    return nullptr;
  Operation *op = elements.front().getDefiningOp();
  while (isa_and_nonnull<arith::BitcastOp, LLVM::BitcastOp,
                         LLVM::ExtractElementOp, LLVM::ExtractValueOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<LLVM::InlineAsmOp, LLVM::LoadOp>(op) ? op : nullptr;
}

std::optional<bool> tonvvm::getKnown(Value predicate) {
  APInt value;
  if (!predicate)
    return true;
  if (!matchPattern(predicate, m_ConstantInt(&value)))
    return std::nullopt;
  return value.isOne();
}

Value tonvvm::combine(OpBuilder &builder, Location loc, Value a, Value b) {
  return a && b ? builder.createOrFold<arith::AndIOp>(loc, a, b) : a ? a : b;
}

//===----------------------------------------------------------------------===//
// Predicated PTX
//===----------------------------------------------------------------------===//

static StringRef getSpace(Value pointer) {
  switch (cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace()) {
  case kSharedSpace:
    return "shared";
  case kClusterSpace:
    return "shared::cluster";
  default:
    return "global";
  }
}

/// "ld.global" and the like.
static std::string getMnemonic(StringRef verb, Value pointer,
                               const Words &words) {
  std::string vector =
      words.count == 1 ? "" : llvm::formatv(".v{0}", words.count).str();
  return llvm::formatv("{0}.{1}{2}.b{3}", verb, getSpace(pointer), vector,
                       words.type.getWidth());
}

unsigned tonvvm::getAddressBits(Type pointerType) {
  unsigned space = cast<LLVM::LLVMPointerType>(pointerType).getAddressSpace();
  return space == kSharedSpace || space == kClusterSpace ? 32 : 64;
}

static StringRef getAddressClass(Value pointer) {
  return getRegisterClass(getAddressBits(pointer.getType()));
}

/// A word as an assembly operand. Bytes have registers of 32 bits, of which
/// ptxas sets two to zero at once, and half of one in an instruction that waits
/// for the other half.
static IntegerType getAsmType(const Words &words) {
  return words.type.getWidth() == 8
             ? IntegerType::get(words.type.getContext(), 32)
             : words.type;
}

static Value toAsmOperand(OpBuilder &builder, Location loc, const Words &words,
                          Value word) {
  IntegerType type = getAsmType(words);
  return type == words.type ? word
                            : LLVM::ZExtOp::create(builder, loc, type, word);
}

/// `other` has words, or nothing where they are zero.
static SmallVector<Value> loadPredicated(OpBuilder &builder, Location loc,
                                         Value pointer, const Words &words,
                                         Value predicate, ArrayRef<Value> other,
                                         bool isVolatile) {
  IntegerType type = getAsmType(words);
  SmallVector<Value> operands = {pointer, predicate};
  std::string text;
  for (unsigned index = 0; index < words.count; ++index) {
    std::string first = "0";
    if (!other.empty()) {
      first = llvm::formatv("${0}", words.count + operands.size());
      operands.push_back(toAsmOperand(builder, loc, words, other[index]));
    }
    text +=
        llvm::formatv("mov.b{0} ${1}, {2};\n", type.getWidth(), index, first);
  }
  text += llvm::formatv(
      "@${0} {1} {2}, [${3}];", words.count + 1,
      getMnemonic(isVolatile ? "ld.volatile" : "ld", pointer, words),
      listOperands(0, words.count), words.count);
  // Results are written before operands are read: they must not share.
  std::string constraints;
  for (unsigned index = 0; index < words.count; ++index)
    constraints += llvm::formatv("=&{0},", getRegisterClass(type.getWidth()));
  constraints += llvm::formatv("{0},b,", getAddressClass(pointer));
  for (size_t index = 0; index < other.size(); ++index)
    constraints += llvm::formatv("{0},", getRegisterClass(type.getWidth()));
  Value loaded = emitPtx(builder, loc, getResultType(type, words.count),
                         operands, text, constraints + "~{memory}");
  SmallVector<Value> values = unpackResults(builder, loc, loaded, words.count);
  if (type != words.type)
    for (Value &word : values)
      word = LLVM::TruncOp::create(builder, loc, words.type, word);
  return values;
}

static void storePredicated(OpBuilder &builder, Location loc, Value pointer,
                            ArrayRef<Value> values, const Words &words,
                            Value predicate, bool isVolatile) {
  SmallVector<Value> operands = {predicate, pointer};
  std::string constraints = llvm::formatv("b,{0}", getAddressClass(pointer));
  for (Value word : values) {
    operands.push_back(toAsmOperand(builder, loc, words, word));
    constraints +=
        llvm::formatv(",{0}", getRegisterClass(getAsmType(words).getWidth()));
  }
  std::string text = llvm::formatv(
      "@$0 {0} [$1], {1};",
      getMnemonic(isVolatile ? "st.volatile" : "st", pointer, words),
      listOperands(2, words.count));
  emitPtx(builder, loc, nullptr, operands, text, constraints + ",~{memory}");
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// What is loaded where nothing is.
static SmallVector<Value> makeZeros(OpBuilder &builder, Location loc,
                                    const Words &words, Type elementType) {
  Value zero = LLVM::ConstantOp::create(builder, loc,
                                        builder.getIntegerAttr(words.type, 0));
  return unpack(builder, loc, SmallVector<Value>(words.count, zero),
                elementType);
}

SmallVector<Value> tilewright::tonvvm::loadVector(
    OpBuilder &builder, Location loc, Value pointer, Type elementType,
    unsigned count, Value predicate, ArrayRef<Value> other, bool isVolatile) {
  Words words(builder.getContext(), tile::getElementBytes(elementType), count);
  std::optional<bool> known = getKnown(predicate);
  if (known == false)
    return other.empty() ? makeZeros(builder, loc, words, elementType)
                         : SmallVector<Value>(other);
  if (!known) {
    SmallVector<Value> otherWords;
    if (!other.empty())
      otherWords = packInto(builder, loc, other, words);
    return unpack(builder, loc,
                  loadPredicated(builder, loc, pointer, words, predicate,
                                 otherWords, isVolatile),
                  elementType);
  }
  Value loaded = LLVM::LoadOp::create(builder, loc, words.vectorType(), pointer,
                                      /*alignment=*/words.bytes(), isVolatile);
  SmallVector<Value> values = {loaded};
  if (words.count > 1) {
    values.clear();
    for (unsigned index = 0; index < words.count; ++index)
      values.push_back(getElement(builder, loc, loaded, index));
  }
  return unpack(builder, loc, values, elementType);
}

void tilewright::tonvvm::storeVector(OpBuilder &builder, Location loc,
                                     Value pointer, ArrayRef<Value> elements,
                                     Value predicate, bool isVolatile) {
  std::optional<bool> known = getKnown(predicate);
  if (known == false)
    return;
  Words words(builder.getContext(),
              tile::getElementBytes(elements[0].getType()), elements.size());
  SmallVector<Value> values = packInto(builder, loc, elements, words);
  if (!known)
    return storePredicated(builder, loc, pointer, values, words, predicate,
                           isVolatile);
  Value vector = words.count == 1
                     ? values[0]
                     : makeVector(builder, loc, words.vectorType(), values);
  LLVM::StoreOp::create(builder, loc, vector, pointer,
                        /*alignment=*/words.bytes(), isVolatile);
}

//===----------------------------------------------------------------------===//
// Fragments of mma.sync
//===----------------------------------------------------------------------===//

SmallVector<Value> tilewright::tonvvm::loadMatrices(OpBuilder &builder,
                                                    Location loc, Value pointer,
                                                    Type elementType,
                                                    unsigned numMatrices,
                                                    bool transposed) {
  MLIRContext *context = builder.getContext();
  Value loaded = NVVM::LdMatrixOp::create(
      builder, loc, getResultType(builder.getI32Type(), numMatrices), pointer,
      numMatrices, transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
      NVVM::LdStMatrixEltType::B16);
  return unpack(builder, loc, unpackResults(builder, loc, loaded, numMatrices),
                elementType);
}

SmallVector<Value> tilewright::tonvvm::packWords(OpBuilder &builder,
                                                 Location loc,
                                                 ArrayRef<Value> elements) {
  unsigned bytes = tile::getElementBytes(elements[0].getType());
  Words words(builder.getContext(), bytes, std::max(1u, 4 / bytes));
  words.count = elements.size() * bytes / (words.type.getWidth() / 8);
  return packInto(builder, loc, elements, words);
}
