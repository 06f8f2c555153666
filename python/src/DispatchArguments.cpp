//===- DispatchArguments.cpp - The arguments of a Python kernel -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DispatchArguments.h"

#include "Errors.h"
#include "Scalars.h"
#include "tilewright/Runtime/Device.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

namespace nb = nanobind;
using namespace tilewright;
using namespace tilewright::python;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void DispatchArguments::addConstant(const Parameter &parameter,
                                    PyObject *object) {
  key.addConstant(object, parameter.name);
  leaves.emplace_back();
}

void DispatchArguments::addArgument(const Parameter &parameter,
                                    SignatureType type, uint64_t bits,
                                    std::optional<unsigned> array) {
  key.addType(type);
  leaves.push_back({/*isConstant=*/false, parameter.specializesAlignment, type,
                    array, bits});
}

void DispatchArguments::readInteger(const Parameter &parameter,
                                    PyObject *object) {
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (LLVM_LIKELY(overflow == 0)) {
    if (value == 1 && parameter.specializesOne)
      return addConstant(parameter, object);
    return addArgument(
        parameter,
        {llvm::isInt<32>(value) ? SignatureType::I32 : SignatureType::I64},
        static_cast<uint64_t>(value));
  }
  uint64_t bits = PyLong_AsUnsignedLongLong(object);
  if (!PyErr_Occurred())
    return addArgument(parameter, {SignatureType::U64}, bits);
  PyErr_Clear();
  raise(PyExc_ValueError,
        "'" + parameter.name + "' is " + describeNumber(object) +
            "; an integer argument is from " +
            llvm::Twine(std::numeric_limits<int64_t>::min()) + " to " +
            llvm::Twine(std::numeric_limits<uint64_t>::max()));
}

/// Numbers of NumPy, and of others that say that they are some.
static nb::object toNumber(nb::handle object) {
  std::string type = getTypeName(object);
  if (type == "numpy.bool" || type == "numpy.bool_")
    return nb::bool_(PyObject_IsTrue(object.ptr()) == 1);
  if (PyIndex_Check(object.ptr())) {
    nb::object number = nb::steal(PyNumber_Index(object.ptr()));
    if (!number.is_valid())
      throw nb::python_error();
    return number;
  }
  // A text can be made a float, but is none, and neither are times nor what
  // has an imaginary part.
  if (!nb::hasattr(object, "__float__") || PyUnicode_Check(object.ptr()) ||
      PyBytes_Check(object.ptr()) || PyComplex_Check(object.ptr()) ||
      llvm::StringRef(type).starts_with("numpy.complex") ||
      type == "numpy.datetime64" || type == "numpy.timedelta64")
    return {};
  nb::object number = nb::steal(PyNumber_Float(object.ptr()));
  if (!number.is_valid())
    throw nb::python_error();
  return number;
}

/// Whether objects of this class are constants wherever they are given: other
/// kernels, and what the language marks.
static bool isConstantByClass(PyObject *object) {
  auto *type = reinterpret_cast<PyObject *>(Py_TYPE(object));
  return nb::hasattr(nb::handle(type), "__tilewright_constant__");
}

void DispatchArguments::readOther(const Parameter &parameter,
                                  PyObject *object) {
  unsigned number = arrays.size();
  if (Array &array = arrays.emplace_back();
      readArray(object, ArraySlot(parameter.name), array))
    return addArgument(parameter, SignatureType::ofArray(array.kind),
                       array.view.address, number);
  arrays.pop_back();
  if (takesTypes && readDtype(parameter, object))
    return;
  if (isConstantByClass(object))
    return addConstant(parameter, object);
  if (PyObject *tuple = takeApart(object))
    return readTuple(parameter, tuple);
  if (!PyType_Check(object))
    // The number that a constant is made of is not the one that is kept.
    if (nb::object number = toNumber(object); number.is_valid())
      return PyLong_Check(number.ptr()) && !PyBool_Check(number.ptr())
                 ? readInteger(parameter, number.ptr())
                 : readArgument(parameter, number.ptr());
  raise(PyExc_TypeError,
        "'" + parameter.name + "' is to be an array or a number, not " +
            (PyType_Check(object) ? "a class" : getTypeName(object)) +
            ": what is to be part of the code is declared as constexpr");
}

