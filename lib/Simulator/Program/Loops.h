//===- Loops.h - In which loops an instruction stands -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_PROGRAM_LOOPS_H
#define TILEWRIGHT_LIB_SIMULATOR_PROGRAM_LOOPS_H

#include "Program/Program.h"

namespace tilewright::sim {

/// Says where a kernel that does not end may hang: ", in the loop of line 17,
/// which is in that of line 9"; empty for an instruction in no loop.
std::string describeLoops(const Program &program, uint32_t pc);

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_PROGRAM_LOOPS_H
