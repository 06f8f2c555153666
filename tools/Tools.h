//===- Tools.h - The command-line tools' entry points -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each tool is a function with main's signature, so that it can be a program of
// its own or one of several in the packaged binary. Where all of them share a
// process, two global `cl::opt` of one name end it at start-up: a tool's
// options are local variables of its entry point.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TOOLS_TOOLS_H
#define TILEWRIGHT_TOOLS_TOOLS_H

namespace tilewright {

int tileOptMain(int argc, char **argv);
int tileCompileMain(int argc, char **argv);
int tileRunMain(int argc, char **argv);
int tileDiffMain(int argc, char **argv);
int tileBanksMain(int argc, char **argv);
int tileLspServerMain(int argc, char **argv);

} // namespace tilewright

#endif // TILEWRIGHT_TOOLS_TOOLS_H
