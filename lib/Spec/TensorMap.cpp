//===- TensorMap.cpp - A parameter by which boxes are copied --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Spec/TensorMap.h"
#include "CheckedInt.h"

using namespace tilewright;
using namespace tilewright::spec;
namespace json = llvm::json;

bool TensorMap::operator==(const TensorMap &other) const {
  return pointer == other.pointer && type == other.type &&
         extents == other.extents && strides == other.strides &&
         box == other.box && isLast == other.isLast &&
         swizzleBytes == other.swizzleBytes;
}

void TensorMap::addMoveDims() {
  static_assert(moveStepBits + moveDims * moveDimBits == 64);
  for (unsigned dim = 0; dim < moveDims; ++dim) {
    int64_t bytes = int64_t(1) << (moveStepBits + dim * moveDimBits);
    extents.push_back({int64_t(1) << moveDimBits, {}});
    strides.push_back({bytes / getByteSize(type), {}});
    box.push_back(1);
  }
}

//===----------------------------------------------------------------------===//
// Values of a launch
//===----------------------------------------------------------------------===//

/// What addresses and strides are multiples of.
static constexpr uint64_t alignedBytes = 16;
static constexpr int64_t strideLimit = int64_t(1) << 40;

/// Nothing on overflow.
static std::optional<int64_t> multiply(int64_t a, int64_t b) {
  return applyChecked(CheckedIntOp::Multiply, a, b);
}

static std::optional<int64_t> evaluate(const LaunchNumber &number,
                                       const ArgumentBlock &arguments) {
  std::optional<int64_t> product = number.constant;
  for (unsigned argument : number.arguments) {
    product = multiply(*product, arguments.getInteger(argument));
    if (!product)
      return std::nullopt;
  }
  return product;
}

static std::optional<uint64_t> evaluateExtent(const LaunchNumber &extent,
                                              const ArgumentBlock &arguments) {
  std::optional<int64_t> value = evaluate(extent, arguments);
  if (!value || *value < 1 || *value > TensorMap::maxExtent)
    return std::nullopt;
  return *value;
}

/// In bytes.
static std::optional<uint64_t> evaluateStride(const LaunchNumber &stride,
                                              ElementType type,
                                              const ArgumentBlock &arguments) {
  std::optional<int64_t> value = evaluate(stride, arguments);
  if (value)
    value = multiply(*value, getByteSize(type));
  if (!value || *value < 1 || *value >= strideLimit ||
      *value % alignedBytes != 0)
    return std::nullopt;
  return *value;
}

static std::optional<uint64_t> evaluateAddress(const TensorMap &map,
                                               const ArgumentBlock &arguments) {
  uint64_t address = arguments.getBits(map.pointer);
  if (address == 0 || address % alignedBytes != 0)
    return std::nullopt;
  return address;
}

std::optional<TensorMapValues> spec::evaluate(const TensorMap &map,
                                              const ArgumentBlock &arguments) {
  TensorMapValues values;
  std::optional<uint64_t> address = evaluateAddress(map, arguments);
  if (!address)
    return std::nullopt;
  values.address = *address;
  for (const LaunchNumber &extent : map.extents) {
    std::optional<uint64_t> value = evaluateExtent(extent, arguments);
    if (!value)
      return std::nullopt;
    values.extents.push_back(*value);
  }
  for (const LaunchNumber &stride : map.strides) {
    std::optional<uint64_t> value = evaluateStride(stride, map.type, arguments);
    if (!value)
      return std::nullopt;
    values.strides.push_back(*value);
  }
  values.box.assign(map.box.begin(), map.box.end());
  if (map.isLast)
    if (uint64_t left = values.extents[1] % map.box[1])
      values.box[1] = static_cast<uint32_t>(left);
  return values;
}

static bool isOfNothing(const TensorMap &map, const ArgumentBlock &arguments) {
  return llvm::any_of(map.extents, [&](const LaunchNumber &extent) {
    return evaluate(extent, arguments) == 0;
  });
}

