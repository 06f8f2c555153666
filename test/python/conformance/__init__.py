# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether words mean what they are to mean: each on data with what goes wrong, against NumPy.

    Case("x // y, int8", "x // y", {"x": draw("int8", 64), "y": draw("int8", 64, 1)},
         [Result("int8", lambda x, y: ...)])

`values` says what data is and draws it, `case` what a case is and when its result is right,
`batch` puts many cases into one kernel and runs it; `cases/` has the cases, a family a file. The
references are NumPy's own arithmetic, on numbers that are rounded once: they share nothing with the
compiler. `scripts/conformance.py` runs all of it.
"""
