//===- OffsetBits.cpp - A shared layout, bit by bit -----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Algebra/OffsetBits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilewright;

namespace {
/// A bit of a coordinate.
struct CoordinateBit {
  unsigned dim = 0, bit = 0;
};

/// A run of them, as it is written.
struct Run {
  CoordinateBit first;
  unsigned length = 1;
};

using Sum = SmallVector<CoordinateBit, 4>;
} // namespace

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// What stands before the number of a bit.
static std::string prefixOf(unsigned dim, unsigned rank) {
  if (rank <= 2)
    return dim + 1 == rank ? "c" : "r";
  return ("d" + Twine(dim) + ".").str();
}

/// The bits of coordinates that a bit of the offset is the sum of, the last
/// dimension first.
static Sum sumOf(unsigned offsetBit, const LinearLayout &pointToOffset) {
  Sum sum;
  for (unsigned dim = pointToOffset.inputs().size(); dim-- > 0;)
    for (auto [bit, basis] : enumerate(pointToOffset.inputs()[dim].bases))
      if (basis[0] >> offsetBit & 1)
        sum.push_back({dim, static_cast<unsigned>(bit)});
  return sum;
}

/// Is `next` what comes after `sum` in a run, `steps` further?
static bool continues(const Sum &next, const Sum &sum, unsigned steps) {
  return equal(next, sum, [&](CoordinateBit a, CoordinateBit b) {
    return a.dim == b.dim && a.bit == b.bit + steps;
  });
}

std::string tilewright::formatOffsetBits(const LinearLayout &pointToOffset) {
  unsigned rank = pointToOffset.inputs().size();
  unsigned numBits = Log2_64(pointToOffset.numElements());
  std::string text;
  raw_string_ostream os(text);
  ListSeparator comma;
  for (unsigned bit = 0; bit < numBits;) {
    Sum sum = sumOf(bit, pointToOffset);
    unsigned length = 1;
    while (bit + length < numBits &&
           continues(sumOf(bit + length, pointToOffset), sum, length))
      ++length;
    os << StringRef(comma);
    ListSeparator plus("+");
    for (CoordinateBit term : sum) {
      os << StringRef(plus) << prefixOf(term.dim, rank) << term.bit;
      if (length > 1)
        os << ".." << term.bit + length - 1;
    }
    bit += length;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

/// Reads "c3", "c0..4" or, of three or more dimensions, "d0.3..5".
static Expected<Run> parseRun(StringRef text, ArrayRef<int64_t> shape) {
  unsigned rank = shape.size();
  std::optional<unsigned> dim;
  StringRef rest;
  for (unsigned candidate = 0; candidate < rank && !dim; ++candidate) {
    rest = text;
    if (rest.consume_front(prefixOf(candidate, rank)))
      dim = candidate;
  }
  Run run;
  // Returns whether there is none.
  auto readNumber = [&](unsigned &number) {
    StringRef digits = rest.take_while(isDigit);
    rest = rest.drop_front(digits.size());
    return digits.getAsInteger(10, number);
  };
  bool isWrong = !dim || readNumber(run.first.bit);
  unsigned last = run.first.bit;
  if (!isWrong && !rest.empty())
    isWrong = !rest.consume_front("..") || readNumber(last) || !rest.empty();
  if (isWrong) {
    std::string example = prefixOf(rank - 1, rank) + "0";
    return createStringError(
        "'" + text + "' is no bit of a coordinate: " + "expected one like " +
        example + ", or a run like " + example + "..2");
  }
  run.first.dim = *dim;
  unsigned bits = Log2_64(shape[*dim]);
  if (last < run.first.bit || last >= bits)
    return createStringError("'" + text + "' leaves the " + Twine(bits) +
                             (bits == 1 ? " bit" : " bits") + " of dimension " +
                             Twine(*dim) + ", of extent " + Twine(shape[*dim]));
  run.length = last - run.first.bit + 1;
  return run;
}

/// Adds the bits of the offset that one sum of runs stands for.
static Error parseSum(StringRef text, ArrayRef<int64_t> shape,
                      std::vector<Sum> &sums) {
  SmallVector<StringRef, 4> terms;
  text.split(terms, '+');
  SmallVector<Run, 4> runs;
  for (StringRef term : terms) {
    Expected<Run> run = parseRun(term, shape);
    if (!run)
      return run.takeError();
    if (run->length != (runs.empty() ? run->length : runs.front().length))
      return createStringError("the runs of '" + text +
                               "' are not equally long");
    if (any_of(runs, [&](const Run &other) {
          return other.first.dim == run->first.dim &&
                 other.first.bit == run->first.bit;
        }))
      return createStringError("'" + term + "' stands twice in '" + text +
                               "', which takes it out again");
    runs.push_back(*run);
  }
  for (unsigned step = 0; step < runs.front().length; ++step) {
    Sum &sum = sums.emplace_back();
    for (const Run &run : runs)
      sum.push_back({run.first.dim, run.first.bit + step});
  }
  return Error::success();
}

Expected<LinearLayout> tilewright::parseOffsetBits(ArrayRef<std::string> texts,
                                                   ArrayRef<int64_t> shape) {
  // Checks the extents.
  Expected<LinearLayout> space = LinearLayout::create({}, shape);
  if (!space)
    return space.takeError();
  unsigned numBits = Log2_64(space->numElements());
  std::vector<Sum> sums;
  for (const std::string &text : texts)
    if (Error error = parseSum(text, shape, sums))
      return std::move(error);
  if (sums.size() != numBits)
    return createStringError("an offset of this tile has " + Twine(numBits) +
                             (numBits == 1 ? " bit" : " bits") + ", not " +
                             Twine(sums.size()));
  if (numBits > 31)
    return createStringError("a shared tile has at most 2^31 elements");

  std::vector<LinearLayout::Input> coordinates;
  for (auto [dim, extent] : enumerate(shape))
    coordinates.push_back(
        {("dim" + Twine(dim)).str(),
         std::vector<LinearLayout::Point>(Log2_64(extent), {0})});
  for (auto [bit, sum] : enumerate(sums))
    for (CoordinateBit term : sum)
      coordinates[term.dim].bases[term.bit][0] |=
          static_cast<int32_t>(uint32_t(1) << bit);
  Expected<LinearLayout> pointToOffset =
      LinearLayout::create(std::move(coordinates), {int64_t(1) << numBits});
  if (!pointToOffset)
    return pointToOffset.takeError();
  if (!pointToOffset->isBijective())
    return createStringError("these bits give two elements one offset");
  LinearLayout inverse = pointToOffset->invert();
  // Its input is called dim0.
  return LinearLayout::create({{"offset", inverse.bases("dim0").vec()}}, shape);
}
