//===- SpecError.h - A mistake in a kernel's description --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every string of a kernel's description (a shape, a grid extent, a reference)
// can be wrong at a place. SpecError keeps the place apart from the text, so
// that a front end can point into its own source file; as plain text it reads
//
//   reference: 'Q' is no argument of the kernel (column 8 of "Y[i] = Q[i]")
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_SPEC_SPECERROR_H
#define TILEWRIGHT_SPEC_SPECERROR_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tilewright::spec {

/// Which part of a kernel's description an error is about.
enum class SpecField : uint8_t { None, Argument, Shape, Grid, Reference };

class SpecError : public llvm::ErrorInfo<SpecError> {
public:
  static char ID;

  /// \p column counts characters from 1; 0: the text as a whole.
  SpecError(std::string message, unsigned column)
      : message(std::move(message)), column(column) {}

  /// The text alone, without field and column.
  const std::string &getMessage() const { return message; }
  unsigned getColumn() const { return column; }
  SpecField getField() const { return field; }
  /// The position of the faulty string among those of its field, from 0.
  unsigned getOrdinal() const { return ordinal; }

  void setField(SpecField newField, unsigned newOrdinal,
                llvm::StringRef newText) {
    field = newField;
    ordinal = newOrdinal;
    text = newText.str();
  }
  /// The message after the name of its field, for one who shows the place.
  std::string getMessageWithField() const;

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string message;
  unsigned column;
  SpecField field = SpecField::None;
  unsigned ordinal = 0;
  /// The faulty string; empty where it is not known.
  std::string text;
};

inline llvm::Error makeSpecError(const llvm::Twine &message,
                                 unsigned column = 0) {
  return llvm::make_error<SpecError>(message.str(), column);
}

/// Adds to a SpecError the string it came from; other errors pass unchanged.
llvm::Error inField(llvm::Error error, SpecField field, unsigned ordinal = 0,
                    llvm::StringRef text = {});

} // namespace tilewright::spec

#endif // TILEWRIGHT_SPEC_SPECERROR_H
