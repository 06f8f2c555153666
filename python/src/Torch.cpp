//===- Torch.cpp - PyTorch's tensors and streams --------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Torch.h"

#include "DLPackExchange.h"
#include "Errors.h"
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace tilewright;
using namespace tilewright::python;

namespace {

/// The names of what a launch asks of a tensor, made once.
struct Names {
  PyObject *torch = PyUnicode_InternFromString("torch");
  PyObject *dtype = PyUnicode_InternFromString("dtype");
  PyObject *shape = PyUnicode_InternFromString("shape");
  PyObject *numel = PyUnicode_InternFromString("numel");
  PyObject *dataPtr = PyUnicode_InternFromString("data_ptr");
  PyObject *getDevice = PyUnicode_InternFromString("get_device");
  PyObject *isContiguous = PyUnicode_InternFromString("is_contiguous");
  PyObject *stride = PyUnicode_InternFromString("stride");

  static const Names &get() {
    static const Names *names = new Names();
    return *names;
  }
};

/// What of PyTorch is needed again and again. The objects live as long as the
/// process, as PyTorch itself does.
class Torch {
public:
  /// Null where nobody has imported PyTorch.
  static Torch *find();

  bool isTensor(PyObject *object) {
    return isPlain(object) || isOtherTensor(Py_TYPE(object));
  }
  /// No subclass, which may mean something else by its methods. Parameters of
  /// modules do not.
  bool isPlain(PyObject *object) const {
    auto *type = reinterpret_cast<PyObject *>(Py_TYPE(object));
    return type == tensorType.ptr() || type == parameterType.ptr();
  }
  const DLPackExchange &getExchange() const { return exchange; }
  std::optional<ElementKind> getKind(PyObject *dtype);
  uintptr_t getStream(unsigned device);
  void recordStream(nb::handle tensor, uintptr_t stream, unsigned device);

private:
  explicit Torch(nb::object module);
  bool isOtherTensor(PyTypeObject *type);

  nb::object module, tensorType, parameterType, rawStream;
  DLPackExchange exchange;
  std::vector<std::pair<PyObject *, ElementKind>> kinds;
};

} // namespace

Torch *Torch::find() {
  static Torch *found = nullptr;
  if (LLVM_LIKELY(found != nullptr))
    return found;
  nb::object module = nb::steal(PyImport_GetModule(Names::get().torch));
  if (!module.is_valid()) {
    PyErr_Clear();
    return nullptr;
  }
  // While it is being imported it has no tensors yet.
  if (nb::hasattr(module, "Tensor") &&
      PyType_Check(module.attr("Tensor").ptr()))
    found = new Torch(std::move(module));
  return found;
}

Torch::Torch(nb::object imported) : module(std::move(imported)) {
  tensorType = module.attr("Tensor");
  parameterType = nb::getattr(nb::getattr(module, "nn", nb::none()),
                              "Parameter", nb::none());
  exchange = DLPackExchange(tensorType);
  // Not documented, but what PyTorch's own generated code calls; the documented
  // way makes an object of several microseconds.
  nb::object internal = nb::getattr(module, "_C", nb::none());
  rawStream = nb::getattr(internal, "_cuda_getCurrentRawStream", nb::none());
}

bool Torch::isOtherTensor(PyTypeObject *type) {
  int isSubclass =
      PyObject_IsSubclass(reinterpret_cast<PyObject *>(type), tensorType.ptr());
  if (isSubclass < 0)
    throw nb::python_error();
  return isSubclass != 0;
}

std::optional<ElementKind> Torch::getKind(PyObject *dtype) {
  for (auto &[known, kind] : kinds)
    if (known == dtype)
      return kind;
  std::string name = nb::str(nb::handle(dtype)).c_str(); // "torch.float16"
  std::optional<ElementKind> kind =
      parseElementKind(llvm::StringRef(name).split('.').second);
  if (kind) {
    Py_INCREF(dtype);
    kinds.emplace_back(dtype, *kind);
  }
  return kind;
}

static nb::object callMethod(PyObject *object, PyObject *name) {
  PyObject *arguments[] = {object};
  PyObject *result = PyObject_VectorcallMethod(
      name, arguments, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
  if (!result)
    throw nb::python_error();
  return nb::steal(result);
}

static int64_t toInteger(PyObject *number) {
  long long value = PyLong_AsLongLong(number);
  if (value == -1 && PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_OverflowError))
      throw nb::python_error();
    PyErr_Clear();
    raise(PyExc_ValueError, "a tensor has a size of more than 64 bits");
  }
  return value;
}

static void readIntegers(nb::handle tuple,
                         llvm::SmallVector<int64_t, 4> &values) {
  if (!PyTuple_Check(tuple.ptr()))
    raise(PyExc_TypeError, "a tensor's extents are no tuple");
  Py_ssize_t count = PyTuple_Size(tuple.ptr());
  for (Py_ssize_t i = 0; i < count; ++i)
    values.push_back(toInteger(PyTuple_GetItem(tuple.ptr(), i)));
}

