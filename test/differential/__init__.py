# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random tile programs, compiled for each target and compared bit for bit.

What a program must compute is evaluated here, on the generator's own graph, with NumPy alone:

    program = generate(random.Random(7))
    expected = evaluate(program)
    differences = check(program, Configuration("sm_90a"))

`elements` and `arithmetic` say what values and ops are, `program` what a program is and how it is
written, `evaluate` what it computes; `generate` draws one, `shrink` makes a failure small, and
`cases` keeps it.
"""