/// What stands for several arguments, a list or an object that says which;
/// null for others. The tuple lives as long as this.
PyObject *DispatchArguments::takeApart(PyObject *object) {
  if (PyList_Check(object))
    return wholes.emplace_back(object, nb::steal(PyList_AsTuple(object)))
        .second.ptr();
  auto *type = reinterpret_cast<PyObject *>(Py_TYPE(object));
  static constexpr char method[] = "__tilewright_arguments__";
  if (!nb::hasattr(nb::handle(type), method))
    return nullptr;
  nb::object tuple = nb::handle(object).attr(method)();
  if (!PyTuple_Check(tuple.ptr()))
    raise(PyExc_TypeError, llvm::Twine(method) + " is to give a tuple, not " +
                               getTypeName(tuple));
  return wholes.emplace_back(object, std::move(tuple)).second.ptr();
}

void DispatchArguments::readTuple(const Parameter &parameter, PyObject *tuple) {
  RecursionGuard guard;
  Py_ssize_t size = PyTuple_Size(tuple);
  key.openTuple(size);
  // The kernel reads the parts of a tuple with names by these.
  if (!PyTuple_CheckExact(tuple))
    key.addConstant(reinterpret_cast<PyObject *>(Py_TYPE(tuple)),
                    parameter.name);
  for (Py_ssize_t i = 0; i < size; ++i)
    readArgument(parameter, PyTuple_GetItem(tuple, i));
}

void DispatchArguments::readArgument(const Parameter &parameter,
                                     PyObject *object) {
  if (object == Py_None)
    return addConstant(parameter, object);
  if (PyTuple_Check(object))
    return readTuple(parameter, object);
  if (takesTypes && PyUnicode_Check(object))
    return readTypeText(parameter, nb::str(nb::handle(object)).c_str());
  if (parameter.type)
    return addArgument(parameter, *parameter.type,
                       readScalar(object, parameter.declared));
  if (PyBool_Check(object))
    return addArgument(parameter, {SignatureType::I1}, object == Py_True);
  if (PyLong_Check(object))
    return readInteger(parameter, object);
  if (PyFloat_Check(object))
    return addArgument(parameter, {SignatureType::FP32},
                       readScalar(object, parameter.declared));
  readOther(parameter, object);
}

void DispatchArguments::read(const Parameter &parameter, PyObject *object) {
  if (parameter.isConstant)
    addConstant(parameter, object);
  else
    readArgument(parameter, object);
}

//===----------------------------------------------------------------------===//
// Types in place of values
//===----------------------------------------------------------------------===//

/// "*fp32:16", "i32". What is known to be a multiple of nothing is odd.
void DispatchArguments::readTypeText(const Parameter &parameter,
                                     llvm::StringRef text) {
  auto [name, multiple] = text.split(':');
  bool isPointer = name.consume_front("*");
  std::optional<SignatureType> type = SignatureType::parse(name);
  // Neither a multiple of 2 nor the number 1, which is a constant.
  uint64_t bits = 3;
  bool hasMultiple = name.size() + isPointer != text.size();
  bool isWrong = !type || (hasMultiple && (multiple.getAsInteger(10, bits) ||
                                           !llvm::isPowerOf2_64(bits)));
  bool isOne = !isWrong && hasMultiple && bits == 1;
  if (isWrong || (isOne && (isPointer || !type->isInteger())))
    raise(PyExc_ValueError, "'" + parameter.name +
                                "' is to be a value, or a type such as "
                                "\"*fp32\", \"*fp32:16\" or \"i32\", not \"" +
                                text + "\"");
  // A multiple of 1 says nothing; of a signature it is the number itself.
  if (isOne)
    raise(PyExc_ValueError,
          "'" + parameter.name + "' is the number 1 where a " +
              "signature says \"" + text + "\": give 1 in its place");
  type->isPointer = isPointer;
  isAbstract = true;
  addArgument(parameter, *type, bits);
}

