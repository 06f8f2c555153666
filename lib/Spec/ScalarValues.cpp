//===- ScalarValues.cpp - Values of scalar arguments, from text -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Spec/KernelSpec.h"
#include "tilewright/Spec/SpecError.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace tilewright;
using namespace tilewright::spec;

/// "M (i32), alpha (f32)": what a user may give.
static std::string listScalars(const KernelSpec &spec,
                               llvm::function_ref<bool(unsigned)> isListed) {
  std::string text;
  for (auto [index, argument] : llvm::enumerate(spec.getArguments())) {
    if (argument.isPointer() || !isListed(index))
      continue;
    text += (text.empty() ? "" : ", ") + argument.name + " (" +
            getName(argument.type).str() + ")";
  }
  return text.empty() ? "none" : text;
}

static std::string listScalars(const KernelSpec &spec) {
  return listScalars(spec, [](unsigned) { return true; });
}

llvm::Error spec::makeRangeError(const Argument &argument,
                                 llvm::StringRef text) {
  std::string what = "'" + argument.name + "' is " + text.str();
  llvm::StringRef type = getName(argument.type);
  if (isReal(argument.type))
    return makeSpecError(
        what + ", too large for an " + type + ": the largest is " +
        formatElement(
            argument.type,
            encodeReal(argument.type, getLargestFinite(argument.type))));
  unsigned width = getBitWidth(argument.type);
  return makeSpecError(
      what + "; an " + type + " takes " +
      llvm::toString(llvm::APInt::getSignedMinValue(width), 10,
                     /*Signed=*/true) +
      " to " +
      llvm::toString(llvm::APInt::getMaxValue(width), 10, /*Signed=*/false));
}

/// 0x and 0b stand for other bases than 10; 0 in front for none.
static unsigned takeRadix(llvm::StringRef &digits) {
  if (digits.consume_front_insensitive("0x"))
    return 16;
  return digits.consume_front_insensitive("0b") ? 2 : 10;
}

static llvm::Expected<uint64_t> parseInteger(const Argument &argument,
                                             llvm::StringRef text) {
  if (argument.type == ElementType::I1 && (text == "true" || text == "false"))
    return text == "true";
  llvm::StringRef digits = text;
  bool isNegative = digits.consume_front("-");
  if (!isNegative)
    digits.consume_front("+");
  unsigned radix = takeRadix(digits);
  if (llvm::APInt any; !digits.getAsInteger(radix, any)) {
    uint64_t magnitude = any.getLimitedValue();
    std::optional<uint64_t> bits;
    if (any.isIntN(64))
      bits = encodeGivenInteger(argument.type, isNegative, magnitude);
    if (bits)
      return *bits;
    return makeRangeError(argument, text);
  }
  double number;
  if (!text.getAsDouble(number))
    return makeSpecError("'" + argument.name + "=" + text + "': '" +
                         argument.name + "' is an " + getName(argument.type) +
                         " and takes an integer");
  return makeSpecError("'" + argument.name + "=" + text + "': '" + text +
                       "' is no number");
}

static llvm::Expected<uint64_t> parseReal(const Argument &argument,
                                          llvm::StringRef text) {
  double value;
  if (text.getAsDouble(value))
    return makeSpecError("'" + argument.name + "=" + text + "': '" + text +
                         "' is no number");
  // "inf" is meant; "1e999" reads as infinity too and is not.
  bool isInfinity = std::isinf(value) && llvm::any_of(text, llvm::isDigit);
  std::optional<uint64_t> bits;
  if (!isInfinity)
    bits = encodeGivenReal(argument.type, value);
  if (bits)
    return *bits;
  return makeRangeError(argument, text);
}

llvm::Expected<ScalarValues>
ScalarValues::fromBits(const KernelSpec &spec, llvm::ArrayRef<uint64_t> bits) {
  if (bits.size() != spec.getArguments().size())
    return makeSpecError("'" + spec.getName() + "' has " +
                         llvm::Twine(spec.getArguments().size()) +
                         " arguments, not " + llvm::Twine(bits.size()));
  ScalarValues values;
  for (auto [argument, value] : llvm::zip_equal(spec.getArguments(), bits)) {
    unsigned width = 8 * getByteSize(argument.type);
    values.bits.push_back(value & llvm::maskTrailingOnes<uint64_t>(width));
  }
  return values;
}

llvm::Expected<ScalarValues> ScalarValues::parse(const KernelSpec &spec,
                                                 llvm::StringRef text) {
  llvm::ArrayRef<Argument> arguments = spec.getArguments();
  ScalarValues values;
  values.bits.assign(arguments.size(), 0);
  llvm::BitVector given(arguments.size());

  llvm::SmallVector<llvm::StringRef> tokens;
  llvm::SplitString(text, tokens, " \t\n\r\v\f,");
  for (llvm::StringRef token : tokens) {
    auto [name, number] = token.split('=');
    if (name.size() == token.size() || name.empty() || number.empty())
      return makeSpecError(
          "'" + token + "' is not of the form name=number; the scalars of '" +
          spec.getName() + "' are " + listScalars(spec));
    std::optional<unsigned> index = spec.findArgument(name);
    if (!index)
      return makeSpecError("'" + name + "' is no argument of '" +
                           spec.getName() + "'; its scalars are " +
                           listScalars(spec));
    const Argument &argument = arguments[*index];
    if (argument.isPointer())
      return makeSpecError("'" + name +
                           "' is a pointer and gets its value from the "
                           "runner; the scalars of '" +
                           spec.getName() + "' are " + listScalars(spec));
    if (given.test(*index))
      return makeSpecError("'" + name + "' is given twice");
    llvm::Expected<uint64_t> bits = isInteger(argument.type)
                                        ? parseInteger(argument, number)
                                        : parseReal(argument, number);
    if (!bits)
      return bits.takeError();
    values.bits[*index] = *bits;
    given.set(*index);
  }

  std::string missing =
      listScalars(spec, [&](unsigned index) { return !given.test(index); });
  if (missing != "none")
    return makeSpecError("no value for " + missing +
                         "; give it as name=number");
  return values;
}
