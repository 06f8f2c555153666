//===- ReleasedLock.cpp - Work without Python's lock ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReleasedLock.h"

void tilewright::python::prepareUnwinding() {
  try {
    throw 0;
  } catch (int) {
    // The copy of libgcc that is linked in has its tables of registers now.
  }
}