/// "4 * K * N".
static std::string toText(const LaunchNumber &number,
                          llvm::ArrayRef<Argument> declared) {
  std::string text;
  if (number.constant != 1 || number.arguments.empty())
    text = std::to_string(number.constant);
  for (unsigned argument : number.arguments)
    text += (text.empty() ? "" : " * ") + declared[argument].name;
  return text;
}

/// Why evaluate() gives nothing, in words for who launches.
static std::string whyNot(const TensorMap &map, const ArgumentBlock &arguments,
                          llvm::ArrayRef<Argument> declared) {
  const std::string &name = declared[map.pointer].name;
  auto describe = [&](const char *what, const LaunchNumber &number) {
    std::optional<int64_t> value = evaluate(number, arguments);
    std::string text =
        std::string(what) + " of '" + name + "', " + toText(number, declared);
    if (!number.arguments.empty())
      text += " = " + (value ? std::to_string(*value) : "more than 2^63");
    return text;
  };
  if (!evaluateAddress(map, arguments))
    return "the address of '" + name + "' is no multiple of 16 bytes";
  for (const LaunchNumber &extent : map.extents)
    if (!evaluateExtent(extent, arguments))
      return describe("an extent", extent) + ", is not from 1 to " +
             std::to_string(TensorMap::maxExtent);
  for (const LaunchNumber &stride : map.strides)
    if (!evaluateStride(stride, map.type, arguments))
      return describe("a stride", stride) + ", times " +
             std::to_string(getByteSize(map.type)) +
             " bytes, is no multiple of 16 below 2^40";
  return "";
}

llvm::Error spec::refuseWithoutMaps(llvm::StringRef kernel,
                                    llvm::ArrayRef<Argument> declared,
                                    llvm::ArrayRef<TensorMap> maps,
                                    const ArgumentBlock &arguments) {
  for (const TensorMap &map : maps) {
    if (isOfNothing(map, arguments))
      break;
    if (!evaluate(map, arguments))
      return llvm::createStringError(
          "'" + kernel +
          "' requires bulk copies, which this launch cannot have: " +
          whyNot(map, arguments, declared));
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// For programs
//===----------------------------------------------------------------------===//

namespace tilewright::spec {
static json::Value toJSON(const LaunchNumber &number) {
  return json::Object{{"constant", number.constant},
                      {"arguments", json::Array(number.arguments)}};
}
} // namespace tilewright::spec

json::Value spec::toJSON(const TensorMap &map) {
  return json::Object{{"pointer", map.pointer},
                      {"type", getName(map.type)},
                      {"extents", json::Array(map.extents)},
                      {"strides", json::Array(map.strides)},
                      {"box", json::Array(map.box)},
                      {"last", map.isLast},
                      {"swizzle_bytes", map.swizzleBytes}};
}

namespace tilewright::spec {
static bool fromJSON(const json::Value &value, LaunchNumber &number,
                     json::Path path) {
  json::ObjectMapper mapper(value, path);
  std::vector<unsigned> arguments;
  if (!mapper || !mapper.map("constant", number.constant) ||
      !mapper.map("arguments", arguments))
    return false;
  number.arguments.assign(arguments.begin(), arguments.end());
  return true;
}
} // namespace tilewright::spec

bool spec::fromJSON(const json::Value &value, TensorMap &map, json::Path path) {
  json::ObjectMapper mapper(value, path);
  std::string typeName;
  std::vector<LaunchNumber> extents, strides;
  std::vector<unsigned> box;
  if (!mapper || !mapper.map("pointer", map.pointer) ||
      !mapper.map("type", typeName) || !mapper.map("extents", extents) ||
      !mapper.map("strides", strides) || !mapper.map("box", box) ||
      !mapper.map("last", map.isLast) ||
      !mapper.map("swizzle_bytes", map.swizzleBytes))
    return false;
  std::optional<ElementType> type = parseElementType(typeName);
  if (!type)
    return false;
  map.type = *type;
  map.extents.assign(extents.begin(), extents.end());
  map.strides.assign(strides.begin(), strides.end());
  map.box.assign(box.begin(), box.end());
  return true;
}
