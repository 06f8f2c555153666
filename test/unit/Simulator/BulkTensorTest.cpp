//===- BulkTensorTest.cpp - cp.async.bulk.tensor --------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BulkTest.h"
#include "WarpgroupTest.h"
#include "tilewright/Layout/Shared/HardwareSwizzle.h"

using namespace tilewright;
using namespace tilewright::sim;

namespace {

using Kind = FindingKind;
using Swizzle = TensorMap::Swizzle;
using Element = TensorMap::Element;

constexpr int64_t swizzleRows[] = {16, 32, 64, 128};

/// A map of a tensor without gaps but for rows, which are multiples of 16
/// bytes.
TensorMap makeMap(Element element, uint64_t address,
                  const std::vector<uint64_t> &extents,
                  const std::vector<uint32_t> &box,
                  Swizzle swizzle = Swizzle::None) {
  TensorMap map;
  map.element = element;
  map.address = address;
  map.rank = static_cast<unsigned>(extents.size());
  uint64_t stride = map.elementBytes();
  for (size_t dim = 0; dim != extents.size(); ++dim) {
    map.extents[dim] = extents[dim];
    map.box[dim] = box[dim];
    stride = llvm::alignTo(stride * extents[dim], 16);
    if (dim + 1 != extents.size())
      map.strides[dim] = stride;
  }
  map.swizzle = swizzle;
  return map;
}

std::string boxText(const std::string &instr, const std::vector<int> &at,
                    const std::string &to, const std::string &rest = "") {
  std::string coordinates;
  for (int coordinate : at)
    coordinates +=
        (coordinates.empty() ? "" : ", ") + std::to_string(coordinate);
  const std::string map = "[%rd3, {" + coordinates + "}]";
  return "@!%p1 " + instr + " " + (to.empty() ? map : to + ", " + map) + rest +
         ";\n";
}

std::string loadBox(const std::vector<int> &at) {
  return boxText("cp.async.bulk.tensor." + std::to_string(at.size()) +
                     "d.shared::cluster.global.mbarrier::complete_tx::bytes",
                 at, "[%r11]", ", [%r10]");
}
std::string storeBox(const std::vector<int> &at,
                     const std::string &reduce = "") {
  return boxText((reduce.empty() ? "cp" : "cp.reduce") +
                     std::string(".async.bulk.tensor.") +
                     std::to_string(at.size()) + "d.global.shared::cta" +
                     reduce + ".bulk_group",
                 at, "", ", [%r11]");
}

class BulkTensors : public BulkTest {
protected:
  /// The tile's bytes behind a load of the box at these coordinates.
  std::vector<uint8_t> loadTile(const TensorMap &described,
                                const std::vector<int> &at) {
    const uint64_t bytes = described.boxBytes();
    map = llvm::cantFail(described.encode());
    tileBytes = static_cast<unsigned>(llvm::alignTo(bytes, 1024));
    first = blank<uint8_t>(bytes);
    expectClean(expectText(static_cast<unsigned>(bytes)) + loadBox(at) +
                waitText() + copyOut(bytes));
    return download<uint8_t>(first, bytes);
  }
  /// All threads copy the tile to the first pointer.
  static std::string copyOut(uint64_t bytes) {
    return "L: setp.ge.u32 %p5, %r13, " + std::to_string(bytes) +
           "; @%p5 bra E;\n" + readTile + writeOut +
           "add.u32 %r12, %r12, 1024; add.u64 %rd4, %rd4, 1024; add.u32 %r13, "
           "%r13, 1024; bra L;\nE:\n";
  }
  static std::string copyIn(uint64_t bytes) {
    return "L: setp.ge.u32 %p5, %r13, " + std::to_string(bytes) +
           "; @%p5 bra E;\n" + writeTile +
           "add.u32 %r12, %r12, 1024; add.u64 %rd5, %rd5, 1024; add.u32 %r13, "
           "%r13, 1024; bra L;\nE:\n" +
           proxyFence + barrier;
  }
};

/// Where an element of the box is in the tile, in bytes, and in the tensor; the
/// latter negative outside.
struct BoxElement {
  uint64_t shared;
  int64_t global;
};
std::vector<BoxElement> elementsOf(const TensorMap &map,
                                   const std::vector<int> &at) {
  std::vector<BoxElement> elements;
  const uint64_t bytes = map.elementBytes(), count = map.boxBytes() / bytes;
  for (uint64_t i = 0; i != count; ++i) {
    uint64_t rest = i;
    int64_t global = 0;
    bool isInside = true;
    for (unsigned dim = 0; dim != map.rank; ++dim) {
      const uint64_t stride = dim == 0 ? 1 : map.elementStrides[dim];
      const uint64_t size =
          dim == 0 ? map.box[0] : llvm::divideCeil(map.box[dim], stride);
      const int64_t x = at[dim] + int64_t(rest % size * stride);
      rest /= size;
      isInside &= x >= 0 && uint64_t(x) < map.extents[dim];
      global += x * int64_t(dim == 0 ? bytes : map.strides[dim - 1]);
    }
    uint64_t shared = i * bytes;
    const unsigned mode = static_cast<unsigned>(map.swizzle);
    const uint64_t mask = mode == 0 ? 0 : (1u << mode) - 1;
    shared ^= (shared >> 7 & mask) << 4;
    elements.push_back({shared, isInside ? global : -1});
  }
  return elements;
}

TEST_F(BulkTensors, LoadsEachRankTypeAndEdge) {
  struct Case {
    Element element;
    std::vector<uint64_t> extents;
    std::vector<uint32_t> box;
    Swizzle swizzle;
    std::vector<std::vector<int>> places;
  };
  const std::vector<Case> cases = {
      {Element::U8, {100}, {64}, Swizzle::None, {{0}, {48}, {-32}, {208}}},
      {Element::F16,
       {65, 37},
       {64, 16},
       Swizzle::Bytes128,
       {{0, 0}, {8, 3}, {-8, -7}, {40, 30}, {0, 40}}},
      {Element::BF16, {70, 19}, {32, 8}, Swizzle::Bytes64, {{0, 0}, {64, 16}}},
      {Element::F32, {9, 50}, {8, 16}, Swizzle::Bytes32, {{0, 0}, {4, -1}}},
      {Element::F64,
       {5, 5, 4},
       {2, 3, 2},
       Swizzle::None,
       {{0, 0, 0}, {4, 4, 3}, {-2, -2, -1}}},
      {Element::S32,
       {5, 4, 3, 2},
       {4, 2, 2, 2},
       Swizzle::None,
       {{0, 0, 0, 0}, {4, 3, 2, 1}}},
      {Element::U64,
       {3, 3, 2, 3, 2},
       {2, 2, 2, 2, 2},
       Swizzle::None,
       {{0, 0, 0, 0, 0}, {2, 2, 1, 2, 1}, {-2, 0, 0, -1, 0}}},
  };
  for (const Case &c : cases) {
    std::vector<uint8_t> image(16384);
    for (uint8_t &byte : image)
      byte = static_cast<uint8_t>(random());
    const TensorMap described =
        makeMap(c.element, upload(image), c.extents, c.box, c.swizzle);
    const unsigned bytes = described.elementBytes();
    for (const std::vector<int> &at : c.places) {
      const std::vector<uint8_t> tile = loadTile(described, at);
      for (const BoxElement &element : elementsOf(described, at)) {
        const std::vector<uint8_t> zeros(bytes, 0);
        const uint8_t *expected =
            element.global < 0 ? zeros.data() : image.data() + element.global;
        ASSERT_EQ(memcmp(tile.data() + element.shared, expected, bytes), 0)
            << "element at " << element.global << " of rank " << c.box.size();
      }
    }
  }
}

/// The tile is as Layout describes the modes.
TEST_F(BulkTensors, AgreesWithLayouts) {
  for (const Swizzle swizzle :
       {Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128}) {
    const int64_t rowBytes = swizzleRows[static_cast<size_t>(swizzle)];
    const auto columns = static_cast<uint32_t>(rowBytes / 2);
    std::vector<uint16_t> image(size_t(32) * columns);
    std::iota(image.begin(), image.end(), 0);
    const std::vector<uint8_t> tile =
        loadTile(makeMap(Element::F16, upload(image), {columns, 32},
                         {columns, 32}, swizzle),
                 {0, 0});
    llvm::Expected<SharedLayout> layout =
        hardwareLayout({32, columns}, /*elementBytes=*/2, /*rowDim=*/1,
                       HardwareSwizzle::get(rowBytes));
    ASSERT_TRUE(bool(layout));
    for (int32_t row = 0; row != 32; ++row)
      for (int32_t column = 0; column != int32_t(columns); ++column) {
        uint16_t value = 0;
        memcpy(&value, tile.data() + layout->offset({row, column}) * 2, 2);
        ASSERT_EQ(value, row * int32_t(columns) + column);
      }
  }
}

TEST_F(BulkTensors, FillsWithNaN) {
  TensorMap described = makeMap(
      Element::F32, upload(std::vector<float>(128, 2.0f)), {6, 16}, {4, 4});
  described.fill = TensorMap::Fill::NaN;
  const std::vector<uint8_t> tile = loadTile(described, {4, 14});
  std::vector<float> values(16);
  memcpy(values.data(), tile.data(), tile.size());
  for (int i = 0; i != 16; ++i)
    EXPECT_EQ(std::isnan(values[i]), i % 4 > 1 || i / 4 > 1) << i;
}

TEST_F(BulkTensors, ElementStrides) {
  std::vector<uint32_t> image(256);
  std::iota(image.begin(), image.end(), 0);
  TensorMap described = makeMap(Element::U32, upload(image), {16, 16}, {8, 7});
  described.elementStrides = {1, 3, 1, 1, 1};
  EXPECT_EQ(described.boxBytes(), 8u * 3 * 4);
  const std::vector<uint8_t> tile = loadTile(described, {4, 2});
  for (const BoxElement &element : elementsOf(described, {4, 2})) {
    uint32_t value = 0;
    memcpy(&value, tile.data() + element.shared, 4);
    EXPECT_EQ(value * 4, uint64_t(element.global));
  }
}

// Dimensions may overlap, and a large step forward is one back.
TEST_F(BulkTensors, AddressesAreSumsModuloTwoToThe64) {
  std::vector<uint32_t> image(1024);
  std::iota(image.begin(), image.end(), 0);
  const uint64_t start = upload(image);
  constexpr uint64_t gib = uint64_t(1) << 30;
  for (const int64_t step : {0, 3, -5, -128}) { // Of 16 bytes.
    TensorMap described =
        makeMap(Element::U32, start + 2048, {4, 4, gib, gib}, {4, 4, 1, 1});
    described.strides = {64, 16, 16 * gib};
    const std::vector<uint8_t> tile =
        loadTile(described, {0, 1, static_cast<int>(step & (gib - 1)),
                             static_cast<int>(step >> 30 & (gib - 1))});
    std::vector<uint32_t> values(16);
    memcpy(values.data(), tile.data(), tile.size());
    for (int i = 0; i != 16; ++i) {
      const int row = i / 4 + 1; // The last one is outside.
      EXPECT_EQ(values[i], row == 4 ? 0 : 512 + 4 * step + 16 * row + i % 4)
          << step << " " << i;
    }
  }
}

TEST_F(BulkTensors, StoresAndSums) {
  for (const bool isSum : {false, true})
    for (const std::vector<int> &at :
         std::vector<std::vector<int>>{{0, 0}, {-4, 5}, {40, 33}}) {
      std::vector<float> tensor(size_t(68) * 40, 1.0f), tile(size_t(32) * 16);
      std::iota(tile.begin(), tile.end(), 1.0f);
      const uint64_t target = upload(tensor);
      const TensorMap described =
          makeMap(Element::F32, target, {65, 37}, {32, 16}, Swizzle::Bytes128);
      map = llvm::cantFail(described.encode());
      second = upload(tile);
      for (const BoxElement &element : elementsOf(described, at))
        if (element.global >= 0) {
          float &value = tensor[size_t(element.global) / 4];
          value = (isSum ? value : 0) + tile[element.shared / 4];
        }
      const LaunchReport report =
          runBody(copyIn(2048) + storeBox(at, isSum ? ".add" : "") +
                  commitBulk + waitRead);
      EXPECT_TRUE(report.clean());
      EXPECT_EQ(download<float>(target, tensor.size()), tensor);
    }
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

class BulkTensorFaults : public BulkTensors {
protected:
  TensorMap described;
  void SetUp() override {
    described = makeMap(Element::F16, upload(std::vector<uint16_t>(4096, 1)),
                        {64, 64}, {64, 8}, Swizzle::Bytes128);
    map = llvm::cantFail(described.encode());
    first = blank<uint32_t>(1024);
    second = upload(numbers(1024));
  }
};

TEST_F(BulkTensorFaults, CountsFullBoxes) {
  expectClean(expectText(1024) + loadBox({32, 60}) + waitText());
  expectFinding(Kind::Deadlock, "768 bytes more than",
                expectText(256) + loadBox({32, 60}) + waitText());
}

TEST_F(BulkTensorFaults, Alignment) {
  auto moved = [](std::string text, const std::string &to) {
    return text.replace(text.find("[%r11]"), 6, to);
  };
  expectFinding(Kind::Misaligned,
                "box with swizzle 128B is not a multiple of 1024",
                moved(loadBox({0, 0}), "[%r11+128]"));
  expectFinding(Kind::Misaligned, "is not a multiple of 1024",
                moved(storeBox({0, 0}), "[%r11+512]"));
  described.swizzle = Swizzle::None;
  map = llvm::cantFail(described.encode());
  expectClean(expectText(1024) + moved(loadBox({0, 0}), "[%r11+128]") +
              waitText());
  expectFinding(Kind::Misaligned,
                "the shared address of a box is not a multiple of 128",
                moved(loadBox({0, 0}), "[%r11+64]"));
}

TEST_F(BulkTensorFaults, WhereRowsBegin) {
  constexpr const char *finding =
      "the innermost coordinate of a box, in bytes, is not a multiple of 16";
  for (const int column : {1, 4, -3, 63}) {
    expectFinding(Kind::Misaligned, finding, loadBox({column, 0}));
    expectFinding(Kind::Misaligned, finding, storeBox({column, 0}));
    expectFinding(Kind::Misaligned, finding, storeBox({column, 0}, ".add"));
  }
  expectClean(expectText(1024) + loadBox({-8, 1}) + waitText());
}

TEST_F(BulkTensorFaults, Maps) {
  expectFinding(Kind::InvalidOperand,
                "the copy has 3 dimensions, and the tensor map 2",
                loadBox({0, 0, 0}));
  std::string other = loadBox({0, 0});
  other.replace(other.find("%rd3"), 4, "%rd2");
  expectFinding(Kind::InvalidOperand, "there is no tensor map at this address",
                other);
  std::string shifted = loadBox({0, 0});
  shifted.replace(shifted.find("%rd3"), 4, "%rd3+16");
  expectFinding(Kind::Misaligned, "not a multiple of 64", shifted);
  map.bytes[68] = 0; // the box
  expectFinding(Kind::InvalidOperand, "there is no tensor map",
                "@!%p1 prefetch.tensormap [%rd3];\n");
}

TEST_F(BulkTensorFaults, MapsInGlobalMemoryAndPrefetches) {
  second = upload(std::vector<uint8_t>(map.bytes.begin(), map.bytes.end()));
  std::string other = loadBox({0, 0});
  other.replace(other.find("%rd3"), 4, "%rd2");
  expectClean("@!%p1 prefetch.tensormap [%rd2];\n@!%p1 "
              "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd2, {0, 0}];"
              "\n" +
              expectText(1024) + other + waitText());
  // A parameter by its name.
  std::string named = loadBox({0, 0});
  named.replace(named.find("%rd3"), 4, "map");
  expectClean("@!%p1 prefetch.param.tensormap [map];\n" + expectText(1024) +
              named + waitText());
}

TEST_F(BulkTensorFaults, TensorBeyondItsAllocation) {
  described.extents[1] = 65;
  map = llvm::cantFail(described.encode());
  expectFinding(Kind::OutOfBounds, "from the start of allocation",
                expectText(1024) + loadBox({0, 60}) + waitText());
}

//===----------------------------------------------------------------------===//
// With products
//===----------------------------------------------------------------------===//

/// A box of 64 x 64 is A and B of a product, twice.
class BulkProducts : public BulkTensors {
protected:
  const std::string multiply = [] {
    const CanonicalLayout layout = {3, false, 2, 16, 1024};
    return descriptorText(8, layout.fields(), 0) +
           "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned."
           "m64n64k16.f32.f16.f16 " +
           registerList("%acc", 0, 32) +
           ", %rd8, %rd8, 0, 1, 1, 0, 0;\n"
           "wgmma.commit_group.sync.aligned;\n";
  }();
  const std::string waitProduct = "wgmma.wait_group.sync.aligned 0;\n";
  const std::string load = expectText(8192) + loadBox({0, 0});
  std::vector<int> values;

  void SetUp() override {
    threads = 128;
    std::vector<uint16_t> image;
    for (int i = 0; i != 64 * 64; ++i) {
      values.push_back(int(random() % 7) - 3);
      image.push_back(static_cast<uint16_t>(typeF16.encode(values.back())));
    }
    map = llvm::cantFail(makeMap(Element::F16, upload(image), {64, 64},
                                 {64, 64}, Swizzle::Bytes128)
                             .encode());
    first = blank<float>(128);
    second = upload(numbers(512));
  }
};

/// descriptorText() uses registers of its own.
TEST_F(BulkProducts, ReadWhatIsLoaded) {
  expectClean(load + waitText() + multiply + waitProduct +
              "shl.b32 %r14, %r1, 2; cvt.u64.u32 %rd9, %r14; add.u64 %rd9, "
              "%rd1, %rd9; st.global.b32 [%rd9], %acc0;\n");
  // Row 16w + lane / 4, column 2 * (lane % 4): the first of K = 16.
  const std::vector<float> result = download<float>(first, 128);
  auto value = [&](int row, int k) { return values[size_t(row) * 64 + k]; };
  for (int thread = 0; thread != 128; ++thread) {
    const int row = thread / 32 * 16 + thread % 32 / 4, column = thread % 4 * 2;
    int sum = 0;
    for (int k = 0; k != 16; ++k)
      sum += value(row, k) * value(column, k);
    ASSERT_EQ(result[thread], static_cast<float>(sum)) << thread;
  }
}

TEST_F(BulkProducts, OverwriteWhatIsMultiplied) {
  const std::string again =
      expectText(8192) + loadBox({0, 0}) + waitText(1, "B");
  const std::string once = load + waitText(0, "A") + multiply;
  expectClean(once + waitProduct + barrier + again);
  expectFinding(Kind::Race, "what a product of the warpgroup",
                once + barrier + again + waitProduct);
  expectFinding(Kind::Race, "what an asynchronous copy writes",
                load + barrier + multiply + waitProduct + waitText());
}

/// cp.async is of the generic proxy, whoever tells of its end.
TEST_F(BulkProducts, CopiesOfThreadsNeedAFence) {
  begin = "@!%p1 mbarrier.init.shared::cta.b64 [%r10], 128;\n" + barrier;
  std::string copies;
  for (int part = 0; part != 4; ++part)
    copies += "cp.async.cg.shared.global [%r12+" + std::to_string(part * 2048) +
              "], [%rd5], 16;\n";
  const std::string noinc =
      "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r10];\n";
  expectFinding(Kind::MissingFence,
                "the thread that started it executes no fence.proxy.async",
                copies + noinc + waitText() + multiply + waitProduct);
}

} // namespace
