//===- Type.cpp - PTX scalar types ----------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx/Type.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

struct TypeFacts {
  StringRef name;
  unsigned bits;
};

// Indexed by Type.
constexpr TypeFacts facts[] = {
    {"", 0},        {"pred", 1},   {"b8", 8},      {"b16", 16},    {"b32", 32},
    {"b64", 64},    {"b128", 128}, {"u8", 8},      {"u16", 16},    {"u32", 32},
    {"u64", 64},    {"s8", 8},     {"s16", 16},    {"s32", 32},    {"s64", 64},
    {"u16x2", 32},  {"s16x2", 32}, {"f16", 16},    {"f16x2", 32},  {"bf16", 16},
    {"bf16x2", 32}, {"tf32", 32},  {"f32", 32},    {"f32x2", 64},  {"f64", 64},
    {"e4m3", 8},    {"e5m2", 8},   {"e4m3x2", 16}, {"e5m2x2", 16},
};

} // namespace

StringRef typeName(Type type) { return facts[static_cast<size_t>(type)].name; }

std::optional<Type> typeFromName(StringRef name) {
  if (name.empty())
    return std::nullopt;
  for (auto [index, fact] : enumerate(facts))
    if (fact.name == name)
      return static_cast<Type>(index);
  return std::nullopt;
}

unsigned typeBits(Type type) { return facts[static_cast<size_t>(type)].bits; }

bool isSigned(Type type) { return type >= Type::S8 && type <= Type::S64; }

bool isIntegral(Type type) { return type >= Type::B8 && type <= Type::S64; }

bool isFloating(Type type) { return type >= Type::F16 && type <= Type::E5M2x2; }

StringRef spaceName(Space space) {
  static constexpr StringRef names[] = {"generic",        "global", "shared",
                                        "local",          "const",  "param",
                                        "shared::cluster"};
  return names[static_cast<size_t>(space)];
}

} // namespace tilewright::sim
