//===- KernelTest.h - One launch that devices must agree on -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A PTX file says in comments how to launch its kernels. A line with `kernel=`
// begins a test, the lines after it are the kernel's arguments in their order:
//
//   // tile-diff: kernel=scale grid=2 threads=64 shared=0 seed=1
//   // tile-diff:   x: f32[128] = any
//   // tile-diff:   y: f32[128] = poison ~ ulp:2
//   // tile-diff:   n: i32 = 128
//
// NAME: TYPE[COUNT] = CONTENTS is memory, with these contents before the launch
//
//   poison  bytes that the kernel has to write over
//   any     random, with every kind of number: NaNs, infinities, denormals,
//           zeros, extreme and small integers, random bits
//   normal  floats around 0 with variance 1; integers of all values alike
//   iota    0, 1, 2, ...
//   zero    zeros
//
// and NAME: TYPE = VALUE is a scalar. All memory is compared after the launch;
// `~` says how far two results of this buffer may be apart:
//
//   bits        nothing at all (as without ~)
//   ulp:N       at most N numbers of the type lie between; all NaNs are equal
//   relative:X  |a - b| <= X * max(|a|, |b|)
//   absolute:X  |a - b| <= X
//
// `shared` is the size of dynamic shared
// memory in bytes; grid is N, NxM or NxMxK blocks. grid, shared and seed may be
// left out.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TOOLS_TILE_DIFF_KERNELTEST_H
#define TILEWRIGHT_TOOLS_TILE_DIFF_KERNELTEST_H

#include "tilewright/Runtime/Device.h"

namespace tilewright::diff {

/// How far apart two results of a buffer may be.
struct Tolerance {
  enum class Kind : uint8_t { Bits, Ulp, Relative, Absolute };
  Kind kind = Kind::Bits;
  double limit = 0;
};

/// What memory holds before a launch.
enum class Contents : uint8_t { Poison, Any, Normal, Iota, Zero };

/// An argument of the kernel, and its value.
struct TestArgument {
  spec::Argument declared;
  // Of a pointer: the memory behind it.
  uint64_t count = 0;
  Contents contents = Contents::Poison;
  Tolerance tolerance;
  /// The bits of a scalar.
  uint64_t bits = 0;

  uint64_t getByteSize() const {
    return count * spec::getByteSize(declared.type);
  }
};

struct KernelTest {
  std::string file;
  runtime::KernelImage image;
  runtime::GridSize grid = {1, 1, 1};
  uint64_t seed = 0;
  std::vector<TestArgument> arguments;
};

/// The contents of that name, as tests write it.
llvm::Expected<Contents> parseContents(llvm::StringRef text);
/// "bits", "ulp:N", "relative:X" or "absolute:X".
llvm::Expected<Tolerance> parseTolerance(llvm::StringRef text);

/// The tests that a PTX file describes. Errors are "FILE:LINE: what is wrong";
/// a file without a test is one.
llvm::Expected<std::vector<KernelTest>> parseTests(llvm::StringRef file,
                                                   llvm::StringRef ptx);

} // namespace tilewright::diff

#endif // TILEWRIGHT_TOOLS_TILE_DIFF_KERNELTEST_H
