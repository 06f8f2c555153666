//===- NearestName.h - What a name that is not there may mean ---*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_COMPILER_NEARESTNAME_H
#define TILEWRIGHT_COMPILER_NEARESTNAME_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace tilewright {

/// Whether two neighbouring letters have changed places.
inline bool isSwapped(llvm::StringRef unknown, llvm::StringRef name) {
  if (unknown.size() != name.size())
    return false;
  const size_t first = llvm::mismatch(unknown, name).first - unknown.begin();
  if (first + 1 >= name.size())
    return false;
  return unknown[first] == name[first + 1] &&
         unknown[first + 1] == name[first] &&
         unknown.drop_front(first + 2) == name.drop_front(first + 2);
}

/// Which of the names, if any, is no further from an unknown one than as many
/// slips as a word of its length may have and still be meant. Of several that
/// are as near it is the first.
inline std::optional<size_t>
findNearestName(llvm::StringRef unknown,
                llvm::ArrayRef<llvm::StringRef> known) {
  unsigned least = (unknown.size() + 1) / 3 + 1;
  std::optional<size_t> nearest;
  for (auto [index, name] : llvm::enumerate(known)) {
    unsigned distance =
        isSwapped(unknown, name)
            ? 1
            : unknown.edit_distance(name, /*AllowReplacements=*/true, least);
    if (distance >= least)
      continue;
    least = distance;
    nearest = index;
  }
  return nearest;
}

inline std::string askForName(llvm::StringRef meant) {
  return "; did you mean '" + meant.str() + "'?";
}

/// "; did you mean 'num_warps'?", where one of the names is near.
inline std::string suggestName(llvm::StringRef unknown,
                               llvm::ArrayRef<llvm::StringRef> known) {
  std::optional<size_t> nearest = findNearestName(unknown, known);
  return nearest ? askForName(known[*nearest]) : std::string();
}

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_NEARESTNAME_H
