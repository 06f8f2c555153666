//===- RegisterPool.cpp - setmaxnreg --------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block starts with equally many registers for each thread, and keeps their
// sum. Warpgroups give some back and take others, which they wait for:
//
//   384 threads, 168 each           64512 in all, none free
//   group 0: setmaxnreg.dec 40      16384 free
//   groups 1, 2: setmaxnreg.inc 232 none free; whoever comes before group 0
//                                   waits
//
// The count at the start is .maxnreg; without, what .reqntid and .minnctapersm
// leave of the registers of a multiprocessor, as ptxas takes no more. ptxas
// ignores setmaxnreg where a kernel has neither .maxnreg nor .reqntid.
//
// No thread can use more registers than it has: ptxas gives what follows an
// instruction as many as that names, and what follows none as many as there are
// at the start. So code without its .inc spills. What shows it are registers
// that were given back and that nobody takes.
//
//===----------------------------------------------------------------------===//

#include "Families/Family.h"
#include "Machine/Block.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

/// PTX ISA, setmaxnreg.
constexpr unsigned leastRegisters = 24, mostRegisters = 256, registerStep = 8;

/// A warpgroup, by its instruction under way.
struct RegisterGroup {
  uint32_t count = 0; ///< registers of each thread
  uint32_t wanted = 0;
  unsigned arrived = 0; ///< warps, as bits
  uint32_t pc = 0;
  bool waits = false; ///< for registers
  bool gave = false;  ///< some back
};

struct RegisterPool final : FamilyState {
  static constexpr char key = 0;
  uint32_t total = 0; ///< 0: before the first use
  uint32_t free = 0;
  bool wereTaken = false;
  std::vector<RegisterGroup> groups;

  uint64_t getHash() const override { return free; }
  void describeWait(raw_ostream &os, uint32_t barrier) const override;
  void finish(Block &block) override;
};

constexpr uint32_t groupThreads = warpgroupWarps * warpSize;
constexpr unsigned wholeGroup = (1u << warpgroupWarps) - 1;

void RegisterPool::describeWait(raw_ostream &os, uint32_t barrier) const {
  const uint32_t first = Block::registerBarriers;
  if (barrier < first || barrier - first >= groups.size())
    return;
  const RegisterGroup &group = groups[barrier - first];
  if (group.waits)
    os << " waits for " << (group.wanted - group.count) * groupThreads
       << " registers, to have " << group.wanted << " a thread, and " << free
       << " of the block's " << total << " are free";
  else
    os << " waits for the other warps of its warpgroup";
}

Step registersExec(Warp &warp, const Instr &instr, uint32_t mask);

/// Whether some instruction takes registers: a block that has no work may leave
/// before it.
bool mayTake(const Program &program) {
  return any_of(program.code, [](const Instr &instr) {
    return instr.exec == &registersExec && instr.attr[0];
  });
}

void RegisterPool::finish(Block &block) {
  auto giver = find_if(groups, [](auto &group) { return group.gave; });
  if (wereTaken || giver == groups.end() || mayTake(block.launch.program))
    return;
  const auto number = static_cast<uint64_t>(giver - groups.begin());
  block.launch.findings.add(
      FindingKind::InvalidOperand, giver->pc, Instr::noPc, block.position,
      block.launch.blockDim.point(number * groupThreads), 0,
      ("no warpgroup of the block takes, by setmaxnreg.inc, any of the " +
       Twine(free) + " registers that were given back")
          .str());
}

uint32_t startCount(const LaunchContext &launch) {
  const KernelInfo &kernel = launch.kernel;
  if (kernel.maximumRegisters != 0)
    return kernel.maximumRegisters;
  const uint64_t share =
      launch.memory.limits.registersPerBlock /
      (launch.blockDim.count() * std::max(kernel.minimumBlocks, 1u));
  return static_cast<uint32_t>(
      std::min<uint64_t>(share / registerStep * registerStep, mostRegisters));
}

RegisterPool &poolOf(Block &block) {
  auto &pool = block.state<RegisterPool>();
  if (pool.total != 0)
    return pool;
  const uint32_t each = startCount(block.launch);
  pool.total = each * static_cast<uint32_t>(block.launch.blockDim.count());
  pool.groups.resize((block.warps.size() + warpgroupWarps - 1) /
                     warpgroupWarps);
  for (RegisterGroup &group : pool.groups)
    group.count = each;
  return pool;
}

