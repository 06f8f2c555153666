//===- SimulatedTensorMapsTest.cpp - Boxes that the simulator copies ------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/SimulatedDevice.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace tilewright;
using namespace tilewright::runtime;
using spec::ElementType;

namespace {

/// Copies the box of 16 by 4 numbers at (8, 2) of A[M, N] to B.
constexpr const char *copyBox = R"(
.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 A, .param .u64 B, .param .u32 M, .param .u64 N,
                  .param .align 64 .b8 map[128]) {
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  .reg .pred %p<4>;
  .shared .align 1024 .b8 tile[256];
  .shared .align 8 .b8 barrier[8];
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  mov.u32 %r2, barrier;
  mov.u32 %r3, tile;
  mov.b64 %rd1, map;
  cvta.param.u64 %rd1, %rd1;
  @!%p1 mbarrier.init.shared::cta.b64 [%r2], 1;
  @!%p1 fence.mbarrier_init.release.cluster;
  bar.sync 0;
  @!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 256;
  @!%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1, {8, 2}], [%r2];
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0;
  @!%p2 bra WAIT;
  shl.b32 %r4, %r1, 2;
  add.u32 %r5, %r3, %r4;
  ld.shared.u32 %r6, [%r5];
  ld.param.u64 %rd2, [B];
  cvt.u64.u32 %rd3, %r4;
  add.u64 %rd2, %rd2, %rd3;
  st.global.u32 [%rd2], %r6;
  ret;
}
)";

class SimulatedTensorMapsTest : public testing::Test {
protected:
  SimulatedTensorMapsTest() {
    image.code = copyBox;
    image.entry = "k";
    image.threadsPerBlock = 64;
    spec::TensorMap &map = image.tensorMaps.emplace_back();
    map.pointer = 0;
    map.type = ElementType::I32;
    map.extents = {{1, {3}}, {1, {2}}};
    map.strides = {{1, {3}}};
    map.box = {16, 4};
  }

  std::string launch(uint64_t address, uint64_t m, uint64_t n) {
    std::unique_ptr<LoadedKernel> kernel = llvm::cantFail(device.load(image));
    spec::ArgumentBlock arguments({spec::pointer("A", ElementType::I32),
                                   spec::pointer("B", ElementType::I32),
                                   spec::scalar("M", ElementType::I32),
                                   spec::scalar("N", ElementType::I64)});
    arguments.set(0, address);
    arguments.set(1, result);
    arguments.set(2, m);
    arguments.set(3, n);
    if (llvm::Error error = device.launch({*kernel, {1, 1, 1}, arguments}))
      return llvm::toString(std::move(error));
    return llvm::toString(device.synchronize());
  }

  SimulatedDevice device;
  KernelImage image;
  uint64_t result = llvm::cantFail(device.allocate(256, 0));
};

TEST_F(SimulatedTensorMapsTest, CopiesABoxWithZerosOutside) {
  constexpr unsigned rows = 5, columns = 20;
  std::vector<uint32_t> matrix(rows * columns);
  std::iota(matrix.begin(), matrix.end(), 100);
  uint64_t address = llvm::cantFail(device.allocate(4 * matrix.size(), 0));
  llvm::cantFail(
      device.copyToDevice(address, matrix.data(), 4 * matrix.size()));
  EXPECT_EQ(launch(address, rows, columns), "");
  std::vector<uint32_t> box(64);
  llvm::cantFail(device.copyToHost(box.data(), result, 256));
  for (unsigned row = 0; row < 4; ++row)
    for (unsigned column = 0; column < 16; ++column) {
      bool isInside = 2 + row < rows && 8 + column < columns;
      EXPECT_EQ(box[16 * row + column],
                isInside ? matrix[(2 + row) * columns + 8 + column] : 0)
          << row << ", " << column;
    }
}

TEST_F(SimulatedTensorMapsTest, RefusesLaunchesThatCannotHaveThem) {
  EXPECT_EQ(launch(result + 4, 4, 16),
            "kernel 'k' reaches argument 0 through a tensor map, which takes "
            "an address and strides that are multiples of 16 bytes, strides "
            "below 2^40, and extents from 1 to 2^31 - 2^20 - 1; compile it "
            "without "
            "tensor maps");
  EXPECT_NE(launch(result, 4, 18), "");
  EXPECT_NE(launch(result, 0, 16), "");
}

TEST_F(SimulatedTensorMapsTest, RefusesMapsThatNoDeviceTakes) {
  image.tensorMaps[0].box = {3, 4};
  EXPECT_EQ(launch(result, 4, 16),
            "tensor map of argument 0 of kernel 'k': a row of the box has a "
            "multiple of 16 bytes, and not 12");
  image.tensorMaps[0].extents.assign(6, {1, {}});
  EXPECT_EQ(launch(result, 4, 16),
            "tensor map of argument 0 of kernel 'k': a tensor map has 1 to 5 "
            "dimensions, and not 6");
}

} // namespace
