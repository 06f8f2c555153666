"""What tests and benchmarks of kernels need: times, comparisons, tables and plots."""

from tilewright.testing.benchmark import Benchmark, Mark, Measurements, perf_report
from tilewright.testing.comparison import assert_close
from tilewright.testing.timing import do_bench, do_bench_cudagraph

__all__ = [
    "Benchmark",
    "Mark",
    "Measurements",
    "assert_close",
    "do_bench",
    "do_bench_cudagraph",
    "perf_report",
]
