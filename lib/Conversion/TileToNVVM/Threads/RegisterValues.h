//===- RegisterValues.h - The registers of a tile being loaded --*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_REGISTERVALUES_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_REGISTERVALUES_H

#include "mlir/IR/ValueRange.h"
#include "tilewright/Layout/Conversion/LayoutConversion.h"

namespace tilewright::tonvvm {

/// For each number of a register its value.
inline llvm::SmallVector<mlir::Value>
takeRegisters(mlir::ValueRange registers, llvm::ArrayRef<unsigned> numbers) {
  return llvm::map_to_vector(numbers,
                             [&](unsigned reg) { return registers[reg]; });
}

/// Collects the values of a tile's registers. An access plan leaves out
/// registers that repeat others: they get the same values.
class RegisterValues {
public:
  explicit RegisterValues(const LinearLayout &layout)
      : canonical(canonicalRegisters(layout)), values(canonical.size()) {}

  void set(llvm::ArrayRef<unsigned> registers,
           llvm::ArrayRef<mlir::Value> loaded) {
    for (auto [reg, value] : llvm::zip_equal(registers, loaded))
      values[reg] = value;
  }

  llvm::SmallVector<mlir::Value> take() const {
    return takeRegisters(values, canonical);
  }

private:
  llvm::SmallVector<unsigned> canonical;
  llvm::SmallVector<mlir::Value> values;
};

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_REGISTERVALUES_H
