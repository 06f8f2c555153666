//===- OverlapTest.cpp - Arguments that reach the same memory -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that are launched with pointers into one buffer, in the simulator,
// against what the program says in its order.
//
//===----------------------------------------------------------------------===//

#include "tilewright/Compiler/Compile.h"
#include "tilewright/Simulator/Launch.h"
#include "gtest/gtest.h"
#include <random>

using namespace tilewright;

namespace {

constexpr const char *targets[] = {"sm_80",  "sm_86",   "sm_89",
                                   "sm_90a", "sm_100a", "sm_120a"};

using Buffer = std::vector<float>;

/// Small integers, of which sums and products are exact.
Buffer makeIntegers(size_t count, int most) {
  std::mt19937 random{7};
  Buffer buffer(count);
  for (float &value : buffer)
    value =
        static_cast<float>(static_cast<int>(random() % (2 * most + 1)) - most);
  return buffer;
}

/// Replaces NAME by what it stands for.
std::string replaceAll(std::string text, llvm::StringRef name,
                       const std::string &value) {
  for (size_t at = text.find(name); at != std::string::npos;
       at = text.find(name, at + value.size()))
    text.replace(at, name.size(), value);
  return text;
}

class Overlap : public testing::TestWithParam<const char *> {
protected:
  CompiledModule compileKernel(const std::string &source,
                               std::vector<std::string> disjoint = {}) {
    CompileOptions options;
    options.pipeline.target = llvm::cantFail(GpuTarget::parse(GetParam()));
    options.pipeline.disjoint = std::move(disjoint);
    return llvm::cantFail(compile(source, "overlap.mlir", options));
  }

  /// Runs one kernel on a buffer; its arguments point to these elements of it.
  sim::LaunchReport launchOn(const CompiledModule &compiled, Buffer &buffer,
                             llvm::ArrayRef<size_t> elements,
                             unsigned programs = 1) {
    const CompiledKernel &kernel = compiled.kernels.front();
    sim::Gpu gpu;
    size_t bytes = buffer.size() * sizeof(float);
    uint64_t address = llvm::cantFail(gpu.allocate(bytes));
    auto *data = reinterpret_cast<uint8_t *>(buffer.data());
    llvm::cantFail(gpu.write(address, {data, bytes}));
    sim::ArgumentBlock arguments;
    for (size_t element : elements)
      arguments.add(address + element * sizeof(float));
    sim::LaunchOptions options;
    options.seed = 3;
    auto module = llvm::cantFail(sim::Module::parse(compiled.output));
    auto report = llvm::cantFail(
        sim::launch(module, kernel.description.name, gpu, {programs},
                    {kernel.threadsPerBlock}, kernel.dynamicSharedBytes,
                    arguments.bytes(), options));
    llvm::cantFail(gpu.read(address, {data, bytes}));
    return report;
  }

  /// Expects of a launch no finding, and `expected`.
  void check(const CompiledModule &compiled, Buffer buffer,
             llvm::ArrayRef<size_t> elements, const Buffer &expected,
             unsigned programs = 1) {
    sim::LaunchReport report = launchOn(compiled, buffer, elements, programs);
    for (const sim::Finding &finding : report.findings) {
      std::string text;
      llvm::raw_string_ostream(text) << finding;
      ADD_FAILURE() << GetParam() << ": " << text;
    }
    EXPECT_EQ(buffer, expected) << GetParam();
  }
};

INSTANTIATE_TEST_SUITE_P(Targets, Overlap, testing::ValuesIn(targets));

/// Y[i] = X[i] + 1 by pointers, 1024 elements a program.
constexpr const char *pointerKernel = R"(
tile.kernel @add_one(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) {
  %c1024 = arith.constant 1024 : index
  %program = tile.program_id 0
  %start = arith.muli %program, %c1024 : index
  %starts = tile.splat %start : index -> tensor<1024xindex>
  %iota = tile.iota 0 : tensor<1024xindex>
  %i = arith.addi %starts, %iota : tensor<1024xindex>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ys = tile.splat %Y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %x = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xindex>
  %y = tile.addptr %ys, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xindex>
  %t = tile.load %x : tensor<1024x!tile.ptr<f32>>
  %one = tile.constant 1 : tensor<1024xf32>
  %u = arith.addf %t, %one : tensor<1024xf32>
  tile.store %y, %u : tensor<1024x!tile.ptr<f32>>
  tile.return
}
)";

