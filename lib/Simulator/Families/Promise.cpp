//===- Promise.cpp - What a program promises of its numbers ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler writes a promise (tile.assume) as a comment, which no other
// reader of PTX sees:
//
//   //@ tilewright.assume.b32 %r5, 3, 0, 32, 16, 16, 1, 1, 1, 128, 0, 1, 2,
//   ...;
//
// Register %r5 is number 0 of those that hold a tile of 32-bit numbers, and
// promise 3 of the kernel is about one dimension of it: groups of 16 numbers
// are consecutive (contiguity 16), by steps of 1, begin at multiples of 16
// (divisibility 16) and groups of 1 are equal (constancy 1). The dimension has
// 128 elements, 1 apart in row-major order. The last numbers say which element
// a thread has: the first is that of lane 0 of warp 0, and each further one is
// XORed to it where a bit of the lane, and then of the warp, is set.
//
// All registers and lanes of a warp are held against each other; of different
// warps each for itself.
//
//===----------------------------------------------------------------------===//

#include "Families/Family.h"
#include "Machine/Block.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

/// The numbers of a promise, in the order in which they are written.
enum Field : uint8_t {
  Number,
  Register,
  Bits,
  Divisibility,
  Contiguity,
  Constancy,
  Unit,
  Stride,
  Extent,
  FirstElement,
  FirstImage
};
constexpr unsigned laneBits = 5;
/// 32 warps of 16 blocks.
constexpr unsigned mostWarpBits = 9;

/// What the groups of each promise begin with, by warp and promise, in the
/// execution that is under way.
struct Promises final : FamilyState {
  static constexpr char key = 0;
  std::map<std::pair<unsigned, uint64_t>, std::map<uint64_t, uint64_t>> groups;
};

/// A promise, as an instruction has it.
class Promise {
public:
  explicit Promise(const Warp &warp, const Instr &instr)
      : warp(warp), instr(instr) {}

  uint64_t get(Field field) const {
    return warp.value<uint64_t>(instr.ops[1 + field], 0);
  }
  /// The bits that the numbers have.
  uint64_t maskOfBits() const {
    return get(Bits) >= 64 ? ~uint64_t(0) : (uint64_t(1) << get(Bits)) - 1;
  }
  uint64_t getElement(unsigned lane) const {
    uint64_t element = get(FirstElement);
    // Blocks of a cluster run one program.
    const uint64_t first = warp.block.rank() * warp.block.warps.size();
    const uint64_t thread = lane | (first + warp.index) << laneBits;
    for (size_t bit = 0; bit + 1 + FirstImage < instr.ops.size(); ++bit)
      if (thread >> bit & 1)
        element ^= warp.value<uint64_t>(instr.ops[1 + FirstImage + bit], 0);
    return element;
  }

private:
  const Warp &warp;
  const Instr &instr;
};

/// ops: {number, fields...}.
Step assumeExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const Promise promise(warp, instr);
  const uint64_t contiguity = promise.get(Contiguity),
                 constancy = promise.get(Constancy);
  auto &groups =
      warp.block.state<Promises>().groups[{warp.index, promise.get(Number)}];
  if (promise.get(Register) == 0)
    groups.clear();
  forLanes(mask, [&](unsigned lane) {
    const uint64_t element = promise.getElement(lane);
    const uint64_t place = element / promise.get(Stride) % promise.get(Extent);
    const uint64_t number =
        warp.value<uint64_t>(instr.ops[0], lane) & promise.maskOfBits();
    const uint64_t first = (number - place % contiguity * promise.get(Unit)) &
                           promise.maskOfBits();
    if ((first & (promise.get(Divisibility) - 1)) != 0)
      warp.report(FindingKind::BrokenPromise, lane,
                  Twine(first) + " is promised to be a multiple of " +
                      Twine(promise.get(Divisibility)));
    const uint64_t size = std::max(contiguity, constancy);
    const uint64_t group = element - place % size * promise.get(Stride);
    auto [known, isNew] = groups.try_emplace(group, first);
    if (isNew || known->second == first)
      return;
    warp.report(FindingKind::BrokenPromise, lane,
                Twine(size) + " elements are promised to be " +
                    (contiguity > 1 ? "consecutive" : "equal") +
                    ", and element " + Twine(place) + " of the dimension is " +
                    Twine(number) + ", which does not go with " +
                    Twine(known->second));
  });
  return Step::Next;
}

void decodeAssume(Decoder &d, Instr &i) {
  i.isComment = true;
  i.exec = &assumeExec;
  const Type type = d.takeType();
  d.expectOperands(1 + FirstImage, 1 + FirstImage + laneBits + mostWarpBits);
  if (d.failed())
    return;
  i.ops.push_back(d.source(0, type));
  for (size_t index = 1; index < d.operandCount(); ++index)
    i.ops.push_back(d.constant(static_cast<uint64_t>(d.immediate(index))));
}

} // namespace

void registerPromise(OpcodeTable &table) {
  table.add("tilewright.assume", decodeAssume);
}

} // namespace tilewright::sim