/// False with a finding if the warp is of no whole warpgroup.
bool hasWholeGroup(Warp &warp) {
  const unsigned first = warp.index / warpgroupWarps * warpgroupWarps;
  for (unsigned w = first; w != first + warpgroupWarps; ++w) {
    const bool exists = w < warp.block.warps.size();
    if (exists && warp.block.warps[w].liveLanes() == fullMask)
      continue;
    warp.report(
        FindingKind::InvalidOperand, 0,
        "all four warps of a warpgroup execute setmaxnreg, and warp " +
            Twine(w) +
            (!exists ? " does not exist" : " has left or is not whole"));
    return false;
  }
  return true;
}

bool checkCount(Warp &warp, const RegisterGroup &group, bool increases) {
  if (increases ? group.wanted >= group.count : group.wanted <= group.count)
    return true;
  warp.report(FindingKind::InvalidOperand, 0,
              "the warpgroup has " + Twine(group.count) +
                  " registers a thread, which " + Twine(group.wanted) +
                  (increases ? " does not increase" : " does not decrease"));
  return false;
}

void letGo(Block &block, unsigned group, const Warp *but) {
  for (unsigned w = group * warpgroupWarps; w != (group + 1) * warpgroupWarps;
       ++w)
    if (&block.warps[w] != but)
      block.warps[w].releaseBarrier(Block::registerBarriers + group);
}

/// Gives registers to those that wait, where there are enough.
void grant(Block &block, RegisterPool &pool, const Warp *current) {
  for (auto [number, group] : enumerate(pool.groups)) {
    const uint32_t needed = (group.wanted - group.count) * groupThreads;
    if (!group.waits || needed > pool.free)
      continue;
    pool.free -= needed;
    pool.wereTaken = true;
    group.count = group.wanted;
    group.waits = false;
    letGo(block, static_cast<unsigned>(number), current);
  }
}

/// The last warp of the group has come.
Step execute(Warp &warp, RegisterPool &pool, unsigned number, bool increases) {
  RegisterGroup &group = pool.groups[number];
  group.arrived = 0;
  if (!checkCount(warp, group, increases) || !increases) {
    if (!increases && group.wanted < group.count) {
      pool.free += (group.count - group.wanted) * groupThreads;
      group.count = group.wanted;
      group.gave = true;
    }
    letGo(warp.block, number, &warp);
    grant(warp.block, pool, nullptr);
    return Step::Next;
  }
  group.waits = true;
  grant(warp.block, pool, &warp);
  if (!group.waits)
    return Step::Next;
  warp.waitAtBarrier(fullMask, Block::registerBarriers + number);
  return Step::Control;
}

/// `extra`: the count; attr[0]: it increases.
Step registersExec(Warp &warp, const Instr &instr, uint32_t mask) {
  if (!isWholeWarp(warp, mask) || !hasWholeGroup(warp))
    return Step::Next;
  const KernelInfo &kernel = warp.launch.kernel;
  if (kernel.maximumRegisters == 0 && kernel.requiredThreads[0] == 0)
    warp.report(FindingKind::InvalidOperand, 0,
                "ptxas ignores setmaxnreg in a kernel without .maxnreg or "
                ".reqntid");
  RegisterPool &pool = poolOf(warp.block);
  const unsigned number = warp.index / warpgroupWarps;
  RegisterGroup &group = pool.groups[number];
  if (group.arrived != 0 && group.pc != warp.pc())
    warp.report(FindingKind::DivergentBarrier, 0,
                "another warp of the warpgroup executes line " +
                    Twine(warp.launch.program.infos[group.pc].line) + " `" +
                    warp.launch.program.infos[group.pc].shortText() + "`",
                0, group.pc);
  group.pc = warp.pc();
  group.wanted = static_cast<uint32_t>(instr.extra);
  group.arrived |= 1u << warp.index % warpgroupWarps;
  if (group.arrived == wholeGroup)
    return execute(warp, pool, number, instr.attr[0]);
  warp.waitAtBarrier(fullMask, Block::registerBarriers + number);
  return Step::Control;
}

void decodeRegisters(Decoder &d, Instr &i) {
  i.kind = InstrKind::Other;
  i.exec = &registersExec;
  i.syncMask = Instr::syncAll;
  d.requireArchitecture(90);
  const int change = d.takeOneOf({"dec", "inc"});
  if (change < 0 || !d.take("sync") || !d.take("aligned"))
    d.error("setmaxnreg is .inc or .dec, with .sync.aligned");
  i.attr[0] = change == 1;
  d.takeType();
  d.expectOperands(1, 1);
  i.extra = static_cast<uint64_t>(d.immediate(0));
  if (i.extra < leastRegisters || i.extra > mostRegisters ||
      i.extra % registerStep != 0)
    d.error("the count is a multiple of 8 from 24 to 256");
}

} // namespace

void registerRegisterPool(OpcodeTable &table) {
  table.add("setmaxnreg", decodeRegisters);
}

} // namespace tilewright::sim
