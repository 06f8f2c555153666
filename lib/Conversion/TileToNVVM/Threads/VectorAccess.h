//===- VectorAccess.h - One load or store of a few registers ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements that follow one another go by one instruction, as words, whatever
// their type: four of f16 are two words of 32 bits.
//
//   loadVector(pointer, f16, 4)   ->   ld.global.v2.b32 {a, b}, taken apart
//
// Where a predicate may be false, the instruction is PTX, since LLVM has no
// predicated load.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_VECTORACCESS_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_VECTORACCESS_H

#include "mlir/IR/Builders.h"

namespace tilewright::tonvvm {

/// Bits of an address in the pointer's memory: 32 in shared memory, that of a
/// cluster too, else 64.
unsigned getAddressBits(mlir::Type pointerType);

/// Loads `count` consecutive elements with one instruction of their summed
/// width, to which `pointer` is aligned. With a predicate (i1), nothing is read
/// where it is false, and the elements are those of `other`, or zero without
/// these. The memory is global or shared, as the pointer's type says. Neither
/// LLVM nor ptxas merges volatile accesses into wider ones.
llvm::SmallVector<mlir::Value>
loadVector(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pointer,
           mlir::Type elementType, unsigned count, mlir::Value predicate,
           llvm::ArrayRef<mlir::Value> other = {}, bool isVolatile = false);

/// Loads `numMatrices` 8x8 matrices of 16-bit pieces with ldmatrix, and takes
/// the words apart into elements. Each lane gives the address of a row.
llvm::SmallVector<mlir::Value>
loadMatrices(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pointer,
             mlir::Type elementType, unsigned numMatrices, bool transposed);

/// Puts elements together into 32-bit words, in order; elements of 8 bytes each
/// into one of 64.
llvm::SmallVector<mlir::Value> packWords(mlir::OpBuilder &builder,
                                         mlir::Location loc,
                                         llvm::ArrayRef<mlir::Value> elements);

/// The words by which one instruction moves consecutive elements: of 8, 16, 32
/// or 64 bits each.
llvm::SmallVector<mlir::Value> pack(mlir::OpBuilder &builder,
                                    mlir::Location loc,
                                    llvm::ArrayRef<mlir::Value> elements);
/// Takes words apart into elements.
llvm::SmallVector<mlir::Value> unpack(mlir::OpBuilder &builder,
                                      mlir::Location loc,
                                      llvm::ArrayRef<mlir::Value> words,
                                      mlir::Type elementType);

/// What loads a word, and which of its words that is.
struct LoadedWord {
  mlir::Operation *op = nullptr;
  int64_t index = 0;
};

/// What loads the value at once, by an instruction or by PTX; or nothing.
LoadedWord findLoad(mlir::Value word);

/// Whether an instruction has loaded that element alone: ptxas puts none of
/// less than a word together while they are under way.
bool isLoadedAlone(mlir::Value element);

/// The instruction that has loaded the elements of a vector where the predicate
/// holds; null where it never does.
mlir::Operation *findLoadOfElements(llvm::ArrayRef<mlir::Value> elements,
                                    mlir::Value predicate);

/// What a predicate is in all threads, as far as that is known; null always
/// holds.
std::optional<bool> getKnown(mlir::Value predicate);

/// Both of two predicates, each of which may be null, which always holds.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value a,
                    mlir::Value b);

/// Stores consecutive elements with one instruction; with a predicate, only
/// where it is true.
void storeVector(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::Value pointer, llvm::ArrayRef<mlir::Value> elements,
                 mlir::Value predicate, bool isVolatile = false);

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_VECTORACCESS_H
