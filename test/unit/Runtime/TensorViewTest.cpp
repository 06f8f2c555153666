//===- TensorViewTest.cpp - Tensors in someone else's memory --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"
#include "tilewright/Runtime/SimulatedDevice.h"
#include "tilewright/Runtime/TensorCopies.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace tilewright;
using namespace tilewright::runtime;

static TensorView makeView(const void *data, spec::ElementType type,
                           llvm::ArrayRef<int64_t> extents,
                           llvm::ArrayRef<int64_t> strides = {}) {
  TensorView view;
  view.address = reinterpret_cast<uint64_t>(data);
  view.type = type;
  view.extents.assign(extents.begin(), extents.end());
  view.strides.assign(strides.begin(), strides.end());
  return view;
}

static TensorView makeView(llvm::ArrayRef<int64_t> extents,
                           llvm::ArrayRef<int64_t> strides = {}) {
  return makeView(llvm::bit_cast<void *>(uint64_t(0x1000)),
                  spec::ElementType::F32, extents, strides);
}

static std::string verify(const TensorView &view,
                          llvm::ArrayRef<int64_t> wanted) {
  return llvm::toString(verifyTensor("A", "A[M, N]", wanted, view));
}

TEST(TensorView, KnowsWhatIsDense) {
  EXPECT_TRUE(makeView({3, 4}).isDense());
  EXPECT_TRUE(makeView({3, 4}, {4, 1}).isDense());
  EXPECT_FALSE(makeView({3, 4}, {1, 3}).isDense());
  EXPECT_FALSE(makeView({3, 4}, {8, 1}).isDense());
  EXPECT_FALSE(makeView({3, 4}, {-4, 1}).isDense());
  // Along an extent of 1 nobody walks, and through nothing neither.
  EXPECT_TRUE(makeView({1, 4}, {77, 1}).isDense());
  EXPECT_TRUE(makeView({3, 1}, {1, 77}).isDense());
  EXPECT_TRUE(makeView({3, 0}, {5, 5}).isDense());
  EXPECT_TRUE(makeView({}).isDense());
}

TEST(TensorView, SpansFromFirstToLastElement) {
  auto span = [](llvm::ArrayRef<int64_t> extents,
                 llvm::ArrayRef<int64_t> strides) {
    TensorView::Span bytes = makeView(extents, strides).getSpan();
    return std::make_pair(bytes.begin, bytes.end);
  };
  EXPECT_EQ(span({3, 4}, {}), std::make_pair(0x1000ul, 0x1000ul + 48));
  EXPECT_EQ(span({3, 4}, {8, 1}), std::make_pair(0x1000ul, 0x1000ul + 80));
  EXPECT_EQ(span({3}, {-1}), std::make_pair(0x1000ul - 8, 0x1000ul + 4));
  EXPECT_EQ(span({0, 7}, {7, 1}), std::make_pair(0x1000ul, 0x1000ul));
  EXPECT_EQ(span({}, {}), std::make_pair(0x1000ul, 0x1000ul + 4));
}

TEST(TensorView, SaysWhatTheKernelTakes) {
  EXPECT_EQ(verify(makeView({3, 4}, {4, 1}), {3, 4}), "");
  EXPECT_EQ(verify(makeView({4, 3}), {3, 4}),
            "'A' is 4 x 3; the kernel takes A[M, N], which is 3 x 4 here");
  EXPECT_EQ(verify(makeView({}), {3, 4}),
            "'A' is a single element; the kernel takes A[M, N], which is 3 x "
            "4 here");
  EXPECT_EQ(verify(makeView({3, 4}, {1, 3}), {3, 4}),
            "'A' has strides of 1 x 3 elements; the kernel takes A[M, N] "
            "row-major without gaps: pass a contiguous copy");
}

TEST(TensorCopies, CopiesInAndOut) {
  FakeDevice device(nullptr);
  float input[] = {1, 2, 3};
  int8_t output[] = {4, 5};
  TensorView views[] = {makeView(input, spec::ElementType::F32, {3}),
                        makeView(output, spec::ElementType::I8, {2}),
                        makeView(nullptr, spec::ElementType::I8, {0})};
  views[0].isReadOnly = true;
  {
    TensorCopies tensors = llvm::cantFail(TensorCopies::copyIn(device, views));
    auto *x = llvm::bit_cast<float *>(tensors.getAddress(0));
    auto *y = llvm::bit_cast<int8_t *>(tensors.getAddress(1));
    EXPECT_NE(x, input);
    EXPECT_EQ(x[2], 3);
    y[1] = 6;
    EXPECT_EQ(output[1], 5);
    llvm::cantFail(tensors.copyOut({"x", "y", "nothing"}));
    EXPECT_EQ(output[1], 6);
    x[0] = 7;
    EXPECT_EQ(llvm::toString(tensors.copyOut({"x", "y", "nothing"})),
              "the kernel wrote to 'x', which is read-only: pass an array that "
              "can be written");
    EXPECT_EQ(input[0], 1);
  }
  EXPECT_EQ(device.countAllocations(), 0u);
}

