//===- Bulk.cpp - Bulk copies of the async proxy --------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families/Bulk.h"
#include "Families/Atomic.h"
#include "Machine/Cluster.h"

using namespace llvm;

namespace tilewright::sim {

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

BulkAddress BulkAddress::decode(Decoder &d, size_t index) {
  Instr scratch;
  BulkAddress address;
  address.base = d.address(index, scratch);
  address.offset = d.constant(static_cast<uint64_t>(scratch.offset));
  return address;
}

SmallVector<uint64_t, 4> multicastAddresses(uint64_t address, bool isMulticast,
                                            uint32_t blocks) {
  if (!isMulticast)
    return {address};
  SmallVector<uint64_t, 4> addresses;
  for (unsigned rank = 0; rank != 16; ++rank)
    if (blocks >> rank & 1)
      addresses.push_back(rank * window::blockSize +
                          address % window::blockSize);
  return addresses;
}

bool checkBulkAlignment(Warp &warp, unsigned lane, uint64_t address,
                        uint64_t alignment, StringRef what) {
  if (address % alignment == 0)
    return true;
  warp.report(FindingKind::Misaligned, lane,
              what + " is not a multiple of " + Twine(alignment), address);
  return false;
}

/// The block and the offset of an address in shared memory of the cluster; null
/// with a finding.
static Block *findBulkBlock(Warp &warp, unsigned lane, uint64_t &address) {
  const uint64_t rank = address / window::blockSize;
  Block *block = warp.block.peerAt(rank);
  address %= window::blockSize;
  if (!block)
    warp.report(FindingKind::OutOfBounds, lane,
                "names block " + Twine(rank) + " of a cluster that has " +
                    Twine(warp.launch.clusterBlocks()),
                address);
  return block;
}

bool findBulkSource(Warp &warp, unsigned lane, uint64_t &source) {
  const Block *block = findBulkBlock(warp, lane, source);
  if (block && block != &warp.block)
    warp.report(FindingKind::OutOfBounds, lane,
                "copies from shared memory of block " + Twine(block->rank()) +
                    " of the cluster in block " + Twine(warp.block.rank()) +
                    "; a bulk copy reads its own",
                source);
  return block == &warp.block;
}

static std::optional<BarrierPlace> findBulkBarrier(Warp &warp, unsigned lane,
                                                   uint64_t address) {
  LaneAccess lanes;
  lanes.space = Space::Cluster;
  lanes.isAsync = true;
  lanes.mask = 1u << lane;
  lanes.addresses[lane] = address;
  std::optional<BarrierPlace> found;
  forBarriers(warp, lanes,
              [&](unsigned, BarrierPlace place) { found.emplace(place); });
  if (!found || found->barrier.isInitFenced ||
      warp.isFenced(found->barrier.init))
    return found;
  warp.report(FindingKind::MissingFence, lane,
              "the mbarrier is not visible to the async proxy: whoever "
              "initialises it executes fence.mbarrier_init or "
              "fence.proxy.async before the barrier that tells of it",
              address);
  return found;
}

std::optional<BarrierPlace> findBulkTarget(Warp &warp, unsigned lane,
                                           uint64_t &target, uint64_t barrier) {
  std::optional<BarrierPlace> place = findBulkBarrier(warp, lane, barrier);
  Block *block = findBulkBlock(warp, lane, target);
  if (!place || !block)
    return std::nullopt;
  if (block == &place->block)
    return place;
  warp.report(FindingKind::InvalidOperand, lane,
              "the mbarrier is not of the block that is copied to");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// What a copy touches must be ordered before the lane that starts it.
class BulkCopy::Order : public OrderOracle {
public:
  Order(const Warp &warp, const Mark &issuer) : warp(warp), issuer(issuer) {}
  bool isOrdered(const Mark &earlier, const Mark &) const override {
    return warp.isOrdered(earlier, issuer);
  }

private:
  const Warp &warp;
  const Mark &issuer;
};

BulkCopy::BulkCopy(Warp &warp, unsigned lane)
    : warp(warp), lane(lane), issuer(warp.mark(lane, Scope::None)) {}

Mark BulkCopy::markOf(const Block &owner, uint32_t agent,
                      uint32_t clock) const {
  Mark mark = issuer;
  mark.block = owner.index;
  mark.warp = static_cast<uint16_t>(agent);
  mark.clock = clock;
  return mark;
}

/// Calls `f(page number, offset in the page, bytes)` for each part of a range.
template <class F> static void forPages(uint64_t at, uint64_t bytes, F f) {
  while (bytes != 0) {
    const uint64_t inPage = at % ShadowPage::bytes,
                   part = std::min(bytes, ShadowPage::bytes - inPage);
    f(at / ShadowPage::bytes, inPage, part);
    at += part;
    bytes -= part;
  }
}

void BulkCopy::note(ShadowPage &page, uint64_t at, uint64_t bytes, bool isWrite,
                    const Mark &as, uint64_t address, const Allocation *array) {
  const Order order(warp, issuer);
  Conflict conflict;
  const bool races =
      isWrite
          ? page.write(at, bytes, as, order, conflict,
                       [](uint64_t, uint64_t, const Mark &) { return false; })
          : page.read(at, bytes, as, order, conflict);
  if (races)
    warp.reportConflict(conflict, issuer, isWrite, address, array);
}

bool BulkCopy::checkBounds(const Block &owner, uint64_t offset, uint64_t bytes,
                           StringRef verb) {
  if (offset < owner.shared.size() && bytes <= owner.shared.size() - offset)
    return true;
  warp.report(FindingKind::OutOfBounds, lane,
              verb + " " + Twine(bytes) + " bytes at shared offset " +
                  Twine(static_cast<int64_t>(offset)) + ", and the block has " +
                  Twine(owner.shared.size()),
              offset + firstOffset);
  return false;
}

/// Checks and records an access to shared memory; false if it cannot be made.
bool BulkCopy::checkShared(Block &owner, uint64_t offset, uint64_t bytes,
                           bool isWrite, const Mark &as) {
  const StringRef verb = isWrite ? "writes" : "reads";
  const LaunchOptions &options = warp.launch.options;
  const uint64_t address = offset + firstOffset;
  if (!checkBounds(owner, offset, bytes, verb))
    return false;
  LaneAccess lanes;
  lanes.kind = isWrite ? AccessKind::Store : AccessKind::Load;
  lanes.bytes = static_cast<unsigned>(bytes);
  lanes.addresses[lane] = address;
  if (!warp.checkMemoryBarrier(lanes, lane, owner))
    return false;
  if (owner.asyncCopies.isPending(offset, bytes))
    warp.report(FindingKind::PendingCopy, lane,
                verb + " the target of an asynchronous copy that has not been "
                       "waited for",
                address);
  MutableArrayRef<uint8_t> valid =
      MutableArrayRef(owner.sharedValid).slice(offset, bytes);
  if (!isWrite && options.checkUninitialized && is_contained(valid, 0))
    warp.report(FindingKind::Uninitialized, lane,
                "reads shared memory that nothing has written", address);
  llvm::fill(valid, 1);
  if (!options.checkRaces)
    return true;
  forPages(offset, bytes, [&](uint64_t number, uint64_t at, uint64_t part) {
    ShadowPage &page = owner.sharedShadow[number];
    const Mark *write = page.findWrite(
        at, part, [&](const Mark &mark) { return !warp.isFenced(mark); });
    const Mark unfenced = write ? *write : Mark();
    note(page, at, part, isWrite, as, address);
    if (unfenced.valid() && warp.isOrdered(unfenced, issuer))
      warp.report(
          FindingKind::MissingFence, lane,
          warp.describeMissingFence(isWrite ? "overwrites" : "reads", unfenced),
          address, unfenced.pc);
  });
  return true;
}

/// The same of global memory: where the bytes are on the host.
uint8_t *BulkCopy::checkGlobal(uint64_t address, uint64_t bytes, bool isWrite,
                               const Mark &as) {
  LaneAccess lanes;
  lanes.kind = isWrite ? AccessKind::Store : AccessKind::Load;
  lanes.bytes = static_cast<unsigned>(bytes);
  lanes.addresses[lane] = address;
  Allocation *allocation = warp.findGlobal(lanes, lane);
  if (!allocation)
    return nullptr;
  if (allocation->isConstant && isWrite) {
    warp.report(FindingKind::ReadOnlyWrite, lane,
                "writes the constant '" + Twine(allocation->name) + "'",
                address);
    return nullptr;
  }
  const uint64_t offset = address - allocation->base;
  MutableArrayRef<uint8_t> valid(allocation->valid.get() + offset, bytes);
  const LaunchOptions &options = warp.launch.options;
  if (!isWrite && options.checkUninitialized && is_contained(valid, 0))
    warp.report(FindingKind::Uninitialized, lane,
                "reads byte " + Twine(offset - allocation->lead) + " of " +
                    allocation->describe() +
                    " and following ones, of which nothing has written some",
                address);
  if (!isWrite && warp.block.isWatching())
    warp.block.watch(address, static_cast<unsigned>(bytes));
  llvm::fill(valid, 1);
  if (options.checkRaces && allocation->pages)
    forPages(offset, bytes, [&](uint64_t number, uint64_t at, uint64_t part) {
      Allocation::LockedPage &page = allocation->pages[number];
      std::lock_guard<std::mutex> lock(page.mutex);
      note(page.shadow, at, part, isWrite, as, address, allocation);
    });
  return allocation->data.get() + offset;
}

//===----------------------------------------------------------------------===//
// To shared memory
//===----------------------------------------------------------------------===//

/// Bytes outside of a tensor.
static void fillPiece(MutableArrayRef<uint8_t> bytes, BulkFill fill) {
  for (size_t at = 0; at != bytes.size(); ++at)
    bytes[at] = static_cast<uint8_t>(fill.bits >> (8 * (at % fill.bytes)));
}

void BulkCopy::load(ArrayRef<BulkPiece> pieces, const BarrierPlace &place,
                    uint64_t bytes, bool isFromShared, BulkFill fill) {
  Block &target = place.block;
  MemoryBarrier &barrier = place.barrier;
  barrier.bulkAgent = target.agents.get({AsyncAgent::Kind::Bulk, place.offset});
  const Mark as = markOf(target, barrier.bulkAgent, barrier.clock());
  Transfer transfer;
  transfer.pc = warp.pc();
  transfer.phase = barrier.phase;
  transfer.issuer = issuer;
  transfer.target = &target;
  transfer.bytes = static_cast<uint32_t>(bytes);
  for (const BulkPiece &piece : pieces) {
    if (!checkShared(target, piece.shared, piece.bytes, /*isWrite=*/true, as))
      break; // one finding is enough, and the rest is as far out
    const uint64_t first = transfer.data.size();
    transfer.data.resize(first + piece.bytes);
    const MutableArrayRef<uint8_t> data =
        MutableArrayRef(transfer.data).drop_front(first);
    const uint8_t *from = nullptr;
    if (piece.isOutside)
      fillPiece(data, fill);
    else if (!isFromShared)
      from = checkGlobal(piece.other, piece.bytes, /*isWrite=*/false, as);
    else if (checkShared(warp.block, piece.other, piece.bytes,
                         /*isWrite=*/false, as))
      from = warp.block.shared.data() + piece.other;
    if (from)
      llvm::copy(ArrayRef(from, piece.bytes), data.begin());
    transfer.pieces.push_back({piece.shared, first, piece.bytes});
  }
  if (&target != &warp.block)
    ++target.cluster->changes;
  barrier.transfers.push_back(std::move(transfer));
}

//===----------------------------------------------------------------------===//
// To global memory
//===----------------------------------------------------------------------===//

namespace {

struct BulkStore {
  uint32_t pc = 0;
  Type sum = Type::None;
  struct Part {
    uint64_t shared = 0;
    uint64_t address = 0;
    uint8_t *to = nullptr;
    uint64_t bytes = 0;
  };
  std::vector<Part> parts;

  void execute(Block &block) const;
};

/// The bulk groups of the threads of a block.
struct BulkGroups final : FamilyState {
  static constexpr char key = 0;
  struct Thread {
    std::vector<BulkStore> open;
    std::deque<std::vector<BulkStore>> committed;
    uint32_t count = 0; ///< groups so far
  };
  std::map<unsigned, Thread> threads;

  void finish(Block &block) override;
};

} // namespace

void BulkStore::execute(Block &block) const {
  LaunchContext &launch = block.launch;
  for (const Part &part : parts) {
    const uint8_t *from = block.shared.data() + part.shared;
    if (sum == Type::None)
      std::memcpy(part.to, from, part.bytes);
    else
      for (uint64_t at = 0; at != part.bytes; at += typeBytes(sum))
        addAtomically(sum, part.to + at, from + at);
    block.noteChange();
    if (launch.isOrdered)
      launch.waiting.noteChange(part.address, static_cast<unsigned>(part.bytes),
                                block.index, pc);
  }
}

void BulkGroups::finish(Block &block) {
  auto end = [&](unsigned number, const std::vector<BulkStore> &group) {
    for (const BulkStore &store : group) {
      block.launch.findings.add(
          FindingKind::PendingCopy, store.pc, Instr::noPc, block.position,
          block.launch.blockDim.point(number), 0,
          "the block leaves, and the thread that started the copy has not "
          "waited, by cp.async.bulk.commit_group and wait_group, for the end "
          "of its reads of shared memory");
      store.execute(block);
    }
  };
  for (const auto &[number, thread] : threads) {
    for (const std::vector<BulkStore> &group : thread.committed)
      end(number, group);
    end(number, thread.open);
  }
}

static BulkGroups::Thread &groupsOf(Warp &warp, unsigned lane) {
  return warp.block.state<BulkGroups>().threads[warp.index * warpSize + lane];
}

static uint32_t groupAgent(Warp &warp, unsigned lane, AsyncAgent::Kind kind) {
  return warp.block.agents.get({kind, warp.index * warpSize + lane});
}

void BulkCopy::store(ArrayRef<BulkPiece> pieces, Type sum) {
  BulkGroups::Thread &groups = groupsOf(warp, lane);
  const uint32_t clock = groups.count + 1;
  const Mark reader = markOf(
      warp.block, groupAgent(warp, lane, AsyncAgent::Kind::GroupRead), clock);
  Mark writer = markOf(
      warp.block, groupAgent(warp, lane, AsyncAgent::Kind::GroupWrite), clock);
  if (sum != Type::None)
    writer.strong = Scope::Gpu;
  BulkStore store;
  store.pc = warp.pc();
  store.sum = sum;
  for (const BulkPiece &piece : pieces) {
    if (!checkShared(warp.block, piece.shared, piece.bytes, /*isWrite=*/false,
                     reader))
      break;
    if (piece.isOutside)
      continue;
    if (uint8_t *to =
            checkGlobal(piece.other, piece.bytes, /*isWrite=*/true, writer))
      store.parts.push_back({piece.shared, piece.other, to, piece.bytes});
  }
  groups.open.push_back(std::move(store));
}

void commitBulkGroup(Warp &warp, unsigned lane) {
  BulkGroups::Thread &groups = groupsOf(warp, lane);
  groups.committed.push_back(std::exchange(groups.open, {}));
  ++groups.count;
}

void waitForBulkGroups(Warp &warp, unsigned lane, uint64_t keep,
                       bool isReadOnly) {
  BulkGroups::Thread &groups = groupsOf(warp, lane);
  while (groups.committed.size() > keep) {
    for (const BulkStore &store : groups.committed.front())
      store.execute(warp.block);
    groups.committed.pop_front();
  }
  if (groups.count <= keep)
    return;
  const auto done = static_cast<uint32_t>(groups.count - keep);
  warp.learn(groupAgent(warp, lane, AsyncAgent::Kind::GroupRead), done);
  if (!isReadOnly)
    warp.learn(groupAgent(warp, lane, AsyncAgent::Kind::GroupWrite), done);
}

void decodePrefetchModifiers(Decoder &d, Instr &i, ExecFn exec,
                             const char *what, size_t operands) {
  i.kind = InstrKind::Other;
  i.exec = exec;
  d.requireArchitecture(90);
  if (!d.take("L2") || !d.take("global"))
    d.error(std::string(what) + " is .L2.global");
  const size_t count = operands + d.take("L2::cache_hint");
  d.expectOperands(count, count);
}

} // namespace tilewright::sim
