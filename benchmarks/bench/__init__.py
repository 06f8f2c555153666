"""Tilewright's kernels and their peers, side by side.

problem   what is to be computed: sizes, tensors, contenders; problems/ holds one file a problem
shapes    the file that says which problems at which sizes
ours      Tilewright's kernels as contenders: compiled, loaded and launched
cuda      the few functions of the CUDA Driver API that this needs
timing    interleaved runs with a cold cache, and their statistics
results   the JSON record and the Markdown table
templates kernels with names to fill in

For those of examples/python, in two languages:

work            a problem that they solve, and whether they do
beside_triton   that are checked and timed in both languages
python_cases    at the sizes of real models
row_cases       on rows of any width
memory_cases    at odd and small shapes, in several types

users           kernels as people write them for Triton, by subject, with their cases
users_table     the table of them

For layouts.py, which counts wavefronts in the simulator:

layout_cases    its kernels
layout_counts   what the simulator counted
layout_table    the record and the table
triton_ptx      Triton's PTX, compiled without a GPU; triton_layouts has its kernels

For shared_modes.py, which counts clocks of shared memory:

shared_tiles    where tiles lie, and their descriptors
shared_ptx      the kernels
shared_launch   what they are given, and whether their results are right
shared_counters what ncu counts of them

Everything that can be imported without a GPU is: torch and triton are imported when they are used.
"""

import sys
from pathlib import Path

# For gputools, which scripts and benchmarks share.
sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts"))
