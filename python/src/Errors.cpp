//===- Errors.cpp - LLVM's errors as Python's exceptions ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Errors.h"

#include "tilewright/Jit/Kernel.h"
#include "llvm/Support/JSON.h"
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace tilewright;

void python::raise(PyObject *type, const llvm::Twine &text) {
  // Parts of a source may stand in it that are no text.
  PyErr_SetString(type, llvm::json::fixUTF8(text.str()).c_str());
  throw nb::python_error();
}

static nb::object find(const char *name) {
  return nb::module_::import_("tilewright.errors").attr(name);
}

[[noreturn]] static void raise(const CompileFailure &failure) {
  auto describe = [](const CompileDiagnostic &diagnostic) {
    return nb::make_tuple(llvm::json::fixUTF8(diagnostic.message),
                          diagnostic.place.file, diagnostic.place.line,
                          diagnostic.place.column);
  };
  const CompileDiagnostic &error = failure.getFirstError();
  nb::list notes;
  for (const CompileDiagnostic &note : error.notes)
    notes.append(describe(note));
  nb::object shortage = nb::none();
  if (const std::optional<Shortage> &found = error.shortage)
    shortage = nb::make_tuple(found->required, found->limit, found->name);
  nb::object exception =
      find("make_compile_error")(llvm::json::fixUTF8(failure.getText()),
                                 *describe(error), notes, shortage);
  PyErr_SetObject(exception.type().ptr(), exception.ptr());
  throw nb::python_error();
}

void python::raise(llvm::Error error, const char *otherwise) {
  // Exceptions must not pass through LLVM's handlers.
  std::optional<CompileFailure> failure;
  error = llvm::handleErrors(
      std::move(error), [&](const CompileFailure &made) { failure = made; });
  if (failure)
    ::raise(*failure);
  if (error.isA<jit::SimulatorFindings>())
    otherwise = "SimulatorError";
  raise(find(otherwise).ptr(), llvm::toString(std::move(error)));
}
