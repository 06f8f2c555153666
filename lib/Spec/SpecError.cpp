//===- SpecError.cpp - A mistake in a kernel's description ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Spec/SpecError.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilewright;
using namespace tilewright::spec;

char SpecError::ID = 0;

static llvm::StringRef getPrefix(SpecField field) {
  switch (field) {
  case SpecField::None:
    return "";
  case SpecField::Argument:
    return "argument: ";
  case SpecField::Shape:
    return "shape: ";
  case SpecField::Grid:
    return "grid: ";
  case SpecField::Reference:
    return "reference: ";
  }
  llvm_unreachable("not a field");
}

std::string SpecError::getMessageWithField() const {
  return (getPrefix(field) + message).str();
}

void SpecError::log(llvm::raw_ostream &os) const {
  os << getPrefix(field) << message;
  if (!column)
    return;
  os << " (column " << column;
  // Long texts are for the source.
  if (constexpr size_t longest = 1000;
      !text.empty() && text.size() <= longest) {
    os << " of \"";
    os.write_escaped(text);
    os << '"';
  }
  os << ')';
}

llvm::Error spec::inField(llvm::Error error, SpecField field, unsigned ordinal,
                          llvm::StringRef text) {
  return llvm::handleErrors(
      std::move(error),
      [&](std::unique_ptr<SpecError> specError) -> llvm::Error {
        specError->setField(field, ordinal, text);
        return llvm::Error(std::move(specError));
      });
}
