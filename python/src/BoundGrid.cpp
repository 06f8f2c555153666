//===- BoundGrid.cpp - A Python kernel with its grid ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundGrid.h"

#include "DispatchCall.h"
#include "Errors.h"
#include <cstddef>
#include <structmember.h>

namespace nb = nanobind;
using namespace tilewright;
using namespace tilewright::python;

namespace {
struct BoundGrid {
  PyObject_HEAD vectorcallfunc call;
  /// Holds the kernel.
  PyObject *dispatcher;
  Dispatcher *kernel;
  /// What makes the grid of the arguments; null where it is known.
  PyObject *function;
  runtime::GridSize size;
};
} // namespace

static PyObject *callBound(PyObject *self, PyObject *const *arguments,
                           size_t countAndFlag, PyObject *names) {
  return returnToPython([&] {
    auto *bound = reinterpret_cast<BoundGrid *>(self);
    DispatchCall call(*bound->kernel, DispatchCall::Purpose::Launch);
    call.bind(arguments, PyVectorcall_NARGS(countAndFlag), names);
    return call.launch(bound->function ? call.callGrid(bound->function)
                                       : bound->size);
  });
}

static void deallocate(PyObject *self) {
  auto *bound = reinterpret_cast<BoundGrid *>(self);
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_XDECREF(bound->function);
  Py_DECREF(bound->dispatcher);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

/// It is never changed, so that who is in a cycle with it breaks that.
static int traverse(PyObject *self, visitproc visit, void *arg) {
  auto *bound = reinterpret_cast<BoundGrid *>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(bound->function);
  Py_VISIT(bound->dispatcher);
  return 0;
}

static PyTypeObject *makeType() {
  static PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                   offsetof(BoundGrid, call), READONLY,
                                   nullptr},
                                  {nullptr, 0, 0, 0, nullptr}};
  static const char doc[] =
      "A kernel with its grid: call it with the kernel's arguments.";
  static PyType_Slot slots[] = {
      {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
      {Py_tp_dealloc, reinterpret_cast<void *>(deallocate)},
      {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
      {Py_tp_members, members},
      {Py_tp_doc, const_cast<char *>(doc)},
      {0, nullptr}};
  static PyType_Spec spec = {"tilewright._core.BoundGrid", sizeof(BoundGrid), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                 Py_TPFLAGS_HAVE_VECTORCALL |
                                 Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             slots};
  auto *type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  if (!type)
    throw nb::python_error();
  return type;
}

nb::object python::makeBoundGrid(PyObject *dispatcher, Dispatcher &kernel,
                                 PyObject *grid) {
  static PyTypeObject *type = makeType();
  bool isFunction = PyCallable_Check(grid) != 0;
  runtime::GridSize size = {};
  if (!isFunction)
    size = readGrid(grid, kernel.getName());
  auto *bound = PyObject_GC_New(BoundGrid, type);
  if (!bound)
    throw nb::python_error();
  bound->call = callBound;
  bound->dispatcher = Py_NewRef(dispatcher);
  bound->kernel = &kernel;
  bound->function = isFunction ? Py_NewRef(grid) : nullptr;
  bound->size = size;
  PyObject_GC_Track(bound);
  return nb::steal(reinterpret_cast<PyObject *>(bound));
}
