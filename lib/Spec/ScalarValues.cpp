//===- ScalarValues.cpp - Values of scalar arguments, from text -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Spec/KernelSpec.h"
#include "tilewright/Spec/SpecError.h"
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
    if (argument.isPointer || !isListed(index))
      continue;
    text += (text.empty() ? "" : ", ") + argument.name + " (" +
            getName(argument.type).str() + ")";
  }
  return text.empty() ? "none" : text;
}

static std::string listScalars(const KernelSpec &spec) {
  return listScalars(spec, [](unsigned) { return true; });
}

static llvm::Expected<uint64_t> parseInteger(const Argument &argument,
                                             llvm::StringRef text) {
  llvm::StringRef type = getName(argument.type);
  int64_t value;
  if (argument.type == ElementType::I1 && (text == "true" || text == "false"))
    return text == "true";
  // Radix 0: 0x for hexadecimal is understood.
  if (text.getAsInteger(0, value)) {
    if (text.find_first_not_of("-0123456789") == llvm::StringRef::npos)
      return makeSpecError("'" + argument.name + "=" + text +
                           "' does not fit an " + type);
    double number;
    if (!text.getAsDouble(number))
      return makeSpecError("'" + argument.name + "=" + text + "': an " + type +
                           " is needed");
    return makeSpecError("'" + argument.name + "=" + text + "': '" + text +
                         "' is no number");
  }
  unsigned width = 8 * getByteSize(argument.type);
  bool fits = argument.type == ElementType::I1 ? value == 0 || value == 1
                                               : llvm::isIntN(width, value);
  if (!fits)
    return makeSpecError("'" + argument.name + "=" + text +
                         "' does not fit an " + type);
  return encodeInteger(argument.type, value);
}

static llvm::Expected<uint64_t> parseReal(const Argument &argument,
                                          llvm::StringRef text) {
  double value;
  if (text.getAsDouble(value))
    return makeSpecError("'" + argument.name + "=" + text + "': '" + text +
                         "' is no number");
  uint64_t bits = encodeReal(argument.type, value);
  // "inf" and "nan" are meant; "1e999" reads as infinity too and is not.
  bool isNumber = llvm::any_of(text, llvm::isDigit);
  double limit =
      getLargestFinite(argument.type) * (1 + getUnitRoundoff(argument.type));
  bool overflows = isNumber && (std::isinf(decodeReal(argument.type, bits)) ||
                                std::fabs(value) > limit);
  if (overflows)
    return makeSpecError("'" + argument.name + "=" + text +
                         "' is too large for an " + getName(argument.type));
  return bits;
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
    if (argument.isPointer)
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
