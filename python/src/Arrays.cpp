//===- Arrays.cpp - Python's arrays as tensors ----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#include "Errors.h"
#include "Torch.h"
#include "tilewright/Runtime/CudaDevice.h"
#include "llvm/ADT/StringExtras.h"
#include <nanobind/ndarray.h>

namespace nb = nanobind;
using namespace tilewright;
using namespace tilewright::python;

std::string python::getTypeName(nb::handle object) {
  nb::handle type(reinterpret_cast<PyObject *>(Py_TYPE(object.ptr())));
  std::string name = nb::str(type.attr("__qualname__")).c_str();
  std::string module = nb::str(type.attr("__module__")).c_str();
  return module == "builtins" ? name : module + "." + name;
}

static llvm::StringRef toStringRef(nb::handle text) {
  Py_ssize_t size = 0;
  const char *data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (!data)
    throw nb::python_error();
  return {data, static_cast<size_t>(size)};
}

/// Whether an object is of a class of a module; not where nobody has imported
/// the module.
static bool isInstance(nb::handle object, const char *module,
                       const char *name) {
  nb::object imported = nb::steal(PyImport_GetModule(nb::str(module).ptr()));
  if (imported.is_valid())
    return nb::isinstance(object, imported.attr(name));
  PyErr_Clear();
  return false;
}

static std::string toText(nb::handle object) { return nb::str(object).c_str(); }

void ArraySlot::refuse(const llvm::Twine &elements) const {
  raise(PyExc_TypeError,
        "'" + name + "' has elements of " + elements +
            (type ? "; the kernel takes " : "; kernels have ") +
            (type ? spec::getName(*type)
                  : llvm::StringRef(spec::elementTypeNames)));
}

bool ArraySlot::fits(std::optional<ElementKind> kind, Array &array) const {
  if (!kind || (type && !python::fits(*kind, *type)))
    return false;
  std::optional<spec::ElementType> element =
      type ? type : getElementType(*kind);
  if (!element)
    return false;
  array.kind = *kind;
  array.view.type = *element;
  return true;
}

void ArraySlot::take(std::optional<ElementKind> kind, nb::handle elements,
                     Array &array) const {
  if (LLVM_UNLIKELY(!fits(kind, array)))
    refuse(toText(elements));
}

void python::checkAddress(const Array &array, llvm::StringRef name) {
  uint64_t address = array.view.address;
  unsigned bytes = spec::getByteSize(array.view.type);
  if (LLVM_LIKELY(address != 0 && address % bytes == 0) ||
      array.view.getElementCount() == 0)
    return;
  if (address == 0)
    raise(PyExc_ValueError, "'" + name +
                                "' has no memory: it was freed, or never had "
                                "any");
  raise(PyExc_ValueError, "'" + name + "' begins at 0x" +
                              llvm::utohexstr(address, /*LowerCase=*/true) +
                              ", no multiple of the " + llvm::Twine(bytes) +
                              " bytes of an element: pass an aligned copy");
}

//===----------------------------------------------------------------------===//
// __array_interface__ and __cuda_array_interface__
//===----------------------------------------------------------------------===//

namespace {
/// The dictionary of an interface protocol, with whose argument it is about.
class Interface {
public:
  Interface(nb::handle object, nb::handle fields, const ArraySlot &slot)
      : object(object), fields(fields), slot(slot) {
    if (!PyDict_Check(fields.ptr()))
      refuse("is no dictionary");
  }

  void read(Array &array) const {
    readElements(array);
    readShape(array);
    readData(array);
    nb::handle mask = find("mask");
    if ((mask.is_valid() && !mask.is_none()) || hasNumPyMask())
      refuse("has a mask, which a kernel does not understand");
    nb::handle stream = find("stream");
    if (stream.is_valid() && !stream.is_none())
      array.stream = readUnsigned(stream, "stream");
  }

private:
  [[noreturn]] void refuse(const llvm::Twine &why) const {
    raise(PyExc_TypeError, "the array interface of '" + slot.name + "' (" +
                               getTypeName(object) + ") " + why);
  }

  nb::handle find(const char *name) const {
    return PyDict_GetItemString(fields.ptr(), name);
  }

  /// An integer of either sign.
  int64_t readInteger(nb::handle number, const char *field) const {
    int overflow = 1;
    long long value = 0;
    if (PyLong_Check(number.ptr()))
      value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow != 0)
      refuse(llvm::Twine("has no good '") + field + "'");
    return value;
  }

