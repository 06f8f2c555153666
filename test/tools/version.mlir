// Every tool says which Tilewright it is.

// RUN: tile-opt --version | FileCheck %s
// RUN: tile-lsp-server --version | FileCheck %s
// CHECK: Tilewright {{[0-9]+\.[0-9]+\.[0-9]+}}, LLVM 22
