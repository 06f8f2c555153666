//===- KernelCache.cpp - One kernel in the cache on disk ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Jit/KernelCache.h"

#include "tilewright/Jit/Variants.h"
#include "llvm/ADT/STLExtras.h"

using namespace tilewright;
using namespace tilewright::jit;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Entries: a line of JSON, and a text that is kept as it is
//===----------------------------------------------------------------------===//

static json::Value describe(const spec::Argument &argument) {
  return json::Object{{"name", argument.name},
                      {"type", spec::getName(argument.type)},
                      {"pointer", argument.isPointer()},
                      {"divisibility", argument.divisibility},
                      {"disjoint", argument.isDisjoint},
                      {"written", argument.isWritten},
                      {"specialized", argument.isSpecialized},
                      {"divisor", argument.isDivisor},
                      {"loop_step", argument.loopStep},
                      {"max_trips", argument.maxTrips},
                      {"columns", argument.columns},
                      {"product_step", argument.productStep},
                      {"full_products", argument.hasFullProducts},
                      {"row_bytes", argument.rowBytes},
                      {"least", argument.least},
                      {"most", argument.most}};
}

static bool read(const json::Value &value, spec::Argument &argument,
                 json::Path path) {
  std::string type;
  bool isPointer = false;
  json::ObjectMapper mapper(value, path);
  if (!mapper || !mapper.map("name", argument.name) ||
      !mapper.map("type", type) || !mapper.map("pointer", isPointer) ||
      !mapper.map("divisibility", argument.divisibility) ||
      !mapper.map("disjoint", argument.isDisjoint) ||
      !mapper.map("written", argument.isWritten) ||
      !mapper.map("specialized", argument.isSpecialized) ||
      !mapper.map("divisor", argument.isDivisor) ||
      !mapper.map("loop_step", argument.loopStep) ||
      !mapper.map("max_trips", argument.maxTrips) ||
      !mapper.map("columns", argument.columns) ||
      !mapper.map("product_step", argument.productStep) ||
      !mapper.map("full_products", argument.hasFullProducts) ||
      !mapper.map("row_bytes", argument.rowBytes) ||
      !mapper.map("least", argument.least) ||
      !mapper.map("most", argument.most))
    return false;
  std::optional<spec::ElementType> element = spec::parseElementType(type);
  if (!element)
    return false;
  argument.type = *element;
  argument.kind =
      isPointer ? spec::ArgumentKind::Pointer : spec::ArgumentKind::Scalar;
  return true;
}

static json::Object describe(const spec::KernelDescription &description) {
  json::Array arguments;
  for (const spec::Argument &argument : description.arguments)
    arguments.push_back(describe(argument));
  return json::Object{{"name", description.name},
                      {"arguments", std::move(arguments)},
                      {"shapes", json::Array(description.shapes)},
                      {"grid", json::Array(description.grid)},
                      {"references", json::Array(description.references)},
                      {"requires_tensor_maps", description.requiresTensorMaps}};
}

static bool read(const json::Value &value, spec::KernelDescription &description,
                 json::Path path) {
  json::ObjectMapper mapper(value, path);
  const json::Array *arguments =
      mapper ? value.getAsObject()->getArray("arguments") : nullptr;
  if (!arguments || !mapper.map("name", description.name) ||
      !mapper.map("shapes", description.shapes) ||
      !mapper.map("grid", description.grid) ||
      !mapper.map("references", description.references) ||
      !mapper.map("requires_tensor_maps", description.requiresTensorMaps))
    return false;
  return llvm::all_of(*arguments, [&](const json::Value &argument) {
    description.arguments.push_back({"", spec::ElementType::F32});
    return read(argument, description.arguments.back(), path);
  });
}

static std::string join(json::Object head, llvm::StringRef text) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  os << json::Value(std::move(head)) << '\n' << text;
  return bytes;
}

namespace {
/// An entry as it was joined.
struct Entry {
  json::Value head;
  std::string text;
  spec::KernelDescription description;
};
} // namespace

