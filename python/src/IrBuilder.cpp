//===- IrBuilder.cpp - Tile programs, op by op, from Python ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The front end knows the dialects by their documentation, and this class knows
// no op: types and attributes come as MLIR's text, parsed once each.
//
//   b = IrBuilder("add.py", 4, 0)
//   b.begin_region(["i32"])                        # [Value]
//   b.op("tile.iota", [], ["tensor<128xi32>"], {"start": "0 : i64"})
//   region = b.end_region()
//   b.op("tile.kernel", [], [], {...}, [region])
//   b.finish()                                     # the module as text
//
//===----------------------------------------------------------------------===//

#include "IrBuilder.h"

#include "Errors.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "tilewright/Compiler/Registration.h"
#include "llvm/ADT/StringMap.h"
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace mlir;
using namespace tilewright;

namespace {

/// A value of the program that is being written. It must not outlive its
/// builder, which the front end sees to.
struct ValueHandle {
  Value value;
};

/// A place of the source, from the innermost function to the kernel.
struct Frame {
  std::string file;
  unsigned line = 0, column = 0;
};

class IrBuilder {
public:
  IrBuilder(const std::string &file, unsigned line, unsigned column);
  ~IrBuilder();

  void enterCall(const std::string &file);
  void leaveCall() { frames.pop_back(); }
  void setPlace(unsigned line, unsigned column);

  std::vector<ValueHandle> beginRegion(const std::vector<std::string> &types);
  unsigned endRegion();
  void resumeRegion(unsigned region);
  void leaveRegion();

  std::vector<ValueHandle>
  createOp(const std::string &name, const std::vector<ValueHandle> &operands,
           const std::vector<std::string> &types,
           const std::vector<std::pair<std::string, std::string>> &attributes,
           const std::vector<unsigned> &regions);
  ValueHandle createConstant(const std::string &type, nb::handle number);

  std::string finish();

private:
  Type getType(llvm::StringRef text);
  Attribute getAttribute(llvm::StringRef text);
  Location getLocation();

  /// Built once: loading dialects takes longer than a kernel.
  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  std::vector<Frame> frames;
  /// Where to go on when the regions that are open end.
  std::vector<std::pair<std::unique_ptr<Region>, OpBuilder::InsertPoint>> open;
  /// Where to go on when the closed region that was resumed is left.
  OpBuilder::InsertPoint beforeResumption;
  /// Those that no op has yet, by number. They stay here, since what Python
  /// holds may outlive the context.
  std::vector<std::unique_ptr<Region>> closed;
  llvm::StringMap<Type> types;
  llvm::StringMap<Attribute> attributes;
};

} // namespace

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerAll(registry);
  return registry;
}

IrBuilder::IrBuilder(const std::string &file, unsigned line, unsigned column)
    : context(makeRegistry(), MLIRContext::Threading::DISABLED),
      builder(&context) {
  frames.push_back({file, line, column});
  module = ModuleOp::create(getLocation());
  builder.setInsertionPointToEnd(module->getBody());
}

