//===- IrBuilder.cpp - The class tilewright._core.IrBuilder ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IrBuilder.h"

#include "Errors.h"
#include "tilewright/Jit/LoadedCompiler.h"
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace tilewright;

namespace {

/// The value, or a ValueError: a mistake of the front end.
template <typename T> T take(ProgramBuilder::Result<T> result) {
  if (auto *refusal = std::get_if<ProgramBuilder::Refusal>(&result))
    python::raise(PyExc_ValueError, refusal->text);
  return std::move(std::get<T>(result));
}

/// A value of the program that is being written, which the front end keeps no
/// longer than its builder.
struct ValueHandle {
  ProgramBuilder *builder;
  ProgramBuilder::Value value;
};

class IrBuilder {
public:
  IrBuilder(const std::string &file, unsigned line, unsigned column)
      : builder(python::unwrap(jit::loadCompiler(), "LaunchError")
                    ->createBuilder(file, line, column)) {}

  ProgramBuilder &operator*() { return *builder; }

  std::vector<ValueHandle> beginRegion(const ProgramBuilder::Texts &types) {
    return wrap(take(builder->beginRegion(types)));
  }
  std::vector<ValueHandle>
  createOp(const std::string &name, const std::vector<ValueHandle> &operands,
           const ProgramBuilder::Texts &types,
           const ProgramBuilder::Attributes &attributes,
           const std::vector<unsigned> &regions);
  ValueHandle createConstant(const std::string &type, nb::handle number);

private:
  std::vector<ValueHandle>
  wrap(const std::vector<ProgramBuilder::Value> &values) {
    std::vector<ValueHandle> handles;
    handles.reserve(values.size());
    for (ProgramBuilder::Value value : values)
      handles.push_back({builder.get(), value});
    return handles;
  }

  std::unique_ptr<ProgramBuilder> builder;
};

} // namespace

std::vector<ValueHandle>
IrBuilder::createOp(const std::string &name,
                    const std::vector<ValueHandle> &operands,
                    const ProgramBuilder::Texts &types,
                    const ProgramBuilder::Attributes &attributes,
                    const std::vector<unsigned> &regions) {
  std::vector<ProgramBuilder::Value> values;
  values.reserve(operands.size());
  for (const ValueHandle &operand : operands)
    values.push_back(operand.value);
  return wrap(
      take(builder->createOp(name, values, types, attributes, regions)));
}

ValueHandle IrBuilder::createConstant(const std::string &type,
                                      nb::handle number) {
  if (take(builder->hasFloats(type)))
    return {builder.get(),
            take(builder->createFloat(type, nb::cast<double>(number)))};
  return {builder.get(),
          take(builder->createInteger(type, nb::str(number).c_str()))};
}

void python::bindIrBuilder(nb::module_ &module) {
  nb::class_<ValueHandle>(module, "Value", "A value of a tile program.")
      .def_prop_ro(
          "type",
          [](const ValueHandle &handle) {
            return handle.builder->getType(handle.value);
          },
          "Its type in MLIR.");
  nb::class_<IrBuilder>(module, "IrBuilder", "Writes a tile program, op by op.")
      .def(nb::init<const std::string &, unsigned, unsigned>(), "file"_a,
           "line"_a, "column"_a)
      .def(
          "enter_call",
          [](IrBuilder &self, const std::string &file) {
            (*self).enterCall(file);
          },
          "file"_a, "What follows stands in a function that is called here.")
      .def("leave_call", [](IrBuilder &self) { (*self).leaveCall(); })
      .def(
          "set_place",
          [](IrBuilder &self, unsigned line, unsigned column) {
            (*self).setPlace(line, column);
          },
          "line"_a, "column"_a, "Where in its file the next op comes from.")
      .def("begin_region", &IrBuilder::beginRegion, "types"_a,
           "Opens a region; gives the arguments of its block.")
      .def(
          "end_region", [](IrBuilder &self) { return (*self).endRegion(); },
          "Closes it; gives its number, for the op that takes it.")
      .def(
          "resume_region",
          [](IrBuilder &self, unsigned region) {
            (*self).resumeRegion(region);
          },
          "region"_a, "Goes on at the end of a region that was closed.")
      .def(
          "leave_region", [](IrBuilder &self) { (*self).leaveRegion(); },
          "Ends that, and goes back to where it began.")
      .def("op", &IrBuilder::createOp, "name"_a, "operands"_a, "types"_a,
           "attributes"_a = ProgramBuilder::Attributes(),
           "regions"_a = std::vector<unsigned>(),
           "Writes an op; gives its results.")
      .def("constant", &IrBuilder::createConstant, "type"_a, "number"_a)
      .def(
          "finish", [](IrBuilder &self) { return take((*self).finish()); },
          "The program as text.");
}