/// A dtype stands for an array of it that begins where memory does.
bool DispatchArguments::readDtype(const Parameter &parameter,
                                  PyObject *object) {
  // numpy.float32 is a class, and its name is a property of the class.
  nb::object name =
      nb::getattr(nb::handle(object),
                  PyType_Check(object) ? "__name__" : "name", nb::none());
  std::string text = nb::isinstance<nb::str>(name)
                         ? nb::str(name).c_str()
                         : nb::str(nb::handle(object)).c_str();
  // "torch.float16"
  llvm::StringRef last = llvm::StringRef(text).rsplit('.').second;
  std::optional<SignatureType> type =
      SignatureType::parse(last.empty() ? llvm::StringRef(text) : last);
  if (!type)
    return false;
  type->isPointer = true;
  isAbstract = true;
  addArgument(parameter, *type, runtime::Device::allocationAlignment);
  return true;
}

//===----------------------------------------------------------------------===//
// What the compiler is told
//===----------------------------------------------------------------------===//

namespace {
/// Walks the objects again, with the leaves that were made of them.
class Describer {
public:
  Describer(llvm::ArrayRef<Leaf> leaves,
            llvm::ArrayRef<std::pair<PyObject *, nb::object>> wholes)
      : leaves(leaves), wholes(wholes) {}

  struct Part {
    nb::object type;
    /// Not valid where there is no constant in it.
    nb::object constant;
  };
  Part describe(const Parameter &parameter, PyObject *object) {
    if (!parameter.isConstant && PyTuple_Check(object))
      return describeTuple(parameter, object);
    if (!parameter.isConstant && !wholes.empty() &&
        wholes.front().first == object) {
      nb::object tuple = wholes.front().second;
      wholes = wholes.drop_front();
      return describeTuple(parameter, tuple.ptr());
    }
    const Leaf &leaf = leaves[next++];
    if (leaf.isConstant)
      return {nb::str("constexpr"), getConstant(parameter, object)};
    return {nb::str(leaf.type.getText().c_str()), {}};
  }

private:
  /// A 1 of another library is Python's.
  static nb::object getConstant(const Parameter &parameter, PyObject *object) {
    if (nb::object value = unwrapConstexpr(object); value.is_valid())
      return value;
    if (!parameter.isConstant && PyIndex_Check(object))
      return nb::steal(PyNumber_Index(object));
    return nb::borrow(object);
  }
  /// A tuple with names keeps them.
  static nb::object makeLike(PyObject *tuple, const nb::list &elements) {
    if (nb::hasattr(nb::handle(tuple), "_make"))
      return nb::handle(reinterpret_cast<PyObject *>(Py_TYPE(tuple)))
          .attr("_make")(elements);
    return nb::tuple(elements);
  }
  Part describeTuple(const Parameter &parameter, PyObject *tuple) {
    nb::list types, constants;
    bool hasConstant = false;
    for (Py_ssize_t i = 0, size = PyTuple_Size(tuple); i < size; ++i) {
      Part part = describe(parameter, PyTuple_GetItem(tuple, i));
      types.append(part.type);
      hasConstant |= part.constant.is_valid();
      constants.append(part.constant.is_valid() ? part.constant : nb::none());
    }
    return {makeLike(tuple, types),
            hasConstant ? makeLike(tuple, constants) : nb::object()};
  }

  llvm::ArrayRef<Leaf> leaves;
  /// What was taken apart, in that order.
  llvm::ArrayRef<std::pair<PyObject *, nb::object>> wholes;
  size_t next = 0;
};
} // namespace

DispatchArguments::Description
DispatchArguments::describe(llvm::ArrayRef<Parameter> parameters,
                            llvm::ArrayRef<PyObject *> objects) const {
  Describer describer(leaves, wholes);
  nb::list signature;
  nb::dict constants;
  for (auto [parameter, object] : llvm::zip_equal(parameters, objects)) {
    Describer::Part part = describer.describe(parameter, object);
    signature.append(part.type);
    if (part.constant.is_valid())
      constants[parameter.key] = part.constant;
  }
  return {nb::tuple(signature), constants};
}
