//===- ProductRegisters.cpp - Registers that wgmma uses -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/ProductRegisters.h"
#include "Machine/Warp.h"

using namespace llvm;

namespace tilewright::sim {

using Role = ProductRegister::Role;

static std::string lineOf(const Warp &warp, uint32_t pc) {
  const InstrInfo &info = warp.launch.program.infos[pc];
  return ("line " + Twine(info.line) + " `" + info.shortText() + "`").str();
}

static void reportPending(Warp &warp, unsigned lane, StringRef verb,
                          const ProductRegister &state) {
  warp.report(FindingKind::PendingProduct, lane,
              verb + " a register that the product of " +
                  lineOf(warp, state.productPc) + " still " +
                  (state.isAccumulator ? "writes" : "reads") +
                  ": no wgmma.wait_group has covered it",
              0, state.productPc);
}

void ProductRegisters::access(Warp &warp, ProductRegisterTable &table,
                              ArrayRef<RegisterUse> uses, unsigned lane) const {
  for (const RegisterUse &use : uses) {
    ProductRegister &state = table[use.slot];
    if (state.product > completed)
      reportPending(warp, lane, use.isWrite ? "writes" : "reads", state);
    // A read after a write leaves the write to be fenced.
    if (!use.isWrite && state.fence == fences && state.role == Role::Write)
      continue;
    state.role = use.isWrite ? Role::Write : Role::Read;
    state.fence = fences;
    state.pc = warp.pc();
  }
}

/// True if a product may follow the last one on the register as it is.
static bool mayFollow(const ProductRegister &last,
                      const ProductRegister &next) {
  if (!last.isAccumulator || !next.isAccumulator)
    return last.isAccumulator == next.isAccumulator;
  return last.columns == next.columns && last.k == next.k &&
         last.position == next.position;
}

void ProductRegisters::issueOne(Warp &warp, ProductRegister &state,
                                const ProductRegister &next) const {
  if (state.product > completed && !mayFollow(state, next)) {
    reportPending(warp, 0, next.isAccumulator ? "writes" : "reads", state);
  } else if (state.fence == fences) {
    const bool isProduct =
        state.role == Role::Accumulator || state.role == Role::InputA;
    const bool isSafe = isProduct
                            ? mayFollow(state, next)
                            : state.role == Role::Read && !next.isAccumulator;
    if (!isSafe)
      warp.report(FindingKind::MissingFence, 0,
                  "uses a register that " + lineOf(warp, state.pc) +
                      (state.role == Role::Read ? " reads" : " writes") +
                      ", with no wgmma.fence in between",
                  0, state.pc);
  }
  state = next;
}

uint64_t ProductRegisters::issue(Warp &warp, ProductRegisterTable &table,
                                 ArrayRef<int32_t> accumulator,
                                 ArrayRef<int32_t> inputA, uint64_t n,
                                 uint64_t k) {
  if (fences == 0)
    warp.report(FindingKind::MissingFence, 0,
                "is the first product of the warp, and no wgmma.fence comes "
                "before it");
  ProductRegister next;
  next.pc = next.productPc = warp.pc();
  next.fence = fences;
  next.product = ++issued;
  next.columns = n;
  next.k = k;
  // A before D: one list of registers may stand in both, which PTX forbids.
  next.role = Role::InputA;
  for (int32_t slot : inputA)
    if (slot >= 0)
      issueOne(warp, table[slot], next);
  next.role = Role::Accumulator;
  next.isAccumulator = true;
  for (auto [position, slot] : enumerate(accumulator)) {
    next.position = position;
    issueOne(warp, table[slot], next);
  }
  return issued;
}

} // namespace tilewright::sim
