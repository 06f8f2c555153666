//===- GridScheduler.cpp - Which block runs when --------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/GridScheduler.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <thread>

using namespace llvm;

namespace tilewright::sim {

/// Blocks that may be under way at once, whatever a device keeps resident.
static constexpr uint64_t maximumLiveBlocks = 4096;
/// Blocks that take turns in a random order, and the longest turn of one.
static constexpr size_t interleavedBlocks = 16;
static constexpr uint64_t longestTurn = 4096;
/// Blocks that the report of a deadlock tells apart.
static constexpr unsigned describedBlocks = 4;

static constexpr uint64_t maximumHostThreads = 1024;
static constexpr std::chrono::milliseconds watchInterval{100};

GridScheduler::GridScheduler(LaunchContext &launch)
    : launch(launch), total(launch.grid.count() / launch.clusterBlocks()),
      mostBlocks(std::max<uint64_t>(
          (launch.isOrdered ? launch.residentBlocks : maximumLiveBlocks) /
              launch.clusterBlocks(),
          1)),
      counts(launch.program.code.size()) {
  if (launch.options.seed)
    random.emplace(*launch.options.seed);
}

void GridScheduler::run() {
  unsigned threads = launch.options.threads;
  if (launch.isOrdered)
    threads = 1;
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  threads = static_cast<unsigned>(
      std::min<uint64_t>({threads, total, maximumHostThreads}));
  const LaunchOptions &options = launch.options;
  const bool isWatched = options.isInterrupted || options.progress;
  working = threads;
  std::vector<std::thread> workers;
  for (unsigned i = isWatched ? 0 : 1; i < threads; ++i)
    workers.emplace_back([this] { work(); });
  if (isWatched)
    watch();
  else
    work();
  for (std::thread &worker : workers)
    worker.join();
}

void GridScheduler::work() {
  std::vector<InstrCount> own(counts.size());
  while (std::unique_ptr<Cluster> cluster = next()) {
    const uint64_t before = cluster->instructions();
    std::optional<uint64_t> turn;
    if (random)
      turn = 1 + (*random)() % longestTurn;
    const Block::Result result = cluster->run(own, turn);
    const uint64_t used = cluster->instructions() - before;
    if (result == Block::Result::Suspended || result == Block::Result::Waiting)
      putBack(std::move(cluster), result, used);
    else
      finish();
  }
  addCounts(own);
  std::lock_guard<std::mutex> lock(mutex);
  if (--working == 0)
    allDone.notify_one();
}

/// What the launching thread does while others work: a block may take long.
void GridScheduler::watch() {
  const LaunchOptions &options = launch.options;
  std::unique_lock<std::mutex> lock(mutex);
  while (!allDone.wait_for(lock, watchInterval, [&] { return working == 0; })) {
    if (options.progress && finished != total)
      options.progress(finished * launch.clusterBlocks(), launch.grid.count());
    // Blocks must not wait for what may be another program's code.
    lock.unlock();
    if (options.isInterrupted && !launch.interrupted && options.isInterrupted())
      launch.interrupted = true;
    lock.lock();
  }
}

bool GridScheduler::startsAnother() {
  if (started == total || started - finished >= mostBlocks)
    return false;
  if (!random || suspended.empty())
    return true;
  return suspended.size() < interleavedBlocks && (*random)() % 2 == 0;
}

/// A device starts blocks in their order, but one that it keeps resident may
/// be late.
uint64_t GridScheduler::pickStart() {
  const uint64_t inOrder = started++;
  if (!random)
    return inOrder;
  const uint64_t end = std::min(total, finished + mostBlocks);
  while (admitted < end)
    startable.push_back(admitted++);
  std::swap(startable[(*random)() % startable.size()], startable.back());
  const uint32_t index = startable.back();
  startable.pop_back();
  return index;
}

/// New blocks go first; those that have had a turn come round again.
std::unique_ptr<Cluster> GridScheduler::next() {
  std::unique_lock<std::mutex> lock(mutex);
  if (launch.stop)
    return nullptr;
  wake();
  const bool isStuck = suspended.empty() && !waiting.empty();
  if (startsAnother() || (isStuck && letAnotherStart())) {
    const uint64_t index = pickStart();
    lock.unlock();
    return std::make_unique<Cluster>(launch, index);
  }
  if (suspended.empty()) {
    if (!waiting.empty())
      reportDeadlock();
    return nullptr;
  }
  const size_t at = random ? (*random)() % suspended.size() : 0;
  std::unique_ptr<Cluster> cluster = std::move(suspended[at]);
  suspended.erase(suspended.begin() + static_cast<ptrdiff_t>(at));
  return cluster;
}

void GridScheduler::putBack(std::unique_ptr<Cluster> cluster,
                            Block::Result result, uint64_t instructions) {
  std::lock_guard<std::mutex> lock(mutex);
  if (cluster->hasChanged())
    idleInstructions = 0;
  if (result == Block::Result::Waiting) {
    launch.waiting.add(cluster->index, cluster->watchedWords());
    waiting[cluster->index] = std::move(cluster);
    return;
  }
  // Waits that look at clocks or count: nobody can say that they never end.
  if (cluster->hasPolledOthers() && !cluster->hasChanged())
    idleInstructions += instructions;
  if (idleInstructions > launch.options.maximumInstructionsPerBlock &&
      !launch.stop.exchange(true))
    cluster->pollingBlock().pollingWarp().reportIdleLimit();
  suspended.push_back(std::move(cluster));
}

void GridScheduler::finish() {
  std::lock_guard<std::mutex> lock(mutex);
  ++finished;
  idleInstructions = 0;
  if (launch.options.progress)
    launch.options.progress(finished * launch.clusterBlocks(),
                            launch.grid.count());
}

//===----------------------------------------------------------------------===//
// Blocks that wait
//===----------------------------------------------------------------------===//

void GridScheduler::wake() {
  for (const WaitingBlocks::Wake &wake : launch.waiting.takeWoken()) {
    const auto found = waiting.find(wake.block);
    if (found == waiting.end())
      continue;
    if (stuck.contains(wake.block)) {
      reportNotResident(*found->second, wake.writer);
      stuck.clear();
      mostBlocks = std::max(mostBlocks, maximumLiveBlocks);
    }
    suspended.push_back(std::move(found->second));
    waiting.erase(found);
  }
}

/// All blocks that a device keeps resident wait. True if one more may start.
bool GridScheduler::letAnotherStart() {
  if (started == total ||
      (started - finished) * launch.clusterBlocks() >=
          std::max(launch.residentBlocks, maximumLiveBlocks))
    return false;
  if (!exceedsDevice)
    for (const auto &[index, cluster] : waiting)
      stuck.insert(index);
  exceedsDevice = true;
  mostBlocks = std::max(mostBlocks, started - finished + 1);
  return true;
}

void GridScheduler::reportNotResident(const Cluster &cluster, uint32_t writer) {
  const Block &block = cluster.pollingBlock();
  const Warp &warp = block.pollingWarp();
  std::string text = "the block";
  raw_string_ostream os(text);
  warp.describePoll(os);
  os << ". It goes on only because the simulator starts more blocks than the "
     << launch.residentBlocks
     << " that a device keeps resident, which all wait: on a GPU the kernel "
        "would hang before block "
     << launch.grid.point(writer) << " could write this. Launch fewer blocks, "
     << "or let each wait only for blocks with smaller numbers";
  launch.findings.add(FindingKind::NotResident, warp.lastPoll().pc, Instr::noPc,
                      block.position, warp.thread(warp.lastPoll().lane),
                      warp.lastPoll().address, text);
}

void GridScheduler::reportDeadlock() {
  if (launch.stop.exchange(true))
    return;
  const Block &first = waiting.begin()->second->pollingBlock();
  const Warp &warp = first.pollingWarp();
  std::string text;
  raw_string_ostream os(text);
  os << "all " << waiting.size() * launch.clusterBlocks()
     << " blocks that are left wait for memory to change, and none is left "
        "that would";
  unsigned described = 0;
  for (const auto &[index, cluster] : waiting)
    if (described++ != describedBlocks)
      cluster->pollingBlock().describeWait(os);
    else
      break;
  if (waiting.size() > describedBlocks)
    os << "; and " << waiting.size() - describedBlocks << " more";
  if (started != total)
    os << "; " << (total - started) * launch.clusterBlocks()
       << " more cannot start before one ends";
  launch.findings.add(FindingKind::Deadlock, warp.lastPoll().pc, Instr::noPc,
                      first.position, warp.thread(warp.lastPoll().lane),
                      warp.lastPoll().address, text);
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

void GridScheduler::addCounts(ArrayRef<InstrCount> own) {
  std::lock_guard<std::mutex> lock(mutex);
  for (size_t pc = 0; pc != counts.size(); ++pc) {
    const InstrCount &from = own[pc];
    InstrCount &to = counts[pc];
    to.issued += from.issued;
    to.threads += from.threads;
    to.accesses += from.accesses;
    to.accessThreads += from.accessThreads;
    to.sectors += from.sectors;
    to.wavefronts += from.wavefronts;
  }
}

LaunchCounts GridScheduler::takeCounts() const {
  LaunchCounts sums;
  for (size_t pc = 0; pc != counts.size(); ++pc) {
    const InstrCount &count = counts[pc];
    const Instr &instr = launch.program.code[pc];
    if (instr.isComment)
      continue;
    sums.warpInstructions += count.issued;
    sums.threadInstructions += count.threads;
    sums.warpInstructionsByKind[static_cast<size_t>(instr.kind)] +=
        count.issued;
    if (count.accesses == 0)
      continue;
    const InstrInfo &info = launch.program.infos[pc];
    sums.accesses.push_back({info.line, info.text.str(), count.accesses,
                             count.accessThreads, count.sectors,
                             count.wavefronts});
    if (instr.kind == InstrKind::Store) {
      sums.globalStoreSectors += count.sectors;
      sums.sharedStoreWavefronts += count.wavefronts;
    } else if (instr.kind != InstrKind::Atomic) {
      sums.globalLoadSectors += count.sectors;
      // The profiler counts what cp.async writes apart from stores.
      if (instr.kind == InstrKind::AsyncCopy)
        sums.sharedCopyWavefronts += count.wavefronts;
      else if (instr.kind == InstrKind::Load)
        sums.sharedLoadWavefronts += count.wavefronts;
    }
  }
  return sums;
}

} // namespace tilewright::sim
