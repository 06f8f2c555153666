//===- RowBlock.h - Where rows that begin anywhere lie ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of a view, row by row: addresses are numbers here, since how a row
// stands to multiples of 16 bytes, of words and of lines decides what a thread
// does. Coordinates are those in the block, of 32 bits.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROWBLOCK_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROWBLOCK_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "tilewright/Layout/Shared/RowBuffer.h"

namespace tilewright::tonvvm {

/// What a thread copies at once of a row that begins anywhere.
inline constexpr int64_t kPieceBytes = RowBuffer::pieceBytes;

/// Integer arithmetic on values of one type, with constants on the right.
class NumberBuilder {
public:
  explicit NumberBuilder(mlir::ImplicitLocOpBuilder &builder)
      : builder(builder) {}

  mlir::Value constant(int64_t value, unsigned bits = 32) {
    return mlir::arith::ConstantIntOp::create(builder, value, bits);
  }
  template <typename Op> mlir::Value make(mlir::Value a, mlir::Value b) {
    return builder.createOrFold<Op>(a, b);
  }
  template <typename Op> mlir::Value make(mlir::Value a, int64_t b) {
    return make<Op>(a, constant(b, a.getType().getIntOrFloatBitWidth()));
  }
  template <typename B> mlir::Value add(mlir::Value a, B b) {
    return make<mlir::arith::AddIOp>(a, b);
  }
  template <typename B> mlir::Value sub(mlir::Value a, B b) {
    return make<mlir::arith::SubIOp>(a, b);
  }
  template <typename B> mlir::Value mul(mlir::Value a, B b) {
    return make<mlir::arith::MulIOp>(a, b);
  }
  template <typename B> mlir::Value both(mlir::Value a, B b) {
    return make<mlir::arith::AndIOp>(a, b);
  }
  /// i1, of numbers with a sign.
  mlir::Value isLess(mlir::Value a, mlir::Value b) {
    return builder.createOrFold<mlir::arith::CmpIOp>(
        mlir::arith::CmpIPredicate::slt, a, b);
  }
  mlir::Value isEqual(mlir::Value a, mlir::Value b) {
    return builder.createOrFold<mlir::arith::CmpIOp>(
        mlir::arith::CmpIPredicate::eq, a, b);
  }
  mlir::Value isAtMost(mlir::Value a, mlir::Value b) {
    return builder.createOrFold<mlir::arith::CmpIOp>(
        mlir::arith::CmpIPredicate::sle, a, b);
  }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return builder.createOrFold<mlir::arith::SelectOp>(condition, a, b);
  }
  mlir::Value narrow(mlir::Value wide) {
    return builder.createOrFold<mlir::arith::TruncIOp>(builder.getI32Type(),
                                                       wide);
  }
  mlir::Value widen(mlir::Value number) {
    return builder.createOrFold<mlir::arith::ExtSIOp>(builder.getI64Type(),
                                                      number);
  }
  /// i64, from an index.
  mlir::Value fromIndex(mlir::Value index) {
    return builder.createOrFold<mlir::arith::IndexCastOp>(builder.getI64Type(),
                                                          index);
  }
  /// A pointer to global memory, from an address of 64 bits.
  mlir::Value getGlobal(mlir::Value address);

protected:
  mlir::ImplicitLocOpBuilder &builder;
};

class RowBlock : NumberBuilder {
public:
  struct Dim {
    /// i64, in bytes.
    mlir::Value stride;
    /// i64: where the block begins in the view.
    mlir::Value offset;
    /// i32: the elements of the block that are inside of the view.
    mlir::Value begin, end;
    /// i64: the last element of the view; of the block where it `isOpen`, as
    /// the view's is not known.
    mlir::Value last;
    bool isOpen;
    int64_t extent;
    /// Whether the block is known not to begin before the view.
    bool beginsInside;
  };

  /// `view` holds the view's parts as the type conversion makes them; `shape`
  /// is the block's.
  RowBlock(mlir::ImplicitLocOpBuilder &builder, tile::ViewType type,
           mlir::ValueRange view, mlir::ValueRange offsets,
           llvm::ArrayRef<int64_t> shape);

  /// The same block, whose dimension `dim` is now called `order[dim]`.
  RowBlock permute(llvm::ArrayRef<int64_t> order) const;

  const Dim &operator[](unsigned dim) const { return dims[dim]; }
  unsigned getRowDim() const { return rowDim; }
  int64_t getRowBytes() const { return dims[rowDim].extent * elementBytes; }

  /// The coordinates of a row, by its number, i32; `order` are the other
  /// dimensions, from the one along which rows follow one another on; only the
  /// last one's extent may be no power of two. That of rows has none.
  llvm::SmallVector<mlir::Value> getRow(mlir::Value number,
                                        llvm::ArrayRef<unsigned> order);
  /// i1: whether the row is inside of the view.
  mlir::Value isInside(llvm::ArrayRef<mlir::Value> row);
  /// The row, or the nearest one inside of the view.
  llvm::SmallVector<mlir::Value> clamp(llvm::ArrayRef<mlir::Value> row);
  /// Where `isCut`, i1, leaves out what lies so far along a dimension.
  void cut(unsigned dim, mlir::Value isCut, int64_t extent);
  /// Leaves out what lies so far along a dimension, i32.
  void cut(unsigned dim, mlir::Value extent);
  /// Where there may be no memory so far along each dimension, index, whatever
  /// the view says; it may have none.
  void confine(mlir::ValueRange reach);
  /// i1: whether there is an element inside of the view.
  mlir::Value hasElements();
  /// i64: where the block begins, or where it would.
  mlir::Value getOrigin() const { return origin; }
  /// i64: where a row begins, or where it would.
  mlir::Value getAddress(llvm::ArrayRef<mlir::Value> row);
  /// i64: from where to where there is nothing but elements of the view, and
  /// what lies between them. `array`, which may be null, is an address before
  /// which, or behind which, the view's array goes on.
  std::pair<mlir::Value, mlir::Value> getBounds(mlir::Value array);

  /// i1: whether short rows lie in one run of memory, that begins inside of the
  /// view.
  mlir::Value isRun(const RowBuffer &buffer);

  /// i32: by how many bytes shared memory has the origin behind a multiple.
  mlir::Value getShift();
  /// i32: from one element to the next there, along a dimension.
  mlir::Value getPitch(const RowBuffer &buffer, unsigned dim);
  /// i32: the byte of shared memory where the row begins.
  mlir::Value getByte(const RowBuffer &buffer, llvm::ArrayRef<mlir::Value> row);

private:
  void setEnd(unsigned dim, mlir::Value end);

  int64_t elementBytes;
  unsigned rowDim;
  /// i64: the addresses of the view and of the block.
  mlir::Value base, origin;
  llvm::SmallVector<Dim> dims;
};

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_ROWBLOCK_H
