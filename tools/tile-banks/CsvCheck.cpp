//===- CsvCheck.cpp - The bank model against counters ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tile-banks/CsvCheck.h"

#include "tilewright/Layout/Banks/BankModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <optional>

using namespace llvm;
using namespace tilewright;

namespace {
struct Measurement {
  SharedAccessKind kind = SharedAccessKind::Load;
  unsigned bytes = 0, wavefronts = 0;
  SmallVector<int64_t, lanesPerWarp> addresses;
};
} // namespace

/// The error has no place yet.
static Expected<Measurement> parseLine(StringRef line) {
  SmallVector<StringRef, 40> fields;
  line.split(fields, ',');
  if (fields.size() != 3 + lanesPerWarp)
    return createStringError("expected " + Twine(3 + lanesPerWarp) +
                             " fields, found " + Twine(fields.size()));
  Measurement result;
  auto kind = StringSwitch<std::optional<SharedAccessKind>>(fields[0].trim())
                  .Case("load", SharedAccessKind::Load)
                  .Case("store", SharedAccessKind::Store)
                  .Case("ldmatrix", SharedAccessKind::LoadMatrix)
                  .Case("stmatrix", SharedAccessKind::StoreMatrix)
                  .Default(std::nullopt);
  if (!kind)
    return createStringError("unknown access '" + fields[0] +
                             "'; expected load, store, ldmatrix or stmatrix");
  result.kind = *kind;
  if (!to_integer(fields[1].trim(), result.bytes, 10) ||
      !is_contained({1u, 2u, 4u, 8u, 16u}, result.bytes) ||
      (isMatrixAccess(*kind) && result.bytes != maxBytesPerLane))
    return createStringError("'" + fields[1] + "' is no number of bytes that " +
                             fields[0] + " moves a lane");
  if (!to_integer(fields[2].trim(), result.wavefronts, 10))
    return createStringError("'" + fields[2] + "' is no number of wavefronts");
  for (StringRef field : ArrayRef(fields).drop_front(3)) {
    int64_t &address = result.addresses.emplace_back();
    if (!to_integer(field.trim(), address, 10) || address < -1 ||
        address > INT32_MAX || (address >= 0 && address % result.bytes != 0))
      return createStringError("'" + field + "' is neither -1 nor an address " +
                               "that is a multiple of " + Twine(result.bytes));
  }
  return result;
}

Expected<unsigned> tilewright::banks::checkCsv(raw_ostream &os, StringRef name,
                                               StringRef text) {
  unsigned number = 0, compared = 0, differences = 0;
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    line = line.rtrim('\r');
    // The first line is the heading.
    if (++number == 1 || line.trim().empty())
      continue;
    Expected<Measurement> measured = parseLine(line);
    if (!measured)
      return createStringError(name + ":" + Twine(number) + ": " +
                               toString(measured.takeError()));
    unsigned predicted =
        countWavefronts(measured->kind, measured->bytes, measured->addresses);
    ++compared;
    if (predicted == measured->wavefronts)
      continue;
    ++differences;
    os << name << ":" << number << ": counted " << measured->wavefronts
       << ", predicted " << predicted << "\n";
  }
  if (compared == 0)
    return createStringError(name + ": holds no measurement");
  os << compared - differences << " of " << compared
     << " predictions are what was counted\n";
  return differences;
}
