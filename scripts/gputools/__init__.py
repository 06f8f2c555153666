"""What the scripts for a machine with a GPU share.

tools       finds and calls Tilewright's programs, NVIDIA's profiler and sanitizer
wavefronts  counted beside predicted wavefronts of shared memory
cases       which kernels at which sizes scripts/gpu-check.py runs
check       the sections of scripts/gpu-check.py
profile     the command behind scripts/profile.sh

Python 3.10 and its standard library are enough.
"""
