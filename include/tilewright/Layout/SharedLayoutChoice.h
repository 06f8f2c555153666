//===- SharedLayoutChoice.h - The best layout of a shared tile -*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Given all accesses to a shared tile, which layout should it have? The
// answer here is found by trying: candidates are generated (as is, in other
// orders of the dimensions, swizzled, padded), each access is planned for each
// candidate and its wavefronts are counted by the exact model. The cost is
//
//      sum over accesses of trips * (wavefronts + instructions of all warps)
//
// since a wavefront takes a cycle of the data banks and an instruction one of
// issue. The smallest cost wins, then fewer bytes, then the earlier candidate:
// simpler ones come first. For a tile of 64 x 64 floats that is written by
// rows and read by columns:
//
//      auto choice = chooseSharedLayout({64, 64}, 4, {write, read},
//                                       SharedLayoutPolicy());
//      choice->candidates[choice->winner].name;   // "swizzle<3,2,6>"
//      choice->reason;  // why, with the numbers, for a report
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_SHAREDLAYOUTCHOICE_H
#define TILEWRIGHT_LAYOUT_SHAREDLAYOUTCHOICE_H

#include "tilewright/Layout/SharedAccess.h"

namespace tilewright {

/// Which layouts a user lets the compiler choose from.
struct SharedLayoutPolicy {
  enum Kind {
    Auto,   ///< all
    None,   ///< row-major only
    Pad,    ///< as is or padded, in any order of the dimensions
    PadBy,  ///< row-major with exactly padElements of padding after each row
    Swizzle ///< as is or swizzled, in any order of the dimensions
  };
  Kind kind = Auto;
  int64_t padElements = 0;

  /// "auto", "none", "pad", "pad:N" with N >= 1 elements, or "swizzle".
  static llvm::Expected<SharedLayoutPolicy> parse(llvm::StringRef text);
  std::string toString() const;
};

struct SharedLayoutCandidate {
  enum class Form { AsIs, Swizzled, Padded };

  /// "as is", "swizzle<3,2,6>", "pad:4", the last two after an order of the
  /// dimensions that is not row-major: "column-major pad:4".
  std::string name;
  SharedLayout layout;
  /// One an access.
  llvm::SmallVector<SharedAccessCost> costs;
  /// Of the tile, padding included.
  int64_t bytes = 0;
  int64_t cost = 0;
  Form form = Form::AsIs;
  /// Why an access cannot use this layout; empty for a legal candidate.
  std::string obstacle;

  bool isLegal() const { return obstacle.empty(); }
};

struct SharedLayoutChoice {
  std::vector<SharedLayoutCandidate> candidates;
  /// Index of the best legal candidate.
  size_t winner = 0;
  /// One sentence on why it won, without a full stop.
  std::string reason;
};

/// Largest tile in bytes that a choice is made for. It is several times what
/// any GPU has and bounds the work of a choice.
constexpr int64_t maxSharedTileBytes = int64_t(1) << 20;

/// The best layout that `policy` allows for a tile of `shape` elements of
/// `elementBytes` (1, 2, 4, 8 or 16).
///
/// Errors: an extent that is no power of two, a tile larger than
/// maxSharedTileBytes, an access that does not fit the tile (its index is
/// named), and accesses that no allowed layout can serve.
llvm::Expected<SharedLayoutChoice>
chooseSharedLayout(llvm::ArrayRef<int64_t> shape, unsigned elementBytes,
                   llvm::ArrayRef<SharedAccess> accesses,
                   const SharedLayoutPolicy &policy);

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_SHAREDLAYOUTCHOICE_H
