//===- Recording.h - Results kept in files ----------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a device gave for the tests of NAME.ptx stands in NAME.json of a folder:
//
//   {"device": {"name": "NVIDIA H200", ...},
//    "code": "<hash of the PTX file>",
//    "kernels": {"shuffles": {"inputs": "<hash of the memory before>",
//                             "buffers": {"y": ["0000002a 0000002b ...",
//                             ...]}}}}
//
// Numbers are bits in hexadecimal. Memory that the kernel did not change is
// left out. The hashes show where a recording does not belong to a test any
// more.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TOOLS_TILE_DIFF_RECORDING_H
#define TILEWRIGHT_TOOLS_TILE_DIFF_RECORDING_H

#include "TestRun.h"
#include "llvm/Support/JSON.h"

namespace tilewright::diff {

/// The name, architecture and driver of a device.
llvm::json::Object describe(const runtime::DeviceInfo &info);

/// Results of the tests of one PTX file.
class Recording {
public:
  Recording(const runtime::DeviceInfo &device, llvm::StringRef ptx);

  /// The recording of \p ptxFile in \p folder. Fails where there is none, and
  /// where the PTX has changed since.
  static llvm::Expected<Recording>
  read(llvm::StringRef folder, llvm::StringRef ptxFile, llvm::StringRef ptx);
  llvm::Error write(llvm::StringRef folder, llvm::StringRef ptxFile) const;

  void add(const KernelTest &test, const BufferBytes &contents,
           const BufferBytes &results);
  /// The results of a test that had these contents before.
  llvm::Expected<BufferBytes> find(const KernelTest &test,
                                   const BufferBytes &contents) const;

  /// "NVIDIA H200".
  llvm::StringRef getDeviceName() const;

private:
  explicit Recording(llvm::json::Object object) : object(std::move(object)) {}
  llvm::json::Object object;
};

} // namespace tilewright::diff

#endif // TILEWRIGHT_TOOLS_TILE_DIFF_RECORDING_H
