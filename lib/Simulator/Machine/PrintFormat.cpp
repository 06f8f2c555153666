//===- PrintFormat.cpp - What vprintf prints ------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/PrintFormat.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilewright::sim;

namespace {
/// "%-8.3lld", taken apart.
struct Conversion {
  std::string flags; ///< with width and precision
  bool isLong = false;
  char letter = 0;

  /// Reads on behind the percent sign; false where it is none of C.
  bool read(StringRef &text) {
    StringRef start = text;
    flags = text.take_while(
        [](char c) { return StringRef("-+ #0.").contains(c) || isDigit(c); });
    text = text.drop_front(flags.size());
    while (!text.empty() && StringRef("hlzjt").contains(text.front())) {
      isLong |= text.front() != 'h';
      text = text.drop_front();
    }
    if (text.empty() ||
        !StringRef("diuxXocsfFeEgGaAp").contains(text.front())) {
      text = start;
      return false;
    }
    letter = text.front();
    text = text.drop_front();
    return true;
  }
};
} // namespace

template <typename T>
static std::string print(const Conversion &conversion, StringRef length,
                         T value) {
  std::string format =
      "%" + conversion.flags + length.str() + conversion.letter;
  const int size = std::snprintf(nullptr, 0, format.c_str(), value);
  std::string text(static_cast<size_t>(std::max(size, 0)) + 1, 0);
  std::snprintf(text.data(), text.size(), format.c_str(), value);
  text.pop_back();
  return text;
}

static std::string printValue(const Conversion &conversion,
                              function_ref<uint64_t(unsigned)> takeValue,
                              function_ref<std::string(uint64_t)> readText) {
  switch (conversion.letter) {
  case 's':
    return print(conversion, "", readText(takeValue(8)).c_str());
  case 'p':
    return "0x" + utohexstr(takeValue(8), /*LowerCase=*/true);
  case 'c':
    return print(conversion, "", static_cast<int>(takeValue(4)));
  case 'd':
  case 'i':
    if (conversion.isLong)
      return print(conversion, "ll", static_cast<long long>(takeValue(8)));
    return print(conversion, "", static_cast<int>(takeValue(4)));
  case 'u':
  case 'x':
  case 'X':
  case 'o':
    if (conversion.isLong)
      return print(conversion, "ll",
                   static_cast<unsigned long long>(takeValue(8)));
    return print(conversion, "", static_cast<unsigned>(takeValue(4)));
  default:
    return print(conversion, "", bit_cast<double>(takeValue(8)));
  }
}

std::string
tilewright::sim::formatText(StringRef format,
                            function_ref<uint64_t(unsigned)> takeValue,
                            function_ref<std::string(uint64_t)> readText) {
  std::string text;
  while (!format.empty()) {
    text += format.take_until([](char c) { return c == '%'; });
    format = format.drop_until([](char c) { return c == '%'; });
    if (!format.consume_front("%"))
      break;
    Conversion conversion;
    if (format.consume_front("%") || !conversion.read(format))
      text += '%';
    else
      text += printValue(conversion, takeValue, readText);
  }
  return text;
}

std::string PrintedText::take() {
  std::lock_guard<std::mutex> lock(mutex);
  std::string all;
  for (const auto &[block, text] : ofBlocks)
    all += text;
  ofBlocks.clear();
  return all;
}
