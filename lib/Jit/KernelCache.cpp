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

/// All fields of an argument but its type and kind, by their names in entries:
/// whether all are right.
template <typename Argument, typename Visit>
static bool visitFields(Argument &argument, Visit visit) {
  return visit("name", argument.name) &&
         visit("divisibility", argument.divisibility) &&
         visit("disjoint", argument.isDisjoint) &&
         visit("written", argument.isWritten) &&
         visit("specialized", argument.isSpecialized) &&
         visit("divisor", argument.isDivisor) &&
         visit("loop_step", argument.loopStep) &&
         visit("max_trips", argument.maxTrips) &&
         visit("columns", argument.columns) &&
         visit("product_step", argument.productStep) &&
         visit("full_products", argument.hasFullProducts) &&
         visit("row_bytes", argument.rowBytes) &&
         visit("least", argument.least) && visit("most", argument.most);
}

/// Visits the texts of a description, without its arguments.
template <typename Description, typename Visit>
static bool visitTexts(Description &description, Visit visit) {
  return visit("name", description.name) &&
         visit("shapes", description.shapes) &&
         visit("grid", description.grid) &&
         visit("references", description.references) &&
         visit("requires_tensor_maps", description.requiresTensorMaps);
}

/// Visits what a launch asks of a kernel, without its programs a block.
template <typename Kernel, typename Visit>
static bool visitLaunch(Kernel &kernel, Visit visit) {
  return visit("threads", kernel.threadsPerBlock) &&
         visit("static_shared_bytes", kernel.staticSharedBytes) &&
         visit("dynamic_shared_bytes", kernel.dynamicSharedBytes) &&
         visit("tensor_maps", kernel.tensorMaps) &&
         visit("persistent", kernel.isPersistent) &&
         visit("cluster_blocks", kernel.clusterBlocks) &&
         visit("begins_early", kernel.beginsEarly) &&
         visit("even_axes", kernel.evenAxes);
}

/// Puts fields that are visited into an object.
static auto writeTo(json::Object &object) {
  return [&object](llvm::StringRef name, const auto &field) {
    object[name] = field;
    return true;
  };
}

/// Reads them from there.
static auto readFrom(json::ObjectMapper &mapper) {
  return [&mapper](llvm::StringLiteral name, auto &field) {
    return mapper.map(name, field);
  };
}

static json::Value describe(const spec::Argument &argument) {
  json::Object object{{"type", spec::getName(argument.type)},
                      {"pointer", argument.isPointer()}};
  visitFields(argument, writeTo(object));
  return object;
}

static bool read(const json::Value &value, spec::Argument &argument,
                 json::Path path) {
  std::string type;
  bool isPointer = false;
  json::ObjectMapper mapper(value, path);
  if (!mapper || !mapper.map("type", type) ||
      !mapper.map("pointer", isPointer) ||
      !visitFields(argument, readFrom(mapper)))
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
  json::Object object{{"arguments", std::move(arguments)}};
  visitTexts(description, writeTo(object));
  return object;
}

static bool read(const json::Value &value, spec::KernelDescription &description,
                 json::Path path) {
  json::ObjectMapper mapper(value, path);
  const json::Array *arguments =
      mapper ? value.getAsObject()->getArray("arguments") : nullptr;
  if (!arguments || !visitTexts(description, readFrom(mapper)))
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
  if (!visitLaunch(kernel, readFrom(mapper)) ||
      !mapper.map("block_programs", blockPrograms) ||
      blockPrograms.size() != kernel.blockPrograms.size() ||
      !mapper.map("blocks", blocks))
    return nullptr;
  llvm::copy(blockPrograms, kernel.blockPrograms.begin());
  kernel.description = std::move(entry->description);
  return std::make_unique<Variant>(std::move(kernel), std::move(entry->text),
                                   blocks, variant);
}

void KernelCache::saveVariant(const Variant &variant) const {
  const CompiledKernel &kernel = variant.kernel;
  json::Object head{
      {"kernel", describe(kernel.description)},
      {"block_programs", json::Array(kernel.blockPrograms)},
      {"blocks", variant.image.blocksPerMultiprocessor.value_or(0)}};
  visitLaunch(kernel, writeTo(head));
  disk.put(getKey("variant", variant.key.getBytes()),
           join(std::move(head), variant.getPtx()));
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
