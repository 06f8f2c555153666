//===- NamedParser.h - Options whose values have names ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TOOLS_COMMON_NAMEDPARSER_H
#define TILEWRIGHT_TOOLS_COMMON_NAMEDPARSER_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

namespace tilewright {

/// LLVM's parser of named values; its error says which ones there are.
template <typename T> struct NamedParser : llvm::cl::parser<T> {
  using llvm::cl::parser<T>::parser;

  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text,
             T &value) {
    llvm::SmallVector<llvm::StringRef> names;
    for (const auto &known : this->Values) {
      if (known.Name == text) {
        value = known.V.getValue();
        return false;
      }
      if (!known.Name.empty())
        names.push_back(known.Name);
    }
    return option.error("'" + text + "' is none of " + llvm::join(names, ", "));
  }
};

/// An option of a type of enumerators, each with a name by cl::values.
template <typename T>
using NamedOption = llvm::cl::opt<T, /*ExternalStorage=*/false, NamedParser<T>>;

} // namespace tilewright

#endif // TILEWRIGHT_TOOLS_COMMON_NAMEDPARSER_H
