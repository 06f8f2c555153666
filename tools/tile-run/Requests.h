//===- Requests.h - Command lines that one process runs ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opening a GPU takes a third of a second, and the driver lets one process do
// so at a time: who checks hundreds of kernels starts tile-run once. It reads a
// request a line, as JSON, and prints a result a line, in the same order:
//
//   {"arguments": ["examples/copy_f32.mlir", "--args=n=70", "--check"]}
//   {"arguments": ["-", "--args=M=5 N=6"], "source": "tile.kernel @..."}
//
// Requests of one kernel that follow one another share its code, where their
// arguments do not ask for another variant.
//
// A result that is wrong is a result. An error, of the compiler or of the GPU,
// ends the process: after a fault, a GPU's context is of no more use.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TOOLS_TILE_RUN_REQUESTS_H
#define TILEWRIGHT_TOOLS_TILE_RUN_REQUESTS_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

/// A command line of tile-run.
struct Request {
  std::vector<std::string> arguments;
  /// What the file "-" stands for.
  std::optional<std::string> source;

  static llvm::Expected<Request> parse(llvm::StringRef line);

  /// All that the request says but the values of the kernel's arguments.
  std::string describeKernel() const;
};

/// Requests, as they come: whoever asks may wait for a result before he asks
/// for the next.
class RequestReader {
public:
  /// "-" is standard input.
  static llvm::Expected<RequestReader> open(llvm::StringRef path);

  /// The next request; nothing where there are no more.
  llvm::Expected<std::optional<Request>> next();

private:
  struct Close {
    void operator()(std::FILE *file) const {
      if (file != stdin)
        std::fclose(file);
    }
  };
  RequestReader(std::FILE *file, llvm::StringRef path)
      : file(file), path(path) {}

  std::unique_ptr<std::FILE, Close> file;
  std::string path;
  unsigned line = 0;
};

} // namespace tilewright

#endif // TILEWRIGHT_TOOLS_TILE_RUN_REQUESTS_H
