//===- Dispatcher.cpp - The class tilewright._core.Dispatcher -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dispatcher.h"

#include "BoundGrid.h"
#include "DispatchCall.h"
#include "Errors.h"
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace tilewright;
using namespace tilewright::python;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// "tl.int64", "'i64'"; nothing for what names no type of a scalar.
static std::optional<SignatureType> parseAnnotation(llvm::StringRef text) {
  text = text.trim(" '\"");
  llvm::StringRef last = text.rsplit('.').second;
  return SignatureType::parse(last.empty() ? text : last);
}

Parameter python::readParameter(nb::handle description, nb::handle required) {
  if (!PyTuple_Check(description.ptr()) || nb::len(description) != 6)
    raise(PyExc_TypeError,
          "a parameter is (name, is_constexpr, do_not_specialize, "
          "do_not_specialize_on_alignment, default, annotation)");
  Parameter parameter;
  parameter.name = nb::cast<std::string>(description[0]);
  parameter.key = nb::steal(PyUnicode_InternFromString(parameter.name.c_str()));
  parameter.isConstant = nb::cast<bool>(description[1]);
  auto isGeneral = nb::cast<bool>(description[2]);
  parameter.specializesOne = !isGeneral;
  parameter.specializesAlignment =
      !isGeneral && !nb::cast<bool>(description[3]);
  nb::object defaultValue = description[4];
  if (!defaultValue.is(required))
    parameter.defaultValue = std::move(defaultValue);
  parameter.type = parseAnnotation(nb::cast<std::string>(description[5]));
  parameter.declared = spec::scalar(
      parameter.name, parameter.type ? parameter.type->getElementType()
                                     : spec::ElementType::F32);
  return parameter;
}

/// What stands for no default: an object that no user has.
static nb::object getRequired() {
  static PyObject *required =
      PyObject_CallNoArgs(reinterpret_cast<PyObject *>(&PyBaseObject_Type));
  return nb::borrow(required);
}

//===----------------------------------------------------------------------===//
// The code so far
//===----------------------------------------------------------------------===//

Dispatcher::Dispatcher(std::string name, const nb::list &described,
                       nb::object compile)
    : name(std::move(name)), compile(std::move(compile)) {
  nb::object required = getRequired();
  for (nb::handle each : described) {
    Parameter &parameter =
        parameters.emplace_back(readParameter(each, required));
    parameter.sharedOption = DispatchCall::findSharedOption(parameter.name);
  }
}

std::string Dispatcher::getSignature() const {
  std::string text;
  for (const Parameter &parameter : parameters) {
    text += (text.empty() ? "" : ", ") + parameter.name;
    if (parameter.defaultValue.is_valid())
      text += std::string("=") + nb::repr(parameter.defaultValue).c_str();
  }
  return name + "(" + text + ")";
}

CompiledCall *Dispatcher::find(const CallKey &key) {
  bool hasObjects = !key.getObjects().empty();
  if (LLVM_LIKELY(!hasObjects && last &&
                  last->key.getBytes() == key.getBytes()))
    return last;
  auto found = codesOfBytes.find(key.getBytes());
  if (found == codesOfBytes.end())
    return nullptr;
  if (LLVM_LIKELY(!hasObjects))
    return last = found->second.front();
  // Comparing objects may run Python, and that may add to the map.
  llvm::SmallVector<CompiledCall *, 1> candidates = found->second;
  for (CompiledCall *code : candidates)
    if (key.isSame(code->key))
      return code;
  return nullptr;
}

CompiledCall *Dispatcher::add(CompiledCall code) {
  if (CompiledCall *found = find(code.key))
    return found;
  auto made = std::make_unique<CompiledCall>(std::move(code));
  made->key.keep();
  codesOfBytes[made->key.getBytes()].push_back(made.get());
  codes.push_back(std::move(made));
  return codes.back().get();
}

void Dispatcher::watch(nb::object owner, nb::object name, nb::object value,
                       nb::object shown) {
  for (const WatchedName &each : watched)
    if (each.isOf(owner, name))
      return;
  watched.emplace_back(std::move(owner), std::move(name), std::move(value),
                       std::move(shown));
}

const WatchedName *Dispatcher::findChanged() const {
  for (const WatchedName &each : watched)
    if (each.hasChanged())
      return &each;
  return nullptr;
}

nb::list Dispatcher::getKernels() const {
  nb::list kernels;
  for (const std::unique_ptr<CompiledCall> &code : codes)
    kernels.append(code->handle);
  return kernels;
}

