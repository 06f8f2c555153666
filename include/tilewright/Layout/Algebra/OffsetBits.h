//===- OffsetBits.h - A shared layout, bit by bit ---------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared layout without padding is a matrix over F2. Its rows say what each
// bit of an offset is, the lowest first: a bit of a coordinate, or a sum of
// some. A sum of bits has no carry; it is their XOR.
//
//      row-major 8x8                    c0, c1, c2, r0, r1, r2
//      the same with runs               c0..2, r0..2
//      swizzle<2,0,3> of it             c0..1+r0..1, c2, r0..2
//
// cN is bit N of the column, rN of the row. A tile of three or more dimensions
// has d0.N, d1.N, ... instead. A run stands for as many bits of the offset as
// it is long; the runs of one sum are equally long, and go up together.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_ALGEBRA_OFFSETBITS_H
#define TILEWRIGHT_LAYOUT_ALGEBRA_OFFSETBITS_H

#include "tilewright/Layout/Algebra/LinearLayout.h"

namespace tilewright {

/// The bits of the offset, given the map from a point ("dim0", "dim1", ...) to
/// its offset: "c0..1+r0..1, c2, r0..2".
std::string formatOffsetBits(const LinearLayout &pointToOffset);

/// The map from "offset" to the point in a tile of `shape` that these sums
/// describe, each a string like "c2..4+r0..2". Errors: extents that
/// LinearLayout::create() refuses, what is no bit of the tile, runs of
/// different lengths, more or fewer sums than bits, sums that do not tell all
/// elements apart.
llvm::Expected<LinearLayout> parseOffsetBits(llvm::ArrayRef<std::string> sums,
                                             llvm::ArrayRef<int64_t> shape);

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_ALGEBRA_OFFSETBITS_H
