"""From Python's syntax to the tile dialect.

`compile_function` makes a program of a function with @tilewright.jit: its statements are carried
out (`statements.py`, `branches.py`, `loops.py`), its expressions evaluated (`expressions.py`),
calls followed (`calls.py`). What is known at compile time is Python's own business; everything else
is written as ops by the words of `tilewright.language`. A mistake is an exception at the user's
line (`errors.py`).
"""
