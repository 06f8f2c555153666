//===- TensorCopies.h - Tensors for the length of a launch ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays of the host, or of another device, stand in a device's memory while a
// kernel runs, and have its results when it is done:
//
//   Expected<TensorCopies> tensors = TensorCopies::copyIn(device, views);
//   ... launch with tensors->getAddress(0), tensors->getAddress(1), ...
//   Error error = tensors->copyOut();
//
// Arrays that share memory share it on the device too, so that a kernel which
// works in place does so there. Those that kernels reach by addresses in other
// arrays have these addresses there (TensorView::keepsAddress).
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_RUNTIME_TENSORCOPIES_H
#define TILEWRIGHT_RUNTIME_TENSORCOPIES_H

#include "tilewright/Runtime/Device.h"
#include "tilewright/Runtime/TensorView.h"

namespace tilewright::runtime {

class TensorCopies {
public:
  /// The devices must outlive the object, and the memory behind `tensors` must
  /// stay until copyOut(). `owner`: in whose memory the tensors are; null: in
  /// the host's. All that was queued there is done first.
  static llvm::Expected<TensorCopies> copyIn(Device &device,
                                             llvm::ArrayRef<TensorView> tensors,
                                             Device *owner = nullptr);

  /// Where the element of the tensor with indices 0 stands on the device: as
  /// far from a multiple of Device::allocationAlignment as its owner has it, so
  /// that a launch finds the alignment that the tensor has.
  DeviceAddress getAddress(unsigned tensor) const;

  /// Tells the device what messages call them; `names` are those of all
  /// tensors.
  void setNames(llvm::ArrayRef<llvm::StringRef> names);

  /// Writes everything back. Fails where a kernel wrote to a tensor that is
  /// only to be read, which stays as it was; `names` are those of all tensors.
  llvm::Error copyOut(llvm::ArrayRef<llvm::StringRef> names) const;

private:
  /// Memory of one tensor or of several that overlap.
  struct Piece {
    TensorView::Span owned;
    /// No tensor of the piece may be written, and by whom it is named.
    bool isReadOnly;
    unsigned tensor;
    DeviceBuffer buffer;
  };

  TensorCopies(Device &device, Device *owner) : device(&device), owner(owner) {}

  llvm::Error copyIn(const TensorView::Span &owned, const DeviceBuffer &buffer,
                     bool isUninitialized) const;
  llvm::Error copyBytesIn(const TensorView::Span &owned,
                          const DeviceBuffer &buffer) const;
  llvm::Error copyOut(const Piece &piece, llvm::StringRef name) const;

  Device *device, *owner;
  std::vector<Piece> pieces;
  std::vector<unsigned> pieceOfTensor;
  std::vector<uint64_t> addresses;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_TENSORCOPIES_H
