//===- Messages.cpp - What a compilation says -----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Messages.h"

#include "PlainWords.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "tilewright/Dialect/Tile/IR/ShortageDiagnostic.h"

using namespace mlir;
using namespace tilewright;

static CompileDiagnostic::Severity getSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return CompileDiagnostic::Severity::Error;
  case DiagnosticSeverity::Warning:
    return CompileDiagnostic::Severity::Warning;
  case DiagnosticSeverity::Remark:
    return CompileDiagnostic::Severity::Remark;
  case DiagnosticSeverity::Note:
    return CompileDiagnostic::Severity::Note;
  }
  llvm_unreachable("unknown severity");
}

static CompileDiagnostic describe(Diagnostic &diagnostic) {
  CompileDiagnostic result;
  result.severity = getSeverity(diagnostic.getSeverity());
  result.message = diagnostic.str();
  result.shortage = tile::getShortage(diagnostic);
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    result.place = {place.getFilename().str(), place.getLine(),
                    place.getColumn()};
  for (Diagnostic &note : diagnostic.getNotes())
    result.notes.push_back(describe(note));
  return result;
}

Messages::Messages(MLIRContext &context, llvm::SourceMgr &sources,
                   const CompileOptions &options, llvm::raw_ostream &os)
    : context(context), sources(sources), options(options),
      printedOps(context.shouldPrintOpOnDiagnostic()),
      writer(sources, &context, os),
      handler(&context,
              [this](Diagnostic &diagnostic) { return handle(diagnostic); }) {
  context.printOpOnDiagnostic(false);
}

Messages::~Messages() { context.printOpOnDiagnostic(printedOps); }

/// Success stands for handled: then it is written nowhere.
LogicalResult Messages::handle(Diagnostic &diagnostic) {
  if (sawError && isAftermath(diagnostic))
    return success();
  sawError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
  if (diagnostic.getSeverity() == DiagnosticSeverity::Remark &&
      !options.showRemarks)
    return success();
  sayPlainly(diagnostic, sources.getNumBuffers() == 0
                             ? StringRef()
                             : sources.getMemoryBuffer(1)->getBuffer());
  if (options.onDiagnostic)
    options.onDiagnostic(describe(diagnostic));
  return failure();
}
