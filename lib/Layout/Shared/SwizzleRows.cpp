//===- SwizzleRows.cpp - The rows of a swizzle, given its vectors ---------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SwizzleRows.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tilewright;

/// A bank row is one of at most 2^maxRowBits; more are left out.
static constexpr unsigned maxRowBits = 10;

SmallVector<unsigned, 24> SwizzleSearchState::plainOrder(uint32_t first) const {
  // Bits of row-major order, and those of the dimension that holds `first`.
  unsigned begin = 0, end = 0;
  for (int64_t extent : reverse(shape)) {
    begin = end;
    end += Log2_64(extent);
    if (first < uint64_t(1) << end)
      break;
  }
  SmallVector<unsigned, 24> order;
  append_range(order, seq<unsigned>(begin, end));
  append_range(order, seq<unsigned>(0, begin));
  append_range(order, seq<unsigned>(end, numBits));
  return order;
}

bool SwizzleSearchState::takeStep(const SwizzlePlan &plan) {
  if (result.cost <= plan.leastCost)
    return false;
  if (stepsLeft == 0) {
    isCutShort = true;
    return false;
  }
  --stepsLeft;
  return true;
}

namespace {

using Kernel = SmallVector<uint32_t, 8>;

/// A candidate for a row.
struct Row {
  uint32_t mask;
  /// Its values on the words that accesses touch.
  uint32_t values;
  /// The generators it is the sum of, the most natural one highest.
  uint32_t generators;
};

class RowSearch {
public:
  RowSearch(SwizzleSearchState &state, const SwizzlePlan &plan,
            ArrayRef<VectorBit> bits, ArrayRef<uint32_t> vectors)
      : state(state), plan(plan), bits(bits), vectors(vectors),
        order(state.plainOrder(vectors.empty() ? 1 : vectors.front())) {}

  void run();

private:
  bool findVectorRows();
  void collectKernels();
  uint32_t valuesOf(uint32_t mask) const;
  std::vector<Row> rowsOf(uint32_t offset, const F2Subspace &space);
  uint64_t costOf(ArrayRef<Kernel> kernels, unsigned rowsLeft) const;
  std::optional<uint64_t> costAfter(const Row &row, ArrayRef<Kernel> kernels,
                                    unsigned rowsLeft) const;
  void extend(SmallVectorImpl<Row> &chosen, ArrayRef<Kernel> kernels,
              uint32_t forbidden, uint32_t below);
  void finish(ArrayRef<Row> chosen);
  SmallVector<uint32_t, 24> orderedRows(ArrayRef<uint32_t> bankRows) const;

  SwizzleSearchState &state;
  const SwizzlePlan &plan;
  ArrayRef<VectorBit> bits;
  ArrayRef<uint32_t> vectors;
  SmallVector<unsigned, 24> order;

  /// One row for each bit of a vector, without what may be added to it.
  SmallVector<uint32_t, 4> vectorRows;
  /// Rows that are 0 on vectors: those of all other bits.
  F2Subspace free;
  F2Subspace touched;
  std::vector<Kernel> startKernels;
  /// The candidates of each bit that selects a bank; all bits beyond vectors
  /// share the last list.
  std::vector<std::vector<Row>> candidates;
  unsigned numBankRows = 0;
};

} // namespace

/// Vector bit i is 1 at vectors[i], 0 at the other ones and outside.
bool RowSearch::findVectorRows() {
  for (auto [bit, vector] : enumerate(vectors)) {
    F2Subspace zero = bits[bit].outside;
    for (auto [other, element] : enumerate(vectors))
      if (other != bit)
        zero.insert(element);
    if (zero.contains(vector))
      return false;
    uint32_t simplest = 0;
    for (uint32_t mask : zero.annihilator(state.numBits).basis())
      if (f2Dot(mask, vector) &&
          (!simplest || popcount(mask) <= popcount(simplest)))
        simplest = mask;
    vectorRows.push_back(simplest);
  }
  return true;
}

void RowSearch::collectKernels() {
  F2Subspace inWord(vectors.take_front(state.wordBits()));
  SmallVector<F2Subspace, 4> words;
  for (auto [access, form] : zip_equal(state.accesses, plan.forms)) {
    F2Subspace &of = words.emplace_back();
    for (uint32_t element : access.group(*form))
      of.insert(inWord.reduce(element));
    for (uint32_t element : vectors.take_front(form->vectorBits))
      of.insert(inWord.reduce(element));
    touched = touched + of;
  }
  // In coordinates of `touched`: by the highest bits of its reduced basis.
  for (const F2Subspace &of : words) {
    Kernel &kernel = startKernels.emplace_back();
    for (uint32_t element : of.basis()) {
      uint32_t coordinates = 0;
      for (auto [index, basis] : enumerate(touched.basis()))
        if (element & bit_floor(basis))
          coordinates |= uint32_t(1) << index;
      kernel.push_back(coordinates);
    }
  }
}