/// The same by views of one program.
constexpr const char *viewKernel = R"(
tile.kernel @add_one(%X: !tile.ptr<f32> {OVERLAP}, %Y: !tile.ptr<f32> {OVERLAP}) {
  %c0 = arith.constant 0 : index
  %x = tile.view %X, shape [1024], strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32, [1]>
  %y = tile.view %Y, shape [1024], strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32, [1]>
  %t = tile.load_view %x[%c0] : !tile.view<1024xf32, [1]> -> tensor<1024xf32>
  %one = tile.constant 1 : tensor<1024xf32>
  %u = arith.addf %t, %one : tensor<1024xf32>
  tile.store_view %u, %y[%c0] : tensor<1024xf32>, !tile.view<1024xf32, [1]>
  tile.return
}
)";

/// What one program that reads `count` elements from `from` and writes them,
/// plus 1, to `to` leaves.
Buffer addOne(const Buffer &before, size_t from, size_t to, size_t count) {
  Buffer after = before;
  for (size_t i = 0; i < count; ++i)
    after[to + i] = before[from + i] + 1;
  return after;
}

TEST_P(Overlap, PointersInPlace) {
  Buffer buffer = makeIntegers(3 * 1024, 1000);
  check(compileKernel(pointerKernel), buffer, {0, 0},
        addOne(buffer, 0, 0, buffer.size()), /*programs=*/3);
}

TEST_P(Overlap, PointersShifted) {
  Buffer buffer = makeIntegers(1024 + 40, 1000);
  CompiledModule compiled = compileKernel(pointerKernel);
  for (size_t distance : {1, 33})
    check(compiled, buffer, {0, distance}, addOne(buffer, 0, distance, 1024));
  check(compiled, buffer, {7, 0}, addOne(buffer, 7, 0, 1024));
}

TEST_P(Overlap, DisjointPointersNeedNoBarrier) {
  Buffer buffer = makeIntegers(2048, 1000);
  CompiledModule compiled = compileKernel(pointerKernel, {"Y"});
  EXPECT_EQ(compiled.kernels.front().report.barriers, 0u);
  EXPECT_EQ(compileKernel(pointerKernel).kernels.front().report.barriers, 1u);
  check(compiled, buffer, {0, 1024}, addOne(buffer, 0, 1024, 1024));
}

TEST_P(Overlap, ViewsThatMayOverlap) {
  Buffer buffer = makeIntegers(1024 + 40, 1000);
  CompiledModule compiled =
      compileKernel(replaceAll(viewKernel, "OVERLAP", "tile.may_overlap"));
  for (size_t distance : {0, 1, 33})
    check(compiled, buffer, {0, distance}, addOne(buffer, 0, distance, 1024));
}

TEST_P(Overlap, ViewsThatBreakTheirPromiseRace) {
  CompiledModule compiled =
      compileKernel(replaceAll(viewKernel, "{OVERLAP}", ""));
  Buffer buffer = makeIntegers(1024 + 1, 1000);
  sim::LaunchReport report = launchOn(compiled, buffer, {0, 1});
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings.front().kind, sim::FindingKind::Race);
}

/// Each element is loaded by several warps, and stored by one.
TEST_P(Overlap, EqualPointers) {
  CompiledModule compiled = compileKernel(R"(
tile.kernel @add_one(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %i = tile.iota 0 : tensor<256xi32>
  %c64 = tile.constant 64 : tensor<256xi32>
  %one = tile.constant 1 : tensor<256xf32>
  %x = arith.remui %i, %c64 : tensor<256xi32>
  %first = arith.cmpi slt, %i, %c64 : tensor<256xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %ps = tile.addptr %xs, %x : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %t = tile.load %ps : tensor<256x!tile.ptr<f32>>
  %u = arith.addf %t, %one : tensor<256xf32>
  tile.store %ps, %u mask %first : tensor<256x!tile.ptr<f32>>
  %y = tile.view %Y, shape [256], strides [1] : !tile.ptr<f32> -> !tile.view<256xf32, [1]>
  tile.store_view %t, %y[%c0] : tensor<256xf32>, !tile.view<256xf32, [1]>
  tile.return
}
)");
  Buffer buffer = makeIntegers(64 + 256, 1000);
  Buffer expected = addOne(buffer, 0, 0, 64);
  for (size_t i = 0; i < 256; ++i)
    expected[64 + i] = buffer[i % 64];
  check(compiled, buffer, {0, 64}, expected);
}