static void readStrides(nb::handle strides, const ArraySlot &slot,
                        Array &array) {
  readIntegers(strides, array.view.strides);
  if (array.view.strides.size() != array.view.extents.size())
    raise(PyExc_TypeError,
          "'" + slot.name + "' is a tensor of " +
              llvm::Twine(array.view.extents.size()) + " dimensions with " +
              llvm::Twine(array.view.strides.size()) + " strides");
}

static void readExtents(PyObject *object, const ArraySlot &slot, Array &array) {
  const Names &names = Names::get();
  bool isContiguous = callMethod(object, names.isContiguous).ptr() == Py_True;
  // The shape is an object of its own each time.
  if (isContiguous && !slot.needsShape) {
    array.view.extents.push_back(
        toInteger(callMethod(object, names.numel).ptr()));
    return;
  }
  nb::object shape = nb::steal(PyObject_GetAttr(object, names.shape));
  if (!shape.is_valid())
    throw nb::python_error();
  readIntegers(shape, array.view.extents);
  if (!isContiguous)
    readStrides(callMethod(object, names.stride), slot, array);
}

static void readTensor(Torch &torch, PyObject *object, const ArraySlot &slot,
                       Array &array) {
  array.torchTensor = object;
  if (torch.isPlain(object) && torch.getExchange().read(object, slot, array))
    return;
  const Names &names = Names::get();
  nb::object dtype = nb::steal(PyObject_GetAttr(object, names.dtype));
  if (!dtype.is_valid())
    throw nb::python_error();
  std::optional<ElementKind> kind = torch.getKind(dtype.ptr());
  slot.take(kind, dtype, array);
  readExtents(object, slot, array);
  array.view.address = toInteger(callMethod(object, names.dataPtr).ptr());
  int64_t device = toInteger(callMethod(object, names.getDevice).ptr());
  array.isOnGpu = device >= 0;
  if (array.isOnGpu)
    array.device = static_cast<unsigned>(device);
}

bool python::readTorchTensor(nb::handle object, const ArraySlot &slot,
                             Array &array) {
  Torch *torch = Torch::find();
  if (!torch || !torch->isTensor(object.ptr()))
    return false;
  try {
    readTensor(*torch, object.ptr(), slot, array);
  } catch (nb::python_error &error) {
    // Sparse tensors, and those of a trace, have no memory to point to.
    if (!error.matches(PyExc_RuntimeError) &&
        !error.matches(PyExc_AttributeError))
      throw;
    raise(PyExc_TypeError, "'" + slot.name +
                               "' is a tensor without memory of its own: " +
                               nb::str(error.value()).c_str());
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

uintptr_t Torch::getStream(unsigned device) {
  if (std::optional<uintptr_t> stream = exchange.getStream(device))
    return *stream;
  if (!rawStream.is_none())
    return toInteger(rawStream(device).ptr());
  nb::object stream =
      module.attr("cuda").attr("current_stream")(device).attr("cuda_stream");
  return toInteger(stream.ptr());
}

void Torch::recordStream(nb::handle tensor, uintptr_t stream, unsigned device) {
  if (stream == getStream(device))
    return;
  tensor.attr("record_stream")(
      module.attr("cuda").attr("ExternalStream")(stream, device));
}

void python::recordTorchStream(PyObject *tensor, uintptr_t stream,
                               unsigned device) {
  if (Torch *torch = Torch::find())
    torch->recordStream(tensor, stream, device);
}

uintptr_t python::getTorchStream(unsigned device) {
  Torch *torch = Torch::find();
  return torch ? torch->getStream(device) : 0;
}

uintptr_t python::readStream(nb::handle object) {
  nb::object handle = nb::borrow(object);
  if (!PyLong_Check(object.ptr())) {
    if (nb::hasattr(object, "cuda_stream")) {
      handle = object.attr("cuda_stream");
    } else if (nb::hasattr(object, "__cuda_stream__")) {
      // (version, handle)
      nb::object pair = object.attr("__cuda_stream__");
      if (PyCallable_Check(pair.ptr()))
        pair = pair();
      if (PyTuple_Check(pair.ptr()) && PyTuple_Size(pair.ptr()) == 2)
        handle = nb::borrow(PyTuple_GetItem(pair.ptr(), 1));
    } else if (nb::hasattr(object, "ptr")) {
      handle = object.attr("ptr");
    }
  }
  if (!PyLong_Check(handle.ptr()))
    raise(PyExc_TypeError, "stream is to be a CUDA stream or its handle, not " +
                               getTypeName(object));
  unsigned long long value = PyLong_AsUnsignedLongLong(handle.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    raise(PyExc_ValueError, "stream is to be the handle of a CUDA stream");
  }
  return value;
}
