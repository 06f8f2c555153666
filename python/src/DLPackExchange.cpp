//===- DLPackExchange.cpp - Arrays described without Python ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DLPackExchange.h"

#include <nanobind/ndarray.h>

namespace nb = nanobind;
using namespace tilewright;
using namespace tilewright::python;

namespace {
/// DLPackExchangeAPIHeader: the tables of older versions follow one another.
struct Header {
  uint32_t major, minor;
  const Header *previous;
};
} // namespace

/// DLPackExchangeAPI of version 1, of which two functions are of use here.
struct DLPackExchange::Functions {
  Header header;
  void *allocate, *exportOwned, *import;
  int (*describe)(void *object, nb::dlpack::dltensor *tensor);
  int (*getStream)(int32_t deviceType, int32_t device, void **stream);
};

DLPackExchange::DLPackExchange(nb::handle type) {
  nb::object capsule =
      nb::getattr(type, "__dlpack_c_exchange_api__", nb::none());
  const char *name = "dlpack_exchange_api";
  if (!PyCapsule_IsValid(capsule.ptr(), name))
    return;
  const auto *header =
      static_cast<const Header *>(PyCapsule_GetPointer(capsule.ptr(), name));
  while (header && header->major != 1)
    header = header->previous;
  if (header)
    functions = reinterpret_cast<const Functions *>(header);
}

/// Writes the extents and the strides; of a tensor without gaps as one axis,
/// where nobody asks for more.
static void readShape(const nb::dlpack::dltensor &tensor, const ArraySlot &slot,
                      runtime::TensorView &view) {
  int64_t count = 1;
  bool isDense = true;
  for (int axis = tensor.ndim - 1; axis >= 0; --axis) {
    int64_t extent = tensor.shape[axis];
    isDense &= !tensor.strides || extent == 1 || tensor.strides[axis] == count;
    count *= extent;
  }
  isDense |= count == 0;
  if (isDense && !slot.needsShape) {
    view.extents.push_back(count);
    return;
  }
  view.extents.append(tensor.shape, tensor.shape + tensor.ndim);
  if (!isDense)
    view.strides.append(tensor.strides, tensor.strides + tensor.ndim);
}

/// Where the memory is; false for places that kernels do not reach.
static bool readPlace(const nb::dlpack::device &device, Array &array) {
  switch (device.device_type) {
  case nb::device::cpu::value:
  case nb::device::cuda_host::value:
    return true;
  case nb::device::cuda::value:
  case nb::device::cuda_managed::value:
    array.isOnGpu = true;
    array.device = device.device_id;
    return true;
  default:
    return false;
  }
}

bool DLPackExchange::read(PyObject *object, const ArraySlot &slot,
                          Array &array) const {
  if (!functions || !functions->describe)
    return false;
  nb::dlpack::dltensor tensor;
  if (functions->describe(object, &tensor) != 0) {
    PyErr_Clear();
    return false;
  }
  std::optional<ElementKind> kind =
      getDLPackKind(tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes);
  if (!slot.fits(kind, array) || !readPlace(tensor.device, array))
    return false;
  array.view.address =
      reinterpret_cast<uint64_t>(tensor.data) + tensor.byte_offset;
  readShape(tensor, slot, array.view);
  return true;
}

std::optional<uintptr_t> DLPackExchange::getStream(unsigned device) const {
  if (!functions || !functions->getStream)
    return std::nullopt;
  void *stream = nullptr;
  if (functions->getStream(nb::device::cuda::value,
                           static_cast<int32_t>(device), &stream) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  return reinterpret_cast<uintptr_t>(stream);
}