  uint64_t readUnsigned(nb::handle number, const char *field) const {
    int64_t value = readInteger(number, field);
    if (value < 0)
      refuse(llvm::Twine("has no good '") + field + "'");
    return value;
  }

  /// NumPy's masked arrays do not tell of their mask in the interface.
  bool hasNumPyMask() const {
    return isInstance(object, "numpy.ma", "MaskedArray") &&
           nb::cast<bool>(nb::bool_(object.attr("mask").attr("any")()));
  }

  void readElements(Array &array) const {
    nb::handle text = find("typestr");
    if (!text.is_valid() || !PyUnicode_Check(text.ptr()))
      refuse("has no 'typestr'");
    llvm::StringRef type = toStringRef(text);
    std::optional<ElementKind> kind = parseTypeString(type);
    // NumPy does not know the narrow floats of ml_dtypes by letter and size.
    nb::object named = nb::getattr(object, "dtype", nb::borrow(text));
    if (!kind || type.drop_front().starts_with("V"))
      kind = parseElementKind(toText(named));
    if (type.starts_with(">") && kind && kind->bytes > 1)
      slot.refuse(toText(named) + " in the other byte order");
    slot.take(kind, named, array);
  }

  static std::optional<ElementKind> parseTypeString(llvm::StringRef type) {
    unsigned bytes = 0;
    if (type.size() < 3 || type.drop_front(2).getAsInteger(10, bytes))
      return std::nullopt;
    switch (type[1]) {
    case 'b':
      return ElementKind{ElementKind::Bool, bytes};
    case 'i':
      return ElementKind{ElementKind::Signed, bytes};
    case 'u':
      return ElementKind{ElementKind::Unsigned, bytes};
    case 'f':
      if (bytes == 1)
        return std::nullopt;
      return ElementKind{ElementKind::Float, bytes};
    default:
      return std::nullopt;
    }
  }

  void readShape(Array &array) const {
    nb::handle shape = find("shape");
    if (!shape.is_valid() || !PyTuple_Check(shape.ptr()))
      refuse("has no 'shape'");
    for (nb::handle extent : nb::borrow<nb::tuple>(shape))
      array.view.extents.push_back(readUnsigned(extent, "shape"));
    nb::handle strides = find("strides");
    if (!strides.is_valid() || strides.is_none())
      return;
    if (!PyTuple_Check(strides.ptr()) ||
        PyTuple_Size(strides.ptr()) != PyTuple_Size(shape.ptr()))
      refuse("has no good 'strides'");
    unsigned bytes = spec::getByteSize(array.view.type);
    for (nb::handle stride : nb::borrow<nb::tuple>(strides)) {
      int64_t value = readInteger(stride, "strides");
      // Nobody walks along an extent of 1.
      int64_t extent = array.view.extents[array.view.strides.size()];
      if (value % bytes != 0 && extent > 1)
        raise(PyExc_ValueError,
              "'" + slot.name + "' has strides of " + llvm::Twine(value) +
                  " bytes, no multiple of the " + llvm::Twine(bytes) +
                  " bytes of an element: pass a contiguous copy");
      array.view.strides.push_back(value / bytes);
    }
  }

  void readData(Array &array) const {
    nb::handle data = find("data");
    if (!data.is_valid() || !PyTuple_Check(data.ptr()) ||
        PyTuple_Size(data.ptr()) != 2)
      refuse("has no 'data'");
    array.view.address = readUnsigned(PyTuple_GetItem(data.ptr(), 0), "data");
    int isReadOnly = PyObject_IsTrue(PyTuple_GetItem(data.ptr(), 1));
    if (isReadOnly < 0)
      throw nb::python_error();
    array.view.isReadOnly = isReadOnly != 0;
  }

  nb::handle object, fields;
  const ArraySlot &slot;
};
} // namespace

/// An attribute that an object may not have, or not at the moment: some have
/// the interface of a GPU only where they are on one.
static nb::object findAttribute(nb::handle object, const char *name) {
  PyObject *found = PyObject_GetAttrString(object.ptr(), name);
  if (found)
    return nb::steal(found);
  if (!PyErr_ExceptionMatches(PyExc_AttributeError) &&
      !PyErr_ExceptionMatches(PyExc_TypeError) &&
      !PyErr_ExceptionMatches(PyExc_RuntimeError))
    throw nb::python_error();
  PyErr_Clear();
  return {};
}