TEST(TensorCopies, SharedMemoryStaysShared) {
  FakeDevice device(nullptr);
  int32_t data[] = {0, 1, 2, 3, 4, 5, 6, 7};
  TensorView views[] = {makeView(data + 4, spec::ElementType::I32, {4}),
                        makeView(data, spec::ElementType::I32, {2}),
                        makeView(data + 1, spec::ElementType::I32, {4}),
                        makeView(data + 7, spec::ElementType::I32, {4}, {-1})};
  TensorCopies tensors = llvm::cantFail(TensorCopies::copyIn(device, views));
  EXPECT_EQ(device.countAllocations(), 1u);
  EXPECT_EQ(tensors.getAddress(0), tensors.getAddress(1) + 16);
  EXPECT_EQ(tensors.getAddress(2), tensors.getAddress(1) + 4);
  EXPECT_EQ(tensors.getAddress(3), tensors.getAddress(1) + 28);
  llvm::bit_cast<int32_t *>(tensors.getAddress(2))[3] = 44;
  llvm::cantFail(tensors.copyOut({"a", "b", "c", "d"}));
  EXPECT_EQ(data[4], 44);
}

TEST(TensorCopies, KeepTheirAlignment) {
  FakeDevice device(nullptr);
  alignas(256) char data[1024] = {};
  for (unsigned offset : {0u, 1u, 4u, 16u, 100u, 255u}) {
    TensorView views[] = {
        makeView(data + offset, spec::ElementType::I8, {4}),
        // Begins before its first element.
        makeView(data + 512 + offset, spec::ElementType::I8, {4}, {-1}),
        makeView(data + 600 + offset, spec::ElementType::I8, {0})};
    TensorCopies tensors = llvm::cantFail(TensorCopies::copyIn(device, views));
    for (unsigned i = 0; i < std::size(views); ++i)
      EXPECT_EQ(tensors.getAddress(i) % 256, views[i].address % 256);
  }
}

TEST(TensorCopies, KeepTheirAddressesWhereTheyMust) {
  SimulatedDevice device;
  int32_t data[] = {1, 2, 3, 4, 5, 6};
  TensorView views[] = {makeView(data, spec::ElementType::I32, {2}),
                        makeView(data + 2, spec::ElementType::I32, {2}),
                        makeView(data + 3, spec::ElementType::I32, {3}),
                        makeView(data, spec::ElementType::I32, {0})};
  views[0].keepsAddress = views[2].keepsAddress = views[3].keepsAddress = true;
  for (int time = 0; time < 2; ++time) {
    TensorCopies tensors = llvm::cantFail(TensorCopies::copyIn(device, views));
    EXPECT_EQ(tensors.getAddress(0), views[0].address);
    // What overlaps one that must is where that is.
    EXPECT_EQ(tensors.getAddress(1), views[1].address);
    EXPECT_EQ(tensors.getAddress(2), views[2].address);
    int32_t number = 40 + time;
    llvm::cantFail(device.copyToDevice(views[2].address, &number, 4));
    llvm::cantFail(tensors.copyOut({"a", "b", "c", "nothing"}));
    EXPECT_EQ(data[3], number);
  }
}

TEST(TensorCopies, AddressesCannotBeKeptEverywhere) {
  FakeDevice device(nullptr);
  int32_t data[] = {1};
  TensorView view = makeView(data, spec::ElementType::I32, {1});
  view.keepsAddress = true;
  llvm::Expected<TensorCopies> tensors = TensorCopies::copyIn(device, view);
  ASSERT_FALSE(tensors);
  EXPECT_EQ(llvm::toString(tensors.takeError()),
            "memory of the device 'fake' is where the device wants it");
}

TEST(TensorCopies, GoBackToTheDeviceThatHasTheTensors) {
  FakeDevice device(nullptr), owner(nullptr);
  // On the owner, which is in the host's memory too.
  DeviceBuffer buffer = llvm::cantFail(DeviceBuffer::allocate(owner, 16, 4));
  auto *data = llvm::bit_cast<int32_t *>(buffer.getAddress());
  std::iota(data, data + 4, 1);
  TensorView views[] = {makeView(data, spec::ElementType::I32, {3}),
                        makeView(data + 3, spec::ElementType::I32, {2}, {-1}),
                        makeView(nullptr, spec::ElementType::I32, {0})};
  {
    TensorCopies tensors =
        llvm::cantFail(TensorCopies::copyIn(device, views, &owner));
    EXPECT_EQ(device.countAllocations(), 2u);
    EXPECT_EQ(tensors.getAddress(0) % 256, buffer.getAddress() % 256);
    EXPECT_EQ(tensors.getAddress(1), tensors.getAddress(0) + 12);
    auto *copy = llvm::bit_cast<int32_t *>(tensors.getAddress(0));
    EXPECT_EQ(copy[2], 3);
    EXPECT_EQ(copy[3], 4);
    copy[3] = 5;
    EXPECT_EQ(data[3], 4);
    llvm::cantFail(tensors.copyOut({"a", "b", "nothing"}));
    EXPECT_EQ(data[3], 5);
    EXPECT_EQ(data[0], 1);
  }
  EXPECT_EQ(device.countAllocations(), 0u);
  EXPECT_EQ(owner.countAllocations(), 1u);
}

TEST(TensorCopies, ReportsMissingMemory) {
  FakeDevice device(nullptr);
  device.memoryLimit = 4;
  int32_t data[2] = {};
  llvm::Expected<TensorCopies> tensors =
      TensorCopies::copyIn(device, makeView(data, spec::ElementType::I32, {2}));
  ASSERT_FALSE(tensors);
  EXPECT_EQ(llvm::toString(tensors.takeError()),
            "out of memory on 'fake': 8 bytes asked for");
}
