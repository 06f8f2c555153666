//===- ProgramBuilder.cpp - Tile programs, op by op --------*- C++ -*- ===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Compiler/ProgramBuilder.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "tilewright/Compiler/Registration.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tilewright;

namespace {

/// A place of the source, from the innermost function to the kernel.
struct Frame {
  std::string file;
  unsigned line = 0, column = 0;
};

class ModuleBuilder : public ProgramBuilder {
public:
  ModuleBuilder(const std::string &file, unsigned line, unsigned column);
  ~ModuleBuilder() override;

  void enterCall(const std::string &file) override;
  void leaveCall() override { frames.pop_back(); }
  void setPlace(unsigned line, unsigned column) override;

  Result<std::vector<Value>> beginRegion(const Texts &types) override;
  unsigned endRegion() override;
  void resumeRegion(unsigned region) override;
  void leaveRegion() override;

  Result<std::vector<Value>>
  createOp(const std::string &name, const std::vector<Value> &operands,
           const Texts &types, const Attributes &attributes,
           const std::vector<unsigned> &regions) override;
  Result<bool> hasFloats(const std::string &type) override;
  Result<Value> createFloat(const std::string &type, double number) override;
  Result<Value> createInteger(const std::string &type,
                              const std::string &digits) override;

  std::string getType(Value value) const override;
  Result<std::string> finish() override;

private:
  Type findType(llvm::StringRef text);
  Attribute findAttribute(llvm::StringRef text);
  Location getLocation();
  Value createConstant(Type type, TypedAttr element);

  /// Built once: loading dialects takes longer than a kernel.
  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  std::vector<Frame> frames;
  /// Where to go on when the regions that are open end.
  std::vector<std::pair<std::unique_ptr<Region>, OpBuilder::InsertPoint>> open;
  /// Where to go on when the closed region that was resumed is left.
  OpBuilder::InsertPoint beforeResumption;
  /// Regions that no op has yet, by number. They stay here, since what the
  /// front end holds may outlive the context.
  std::vector<std::unique_ptr<Region>> closed;
  llvm::StringMap<Type> types;
  llvm::StringMap<Attribute> attributes;
};

} // namespace

static ProgramBuilder::Value wrap(mlir::Value value) {
  return {value.getAsOpaquePointer()};
}

static mlir::Value unwrap(ProgramBuilder::Value value) {
  return mlir::Value::getFromOpaquePointer(value.opaque);
}

static ProgramBuilder::Refusal refuse(const llvm::Twine &text) {
  return {text.str()};
}

static ProgramBuilder::Refusal refuseType(llvm::StringRef text) {
  return refuse("there is no type " + text);
}

static DialectRegistry makeProgramRegistry() {
  DialectRegistry registry;
  registerAll(registry);
  return registry;
}

ModuleBuilder::ModuleBuilder(const std::string &file, unsigned line,
                             unsigned column)
    : context(makeProgramRegistry(), MLIRContext::Threading::DISABLED),
      builder(&context) {
  frames.push_back({file, line, column});
  module = ModuleOp::create(getLocation());
  builder.setInsertionPointToEnd(module->getBody());
}

ModuleBuilder::~ModuleBuilder() {
  // Regions of a program that was given up use values of each other.
  for (auto &[region, point] : open)
    closed.push_back(std::move(region));
  for (std::unique_ptr<Region> &region : closed)
    if (region)
      region->dropAllReferences();
}

/// Why the op is none of the dialect's; empty where it is one: what the user
/// wrote stands in its attributes, as the text of inline assembly does.
static std::string findMistake(Operation *op) {
  std::string wrong;
  ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &message) {
    // Who writes Python knows no ops.
    std::string whole = message.str();
    llvm::StringRef text = whole;
    text.consume_front(("'" + op->getName().getStringRef() + "' op ").str());
    wrong += text;
  });
  return failed(verify(op, /*verifyRecursively=*/false)) ? wrong : "";
}

std::unique_ptr<ProgramBuilder>
tilewright::createProgramBuilder(const std::string &file, unsigned line,
                                 unsigned column) {
  return std::make_unique<ModuleBuilder>(file, line, column);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

void ModuleBuilder::enterCall(const std::string &file) {
  frames.push_back({file, 1, 1});
}

void ModuleBuilder::setPlace(unsigned line, unsigned column) {
  frames.back().line = line;
  frames.back().column = column;
}

Location ModuleBuilder::getLocation() {
  Location location = UnknownLoc::get(&context);
  for (const Frame &frame : frames) {
    Location place =
        FileLineColLoc::get(&context, frame.file, frame.line, frame.column);
    location = isa<UnknownLoc>(location)
                   ? place
                   : Location(CallSiteLoc::get(place, location));
  }
  return location;
}

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

/// Null where there is none.
Type ModuleBuilder::findType(llvm::StringRef text) {
  Type &type = types[text];
  if (!type)
    type = parseType(text, &context);
  return type;
}

/// Null where there is none.
Attribute ModuleBuilder::findAttribute(llvm::StringRef text) {
  Attribute &attribute = attributes[text];
  if (!attribute)
    attribute = parseAttribute(text, &context);
  return attribute;
}

std::string ModuleBuilder::getType(Value value) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << unwrap(value).getType();
  return text;
}