/// A GPU array's device by its address: the interface does not tell.
static void findDevice(Array &array, const ArraySlot &slot) {
  array.isOnGpu = true;
  if (array.view.getElementCount() == 0)
    return;
  llvm::Expected<unsigned> device = runtime::findCudaDevice(array.view.address);
  if (device) {
    array.device = *device;
    return;
  }
  raise(llvm::createStringError("'" + slot.name +
                                "': " + llvm::toString(device.takeError())),
        "LaunchError");
}

//===----------------------------------------------------------------------===//
// DLPack
//===----------------------------------------------------------------------===//

/// "float64"; the number of a type that is too new to have a name here.
static std::string getTypeName(nb::dlpack::dtype type) {
  static constexpr const char *names[] = {
      "int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  std::string name = type.code < std::size(names)
                         ? names[type.code]
                         : "DLPack type " + std::to_string(type.code) + ":";
  name += std::to_string(type.bits);
  return type.lanes == 1 ? name : name + "x" + std::to_string(type.lanes);
}

template <typename Tensor>
static Array describe(Tensor tensor, nb::handle object, const ArraySlot &slot) {
  Array array;
  nb::dlpack::dtype type = tensor.dtype();
  slot.take(getDLPackKind(type.code, type.bits, type.lanes),
            nb::str(getTypeName(type).c_str()), array);
  array.view.address = reinterpret_cast<uint64_t>(tensor.data());
  for (size_t axis = 0; axis < tensor.ndim(); ++axis) {
    array.view.extents.push_back(tensor.shape(axis));
    array.view.strides.push_back(tensor.stride(axis));
  }
  switch (tensor.device_type()) {
  case nb::device::cpu::value:
    break;
  case nb::device::cuda::value:
  case nb::device::cuda_managed::value:
    array.isOnGpu = true;
    array.device = tensor.device_id();
    break;
  case nb::device::cuda_host::value:
    break;
  default:
    raise(PyExc_TypeError, "'" + slot.name + "' (" + getTypeName(object) +
                               ") is neither in host memory nor on an NVIDIA "
                               "GPU");
  }
  array.owner = std::make_shared<Tensor>(std::move(tensor));
  return array;
}

/// A capsule as the object makes it, in the newer form where it can: only that
/// tells of memory that may not be written.
static nb::object makeCapsule(nb::handle object, const ArraySlot &slot) {
  nb::object make = object.attr("__dlpack__");
  try {
    try {
      return make(nb::arg("max_version") = nb::make_tuple(1, 0));
    } catch (nb::python_error &error) {
      if (!error.matches(PyExc_TypeError))
        throw;
    }
    return make();
  } catch (nb::python_error &error) {
    raise(PyExc_TypeError, "'" + slot.name + "' (" + getTypeName(object) +
                               ") cannot be taken through DLPack: " +
                               nb::str(error.value()).c_str());
  }
}

static Array readDLPack(nb::handle object, const ArraySlot &slot) {
  // Taken from the capsule itself, which is then marked as used, so that an
  // object which gives one twice does no harm.
  nb::object capsule = makeCapsule(object, slot);
  nb::ndarray<> writable;
  if (PyCapsule_CheckExact(capsule.ptr()) && nb::try_cast(capsule, writable))
    return describe(std::move(writable), object, slot);
  nb::ndarray<nb::ro> readable;
  if (PyCapsule_CheckExact(capsule.ptr()) && nb::try_cast(capsule, readable)) {
    Array array = describe(std::move(readable), object, slot);
    array.view.isReadOnly = true;
    return array;
  }
  raise(PyExc_TypeError, "'" + slot.name + "' (" + getTypeName(object) +
                             ") gives no DLPack capsule that can be used");
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

bool python::readArray(nb::handle object, const ArraySlot &slot, Array &array) {
  if (readTorchTensor(object, slot, array))
    return true;
  // The class of an array has its attributes, and no memory.
  if (PyType_Check(object.ptr()))
    return false;
  if (nb::object fields = findAttribute(object, "__cuda_array_interface__");
      fields.is_valid()) {
    Interface(object, fields, slot).read(array);
    findDevice(array, slot);
    return true;
  }
  // Numbers of NumPy have the interface of arrays, but are copies.
  if (nb::object fields = findAttribute(object, "__array_interface__");
      fields.is_valid() && !isInstance(object, "numpy", "generic")) {
    Interface(object, fields, slot).read(array);
    array.stream.reset();
    return true;
  }
  if (!nb::hasattr(object, "__dlpack__"))
    return false;
  array = readDLPack(object, slot);
  return true;
}
