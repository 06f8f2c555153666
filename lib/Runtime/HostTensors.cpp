//===- HostTensors.cpp - Host memory for the length of a launch -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/HostTensors.h"
#include "HostBuffer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <numeric>

using namespace tilewright;
using namespace tilewright::runtime;

static void *getPointer(const TensorView::Span &span) {
  return llvm::bit_cast<void *>(span.begin);
}

static uint64_t getByteSize(const TensorView::Span &span) {
  return span.end - span.begin;
}

llvm::Expected<HostTensors>
HostTensors::copyIn(Device &device, llvm::ArrayRef<TensorView> tensors) {
  HostTensors result(device);
  result.pieceOfTensor.resize(tensors.size());
  for (const TensorView &tensor : tensors)
    result.addresses.push_back(tensor.address);

  // In order of their addresses, a tensor overlaps only the piece before it.
  std::vector<unsigned> order(tensors.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::make_pair(tensors[a].getSpan().begin, a) <
           std::make_pair(tensors[b].getSpan().begin, b);
  });
  struct Extent {
    TensorView::Span host;
    bool isReadOnly;
    unsigned tensor;
  };
  std::vector<Extent> extents;
  for (unsigned index : order) {
    TensorView::Span span = tensors[index].getSpan();
    bool isReadOnly = tensors[index].isReadOnly;
    if (!extents.empty() && span.begin < extents.back().host.end) {
      Extent &piece = extents.back();
      piece.host.end = std::max(piece.host.end, span.end);
      piece.isReadOnly &= isReadOnly;
    } else {
      extents.push_back({span, isReadOnly, index});
    }
    result.pieceOfTensor[index] = extents.size() - 1;
  }

  uint64_t needed = 0;
  for (const Extent &extent : extents)
    needed = llvm::SaturatingMultiplyAdd<uint64_t>(
        getByteSize(extent.host), device.hostBytesPerByte(), needed);
  if (uint64_t memory = getHostMemory(); needed > memory)
    return llvm::createStringError(
        "copies of the arrays for '" + device.getInfo().name + "' need " +
        llvm::Twine(needed) + " bytes of host memory; this machine has " +
        llvm::Twine(memory));

  for (const Extent &extent : extents) {
    uint64_t bytes = getByteSize(extent.host);
    llvm::Expected<DeviceBuffer> buffer = DeviceBuffer::allocate(
        device, bytes, extent.host.begin % Device::allocationAlignment);
    if (!buffer)
      return buffer.takeError();
    if (llvm::Error error = device.copyToDevice(buffer->getAddress(),
                                                getPointer(extent.host), bytes))
      return error;
    result.pieces.push_back(
        {extent.host, extent.isReadOnly, extent.tensor, std::move(*buffer)});
  }
  return result;
}

DeviceAddress HostTensors::getAddress(unsigned tensor) const {
  const Piece &piece = pieces[pieceOfTensor[tensor]];
  return piece.buffer.getAddress() + (addresses[tensor] - piece.host.begin);
}

llvm::Error HostTensors::copyOut(llvm::ArrayRef<llvm::StringRef> names) {
  for (const Piece &piece : pieces) {
    uint64_t bytes = getByteSize(piece.host);
    void *target = getPointer(piece.host);
    if (!piece.isReadOnly) {
      if (llvm::Error error =
              device->copyToHost(target, piece.buffer.getAddress(), bytes))
        return error;
      continue;
    }
    llvm::Expected<HostBuffer> contents = HostBuffer::allocate(bytes);
    if (!contents)
      return contents.takeError();
    if (llvm::Error error = device->copyToHost(
            contents->data(), piece.buffer.getAddress(), bytes))
      return error;
    if (bytes != 0 && std::memcmp(target, contents->data(), bytes) != 0)
      return llvm::createStringError(
          "the kernel wrote to '" + names[piece.tensor] +
          "', which is read-only: pass an array that can be written");
  }
  return llvm::Error::success();
}
