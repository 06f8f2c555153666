//===- Launch.cpp - Launches with Python's arguments ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Scalars.h"
#include "llvm/ADT/STLExtras.h"

namespace nb = nanobind;
using namespace tilewright;
using namespace tilewright::python;
using jit::SpecializedKernel;

std::string python::getSignature(jit::Kernel &kernel) {
  llvm::Expected<SpecializedKernel *> launches = kernel.getLaunches();
  std::string text;
  for (auto [index, argument] : llvm::enumerate(kernel.getArguments())) {
    llvm::StringRef shape =
        launches && argument.isPointer()
            ? (*launches)->getShapeText(index).drop_front(argument.name.size())
            : "";
    text += (index ? ", " : "") + argument.name + ": " +
            spec::getName(argument.type).str() +
            (argument.isPointer() && shape.empty() ? "[...]" : shape.str());
  }
  llvm::consumeError(launches.takeError());
  return kernel.getName().str() + "(" + text + ")";
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void Call::checkArrays(const jit::LaunchPlan &plan) {
  if (!launches.hasShapes())
    return;
  for (auto [index, argument] : llvm::enumerate(declared)) {
    if (!argument.isPointer())
      continue;
    if (llvm::Error error =
            runtime::verifyTensor(argument.name, launches.getShapeText(index),
                                  plan.extents[index], arrays[index].view))
      refuse(PyExc_ValueError, llvm::toString(std::move(error)));
  }
}

runtime::GridSize Call::getGrid(const jit::LaunchPlan &plan) {
  if (!grid && plan.grid)
    return *plan.grid;
  if (grid && plan.grid && *grid != *plan.grid)
    refuse(PyExc_ValueError, "grid is " + runtime::toString(*grid) +
                                 ", but the kernel's own grid is " +
                                 runtime::toString(*plan.grid) +
                                 " here: leave grid= out");
  if (grid)
    return *grid;
  refuse(PyExc_TypeError, "the kernel declares no grid: pass one, such as "
                          "grid=(blocks,)");
}

void Call::run() {
  std::shared_ptr<const jit::LaunchPlan> plan;
  {
    llvm::Expected<std::shared_ptr<const jit::LaunchPlan>> made =
        launches.plan(bits);
    if (!made)
      refuse(PyExc_ValueError, llvm::toString(made.takeError()));
    plan = std::move(*made);
  }
  checkArrays(*plan);
  launch.run(getGrid(*plan));
}

std::shared_ptr<const jit::LaunchPlan>
Call::planFor(const nb::kwargs &scalars) {
  readKeywords(scalars, /*takesOptions=*/false);
  for (auto [index, argument] : llvm::enumerate(declared)) {
    bool isGiven = given[index].is_valid();
    if (argument.isPointer() && isGiven)
      refuse(PyExc_TypeError,
             "'" + argument.name + "' is an array; a grid depends on integers");
    if (isGiven)
      bits[index] = readScalar(given[index], argument);
    else if (!argument.isPointer() && spec::isInteger(argument.type))
      refuse(PyExc_TypeError, "'" + argument.name + "' is missing; it is " +
                                  getSignature(kernel));
  }
  llvm::Expected<std::shared_ptr<const jit::LaunchPlan>> plan =
      launches.plan(bits);
  if (!plan)
    refuse(PyExc_ValueError, llvm::toString(plan.takeError()));
  return *plan;
}

void python::launch(jit::Kernel &kernel, const nb::args &arguments,
                    const nb::kwargs &keywords) {
  Call call(kernel, *unwrap(kernel.getLaunches(), "LaunchError"));
  call.readArguments(arguments, keywords);
  call.run();
}

nb::tuple python::getGrid(jit::Kernel &kernel, const nb::args &unnamed,
                          const nb::kwargs &scalars) {
  if (unnamed.size() != 0)
    raise(PyExc_TypeError, llvm::Twine(kernel.getName()) +
                               ": a grid takes its scalars by name, such as "
                               "grid(M=300, N=200)");
  Call call(kernel, *unwrap(kernel.getLaunches(), "LaunchError"));
  std::shared_ptr<const jit::LaunchPlan> plan = call.planFor(scalars);
  if (!plan->grid)
    raise(PyExc_ValueError,
          llvm::Twine(kernel.getName()) + ": the kernel declares no grid");
  const runtime::GridSize &grid = *plan->grid;
  return nb::make_tuple(grid[0], grid[1], grid[2]);
}