uint32_t RowSearch::valuesOf(uint32_t mask) const {
  uint32_t values = 0;
  for (auto [index, basis] : enumerate(touched.basis()))
    values |= uint32_t(f2Dot(mask, basis)) << index;
  return values;
}

/// The rows offset + x for x in a space, as far as accesses can tell them
/// apart; sums of few generators first.
std::vector<Row> RowSearch::rowsOf(uint32_t offset, const F2Subspace &space) {
  // Generators that are one bit of a bank in plain order come first.
  SmallVector<uint32_t, 24> sorted;
  for (unsigned bit : order)
    for (uint32_t mask : space.basis())
      if (countr_zero(mask) == int(bit))
        sorted.push_back(mask);
  F2Subspace seen;
  SmallVector<Row, 24> generators;
  for (uint32_t mask : sorted)
    if (uint32_t values = valuesOf(mask); seen.insert(values))
      generators.push_back({mask, values, 0});
  if (generators.size() > maxRowBits) {
    state.isCutShort = true;
    generators.truncate(maxRowBits);
  }
  for (auto [index, row] : enumerate(generators))
    row.generators = uint32_t(1) << (generators.size() - 1 - index);

  std::vector<Row> rows = {{offset, valuesOf(offset), 0}};
  for (const Row &generator : generators)
    for (size_t index = 0, end = rows.size(); index < end; ++index)
      rows.push_back({rows[index].mask ^ generator.mask,
                      rows[index].values ^ generator.values,
                      rows[index].generators | generator.generators});
  // Making a row takes about a quarter of the time of trying it.
  state.stepsLeft -= std::min<uint64_t>(state.stepsLeft, rows.size() / 4);
  llvm::sort(rows, [](const Row &a, const Row &b) {
    return std::make_tuple(popcount(a.mask), b.generators) <
           std::make_tuple(popcount(b.mask), a.generators);
  });
  return rows;
}

/// A bound: each row left makes each kernel smaller by at most one dimension.
uint64_t RowSearch::costOf(ArrayRef<Kernel> kernels, unsigned rowsLeft) const {
  uint64_t cost = 0;
  for (auto [access, form, kernel] :
       zip_equal(state.accesses, plan.forms, kernels)) {
    unsigned collisions =
        kernel.size() > rowsLeft ? kernel.size() - rowsLeft : 0;
    cost = SaturatingAdd(cost, access.cost(*form, collisions));
  }
  return cost;
}

/// The same with one more row; nullopt if it cuts no kernel.
std::optional<uint64_t> RowSearch::costAfter(const Row &row,
                                             ArrayRef<Kernel> kernels,
                                             unsigned rowsLeft) const {
  uint64_t cost = 0;
  bool cutsAny = false;
  for (auto [access, form, kernel] :
       zip_equal(state.accesses, plan.forms, kernels)) {
    bool cuts = any_of(
        kernel, [&](uint32_t vector) { return f2Dot(row.values, vector); });
    cutsAny |= cuts;
    unsigned size = kernel.size() - cuts;
    cost = SaturatingAdd(
        cost, access.cost(*form, size > rowsLeft ? size - rowsLeft : 0));
  }
  return cutsAny ? std::optional(cost) : std::nullopt;
}

static Kernel cut(const Kernel &kernel, uint32_t values) {
  Kernel result;
  uint32_t pivot = 0;
  for (uint32_t vector : kernel) {
    if (!f2Dot(values, vector))
      result.push_back(vector);
    else if (pivot)
      result.push_back(vector ^ pivot);
    else
      pivot = vector;
  }
  return result;
}

