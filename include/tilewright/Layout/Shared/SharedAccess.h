//===- SharedAccess.h - Plan and cost of an access to a tile ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of threads moves a tile between its registers, in some register
// layout, and shared memory, in some shared layout. The two layouts together
// fix which instructions that takes: a thread can move elements with one
// instruction if they are adjacent in shared memory, aligned, and no wider
// than 16 bytes together. A plan is the list of these instructions; the cost
// is what the bank model (BankModel.h) says of their addresses.
//
// A warp writes a tile of 32 x 32 floats, lane l column l, and reads it back
// transposed, lane l row l:
//
//      auto rows = LinearLayout of register -> dim 0, lane -> dim 1;
//      SharedAccess write{SharedAccessKind::Store, rows, 4};
//      SharedAccess read{SharedAccessKind::Load, rows.transpose({1, 0}), 4};
//
//      layout                      write                  read
//      row-major                   32 of 1 wavefront      8 of 32 wavefronts
//      1 element of padding / 32   32 of 1                32 of 1
//      swizzle<5,0,5>              32 of 1                32 of 1
//      swizzle<3,2,3>              32 of 1                8 of 4
//
// In row-major order the read is of 4 floats a lane: 8 instructions, each with
// 32 wavefronts where 4 would be ideal, an 8-way conflict. The last layout
// keeps the width and has no conflict.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_SHARED_SHAREDACCESS_H
#define TILEWRIGHT_LAYOUT_SHARED_SHAREDACCESS_H

#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Shared/SharedLayout.h"

#include <optional>

namespace tilewright {

/// One access of all threads of a block to a tile.
struct SharedAccess {
  SharedAccessKind kind = SharedAccessKind::Load;
  /// Which element each register has (inputs "register", "lane" of at most 5
  /// bits, "warp"), over the shape of the tile. For ldmatrix: where the
  /// elements end up, as for a load.
  LinearLayout registers;
  /// 1, 2, 4, 8 or 16.
  unsigned elementBytes = 4;
  /// How often the access happens.
  int64_t trips = 1;
  /// The number of elements each instruction must move a lane; 0: any.
  unsigned requiredVector = 0;
  /// The widest instruction, in bytes a lane. More only for accesses to global
  /// memory, which are planned alike; the bank model knows none.
  unsigned maxBytes = maxBytesPerLane;
  /// The dimension along which the elements of an instruction follow one
  /// another; none: any. An asynchronous copy moves a run of global memory.
  std::optional<unsigned> runDim = std::nullopt;
};

/// The instructions of an access, the same for each thread.
struct SharedAccessPlan {
  /// Elements an instruction moves a lane; for ldmatrix the elements of the 16
  /// byte row at a lane's address, or 0 if ldmatrix cannot do the access.
  unsigned vectorElements = 0;
  /// For each instruction its registers, in the order of their addresses; for
  /// ldmatrix in the order of its results. Registers that only hold copies of
  /// others are not there.
  std::vector<llvm::SmallVector<unsigned, 16>> instructions;
  /// The element at the address a lane gives for an instruction: apply it to
  /// the first register of the instruction, the lane, and the warp. This is
  /// the access's register layout, but for ldmatrix, where lane 8 * m + r
  /// points to row r of matrix m.
  LinearLayout addresses;
  /// ldmatrix: the form that transposes each matrix (.trans).
  bool transposed = false;
  /// The bits of lane and warp that must be 0 for a thread to take part: in a
  /// store, one thread writes what several hold.
  int64_t idleLanes = 0;
  int64_t idleWarps = 0;
};

/// The plan with the widest instructions, of at most requiredVector elements
/// where that is given. Redundant registers are not accessed.
///
/// \p whyNotWider, if not null, receives the reason for the width: a clause
/// without a capital or a full stop.
SharedAccessPlan planSharedAccess(const SharedAccess &access,
                                  const SharedLayout &layout,
                                  std::string *whyNotWider = nullptr);

/// The elements an instruction of that plan moves a lane.
unsigned widestVector(const SharedAccess &access, const SharedLayout &layout);

/// What the plan costs when it is carried out once.
struct SharedAccessCost {
  /// As in the plan. 0: ldmatrix cannot do the access, and all else is 0 too.
  unsigned vectorElements = 0;
  /// Instructions of one warp.
  int64_t instructions = 0;
  /// Warps that issue them: all, but for warps with nothing of their own to
  /// store.
  int64_t warps = 0;
  /// Wavefronts of the block, and the fewest that instructions of this width
  /// take in any layout (see fewestWavefronts).
  int64_t wavefronts = 0;
  int64_t idealWavefronts = 0;
  /// The most wavefronts of one instruction, as a multiple of its ideal,
  /// rounded up: 32 in a "32-way conflict".
  unsigned worstDegree = 0;

  int64_t instructionsOfBlock() const { return instructions * warps; }
  bool isIdeal() const { return wavefronts == idealWavefronts; }
};

SharedAccessCost costOfSharedAccess(const SharedAccess &access,
                                    const SharedLayout &layout);

/// Can an access be carried out with instructions of this width?
inline bool isServedBy(const SharedAccess &access, unsigned vectorElements) {
  return vectorElements != 0 && (access.requiredVector == 0 ||
                                 access.requiredVector == vectorElements);
}

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_SHARED_SHAREDACCESS_H