IrBuilder::~IrBuilder() {
  // Regions of a program that was given up use values of each other.
  for (auto &[region, point] : open)
    closed.push_back(std::move(region));
  for (std::unique_ptr<Region> &region : closed)
    if (region)
      region->dropAllReferences();
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

void IrBuilder::enterCall(const std::string &file) {
  frames.push_back({file, 1, 1});
}

void IrBuilder::setPlace(unsigned line, unsigned column) {
  frames.back().line = line;
  frames.back().column = column;
}

Location IrBuilder::getLocation() {
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

Type IrBuilder::getType(llvm::StringRef text) {
  Type &type = types[text];
  if (!type)
    type = parseType(text, &context);
  if (!type)
    python::raise(PyExc_ValueError, "there is no type " + text);
  return type;
}

Attribute IrBuilder::getAttribute(llvm::StringRef text) {
  Attribute &attribute = attributes[text];
  if (!attribute)
    attribute = parseAttribute(text, &context);
  if (!attribute)
    python::raise(PyExc_ValueError, "there is no attribute " + text);
  return attribute;
}

//===----------------------------------------------------------------------===//
// Regions and ops
//===----------------------------------------------------------------------===//

std::vector<ValueHandle>
IrBuilder::beginRegion(const std::vector<std::string> &types) {
  auto region = std::make_unique<Region>();
  Block &block = region->emplaceBlock();
  std::vector<ValueHandle> arguments;
  for (const std::string &type : types)
    arguments.push_back({block.addArgument(getType(type), getLocation())});
  open.emplace_back(std::move(region), builder.saveInsertionPoint());
  builder.setInsertionPointToEnd(&block);
  return arguments;
}

unsigned IrBuilder::endRegion() {
  auto [region, point] = std::move(open.back());
  open.pop_back();
  builder.restoreInsertionPoint(point);
  closed.push_back(std::move(region));
  return closed.size() - 1;
}

void IrBuilder::resumeRegion(unsigned region) {
  beforeResumption = builder.saveInsertionPoint();
  builder.setInsertionPointToEnd(&closed[region]->front());
}

void IrBuilder::leaveRegion() {
  builder.restoreInsertionPoint(beforeResumption);
}

std::vector<ValueHandle> IrBuilder::createOp(
    const std::string &name, const std::vector<ValueHandle> &operands,
    const std::vector<std::string> &types,
    const std::vector<std::pair<std::string, std::string>> &attributes,
    const std::vector<unsigned> &regions) {
  context.getOrLoadDialect(llvm::StringRef(name).split('.').first);
  OperationState state(getLocation(), name);
  if (!state.name.isRegistered())
    python::raise(PyExc_ValueError, "there is no op " + llvm::Twine(name));
  for (const ValueHandle &operand : operands)
    state.operands.push_back(operand.value);
  for (const std::string &type : types)
    state.types.push_back(getType(type));
  for (const auto &[key, text] : attributes)
    state.addAttribute(key, getAttribute(text));
  for (unsigned region : regions)
    state.addRegion(std::move(closed[region]));
  Operation *op = builder.create(state);
  std::vector<ValueHandle> results;
  for (Value result : op->getResults())
    results.push_back({result});
  return results;
}

/// A Python number in the bits of an integer type.
static APInt readInteger(nb::handle number, unsigned width) {
  std::string digits = nb::str(number).c_str();
  APInt value(std::max<unsigned>(width, 72), digits, 10);
  return value.trunc(width);
}

/// Rounded to nearest, ties to even; infinities and NaN too.
static APFloat readFloat(nb::handle number, FloatType type) {
  APFloat value(nb::cast<double>(number));
  bool losesInfo = false;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

ValueHandle IrBuilder::createConstant(const std::string &text,
                                      nb::handle number) {
  context.getOrLoadDialect<arith::ArithDialect>();
  Type type = getType(text);
  auto shaped = dyn_cast<ShapedType>(type);
  Type element = shaped ? shaped.getElementType() : type;
  TypedAttr value;
  if (auto floats = dyn_cast<FloatType>(element))
    value = FloatAttr::get(element, readFloat(number, floats));
  else if (element.isIndex())
    value = IntegerAttr::get(element, readInteger(number, 64));
  else
    value = IntegerAttr::get(
        element, readInteger(number, element.getIntOrFloatBitWidth()));
  if (shaped)
    value = DenseElementsAttr::get(shaped, Attribute(value));
  return {arith::ConstantOp::create(builder, getLocation(), value)};
}

/// The module as text, with all places; ValueError where it is no program,
/// which is a mistake of the front end.
std::string IrBuilder::finish() {
  std::string wrong;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    wrong += diagnostic.str() + "\n";
  });
  if (failed(verify(*module)))
    python::raise(PyExc_ValueError, wrong);
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().enableDebugInfo());
  return text;
}

//===----------------------------------------------------------------------===//
// The classes
//===----------------------------------------------------------------------===//

void python::bindIrBuilder(nb::module_ &module) {
  nb::class_<ValueHandle>(module, "Value", "A value of a tile program.")
      .def_prop_ro(
          "type",
          [](const ValueHandle &handle) {
            std::string text;
            llvm::raw_string_ostream os(text);
            os << handle.value.getType();
            return text;
          },
          "Its type in MLIR.");
  nb::class_<IrBuilder>(module, "IrBuilder", "Writes a tile program, op by op.")
      .def(nb::init<const std::string &, unsigned, unsigned>(), "file"_a,
           "line"_a, "column"_a)
      .def("enter_call", &IrBuilder::enterCall, "file"_a,
           "What follows stands in a function that is called here.")
      .def("leave_call", &IrBuilder::leaveCall)
      .def("set_place", &IrBuilder::setPlace, "line"_a, "column"_a,
           "Where in its file the next op comes from.")
      .def("begin_region", &IrBuilder::beginRegion, "types"_a,
           "Opens a region; gives the arguments of its block.")
      .def("end_region", &IrBuilder::endRegion,
           "Closes it; gives its number, for the op that takes it.")
      .def("resume_region", &IrBuilder::resumeRegion, "region"_a,
           "Goes on at the end of a region that was closed.")
      .def("leave_region", &IrBuilder::leaveRegion,
           "Ends that, and goes back to where it began.")
      .def("op", &IrBuilder::createOp, "name"_a, "operands"_a, "types"_a,
           "attributes"_a = std::vector<std::pair<std::string, std::string>>(),
           "regions"_a = std::vector<unsigned>(),
           "Writes an op; gives its results.")
      .def("constant", &IrBuilder::createConstant, "type"_a, "number"_a)
      .def("finish", &IrBuilder::finish, "The program as text.");
}