TEST_P(Overlap, Description) {
  auto describe = [&](const CompiledModule &module) {
    std::string text;
    for (const spec::Argument &argument :
         module.kernels.front().description.arguments)
      text += argument.name + (argument.isDisjoint ? " disjoint" : "") +
              (argument.isWritten ? " written;" : ";");
    return text;
  };
  EXPECT_EQ(describe(compileKernel(pointerKernel)), "X;Y written;");
  EXPECT_EQ(describe(compileKernel(pointerKernel, {"X", "Y"})),
            "X disjoint;Y disjoint written;");
  EXPECT_EQ(describe(compileKernel(replaceAll(viewKernel, "{OVERLAP}", ""))),
            "X disjoint;Y disjoint written;");
  EXPECT_EQ(describe(compileKernel(
                replaceAll(viewKernel, "OVERLAP", "tile.may_overlap"))),
            "X;Y written;");
}

/// Each iteration adds 1 to 32 rows, twice.
constexpr const char *loopKernel = R"(
tile.kernel @steps(%X: !tile.ptr<f32> {OVERLAPtile.divisibility = 16},
                   %Y: !tile.ptr<f32> {OVERLAPtile.divisibility = 16})
    attributes {num_stages = STAGES} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c192 = arith.constant 192 : index
  %one = tile.constant 1 : tensor<32x32xf32>
  %x = tile.view %X, shape [192, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<192x32xf32, [32, 1]>
  %y = tile.view %Y, shape [192, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<192x32xf32, [32, 1]>
  scf.for %i = %c0 to %c192 step %c32 {
    %t = tile.load_view %x[%i, %c0] : !tile.view<192x32xf32, [32, 1]> -> tensor<32x32xf32>
    %u = arith.addf %t, %one : tensor<32x32xf32>
    tile.store_view %u, %y[%i, %c0] : tensor<32x32xf32>, !tile.view<192x32xf32, [32, 1]>
    %v = tile.load_view %x[%i, %c0] : !tile.view<192x32xf32, [32, 1]> -> tensor<32x32xf32>
    %w = arith.addf %v, %one : tensor<32x32xf32>
    tile.store_view %w, %y[%i, %c0] : tensor<32x32xf32>, !tile.view<192x32xf32, [32, 1]>
  }
  tile.return
}
)";

Buffer addSteps(Buffer buffer, size_t x, size_t y) {
  for (size_t step = 0; step < 6; ++step)
    for (int times = 0; times < 2; ++times)
      buffer = addOne(buffer, x + step * 1024, y + step * 1024, 1024);
  return buffer;
}

/// With any number of stages an iteration reads what earlier ones wrote.
TEST_P(Overlap, Loops) {
  Buffer buffer = makeIntegers(12 * 1024, 1000);
  for (int stages = 1; stages <= 5; ++stages) {
    std::string source =
        replaceAll(loopKernel, "STAGES", std::to_string(stages));
    CompiledModule overlapping =
        compileKernel(replaceAll(source, "OVERLAP", "tile.may_overlap, "));
    // In place, one step on, from other warps' elements on, and back.
    for (auto [x, y] :
         {std::pair<size_t, size_t>{0, 0}, {0, 1024}, {0, 160}, {160, 0}})
      check(overlapping, buffer, {x, y}, addSteps(buffer, x, y));
    check(compileKernel(replaceAll(source, "OVERLAP", "")), buffer,
          {0, 6 * 1024}, addSteps(buffer, 0, 6 * 1024));
  }
}

/// Each iteration multiplies by what the one before has stored, where C is B
/// one step on.
constexpr const char *productKernel = R"(
tile.kernel @products(%A: !tile.ptr<f32> {tile.divisibility = 16},
                      %B: !tile.ptr<f32> {OVERLAPtile.divisibility = 16},
                      %C: !tile.ptr<f32> {OVERLAPtile.divisibility = 16})
    attributes {num_stages = STAGES} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = tile.constant 0 : tensor<32x32xf32>
  %a = tile.view %A, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %b = tile.view %B, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %c = tile.view %C, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %sum = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32>) {
    %ta = tile.load_view %a[%k, %c0] : !tile.view<128x32xf32, [32, 1]> -> tensor<32x32xf32>
    %tb = tile.load_view %b[%k, %c0] : !tile.view<128x32xf32, [32, 1]> -> tensor<32x32xf32>
    %next = tile.dot %ta, %tb, %acc : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
    tile.store_view %next, %c[%k, %c0] : tensor<32x32xf32>, !tile.view<128x32xf32, [32, 1]>
    scf.yield %next : tensor<32x32xf32>
  }
  tile.return
}
)";