//===----------------------------------------------------------------------===//
// Regions and ops
//===----------------------------------------------------------------------===//

ProgramBuilder::Result<std::vector<ProgramBuilder::Value>>
ModuleBuilder::beginRegion(const Texts &types) {
  auto region = std::make_unique<Region>();
  Block &block = region->emplaceBlock();
  std::vector<Value> arguments;
  for (const std::string &text : types) {
    Type type = findType(text);
    if (!type)
      return refuseType(text);
    arguments.push_back(wrap(block.addArgument(type, getLocation())));
  }
  open.emplace_back(std::move(region), builder.saveInsertionPoint());
  builder.setInsertionPointToEnd(&block);
  return arguments;
}

unsigned ModuleBuilder::endRegion() {
  auto [region, point] = std::move(open.back());
  open.pop_back();
  builder.restoreInsertionPoint(point);
  closed.push_back(std::move(region));
  return closed.size() - 1;
}

void ModuleBuilder::resumeRegion(unsigned region) {
  beforeResumption = builder.saveInsertionPoint();
  builder.setInsertionPointToEnd(&closed[region]->front());
}

void ModuleBuilder::leaveRegion() {
  builder.restoreInsertionPoint(beforeResumption);
}

ProgramBuilder::Result<std::vector<ProgramBuilder::Value>>
ModuleBuilder::createOp(const std::string &name,
                        const std::vector<Value> &operands, const Texts &types,
                        const Attributes &attributes,
                        const std::vector<unsigned> &regions) {
  context.getOrLoadDialect(llvm::StringRef(name).split('.').first);
  OperationState state(getLocation(), name);
  if (!state.name.isRegistered())
    return refuse("there is no op " + llvm::Twine(name));
  for (Value operand : operands)
    state.operands.push_back(unwrap(operand));
  for (const std::string &text : types) {
    state.types.push_back(findType(text));
    if (!state.types.back())
      return refuseType(text);
  }
  for (const auto &[key, text] : attributes) {
    Attribute attribute = findAttribute(text);
    if (!attribute)
      return refuse("there is no attribute " + llvm::Twine(text));
    state.addAttribute(key, attribute);
  }
  for (unsigned region : regions)
    state.addRegion(std::move(closed[region]));
  Operation *op = builder.create(state);
  // Regions are whole, and their ends in their place, when all is written.
  if (regions.empty() && !op->hasTrait<OpTrait::IsTerminator>())
    if (std::string wrong = findMistake(op); !wrong.empty())
      return refuse(wrong);
  std::vector<Value> results;
  for (mlir::Value result : op->getResults())
    results.push_back(wrap(result));
  return results;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static Type getElementType(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.getElementType() : type;
}

/// A constant that is this in every element of the type.
ProgramBuilder::Value ModuleBuilder::createConstant(Type type,
                                                    TypedAttr element) {
  context.getOrLoadDialect<arith::ArithDialect>();
  if (auto shaped = dyn_cast<ShapedType>(type))
    element = DenseElementsAttr::get(shaped, Attribute(element));
  return wrap(arith::ConstantOp::create(builder, getLocation(), element));
}

ProgramBuilder::Result<bool> ModuleBuilder::hasFloats(const std::string &text) {
  Type type = findType(text);
  if (!type)
    return refuseType(text);
  return isa<FloatType>(getElementType(type));
}

ProgramBuilder::Result<ProgramBuilder::Value>
ModuleBuilder::createFloat(const std::string &text, double number) {
  Type type = findType(text);
  auto element =
      dyn_cast_if_present<FloatType>(type ? getElementType(type) : Type());
  if (!element)
    return refuse("there is no type of floats " + llvm::Twine(text));
  APFloat value(number);
  bool losesInfo = false;
  value.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return createConstant(type, FloatAttr::get(element, value));
}

ProgramBuilder::Result<ProgramBuilder::Value>
ModuleBuilder::createInteger(const std::string &text,
                             const std::string &digits) {
  Type type = findType(text);
  if (!type)
    return refuseType(text);
  Type element = getElementType(type);
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  APInt value(std::max<unsigned>(width, 72), digits, 10);
  return createConstant(type, IntegerAttr::get(element, value.trunc(width)));
}

ProgramBuilder::Result<std::string> ModuleBuilder::finish() {
  std::string wrong;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    wrong += diagnostic.str() + "\n";
  });
  if (failed(verify(*module)))
    return refuse(wrong);
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().enableDebugInfo());
  return text;
}
