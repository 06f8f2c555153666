//===- TensorCopies.cpp - Tensors for the length of a launch --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/TensorCopies.h"
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

namespace {
/// Memory of tensors that overlap, and what is to happen to it.
struct Extent {
  TensorView::Span owned;
  bool isReadOnly, isUninitialized, mayRace, keepsAddress;
  /// One of them.
  unsigned tensor;
};
} // namespace

/// Extents that have nothing in common. `pieces` is to say of each tensor in
/// which of them it lies.
static std::vector<Extent> joinOverlapping(llvm::ArrayRef<TensorView> tensors,
                                           std::vector<unsigned> &pieces) {
  // In order of their addresses, a tensor overlaps only the extent before it.
  std::vector<unsigned> order(tensors.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::make_pair(tensors[a].getSpan().begin, a) <
           std::make_pair(tensors[b].getSpan().begin, b);
  });
  std::vector<Extent> extents;
  pieces.resize(tensors.size());
  for (unsigned index : order) {
    TensorView::Span span = tensors[index].getSpan();
    bool isReadOnly = tensors[index].isReadOnly;
    bool isUninitialized = tensors[index].isUninitialized;
    bool mayRace = tensors[index].mayRace;
    // None of an empty one is reached.
    bool keepsAddress = tensors[index].keepsAddress && span.begin != span.end;
    if (!extents.empty() && span.begin < extents.back().owned.end) {
      Extent &extent = extents.back();
      extent.owned.end = std::max(extent.owned.end, span.end);
      extent.isReadOnly &= isReadOnly;
      extent.isUninitialized &= isUninitialized;
      extent.mayRace |= mayRace;
      extent.keepsAddress |= keepsAddress;
    } else {
      extents.push_back(
          {span, isReadOnly, isUninitialized, mayRace, keepsAddress, index});
    }
    pieces[index] = extents.size() - 1;
  }
  return extents;
}

/// Whether the host has the memory that copies on this device take of it.
static llvm::Error checkHostMemory(const Device &device,
                                   llvm::ArrayRef<Extent> extents) {
  uint64_t needed = 0;
  for (const Extent &extent : extents)
    needed = llvm::SaturatingMultiplyAdd<uint64_t>(
        getByteSize(extent.owned), device.hostBytesPerByte(), needed);
  uint64_t memory = getHostMemory();
  if (needed <= memory)
    return llvm::Error::success();
  return llvm::createStringError(
      "copies of the arrays for '" + device.getInfo().name + "' need " +
      llvm::Twine(needed) + " bytes of host memory; this machine has " +
      llvm::Twine(memory));
}

llvm::Expected<TensorCopies>
TensorCopies::copyIn(Device &device, llvm::ArrayRef<TensorView> tensors,
                     Device *owner) {
  TensorCopies result(device, owner);
  if (owner)
    if (llvm::Error error = owner->synchronize())
      return error;
  for (const TensorView &tensor : tensors)
    result.addresses.push_back(tensor.address);
  std::vector<Extent> extents = joinOverlapping(tensors, result.pieceOfTensor);
  if (llvm::Error error = checkHostMemory(device, extents))
    return error;
  for (const Extent &extent : extents) {
    uint64_t bytes = getByteSize(extent.owned);
    uint64_t begin = extent.owned.begin;
    llvm::Expected<DeviceBuffer> buffer =
        extent.keepsAddress
            ? DeviceBuffer::allocateAt(device, begin, bytes)
            : DeviceBuffer::allocate(device, bytes,
                                     begin % Device::allocationAlignment);
    if (!buffer)
      return buffer.takeError();
    if (extent.mayRace)
      device.allowRaces(buffer->getAddress());
    if (llvm::Error error =
            result.copyIn(extent.owned, *buffer, extent.isUninitialized))
      return error;
    result.pieces.push_back(
        {extent.owned, extent.isReadOnly, extent.tensor, std::move(*buffer)});
  }
  return result;
}

DeviceAddress TensorCopies::getAddress(unsigned tensor) const {
  const Piece &piece = pieces[pieceOfTensor[tensor]];
  return piece.buffer.getAddress() + (addresses[tensor] - piece.owned.begin);
}

llvm::Error TensorCopies::copyIn(const TensorView::Span &owned,
                                 const DeviceBuffer &buffer,
                                 bool isUninitialized) const {
  if (llvm::Error error = copyBytesIn(owned, buffer))
    return error;
  if (!isUninitialized)
    return llvm::Error::success();
  // What the kernel does not write stays what it was.
  return device->forget(buffer.getAddress(), getByteSize(owned));
}

llvm::Error TensorCopies::copyBytesIn(const TensorView::Span &owned,
                                      const DeviceBuffer &buffer) const {
  uint64_t bytes = getByteSize(owned);
  if (!owner)
    return device->copyToDevice(buffer.getAddress(), getPointer(owned), bytes);
  llvm::Expected<HostBuffer> contents = HostBuffer::allocate(bytes);
  if (!contents)
    return contents.takeError();
  if (llvm::Error error =
          owner->copyToHost(contents->data(), owned.begin, bytes))
    return error;
  return device->copyToDevice(buffer.getAddress(), contents->data(), bytes);
}

llvm::Error TensorCopies::copyOut(const Piece &piece,
                                  llvm::StringRef name) const {
  uint64_t bytes = getByteSize(piece.owned);
  DeviceAddress address = piece.buffer.getAddress();
  if (!owner && !piece.isReadOnly)
    return device->copyToHost(getPointer(piece.owned), address, bytes);
  llvm::Expected<HostBuffer> contents = HostBuffer::allocate(bytes);
  if (!contents)
    return contents.takeError();
  if (llvm::Error error = device->copyToHost(contents->data(), address, bytes))
    return error;
  if (!piece.isReadOnly)
    return owner->copyToDevice(piece.owned.begin, contents->data(), bytes);
  // A device has no memory that is only to be read.
  if (!owner && bytes != 0 &&
      std::memcmp(getPointer(piece.owned), contents->data(), bytes) != 0)
    return llvm::createStringError(
        "the kernel wrote to '" + name +
        "', which is read-only: pass an array that can be written");
  return llvm::Error::success();
}

void TensorCopies::setNames(llvm::ArrayRef<llvm::StringRef> names) {
  std::vector<std::string> shared(pieces.size());
  for (auto [piece, name] : llvm::zip_equal(pieceOfTensor, names)) {
    if (!shared[piece].empty())
      shared[piece] += "' and '";
    shared[piece] += name;
  }
  for (auto [piece, name] : llvm::zip_equal(pieces, shared))
    device->setName(piece.buffer.getAddress(), name);
}

llvm::Error TensorCopies::copyOut(llvm::ArrayRef<llvm::StringRef> names) const {
  for (const Piece &piece : pieces)
    if (llvm::Error error = copyOut(piece, names[piece.tensor]))
      return error;
  return owner ? owner->synchronize() : llvm::Error::success();
}
