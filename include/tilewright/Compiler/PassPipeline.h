//===- PassPipeline.h - The order of the passes -----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes from a tile program to a placed one, and from there to the LLVM
// dialect, and what they are told: what holds in all launches of a variant, and
// what the user wants.
//
//   PipelineOptions options;
//   options.target = *GpuTarget::parse("sm_90a");
//   options.divisibility = {{"n", 16}};            // n % 16 == 0
//   buildPlacementPipeline(passes, options);
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_COMPILER_PASSPIPELINE_H
#define TILEWRIGHT_COMPILER_PASSPIPELINE_H

#include "tilewright/Target/GpuTarget.h"

#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tilewright {

/// That an argument, of a pointer the address, is a multiple of a number.
struct DivisibilityPromise {
  std::string argument;
  int64_t divisibility;

  bool operator==(const DivisibilityPromise &other) const {
    return argument == other.argument && divisibility == other.divisibility;
  }
};

/// That an integer argument has a value.
struct ArgumentConstant {
  std::string argument;
  int64_t value;

  bool operator==(const ArgumentConstant &other) const {
    return argument == other.argument && value == other.value;
  }
};

/// That an integer argument has one of these values, both ends included.
struct BoundsPromise {
  std::string argument;
  int64_t least, most;

  bool operator==(const BoundsPromise &other) const {
    return argument == other.argument && least == other.least &&
           most == other.most;
  }
};

/// That loops which count from 0 up to an argument by a step have so many
/// trips, one or more.
struct TripsPromise {
  std::string argument;
  int64_t step, trips;

  bool operator==(const TripsPromise &other) const {
    return argument == other.argument && step == other.step &&
           trips == other.trips;
  }
};

/// What a user can decide of a compilation.
struct PipelineOptions {
  GpuTarget target;
  /// auto, none, pad, pad:N or swizzle.
  std::string sharedLayout = "auto";
  /// 0: what the kernel says.
  int numWarps = 0;
  /// Stages of pipelined loops; 0: what the kernel says.
  int numStages = 0;
  /// Products by `wgmma` where the target has it.
  bool warpgroupDots = true;
  /// Boxes of views by tensor maps where the target has them. Code with such
  /// maps runs only in launches that can have them (spec::evaluate).
  bool tensorMaps = true;
  /// What the code must be, beside what the kernel says itself: "wgmma", "tma",
  /// "roles", "persistent".
  std::vector<std::string> require;
  /// For launches that can have no tensor maps, and may do without: what needs
  /// one is not asked for.
  bool lacksTensorMaps = false;
  /// Several programs a block, where each takes a short row, and several blocks
  /// a program, where it takes a long one. Launches of few programs are better
  /// off without the former (runtime::servesBatch).
  bool batchPrograms = true;
  /// Blocks among which each program divides its products, where it can: for
  /// launches of few programs (runtime::chooseProductParts).
  int productParts = 1;
  /// Axes along which a cluster has several programs, which copy together what
  /// all of them multiply (spec::PairedAxes), as launches choose
  /// (runtime::choosePairedAxes).
  int pairedAxes = 0;
  /// What lies between rows of an array may be read, and is not used. Not where
  /// it may be another array's, which the kernel writes.
  bool readsGaps = true;
  /// All arrays of a launch are of less than 2^31 bytes, so that places of 32
  /// bits do not wrap around between elements of a tile.
  bool shortArrays = false;
  /// Without it, no pass of MLIR or LLVM simplifies the program. For tests: the
  /// results are the same, bit for bit.
  bool optimize = true;
  /// Over what the kernel promises.
  std::vector<DivisibilityPromise> divisibility;
  /// Arguments that the code takes no notice of.
  std::vector<ArgumentConstant> constants;
  /// What is promised of loops along rows (spec::Argument).
  std::vector<TripsPromise> trips;
  /// What is promised of arguments at which tiles of rows end (spec::Argument).
  std::vector<BoundsPromise> bounds;
  /// Names of integer arguments whose low 32 bits, or 16, are 0 in no launch.
  std::vector<std::string> nonzero, nonzeroHalves;
  /// Names of integer arguments that are below 0: of others the code supposes
  /// that they are not, where extents of views are made of them.
  std::vector<std::string> negative;
  /// Names of pointer arguments that overlap no other one in a launch.
  std::vector<std::string> disjoint;
};

/// Passes from a tile program to a placed one.
void buildPlacementPipeline(mlir::OpPassManager &manager,
                            const PipelineOptions &options);

/// Passes from a placed program to threads, in the llvm and nvvm dialects.
void buildLoweringPipeline(mlir::OpPassManager &manager,
                           const PipelineOptions &options);

/// Makes both known to tile-opt, as --tile-placement and --tile-lowering.
void registerPipelines();

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_PASSPIPELINE_H
