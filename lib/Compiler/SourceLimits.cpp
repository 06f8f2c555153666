//===- SourceLimits.cpp - What MLIR's parser does not bear ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Compiler/SourceLimits.h"

#include "Nesting.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tilewright;

/// Begins an error at that position of the only source.
static InFlightDiagnostic emitErrorAt(size_t position,
                                      const llvm::SourceMgr &sources,
                                      MLIRContext &context) {
  const llvm::MemoryBuffer *source = sources.getMemoryBuffer(1);
  auto [line, column] = sources.getLineAndColumn(
      llvm::SMLoc::getFromPointer(source->getBufferStart() + position));
  return mlir::emitError(FileLineColLoc::get(
      &context, source->getBufferIdentifier(), line, column));
}

LogicalResult tilewright::checkSourceLimits(const llvm::SourceMgr &sources,
                                            MLIRContext &context) {
  StringRef source = sources.getMemoryBuffer(1)->getBuffer();
  if (std::optional<size_t> position = findTooDeepNesting(source))
    return emitErrorAt(*position, sources, context)
           << "more than " << kMaxNesting << " brackets are open here";
  if (std::optional<size_t> position = findTooLongNumber(source))
    return emitErrorAt(*position, sources, context)
           << "more than " << kMaxDigits << " digits stand here";
  if (std::optional<size_t> position = findArrayOfIndices(source))
    return emitErrorAt(*position, sources, context)
           << "an array has no elements of index: give them a type with a "
              "width, as in array<i64: 1, 2>";
  return success();
}

LogicalResult tilewright::checkSourceLimits(llvm::MemoryBufferRef source,
                                            llvm::raw_ostream &messages) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(source),
                             llvm::SMLoc());
  MLIRContext context(MLIRContext::Threading::DISABLED);
  SourceMgrDiagnosticHandler writer(sources, &context, messages);
  return checkSourceLimits(sources, context);
}
