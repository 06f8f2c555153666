//===- Warpgroup.cpp - The products under way of four warps ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families/Warpgroup.h"

using namespace llvm;

namespace tilewright::sim {

static unsigned firstWarp(const Warp &warp) {
  return warp.index / warpgroupWarps * warpgroupWarps;
}

/// False with a finding if the block has no four whole warps here.
static bool isWarpgroup(Warp &warp) {
  const unsigned first = firstWarp(warp);
  const auto &warps = warp.block.warps;
  for (unsigned w = first; w != first + warpgroupWarps; ++w)
    if (w >= warps.size() || warps[w].liveLanes() != fullMask) {
      warp.report(
          FindingKind::InvalidOperand, 0,
          "a warpgroup is four whole warps, and warp " + Twine(w) +
              (w >= warps.size() ? " does not exist" : " is not whole"));
      return false;
    }
  return true;
}

/// The operand's value, which must be the same in the whole warpgroup.
static uint64_t uniformOperand(Warp &warp, int32_t op, StringRef what) {
  const uint64_t *values = warp.source(op);
  for (unsigned lane = 1; lane != warpSize; ++lane)
    if (values[lane] != values[0]) {
      warp.report(FindingKind::InvalidOperand, lane,
                  what + " differs among the threads of the warp");
      break;
    }
  return values[0];
}

/// What the warp says of the product, apart from the registers.
static Product describe(Warp &warp, const Instr &instr) {
  const ProductPlan plan = ProductPlan::of(instr);
  const ProductOperands ops(instr, plan);
  Product product;
  product.instr = &instr;
  product.pc = warp.pc();
  if (!plan.isAInRegisters)
    product.descriptorA =
        uniformOperand(warp, ops.descriptorA, "the descriptor of A");
  product.descriptorB =
      uniformOperand(warp, ops.descriptorB, "the descriptor of B");
  if (ops.scale < 0) {
    product.adds = ops.scale == scaleOne;
  } else {
    const uint32_t truth = warp.predicate(ops.scale);
    if (truth != 0 && truth != fullMask)
      warp.report(FindingKind::InvalidOperand, 0,
                  "scale-d differs among the threads of the warp");
    product.adds = truth & 1;
  }
  return product;
}

/// Adds a warp to the product that its warpgroup gathers for.
static void join(Warp &warp, Warpgroup &group, const Instr &instr) {
  const Product own = describe(warp, instr);
  if (!group.gathering)
    group.gathering = std::make_shared<Product>(own);
  Product &product = *group.gathering;
  if (product.pc != own.pc) {
    const InstrInfo &other = warp.launch.program.infos[product.pc];
    warp.report(FindingKind::DivergentBarrier, 0,
                "another warp of the warpgroup executes line " +
                    Twine(other.line) + " `" + other.shortText() + "`",
                0, product.pc);
    product.isValid = false;
  } else if (product.descriptorA != own.descriptorA ||
             product.descriptorB != own.descriptorB ||
             product.adds != own.adds) {
    warp.report(FindingKind::InvalidOperand, 0,
                "a descriptor or scale-d differs from that of another warp of "
                "the warpgroup");
    product.isValid = false;
  }
  const unsigned place = warp.index % warpgroupWarps;
  product.frames[place] = warp.sharedFrame();
  const ProductPlan plan = ProductPlan::of(instr);
  const ProductOperands ops(instr, plan);
  product.numbers[place] =
      warp.productRegisters.issue(warp, product.frames[place]->productRegisters,
                                  ops.d, ops.a, instr.extra, plan.k());
  group.arrived |= 1u << place;
  warp.block.state<Warpgroups>().warps[warp.index].open.push_back(
      group.gathering);
}

/// Reports what is wrong with the descriptors.
static void checkDescriptors(Warp &warp, Product &product) {
  auto check = [&](const MatrixPart &part, unsigned atoms, StringRef name) {
    const std::string defect =
        part.descriptor.findDefect(part.isMNMajor, atoms);
    if (defect.empty())
      return;
    warp.report(FindingKind::InvalidOperand, 0,
                "the descriptor of " + name + " " + defect);
    product.isValid = false;
  };
  if (const std::optional<MatrixPart> a = product.partOfA(0))
    check(*a, a->isMNMajor ? productRows / 8 : a->atoms(), "A");
  const MatrixPart b = product.matrixB();
  check(b, b.atoms(), "B");
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

namespace {

/// Checks and records what a product reads of shared memory, when the last of
/// its warps has come.
class MemoryCheck : public OrderOracle {
public:
  MemoryCheck(Warp &last, const Product &product)
      : last(last), block(last.block), product(product) {
    now = last.mark(0, Scope::None);
    now.clock = product.clock;
    now.warp = static_cast<uint16_t>(last.warpgroupClock());
    for (unsigned w = 0; w != warpgroupWarps; ++w)
      warps.push_back(&block.warps[firstWarp(last) + w]);
  }
  void run() {
    for (unsigned w = 0; w != warpgroupWarps; ++w)
      if (const std::optional<MatrixPart> a = product.partOfA(w))
        check(*a, ArrayRef(warps).slice(w, 1), "A");
    check(product.matrixB(), warps, "B");
  }
  bool isOrdered(const Mark &earlier, const Mark &) const override {
    return all_of(readers, [&](const Warp *reader) {
      return reader->isOrderedBeforeAll(earlier);
    });
  }

private:
  void check(const MatrixPart &part, ArrayRef<Warp *> by, StringRef name) {
    readers = by;
    part.forAtoms([&](unsigned, unsigned, uint64_t address) {
      checkAtom(address, name);
    });
  }
  void checkAtom(uint64_t address, StringRef name);
  void checkOrder(uint64_t address);

  Warp &last;
  Block &block;
  const Product &product;
  Mark now;
  SmallVector<Warp *, warpgroupWarps> warps;
  ArrayRef<Warp *> readers;
};

void MemoryCheck::checkAtom(uint64_t address, StringRef name) {
  constexpr uint64_t bytes = MatrixDescriptor::atomBytes;
  const LaunchContext &launch = block.launch;
  if (address < firstOffset || address >= launch.sharedEnd ||
      bytes > launch.sharedEnd - address) {
    last.report(FindingKind::OutOfBounds, 0,
                "reads " + name + " at shared offset " +
                    Twine(static_cast<int64_t>(address - firstOffset)) +
                    ", and the block has " +
                    Twine(launch.sharedEnd - firstOffset),
                address);
    return;
  }
  const uint64_t offset = address - firstOffset;
  const bool isPending = block.asyncCopies.isPending(offset, bytes);
  if (isPending)
    last.report(FindingKind::PendingCopy, 0,
                "reads " + name +
                    " from the target of an asynchronous copy "
                    "that has not been waited for",
                address);
  const MutableArrayRef<uint8_t> valid =
      MutableArrayRef(block.sharedValid).slice(offset, bytes);
  if (launch.options.checkUninitialized && !isPending &&
      is_contained(valid, 0)) {
    last.report(FindingKind::Uninitialized, 0,
                "reads " + name +
                    " from shared memory that nothing has "
                    "written",
                address);
    llvm::fill(valid, 1); // say it once
  }
  if (launch.options.checkRaces)
    checkOrder(address);
}

void MemoryCheck::checkOrder(uint64_t address) {
  const uint64_t offset = address - firstOffset;
  ShadowPage &page = block.sharedShadow[offset / ShadowPage::bytes];
  const uint64_t at = offset % ShadowPage::bytes;
  Conflict conflict;
  if (page.read(at, MatrixDescriptor::atomBytes, now, *this, conflict)) {
    Warp *const *reader = find_if(readers, [&](const Warp *warp) {
      return !warp->isOrderedBeforeAll(conflict.earlier);
    });
    (*reader)->reportConflict(conflict, now, /*isWrite=*/false, address);
    return;
  }
  for (Warp *reader : readers)
    if (const Mark *write = page.findWrite(
            at, MatrixDescriptor::atomBytes,
            [&](const Mark &mark) { return !reader->isFenced(mark); })) {
      reader->report(FindingKind::MissingFence, 0,
                     reader->describeMissingFence("reads", *write), address,
                     write->pc);
      return;
    }
}

} // namespace

//===----------------------------------------------------------------------===//
// Issue and completion
//===----------------------------------------------------------------------===//

Step issueProduct(Warp &warp, const Instr &instr) {
  if (!isWarpgroup(warp))
    return Step::Next;
  const unsigned first = firstWarp(warp);
  Warpgroup &group = warp.block.state<Warpgroups>().groups[first];
  join(warp, group, instr);
  const uint32_t id = Block::productBarriers + first / warpgroupWarps;
  if (group.arrived != (1u << warpgroupWarps) - 1) {
    warp.waitAtBarrier(fullMask, id);
    return Step::Control;
  }
  group.gathering->clock = ++group.clock;
  if (group.gathering->isValid)
    checkDescriptors(warp, *group.gathering);
  if (group.gathering->isValid)
    MemoryCheck(warp, *group.gathering).run();
  group.issued.push_back(std::move(group.gathering));
  group.gathering = nullptr;
  group.arrived = 0;
  for (unsigned w = first; w != first + warpgroupWarps; ++w)
    if (w != warp.index)
      warp.block.warps[w].releaseBarrier(id);
  return Step::Next;
}

void commitProducts(Warp &warp) {
  WarpProducts &own = warp.block.state<Warpgroups>().warps[warp.index];
  own.committed.push_back(std::move(own.open));
  own.open.clear();
}

/// Carries out the products up to and including `last`, if that is still to
/// be done.
static void completeUpTo(Block &block, Warpgroup &group,
                         const std::shared_ptr<Product> &last) {
  if (!is_contained(group.issued, last))
    return;
  while (true) {
    const std::shared_ptr<Product> product = std::move(group.issued.front());
    group.issued.pop_front();
    product->execute(block);
    if (product == last)
      return;
  }
}

void waitForProducts(Warp &warp, uint64_t keep) {
  Warpgroups &state = warp.block.state<Warpgroups>();
  Warpgroup &group = state.groups[firstWarp(warp)];
  WarpProducts &own = state.warps[warp.index];
  while (own.committed.size() > keep) {
    for (const std::shared_ptr<Product> &product : own.committed.front()) {
      completeUpTo(warp.block, group, product);
      warp.learn(warp.warpgroupClock(), product->clock);
      warp.productRegisters.complete(
          product->numbers[warp.index % warpgroupWarps]);
    }
    own.committed.pop_front();
  }
}

} // namespace tilewright::sim
