//===- main.cpp - A tool as a program of its own --------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tilewright_tool() builds this file into every tool of the development build,
// with TILEWRIGHT_ENTRY as the tool's entry point. tilewright.cpp is its
// counterpart in the static build.
//
//===----------------------------------------------------------------------===//

#include "Tools.h"
#include "Version.h"

int main(int argc, char **argv) {
  tilewright::installVersion();
  return tilewright::TILEWRIGHT_ENTRY(argc, argv);
}
