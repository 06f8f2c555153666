//===- RowWords.h - Rows that begin anywhere, word by word ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp has a piece of a row, a word of elements in each lane at a time
// (WordsOfRows.h). The words of memory begin as far in front of them as the
// piece begins behind one:
//
//   elements of lanes    |0 1 2 3|4 5 6 7|8 9 ...
//   words of memory    ..  0 1|2 3 4 5|6 7 8 9|...
//
// Each is moved by the lane that has its last elements; the others of it are
// the neighbour's in front. Elements at both ends of the piece that fill no
// word are moved one by one, so that nothing else is touched.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROWWORDS_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROWWORDS_H

#include "Rows/RowBlock.h"
#include "Threads/ThreadIndex.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Registers/WordsOfRows.h"

namespace tilewright::tonvvm {

class RowWords : NumberBuilder {
public:
  /// What an access says of its elements, by register.
  struct Elements {
    llvm::function_ref<mlir::Value(unsigned)> pointer;
    /// i1, the same for a row; null where all are there.
    llvm::function_ref<mlir::Value(unsigned)> inside;
    /// 1, or -1 where the row goes down through memory.
    int64_t step = 1;
    /// Whether pointers of a row may leave its order once, as offsets of 32
    /// bits do.
    bool mayWrap = false;
  };
  RowWords(mlir::ImplicitLocOpBuilder &builder, mlir::Type elementType,
           const WordsOfRows::Piece &piece, const Elements &elements);

  /// Gives for each register of the piece what is there, or zeros.
  void load(bool isReadOnly,
            llvm::function_ref<void(unsigned, mlir::Value)> set);
  /// Stores the values of its registers.
  void store(llvm::function_ref<mlir::Value(unsigned)> get);

private:
  using Values = llvm::SmallVector<mlir::Value>;
  /// An element of an end of the piece that fills no word of memory: those in
  /// front are of the first lanes, those behind of the last ones.
  struct Single {
    /// i1, and by how many bits it is behind the begin of its word, i32.
    mlir::Value exists, bits;
    /// i1: whether it is of the last word, not of the first one.
    mlir::Value isBehind;
    mlir::Value pointer;
  };

  /// Finds where the words of memory are, and whether all elements follow from
  /// there.
  void findWords(const Elements &elements);
  /// The one of this lane.
  Single getSingle();
  Values loadPiece(bool isReadOnly);
  Values loadEach(bool isReadOnly);
  void storePiece(llvm::ArrayRef<mlir::Value> values);
  void storeEach(llvm::ArrayRef<mlir::Value> values);

  /// Bytes of the piece.
  int64_t getBytes() const {
    return static_cast<int64_t>(words.size()) * bytesPerWord * lanesPerWarp;
  }
  /// i1: whether this lane moves the word of memory.
  mlir::Value hasWord(size_t word);
  mlir::Value getWordPointer(size_t word);
  /// The word of the place in front, or behind: of the place at the end, that
  /// of the other end.
  mlir::Value getBefore(llvm::ArrayRef<mlir::Value> values, size_t word);
  mlir::Value getBehind(llvm::ArrayRef<mlir::Value> values, size_t word);
  /// A word of two, beside each other in memory.
  mlir::Value shift(mlir::Value low, mlir::Value high, bool isLeft);
  mlir::Value loadOne(mlir::Value pointer, unsigned bits, mlir::Value predicate,
                      bool isReadOnly);

  mlir::Type elementType;
  int64_t bytes, perWord;
  /// Registers and pointers in the order of memory.
  WordsOfRows::Piece words;
  llvm::SmallVector<Values> pointers;
  /// i1: whether the row is there; null for always.
  mlir::Value inside;
  /// i32: the lane's number in the order of memory, and the lanes in front and
  /// behind; i1: whether it is the first one, or the last.
  mlir::Value place, before, behind, isFirst, isLast;
  int64_t firstLane = 0, lastLane = 0;
  /// i64: where the piece begins, and this lane's words of memory; i32: by how
  /// many bits elements begin behind these.
  mlir::Value begin, address, shifted;
  /// i1, the same for all lanes: whether elements of the piece are in the order
  /// of memory; null where they are.
  mlir::Value isPiece;
};

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROWWORDS_H
