//===- ReportSummary.cpp - What matters of a report -------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportFields.h"

#include "tilewright/Layout/Algebra/CountOf.h"
#include "tilewright/Layout/Shared/SharedAccess.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace tilewright;

/// Accesses of one kind that are named; of more, how many there are.
static constexpr size_t maxNamed = 3;

using Texts = std::vector<std::string>;

static std::string beginLine(const SourcePlace &place) {
  return place.line ? ("line " + Twine(place.line) + ": ").str() : "";
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

/// What limits the kernel. Blocks that multiply share operands, so that most of
/// their bytes may come from the L2.
static std::string limitOf(const KernelReport &kernel) {
  std::string limit = kernel.time.getLimit(/*withMemory=*/true);
  if (limit.empty())
    return "nothing to speak of";
  if (limit != "memory" || kernel.products.empty())
    return limit;
  return kernel.time.getLimit(/*withMemory=*/false) +
         ", if the L2 holds what blocks share; else memory";
}

/// How the limit follows from what is computed for each byte.
static std::string intensityOf(const TimeBound &time) {
  bool isOfTensors = time.tensorCores > time.arithmetic;
  double engine = isOfTensors ? time.tensorCores : time.arithmetic;
  if (time.globalBytes == 0 || engine == 0)
    return "";
  double intensity = double(time.operations) / double(time.globalBytes);
  return formatv("{0:f1} operations a byte of global memory; to be busy, {1} "
                 "would need {2:f1} with the L2, {3:f1} with memory",
                 intensity, isOfTensors ? "tensor cores" : "arithmetic",
                 intensity * time.l2 / engine, intensity * time.memory / engine)
      .str();
}

std::string tilewright::describeClocks(const TimeBound &time) {
  auto clocks = [](double count, const Twine &what) {
    return count > 0 ? formatv("{0:f0} {1}", count, what.str()).str() : "";
  };
  SmallVector<std::string, 5> parts = {
      clocks(time.tensorCores, "tensor cores"),
      clocks(time.arithmetic, "arithmetic"),
      clocks(time.sharedMemory, "shared memory"), clocks(time.l2, "L2"),
      clocks(time.memory, "memory of " + time.device)};
  erase_if(parts, [](const std::string &part) { return part.empty(); });
  return join(parts, ", ");
}

static Texts timeOf(const KernelReport &kernel) {
  const TimeBound &time = kernel.time;
  std::string parts = describeClocks(time);
  Texts texts = {limitOf(kernel)};
  if (parts.empty())
    return texts;
  bool areTripsKnown = all_of(kernel.accesses, [](const AccessReport &access) {
    return access.areTripsKnown;
  });
  texts.push_back("clocks of a block on an SM, at least: " + parts +
                  (areTripsKnown ? "" : " (16 trips of unknown loops)"));
  if (std::string intensity = intensityOf(time); !intensity.empty())
    texts.push_back(std::move(intensity));
  return texts;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// "line 33 stores to tile 0"; not the name of the op, which those who search
/// a report look for.
static std::string nameOf(const AccessReport &access) {
  bool isCopy = access.isShared && access.globalBytes > 0;
  std::string verb = isCopy            ? "copies"
                     : !access.isStore ? "loads"
                     : access.isLoad   ? "changes"
                                       : "stores";
  std::string name = verb;
  if (access.place.line)
    name = ("line " + Twine(access.place.line) + " " + verb).str();
  if (access.isShared)
    name += (access.isStore ? " to tile " : " of tile ") +
            std::to_string(access.tile);
  return name;
}

/// Says `describe` of the accesses that are `chosen`, those that take longest
/// first, each once.
static Texts
describeWorst(const KernelReport &kernel,
              function_ref<bool(const AccessReport &)> chosen,
              function_ref<int64_t(const AccessReport &)> weigh,
              function_ref<std::string(const AccessReport &)> describe) {
  SmallVector<const AccessReport *> accesses;
  for (const AccessReport &access : kernel.accesses)
    if (chosen(access))
      accesses.push_back(&access);
  std::sort(accesses.begin(), accesses.end(),
            [&](const AccessReport *a, const AccessReport *b) {
              return std::make_pair(-weigh(*a), a) <
                     std::make_pair(-weigh(*b), b);
            });
  Texts texts;
  for (const AccessReport *access : accesses)
    if (std::string text = nameOf(*access) + ": " + describe(*access);
        !is_contained(texts, text))
      texts.push_back(std::move(text));
  if (texts.size() > maxNamed) {
    size_t more = texts.size() - maxNamed;
    texts.resize(maxNamed);
    texts.push_back("and " + std::to_string(more) + " more");
  }
  return texts;
}

/// "4864 wavefronts, ideal 512".
static std::string describeCount(int64_t count, int64_t ideal, StringRef unit) {
  return countOf(count, unit) +
         (count == ideal ? ", the ideal" : ", ideal " + std::to_string(ideal));
}

/// All trips of all accesses that have such a count, and those accesses that
/// are above their ideal.
static Texts
countsOf(const KernelReport &kernel,
         std::optional<AccessCount> AccessReport::*counted, StringRef unit,
         function_ref<std::string(const AccessReport &)> describe) {
  AccessCount sum;
  bool hasAny = false;
  for (const AccessReport &access : kernel.accesses)
    if (const auto &of = access.*counted) {
      hasAny = true;
      sum.count += access.trips * of->count;
      sum.ideal += access.trips * of->ideal;
    }
  if (!hasAny)
    return {"not counted"};
  Texts texts = {describeCount(sum.count, sum.ideal, unit)};
  auto lossOf = [&](const AccessReport &access) -> int64_t {
    const auto &of = access.*counted;
    return of ? access.trips * (of->count - of->ideal) : 0;
  };
  append_range(
      texts, describeWorst(
                 kernel,
                 [&](const AccessReport &access) { return lossOf(access) > 0; },
                 lossOf, describe));
  return texts;
}

static Texts sharedOf(const KernelReport &kernel) {
  if (kernel.tiles.empty())
    return {"none"};
  return countsOf(kernel, &AccessReport::wavefronts, "wavefront",
                  [](const AccessReport &access) {
                    std::string text = std::to_string(access.worstDegree) +
                                       "-way bank conflicts";
                    if (access.bound && !access.bound->whyNotReached.empty())
                      text += "; " + access.bound->whyNotReached;
                    return text;
                  });
}

static Texts globalOf(const KernelReport &kernel) {
  Texts texts = countsOf(
      kernel, &AccessReport::sectors, "sector", [](const AccessReport &access) {
        return describeCount(access.sectors->count, access.sectors->ideal,
                             "sector");
      });
  append_range(texts,
               describeWorst(
                   kernel,
                   [](const AccessReport &access) {
                     return access.globalBytes > 0 && !access.sectors;
                   },
                   [](const AccessReport &access) {
                     return access.trips * access.globalBytes;
                   },
                   [](const AccessReport &) {
                     return "sectors that hang on addresses not known here";
                   }));
  return texts;
}

static Texts narrowOf(const KernelReport &kernel) {
  auto widest = [&](const AccessReport &access) -> int64_t {
    return access.isShared ? maxBytesPerLane : kernel.maxGlobalVectorBytes;
  };
  Texts texts = describeWorst(
      kernel,
      [&](const AccessReport &access) {
        return access.vectorBytes < widest(access);
      },
      [](const AccessReport &access) {
        return access.trips * access.instructions;
      },
      [&](const AccessReport &access) {
        std::string text = countOf(access.vectorBytes, "byte") +
                           " a lane, not " + std::to_string(widest(access));
        return access.limit.empty() ? text : text + ", since " + access.limit;
      });
  return texts.empty() ? Texts{"none: all accesses are as wide as they can be"}
                       : texts;
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

static Texts barriersOf(const KernelReport &kernel) {
  std::string text = kernel.barriers ? std::to_string(kernel.barriers) : "none";
  if (kernel.barriersInLoops)
    text += (", " + Twine(kernel.barriersInLoops) + " in loops").str();
  return {std::move(text)};
}

static constexpr StringLiteral kFewerValues =
    "more warps or smaller tiles leave a thread fewer values to hold";

static std::string describeWaits(const PtxasResources &resources) {
  return resources.whySerialized.empty()
             ? ""
             : "each wgmma waits for the one before, says ptxas: " +
                   resources.whySerialized;
}

std::string tilewright::describeShortage(const PtxasResources &resources) {
  std::string text = describeWaits(resources);
  if (resources.spillStoreBytes != 0) {
    text += text.empty() ? "" : "; ";
    text += countOf(resources.spillStoreBytes, "byte") +
            " of each thread spill to memory, for want of registers";
  }
  return text.empty() ? "" : text + "; " + kFewerValues.str();
}

static Texts registersOf(const KernelReport &kernel) {
  if (!kernel.resources)
    return {"not known without ptxas (TILEWRIGHT_PTXAS names one)"};
  const Occupancy &occupancy = *kernel.occupancy;
  unsigned spilled = kernel.resources->spillStoreBytes;
  Texts texts = {
      formatv("{0} a thread, {1} spilled; {2} ({3} of {4} warps) an SM, "
              "limited by {5}",
              kernel.resources->registers,
              spilled ? countOf(spilled, "byte") : "none",
              countOf(occupancy.blocksPerSM, "block"), occupancy.warpsPerSM,
              kernel.maxWarpsPerSM,
              stringifyOccupancyLimiter(occupancy.limiter))
          .str()};
  std::string waits = describeWaits(*kernel.resources);
  if (spilled || !waits.empty()) {
    if (!waits.empty())
      texts.push_back(std::move(waits));
    texts.push_back(kFewerValues.str());
  }
  return texts;
}

/// Who fills the slots, and where that is not the best way there is, why.
static std::string makersOf(const CopyReport &copies) {
  if (copies.copyWarps > 1)
    return ("bulk copies of " + Twine(copies.copyWarps) + " warps of their own")
        .str();
  if (copies.copyWarps == 1)
    return "bulk copies of a warp of their own";
  if (copies.isBulk)
    return "bulk copies, which a thread that computes begins: " +
           copies.whyNoRoles;
  std::string text = "all threads (cp.async)";
  return copies.whyNotBulk.empty() ? text : text + ": " + copies.whyNotBulk;
}

static Texts copiesOf(const KernelReport &kernel) {
  Texts texts;
  for (const CopyReport &copies : kernel.copies) {
    std::string text =
        formatv("{0}{1} of {2} ahead, by {3}", beginLine(copies.place),
                countOf(copies.stages, "slot"),
                countOf(copies.slotBytes, "byte"), makersOf(copies));
    if (!is_contained(texts, text))
      texts.push_back(std::move(text));
  }
  if (texts.empty())
    return texts;
  if (kernel.isPersistent)
    texts.back() += kernel.teams == 1
                        ? "; blocks stay for several programs"
                        : "; blocks stay for several programs, which two teams "
                          "of warps do in turn";
  else if (!kernel.whyNotPersistent.empty())
    texts.push_back("blocks run one program each: " + kernel.whyNotPersistent);
  return texts;
}

static Texts productsOf(const KernelReport &kernel) {
  Texts texts;
  for (const ProductReport &product : kernel.products) {
    std::string text = formatv(
        "{0}{6}{1}x{2}x{3} of {4} by {5}{7}", beginLine(product.place),
        product.m, product.n, product.k, product.operandType,
        product.instruction,
        product.batch == 1 ? "" : std::to_string(product.batch) + " times ",
        product.isExchanged ? " with its operands exchanged" : "");
    text += product.engineReason.empty()
                ? ", the best there is for " + kernel.target
                : ": " + product.engineReason;
    if (!product.turned.empty())
      text += "; threads turn " + product.turned +
              ", whose rows do not lie along K in memory";
    if (!is_contained(texts, text))
      texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<SummaryLine> KernelReport::summarize() const {
  std::vector<SummaryLine> lines = {
      {"time_bound", "time bound", timeOf(*this)},
      {"shared_memory", "shared memory", sharedOf(*this)},
      {"global_memory", "global memory", globalOf(*this)},
      {"narrow_accesses", "narrow accesses", narrowOf(*this)},
      {"barriers", "barriers", barriersOf(*this)},
      {"registers", "registers", registersOf(*this)}};
  Texts copyTexts = copiesOf(*this);
  if (!whyFewerStages.empty())
    copyTexts.push_back(whyFewerStages);
  if (!copyTexts.empty())
    lines.push_back({"copies", "copies", std::move(copyTexts)});
  if (!products.empty())
    lines.push_back({"products", "products", productsOf(*this)});
  return lines;
}
