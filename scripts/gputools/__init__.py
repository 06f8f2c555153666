"""What the scripts for a machine with a GPU share.

tools       finds and calls Tilewright's programs, NVIDIA's profiler and sanitizer
wavefronts  counted beside predicted wavefronts of shared memory
cases       which kernels at which sizes scripts/gpu-check.py runs
check       the sections of scripts/gpu-check.py
profile     the command behind scripts/profile.sh
package_steps  the section `python` of scripts/gpu-check.py, a program of its own
triton_copy    a copy in Triton, whose launches are timed beside ours

Python 3.10 and its standard library are enough.
"""