Buffer multiplySteps(Buffer buffer, size_t a, size_t b, size_t c) {
  Buffer sum(1024, 0);
  for (size_t step = 0; step < 4; ++step) {
    const Buffer before = buffer;
    for (size_t i = 0; i < 32; ++i)
      for (size_t j = 0; j < 32; ++j) {
        for (size_t k = 0; k < 32; ++k)
          sum[i * 32 + j] += before[a + step * 1024 + i * 32 + k] *
                             before[b + step * 1024 + k * 32 + j];
        buffer[c + step * 1024 + i * 32 + j] = sum[i * 32 + j];
      }
  }
  return buffer;
}

TEST_P(Overlap, Products) {
  // Sums stay below 2^24, where all integers are exact.
  Buffer buffer = makeIntegers(16 * 1024, 1);
  for (int stages = 1; stages <= 5; ++stages) {
    std::string source =
        replaceAll(productKernel, "STAGES", std::to_string(stages));
    CompiledModule overlapping =
        compileKernel(replaceAll(source, "OVERLAP", "tile.may_overlap, "));
    for (auto [b, c] :
         {std::pair<size_t, size_t>{4096, 4096}, {4096, 5120}, {5120, 4096}})
      check(overlapping, buffer, {0, b, c}, multiplySteps(buffer, 0, b, c));
    CompiledModule disjoint = compileKernel(replaceAll(source, "OVERLAP", ""));
    check(disjoint, buffer, {0, 4096, 8192},
          multiplySteps(buffer, 0, 4096, 8192));
    // The same array twice, where neither is written.
    check(disjoint, buffer, {0, 0, 8192}, multiplySteps(buffer, 0, 0, 8192));
  }
}

/// B is the transpose of A, written by the same program, and then multiplied.
constexpr const char *writtenBeforeKernel = R"(
tile.kernel @written_before(%A: !tile.ptr<f32> {tile.divisibility = 16},
                            %B: !tile.ptr<f32> {tile.divisibility = 16},
                            %C: !tile.ptr<f32> {tile.divisibility = 16})
    attributes {num_stages = STAGES} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = tile.constant 0 : tensor<32x32xf32>
  %a = tile.view %A, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %at = tile.view %A, shape [32, 128], strides [1, 32] : !tile.ptr<f32> -> !tile.view<32x128xf32, [1, 32]>
  %b = tile.view %B, shape [32, 128], strides [128, 1] : !tile.ptr<f32> -> !tile.view<32x128xf32, [128, 1]>
  %c = tile.view %C, shape [128, 32], strides [32, 1] : !tile.ptr<f32> -> !tile.view<128x32xf32, [32, 1]>
  %t = tile.load_view %at[%c0, %c0] : !tile.view<32x128xf32, [1, 32]> -> tensor<32x128xf32>
  tile.store_view %t, %b[%c0, %c0] : tensor<32x128xf32>, !tile.view<32x128xf32, [128, 1]>
  scf.for %k = %c0 to %c128 step %c32 {
    %ta = tile.load_view %a[%k, %c0] : !tile.view<128x32xf32, [32, 1]> -> tensor<32x32xf32>
    %tb = tile.load_view %b[%c0, %k] : !tile.view<32x128xf32, [128, 1]> -> tensor<32x32xf32>
    %d = tile.dot %ta, %tb, %zero : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
    tile.store_view %d, %c[%k, %c0] : tensor<32x32xf32>, !tile.view<128x32xf32, [32, 1]>
  }
  tile.return
}
)";

TEST_P(Overlap, WrittenBeforeTheLoop) {
  Buffer buffer = makeIntegers(3 * 4096, 10);
  Buffer expected = buffer;
  for (size_t i = 0; i < 128; ++i)
    for (size_t j = 0; j < 32; ++j) {
      expected[4096 + j * 128 + i] = buffer[i * 32 + j];
      float &sum = expected[8192 + i * 32 + j] = 0;
      // Column j of the block of B beside the block of A that i lies in.
      for (size_t k = 0; k < 32; ++k)
        sum += buffer[i * 32 + k] * buffer[(i / 32 * 32 + j) * 32 + k];
    }
  for (int stages = 1; stages <= 5; ++stages)
    check(compileKernel(replaceAll(writtenBeforeKernel, "STAGES",
                                   std::to_string(stages))),
          buffer, {0, 4096, 8192}, expected);
}

} // namespace
