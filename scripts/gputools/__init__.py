"""What the scripts for a machine with a GPU share.

tools       finds and calls Tilewright's programs, NVIDIA's profiler and sanitizer
wavefronts  counted beside predicted wavefronts of shared memory
server      one tile-run for many kernels
counting    what ncu counts of many kernels, in one process
sanitizer   what compute-sanitizer finds in many kernels
cases       which kernels at which sizes scripts/gpu-check.py runs
check       the sections of scripts/gpu-check.py
schedule    which of their steps run at a time
profile     the command behind scripts/profile.sh
package_steps  the section `python` of scripts/gpu-check.py, a program of its own
library_steps, library_kernels  what scripts/gpu-python.py tries
arrays      of NumPy and of PyTorch, for scripts/math-ulp.py
functions   the functions of math, what they are in f64, and their bounds
ulp         how far a kernel's function is from that
triton_copy    a copy in Triton, whose launches are timed beside ours

Python 3.10 and its standard library are enough, but for math-ulp.py, which needs NumPy.
"""