int Dispatcher::traverse(visitproc visit, void *arg) const {
  Py_VISIT(compile.ptr());
  Py_VISIT(keywords.names.ptr());
  for (const Parameter &parameter : parameters)
    Py_VISIT(parameter.defaultValue.ptr());
  for (const WatchedName &each : watched) {
    Py_VISIT(each.getOwner().ptr());
    Py_VISIT(each.getValue().ptr());
  }
  for (const std::unique_ptr<CompiledCall> &code : codes) {
    Py_VISIT(code->handle.ptr());
    for (PyObject *object : code->key.getObjects())
      Py_VISIT(object);
  }
  return 0;
}

void Dispatcher::clear() {
  // What is dropped may run Python, which is to find nothing half gone.
  last = launched = nullptr;
  nb::object oldCompile = std::move(compile);
  codesOfBytes.clear();
  auto oldCodes = std::exchange(codes, {});
  auto oldNames = std::exchange(watched, {});
  KeywordPlaces oldKeywords = std::exchange(keywords, {});
  for (Parameter &parameter : parameters)
    nb::object old = std::move(parameter.defaultValue);
  for (const std::unique_ptr<CompiledCall> &code : oldCodes)
    code->key.release();
}

//===----------------------------------------------------------------------===//
// The class
//===----------------------------------------------------------------------===//

static PyObject *getItem(PyObject *self, PyObject *grid) {
  return returnToPython([&] {
    // A subclass may have forgotten to make its base.
    if (!nb::inst_ready(self))
      raise(PyExc_TypeError, "Dispatcher.__init__() was not called");
    return makeBoundGrid(self, *nb::inst_ptr<Dispatcher>(self), grid);
  });
}

static int traverseObject(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self))
    return 0;
  return nb::inst_ptr<Dispatcher>(self)->traverse(visit, arg);
}

static int clearObject(PyObject *self) {
  if (nb::inst_ready(self))
    nb::inst_ptr<Dispatcher>(self)->clear();
  return 0;
}

static nb::object warmup(Dispatcher &dispatcher, const nb::args &arguments,
                         const nb::kwargs &keywords) {
  llvm::SmallVector<PyObject *, 16> objects;
  for (nb::handle argument : arguments)
    objects.push_back(argument.ptr());
  nb::list names;
  for (auto [name, value] : keywords) {
    names.append(name);
    objects.push_back(value.ptr());
  }
  DispatchCall call(dispatcher, DispatchCall::Purpose::Warmup);
  nb::tuple nameTuple(names);
  call.bind(objects.data(), arguments.size(), nameTuple.ptr());
  return call.prepare();
}

static void refuseCall(Dispatcher &dispatcher, const nb::args & /*arguments*/,
                       const nb::kwargs & /*keywords*/) {
  raise(PyExc_TypeError, dispatcher.getName() +
                             ": a kernel is launched with a grid: " +
                             dispatcher.getName() + "[grid](...)");
}

static constexpr const char *warmupDoc =
    R"(Compiles the kernel for such arguments, and launches nothing.

Types may stand in place of values: a dtype, or "*fp32", for an array, "i32" for
a number; "*fp32:16" is an array at a multiple of 16 bytes, as a dtype is.)";

void python::bindDispatcher(nb::module_ &module) {
  static PyType_Slot slots[] = {
      {Py_mp_subscript, reinterpret_cast<void *>(getItem)},
      {Py_tp_traverse, reinterpret_cast<void *>(traverseObject)},
      {Py_tp_clear, reinterpret_cast<void *>(clearObject)},
      {0, nullptr}};
  module.attr("REQUIRED") = getRequired();
  nb::class_<Dispatcher>(
      module, "Dispatcher", nb::type_slots(slots),
      "A kernel that is a Python function: compiled for each combination of "
      "types, constants and options that its calls have, and launched.")
      .def(nb::init<std::string, nb::list, nb::object>(), "name"_a,
           "parameters"_a, "compile"_a,
           nb::sig("def __init__(self, name: str, parameters: list[tuple[str, "
                   "bool, bool, bool, object, str]], compile: "
                   "typing.Callable[[tuple[typing.Any, ...], dict[str, "
                   "typing.Any], dict[str, typing.Any]], Kernel]) -> None"))
      .def("watch", &Dispatcher::watch, "owner"_a, "name"_a, "value"_a.none(),
           "shown"_a,
           "Has calls fail once a name of a dictionary, or an attribute, has "
           "another value.")
      .def("__call__", &refuseCall,
           nb::sig("def __call__(self, *args: object, **kwargs: object) -> "
                   "typing.NoReturn"))
      .def("warmup", &warmup,
           nb::sig("def warmup(self, *args: object, grid: object = None, "
                   "**arguments: object) -> Kernel"),
           warmupDoc)
      .def_prop_ro("kernels", &Dispatcher::getKernels,
                   nb::sig("def kernels(self) -> list[Kernel]"),
                   "All that is compiled so far, in that order.");
}