/// Beyond vectors only the span of the rows matters. Each span is visited once,
/// by its reduced basis: a row's highest generator is below those of the rows
/// before it (`below`), and none of them contains it (`forbidden`). A row that
/// cuts nothing could as well be left to finish().
void RowSearch::extend(SmallVectorImpl<Row> &chosen, ArrayRef<Kernel> kernels,
                       uint32_t forbidden, uint32_t below) {
  unsigned rowsLeft = numBankRows - chosen.size();
  unsigned numVectorRows = candidates.size() - 1;
  bool isOfVector = chosen.size() < numVectorRows;
  if (!isOfVector && costOf(kernels, 0) < state.result.cost)
    finish(chosen);
  if (rowsLeft == 0)
    return;
  for (const Row &row :
       candidates[isOfVector ? chosen.size() : numVectorRows]) {
    uint32_t highest = bit_floor(row.generators);
    if (!isOfVector && (highest & forbidden || highest >= below))
      continue;
    if (!state.takeStep(plan))
      return;
    std::optional<uint64_t> cost = costAfter(row, kernels, rowsLeft - 1);
    if (!cost && isOfVector)
      cost = costOf(kernels, rowsLeft - 1);
    if (!cost || *cost >= state.result.cost)
      continue;
    std::vector<Kernel> smaller;
    for (const Kernel &kernel : kernels)
      smaller.push_back(cut(kernel, row.values));
    chosen.push_back(row);
    if (isOfVector)
      extend(chosen, smaller, forbidden, below);
    else
      extend(chosen, smaller, forbidden | row.generators, highest);
    chosen.pop_back();
  }
}

/// The rows of the matrix in order of bits, from those of vectors and banks:
/// as near to a plain order, and with as few terms, as their span allows.
SmallVector<uint32_t, 24>
RowSearch::orderedRows(ArrayRef<uint32_t> bankRows) const {
  unsigned begin = vectors.size(), end = state.lineBits();
  SmallVector<uint32_t, 8> left(bankRows);
  F2Subspace all(vectorRows);
  for (uint32_t row : bankRows)
    all.insert(row);
  auto complete = [&](size_t size, SmallVectorImpl<uint32_t> &rows) {
    for (unsigned bit : order)
      for (uint32_t mask : free.basis())
        if (countr_zero(mask) == int(bit) && rows.size() < size &&
            all.insert(mask))
          rows.push_back(mask);
  };
  complete(end - begin, left);

  // Gauss-Jordan, with the bits of banks in plain order as the first pivots.
  SmallVector<uint32_t, 8> atSlot(end - begin, 0), rest;
  auto takePivot = [&](uint32_t pivot) {
    auto *found = find_if(left, [&](uint32_t row) { return row & pivot; });
    if (found == left.end())
      return uint32_t(0);
    uint32_t row = *found;
    left.erase(found);
    for (SmallVectorImpl<uint32_t> *others :
         {static_cast<SmallVectorImpl<uint32_t> *>(&left),
          static_cast<SmallVectorImpl<uint32_t> *>(&atSlot)})
      for (uint32_t &other : *others)
        if (other & pivot)
          other ^= row;
    return row;
  };
  for (unsigned slot = begin; slot < end; ++slot)
    atSlot[slot - begin] = takePivot(uint32_t(1) << order[slot]);
  for (uint32_t &row : atSlot)
    if (!row)
      row = takePivot(left.front() & -left.front());

  SmallVector<uint32_t, 24> rows(vectorRows.begin(), vectorRows.end());
  append_range(rows, atSlot);
  complete(state.numBits, rows);
  return rows;
}

void RowSearch::finish(ArrayRef<Row> chosen) {
  SmallVector<uint32_t, 4> plain = vectorRows;
  SmallVector<uint32_t, 8> bankRows;
  for (auto [index, row] : enumerate(chosen)) {
    unsigned bit = state.wordBits() + index;
    if (bit < vectors.size())
      vectorRows[bit] = row.mask;
    else
      bankRows.push_back(row.mask);
  }
  OffsetMatrix matrix(orderedRows(bankRows));
  vectorRows = plain;

  uint64_t cost = 0;
  for (const AccessSubspaces &access : state.accesses) {
    std::optional<uint64_t> ofAccess = access.cost(matrix);
    if (!ofAccess)
      return;
    cost = SaturatingAdd(cost, *ofAccess);
  }
  if (cost >= state.result.cost)
    return;
  state.result.cost = cost;
  state.result.best = std::move(matrix);
}

void RowSearch::run() {
  if (!findVectorRows())
    return;
  free = F2Subspace(vectors).annihilator(state.numBits);
  collectKernels();
  numBankRows = state.lineBits() - state.wordBits();
  for (unsigned bit = state.wordBits(); bit < vectors.size(); ++bit)
    candidates.push_back(rowsOf(
        vectorRows[bit],
        (bits[bit].outside + F2Subspace(vectors)).annihilator(state.numBits)));
  candidates.push_back(rowsOf(0, free));
  SmallVector<Row, 8> chosen;
  extend(chosen, startKernels, /*forbidden=*/0, /*below=*/UINT32_MAX);
}

void tilewright::searchRows(SwizzleSearchState &state, const SwizzlePlan &plan,
                            ArrayRef<VectorBit> bits,
                            ArrayRef<uint32_t> vectors) {
  RowSearch(state, plan, bits, vectors).run();
}
