//===- Functions.cpp - Functions that kernels call ------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tilewright/Dialect/Tile/Analysis/Language.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

static LogicalResult checkFunction(func::FuncOp function) {
  auto fail = [&](const Twine &why) {
    return function.emitError("function '")
           << function.getSymName() << "' " << why;
  };
  if (!function.isPrivate())
    return fail("is public, but only kernels can be launched: write "
                "`func.func private`");
  if (function.isExternal())
    return fail("has no body: nothing is linked to a kernel, and what it calls "
                "stands in its file");
  if (!function.getBody().hasOneBlock())
    return fail("has several blocks: loops are scf.for and scf.while, choices "
                "are scf.if");
  if (function.getAllArgAttrs() || function.getAllResultAttrs())
    return fail("has attributes on its arguments or results: it becomes part "
                "of its kernels, and promises are made at their arguments");
  WalkResult result = function.getBody().walk([](Operation *op) -> WalkResult {
    if (isa<func::CallOp, func::ReturnOp>(op) ||
        tile::isInLanguage(op->getName()))
      return WalkResult::advance();
    // Says that it is not part of the language.
    return tile::checkInLanguage(op, /*numWarps=*/1);
  });
  return failure(result.wasInterrupted());
}

/// Fails at a function that is on a circle of calls.
static LogicalResult checkCircles(ModuleOp module) {
  CallGraph graph(module);
  for (auto component = llvm::scc_begin<const CallGraph *>(&graph);
       !component.isAtEnd(); ++component) {
    if (!component.hasCycle())
      continue;
    SmallVector<func::FuncOp> circle;
    for (CallGraphNode *node : *component)
      if (!node->isExternal())
        circle.push_back(
            cast<func::FuncOp>(node->getCallableRegion()->getParentOp()));
    // In the order of the source.
    func::FuncOp first = *llvm::min_element(
        circle, [](auto a, auto b) { return a->isBeforeInBlock(b); });
    InFlightDiagnostic error = first.emitError("function '")
                               << first.getSymName() << "' calls itself";
    if (circle.size() > 1)
      error << " through others";
    return error << ": functions become part of their kernels, which cannot "
                    "be with recursion; write a loop";
  }
  return success();
}

/// More than are compiled in a minute.
static constexpr uint64_t kMostOps = 1 << 20;

/// Ops that come to stand there: those of functions as often as they are
/// called.
static uint64_t countOps(Operation *caller,
                         const llvm::StringMap<uint64_t> &known) {
  uint64_t count = 0;
  caller->walk([&](Operation *op) {
    auto call = dyn_cast<func::CallOp>(op);
    count = llvm::SaturatingAdd(count, call ? known.lookup(call.getCallee())
                                            : uint64_t(1));
  });
  return count;
}

/// Fails at a kernel that would become too large: functions that call each
/// other twice are four times a third one, and so on.
static LogicalResult checkSizes(ModuleOp module) {
  llvm::StringMap<uint64_t> known;
  CallGraph graph(module);
  // Those that are called come first.
  for (auto component = llvm::scc_begin<const CallGraph *>(&graph);
       !component.isAtEnd(); ++component)
    for (CallGraphNode *node : *component)
      if (auto function = node->isExternal()
                              ? func::FuncOp()
                              : dyn_cast<func::FuncOp>(
                                    node->getCallableRegion()->getParentOp()))
        known[function.getSymName()] = countOps(function, known);
  for (auto kernel : module.getOps<tile::KernelOp>())
    if (countOps(kernel, known) > kMostOps)
      return kernel.emitError("comes to more than ")
             << kMostOps
             << " ops with the functions that it calls, which become part of "
                "it: call them in a loop of run time";
  return success();
}

LogicalResult tilewright::inlineFunctions(ModuleOp module) {
  auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
  if (functions.empty())
    return success();
  for (func::FuncOp function : functions)
    if (failed(checkFunction(function)))
      return failure();
  if (failed(checkCircles(module)) || failed(checkSizes(module)))
    return failure();

  PassManager manager(module.getContext());
  // Nothing is simplified before the door has seen it.
  manager.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  if (failed(manager.run(module)))
    return failure();
  WalkResult left =
      module.walk<WalkOrder::PreOrder>([](Operation *op) -> WalkResult {
        if (isa<func::FuncOp>(op))
          return WalkResult::skip();
        if (!isa_and_nonnull<func::FuncDialect>(op->getDialect()))
          return WalkResult::advance();
        auto call = dyn_cast<func::CallOp>(op);
        if (!call) // Says that functions are no values.
          return tile::checkInLanguage(op, /*numWarps=*/1);
        return call.emitError("the call of '")
               << call.getCallee()
               << "' cannot become part of its kernel: leave out no_inline";
      });
  if (left.wasInterrupted())
    return failure();
  for (func::FuncOp function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    function.erase();
  // What a kernel asks of its ops, it asks of these too.
  return verify(module);
}
