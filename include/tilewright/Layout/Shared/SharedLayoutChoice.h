//===- SharedLayoutChoice.h - The best layout of a shared tile --*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Given all accesses to a shared tile, which layout should it have? Plain
// orders of the dimensions, the textbook's swizzle<bits,base,shift>, and
// paddings are tried one by one; where these leave something to gain, the
// search of SwizzleSearch.h looks through all F2 swizzles. The cost of a
// candidate is
//
//      sum over accesses of trips * (wavefronts + instructions of all warps)
//
// since a wavefront takes a cycle of the data banks and an instruction one of
// issue; wavefronts are counted by the exact model. Where it is known how many
// blocks an SM can hold, a candidate that leaves room for fewer pays for it:
// the time of an SM goes with cost / blocks. The smallest wins, then fewer
// bytes, then the earlier candidate: simpler ones come first. A general swizzle
// pays for arithmetic too, at four instructions a cycle: XORs that its
// addresses take, and moves between registers, since a vector has its registers
// in a row and neighbours in shared memory may be far apart in those of a
// thread.
//
// For a tile of 64 x 64 floats that is written by rows and read by columns, a
// float a lane:
//
//      auto choice = chooseSharedLayout({64, 64}, 4, {write, read},
//                                       SharedLayoutPolicy());
//      choice->candidates[choice->winner].name;   // "swizzle<5,0,6>"
//      choice->reason;      // why, with the numbers, for a report
//      choice->lowerBound;  // no layout costs less
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_SHARED_SHAREDLAYOUTCHOICE_H
#define TILEWRIGHT_LAYOUT_SHARED_SHAREDLAYOUTCHOICE_H

#include "tilewright/Layout/Shared/SharedAccess.h"

#include <functional>

namespace tilewright {

/// Which layouts a user lets the compiler choose from.
struct SharedLayoutPolicy {
  enum Kind {
    Auto,    ///< all
    None,    ///< row-major, or the order that required vectors lie in
    Pad,     ///< as is or padded, in any order of the dimensions
    PadBy,   ///< as None, with exactly padElements of padding after each row
    Swizzle, ///< as is or swizzled in any way
    Hardware ///< the modes of TMA and wgmma (HardwareSwizzle.h): for tiles that
             ///< these access, not for a user to ask for
  };
  Kind kind = Auto;
  int64_t padElements = 0;
  /// Hardware: the dimension along which rows must go; none: any.
  std::optional<unsigned> rowDim = std::nullopt;
  /// Hardware: the mode, by the bytes of its rows; none: any.
  std::optional<int64_t> rowBytes = std::nullopt;

  /// "auto", "none", "pad", "pad:N" with N >= 1 elements, or "swizzle".
  static llvm::Expected<SharedLayoutPolicy> parse(llvm::StringRef text);
  std::string toString() const;

  /// Whether it leaves one layout, whatever is asked for.
  bool isPinned() const { return kind == None || kind == PadBy; }
};

/// What else decides about a layout, as far as it is known.
struct SharedLayoutSetting {
  /// The blocks an SM can hold if the tile has this many bytes; none: unknown.
  std::function<int64_t(int64_t)> blocksPerSM = nullptr;
};

struct SharedLayoutCandidate {
  enum class Form { AsIs, Swizzled, General, Padded };

  /// "as is", "swizzle<3,2,6>", "pad:4", the last two after an order of the
  /// dimensions that is not row-major: "column-major pad:4". "general swizzle"
  /// is any other one, "128B" a mode of the hardware.
  std::string name;
  SharedLayout layout;
  /// One an access.
  llvm::SmallVector<SharedAccessCost> costs;
  /// Bytes of the tile, padding included.
  int64_t bytes = 0;
  int64_t cost = 0;
  /// Instructions, once for all trips, that XOR a number into an address since
  /// it cannot be the constant part of one.
  int64_t indexInstructions = 0;
  /// Instructions of all trips that bring a vector's registers together. Where
  /// what comes before or after leaves the registers free, fewer.
  int64_t moveInstructions = 0;
  /// Blocks an SM holds, where known.
  std::optional<int64_t> blocksPerSM;
  Form form = Form::AsIs;
  /// Why an access cannot use this layout; empty for a legal candidate.
  std::string obstacle;

  bool isLegal() const { return obstacle.empty(); }
};

/// The least that one access costs in any layout, and why it costs more.
struct SharedAccessBound {
  /// trips * (wavefronts + instructions) in a layout for this access alone.
  int64_t cost = 0;
  /// Empty if the chosen layout reaches it; else a clause without a full stop.
  std::string whyNotReached;
};

struct SharedLayoutChoice {
  /// The best of each family, and those that a user compares with; paddings
  /// one by one.
  std::vector<SharedLayoutCandidate> candidates;
  /// Index of the best legal candidate.
  size_t winner = 0;
  /// One sentence on why it won, without a full stop.
  std::string reason;
  /// No layout costs less, whatever the policy.
  int64_t lowerBound = 0;
  /// The winner costs the lower bound, or no layout without padding, which the
  /// search has seen all of, costs less.
  bool isProven = false;
  /// One an access.
  llvm::SmallVector<SharedAccessBound> bounds;
  /// Layouts, and rows of layouts, that were tried.
  uint64_t tried = 0;
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
                   const SharedLayoutPolicy &policy,
                   const SharedLayoutSetting &setting = {});

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_SHARED_SHAREDLAYOUTCHOICE_H
