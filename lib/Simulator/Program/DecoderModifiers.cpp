//===- DecoderModifiers.cpp - What stands behind the name of an opcode ----===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program/Decoder.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilewright::sim {

bool Decoder::take(StringRef name) {
  auto it = find(modifiers, name);
  if (it == modifiers.end())
    return false;
  modifiers.erase(it);
  return true;
}

int Decoder::takeOneOf(ArrayRef<StringRef> names) {
  for (auto [index, name] : enumerate(names))
    if (take(name))
      return static_cast<int>(index);
  return -1;
}

void Decoder::skipPrefixed(StringRef prefix) {
  erase_if(modifiers, [&](StringRef m) { return m.starts_with(prefix); });
}

Type Decoder::takeOptionalType() {
  for (auto it = modifiers.begin(); it != modifiers.end(); ++it)
    if (auto type = typeFromName(*it)) {
      modifiers.erase(it);
      return *type;
    }
  return Type::None;
}

Type Decoder::takeType() {
  Type type = takeOptionalType();
  if (type == Type::None)
    error("the instruction has too few types");
  return type;
}

Scope Decoder::takeScope() {
  static constexpr Scope scopes[] = {Scope::Block, Scope::Cluster, Scope::Gpu,
                                     Scope::Gpu};
  const int scope = takeOneOf({"cta", "cluster", "gpu", "sys"});
  return scope < 0 ? Scope::None : scopes[scope];
}

Space Decoder::takeSharedSpace() {
  if (take("shared::cluster"))
    return Space::Cluster;
  return takeShared() ? Space::Shared : Space::Generic;
}

Space Decoder::takeSpace() {
  static constexpr Space spaces[] = {
      Space::Global, Space::Shared, Space::Shared, Space::Cluster,
      Space::Local,  Space::Const,  Space::Param};
  skipPrefixed("param::");
  const int space = takeOneOf({"global", "shared", "shared::cta",
                               "shared::cluster", "local", "const", "param"});
  return space < 0 ? Space::Generic : spaces[space];
}

Space Decoder::takeCopyTarget() {
  auto isSpace = [](StringRef name) {
    return name == "global" || name.starts_with("shared");
  };
  const auto *first = find_if(modifiers, isSpace);
  const bool isToGlobal = first != modifiers.end() && *first == "global";
  if (!take("global") || !takeShared())
    return Space::Generic;
  return isToGlobal ? Space::Global : Space::Shared;
}

void Decoder::requireArchitecture(unsigned least) {
  if (architecture() < least)
    error("the instruction needs sm_" + Twine(least) +
          " or later, and the module is for " + target());
}

unsigned Decoder::architecture() const {
  unsigned number = 0;
  StringRef name = target();
  if (!name.consume_front("sm_") || name.consumeInteger(10, number))
    return 0;
  return number;
}

StringRef Decoder::takeNext() {
  if (modifiers.empty()) {
    error("the instruction has too few modifiers");
    return StringRef();
  }
  const StringRef first = modifiers.front();
  modifiers.erase(modifiers.begin());
  return first;
}

StringRef Decoder::peek() const {
  return modifiers.empty() ? StringRef() : modifiers.front();
}

} // namespace tilewright::sim
