"""Kernels as people write them for Triton, by subject, each with data, a launch and a reference.

A module here is read twice: as it is, and with Triton's name in place of ours, by
bench/both_languages.py.
"""