/// Nothing where it is no such entry, which only another version could make.
static std::optional<Entry> split(const std::optional<std::string> &bytes) {
  if (!bytes)
    return std::nullopt;
  auto [line, text] = llvm::StringRef(*bytes).split('\n');
  llvm::Expected<json::Value> head = json::parse(line);
  if (!head) {
    llvm::consumeError(head.takeError());
    return std::nullopt;
  }
  Entry entry = {std::move(*head), text.str(), {}};
  const json::Object *object = entry.head.getAsObject();
  const json::Value *described = object ? object->get("kernel") : nullptr;
  json::Path::Root root;
  if (!described || !read(*described, entry.description, root))
    return std::nullopt;
  return entry;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

std::optional<KernelCache::Program> KernelCache::loadProgram() const {
  std::optional<Entry> entry = split(disk.get(getKey("program")));
  if (!entry)
    return std::nullopt;
  Program program;
  json::Path::Root root;
  json::ObjectMapper mapper(entry->head, root);
  if (!mapper.map("notes", program.notes))
    return std::nullopt;
  program.text = std::move(entry->text);
  program.description = std::move(entry->description);
  return program;
}

void KernelCache::saveProgram(const Program &program) const {
  disk.put(getKey("program"),
           join(json::Object{{"kernel", describe(program.description)},
                             {"notes", program.notes}},
                program.text));
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

std::unique_ptr<Variant>
KernelCache::loadVariant(const VariantKey &variant) const {
  std::optional<Entry> entry =
      split(disk.get(getKey("variant", variant.getBytes())));
  if (!entry)
    return nullptr;
  CompiledKernel kernel;
  unsigned blocks = 0;
  std::vector<unsigned> blockPrograms;
  json::Path::Root root;
  json::ObjectMapper mapper(entry->head, root);
  if (!mapper.map("threads", kernel.threadsPerBlock) ||
      !mapper.map("static_shared_bytes", kernel.staticSharedBytes) ||
      !mapper.map("dynamic_shared_bytes", kernel.dynamicSharedBytes) ||
      !mapper.map("tensor_maps", kernel.tensorMaps) ||
      !mapper.map("persistent", kernel.isPersistent) ||
      !mapper.map("block_programs", blockPrograms) ||
      blockPrograms.size() != kernel.blockPrograms.size() ||
      !mapper.map("cluster_blocks", kernel.clusterBlocks) ||
      !mapper.map("blocks", blocks))
    return nullptr;
  llvm::copy(blockPrograms, kernel.blockPrograms.begin());
  kernel.description = std::move(entry->description);
  return std::make_unique<Variant>(std::move(kernel), std::move(entry->text),
                                   blocks, variant);
}

void KernelCache::saveVariant(const Variant &variant) const {
  const CompiledKernel &kernel = variant.kernel;
  disk.put(
      getKey("variant", variant.key.getBytes()),
      join(json::Object{{"kernel", describe(kernel.description)},
                        {"threads", kernel.threadsPerBlock},
                        {"static_shared_bytes", kernel.staticSharedBytes},
                        {"dynamic_shared_bytes", kernel.dynamicSharedBytes},
                        {"tensor_maps", json::Array(kernel.tensorMaps)},
                        {"persistent", kernel.isPersistent},
                        {"block_programs", json::Array(kernel.blockPrograms)},
                        {"cluster_blocks", kernel.clusterBlocks},
                        {"blocks",
                         variant.image.blocksPerMultiprocessor.value_or(0)}},
           variant.getPtx()));
}

//===----------------------------------------------------------------------===//
// Machine code
//===----------------------------------------------------------------------===//

std::optional<std::string>
KernelCache::loadMachineCode(const VariantKey &variant,
                             llvm::StringRef assembler) const {
  return disk.get(getKey("machine code", variant.getBytes(), assembler));
}

void KernelCache::saveMachineCode(const VariantKey &variant,
                                  llvm::StringRef assembler,
                                  llvm::StringRef code) const {
  disk.put(getKey("machine code", variant.getBytes(), assembler), code);
}
