//===- HostTensors.h - Host memory for the length of a launch ---*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays of the host stand in a device's memory while a kernel runs, and have
// its results when it is done:
//
//   Expected<HostTensors> tensors = HostTensors::copyIn(device, views);
//   ... launch with tensors->getAddress(0), tensors->getAddress(1), ...
//   Error error = tensors->copyOut();
//
// Arrays that share memory share it on the device too, so that a kernel which
// works in place does so there.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_RUNTIME_HOSTTENSORS_H
#define TILEWRIGHT_RUNTIME_HOSTTENSORS_H

#include "tilewright/Runtime/Device.h"
#include "tilewright/Runtime/TensorView.h"

namespace tilewright::runtime {

class HostTensors {
public:
  /// `device` must outlive the object, and the memory behind `tensors` must
  /// stay until copyOut().
  static llvm::Expected<HostTensors> copyIn(Device &device,
                                            llvm::ArrayRef<TensorView> tensors);

  /// Where the element of the tensor with indices 0 stands on the device: as
  /// far from a multiple of Device::allocationAlignment as on the host, so that
  /// a launch finds the alignment that the tensor has.
  DeviceAddress getAddress(unsigned tensor) const;

  /// Writes everything back. Fails where a kernel wrote to a tensor that is
  /// only to be read, which stays as it was; `names` are those of all tensors.
  llvm::Error copyOut(llvm::ArrayRef<llvm::StringRef> names);

private:
  /// Memory of one tensor or of several that overlap.
  struct Piece {
    TensorView::Span host;
    /// No tensor of the piece may be written, and by whom it is named.
    bool isReadOnly;
    unsigned tensor;
    DeviceBuffer buffer;
  };

  explicit HostTensors(Device &device) : device(&device) {}

  Device *device;
  std::vector<Piece> pieces;
  std::vector<unsigned> pieceOfTensor;
  std::vector<uint64_t> addresses;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_HOSTTENSORS_H
