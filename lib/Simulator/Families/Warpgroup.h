//===- Warpgroup.h - The products under way of four warps -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product is issued when the last of the four warps comes to it, and then
// runs on its own until a wait covers it:
//
//   wgmma.mma_async ... d       issued: D, A in registers and shared memory are
//   wgmma.mma_async ... d       in use; products run in the order of issue
//   wgmma.commit_group          what the warp issued so far is a group
//   wgmma.wait_group 0          the warp's groups are complete
//
// It is carried out at that wait, the latest moment that PTX allows: a program
// that reads D too early finds the old values, and one that overwrites A or B
// too early spoils D. The first of the four warps to wait completes the product
// of all, as a group belongs to the warpgroup.
//
// For the race checks, the reads of shared memory are accesses of the
// warpgroup itself, at a clock of its own (see Clocks.h). They must be ordered
// after the writes by every warp that needs the bytes; and a later write must
// know of a wait, of any of the four warps, that covers the product. Products
// read through the async proxy: whoever wrote a byte must have fenced it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_FAMILIES_WARPGROUP_H
#define TILEWRIGHT_LIB_SIMULATOR_FAMILIES_WARPGROUP_H

#include "Families/WarpgroupProduct.h"

namespace tilewright::sim {

/// What the four warps share.
struct Warpgroup {
  std::shared_ptr<Product> gathering;          ///< some warps have come to it
  unsigned arrived = 0;                        ///< warps, as bits
  std::deque<std::shared_ptr<Product>> issued; ///< not yet carried out
  uint32_t clock = 0;                          ///< products so far
};

/// What each warp has of its own.
struct WarpProducts {
  using Group = std::vector<std::shared_ptr<Product>>;
  Group open; ///< in no group yet
  std::deque<Group> committed;
};

struct Warpgroups final : FamilyState {
  static constexpr char key = 0;
  std::map<unsigned, Warpgroup> groups; ///< by first warp
  std::map<unsigned, WarpProducts> warps;
};

/// `wgmma.mma_async`, commit and wait by a whole warp.
Step issueProduct(Warp &warp, const Instr &instr);
void commitProducts(Warp &warp);
void waitForProducts(Warp &warp, uint64_t keep);

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_FAMILIES_WARPGROUP_H
