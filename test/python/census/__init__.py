# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What public Triton kernels use, most used first, and a small program for each that runs.

`features` has the names and their numbers, the other modules the programs; `test_census` runs
them and prints which features are there.
"""
