#!/usr/bin/env python3
"""Times the host's part of a launch: kernel[grid](x, y, n, a, b, BLOCK=1024, num_warps=4).

    benchmarks/launch.py --json launch.json
    benchmarks/launch.py --fake-driver build/test/python/fake_cuda/libcuda.so.1

Two tensors and three scalars, with code that is compiled and found again, kernel[grid] included. In
turns with it, since clocks and memory change while a process runs: the driver alone, its launches
in a loop of C++; and Triton, if it is there. A round is a hundred launches of each, with a wait
behind each hundred that is not timed, so that none waits for a place in the driver's queue; a time
is the median of the rounds, by the launches of one.

It needs the package, PyTorch and a GPU. With --fake-driver neither of the latter: a driver that
does nothing and tensors that are not there leave the time of our own code.

The first call of a matmul is timed by its parts as well.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import importlib
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.record import write_json

ROOT = Path(__file__).resolve().parents[1]
MATMUL = ROOT / "examples" / "gemm_f16_nn.mlir"

# Launches of a round, which all have a place in the driver's queue.
COUNT = 100
ELEMENTS = 1000

# Of DLPack's tables. It lives as long as who asks by it.
EXCHANGE_NAME = b"dlpack_exchange_api"

# What a front end makes of axpy(x, y, n, a, b, BLOCK).
AXPY = """
tile.kernel @axpy(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32, %a: f32, %b: f32)
    attributes {num_warps = 4 : i32} {
  %block = arith.constant 1024 : i32
  %program = tile.program_id 0
  %p = arith.index_cast %program : index to i32
  %start = arith.muli %p, %block : i32
  %starts = tile.splat %start : i32 -> tensor<1024xi32>
  %iota = tile.iota 0 : tensor<1024xi32>
  %i = arith.addi %starts, %iota : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %inside = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %from = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %t = tile.load %from mask %inside : tensor<1024x!tile.ptr<f32>>
  %as = tile.splat %a : f32 -> tensor<1024xf32>
  %bs = tile.splat %b : f32 -> tensor<1024xf32>
  %product = arith.mulf %t, %as : tensor<1024xf32>
  %sum = arith.addf %product, %bs : tensor<1024xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %to = tile.addptr %ys, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %to, %sum mask %inside : tensor<1024x!tile.ptr<f32>>
  tile.return
}
"""


class FakeTensor:
    """A tensor that is not there. Its methods are Python's own in C, as PyTorch's are in C++."""

    def __init__(self, address: int, elements: int, dtype: object) -> None:
        self.shape, self.dtype = (elements,), dtype
        self.data_ptr = address.__int__
        self.numel = elements.__int__
        self.get_device = (0).__int__
        self.is_contiguous = True.__bool__

    @classmethod
    def describe_by(cls, driver: ctypes.CDLL) -> None:
        """Gives the class the driver's table of C functions, as PyTorch has one since 2.10."""
        driver.fake_exchange.restype = ctypes.c_void_p
        make = ctypes.pythonapi.PyCapsule_New
        make.restype = ctypes.py_object
        make.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        capsule = make(driver.fake_exchange(), EXCHANGE_NAME, None)
        cls.__dlpack_c_exchange_api__ = capsule  # type: ignore[attr-defined]


class FakeTorch:
    """As much of PyTorch as a launch asks for."""

    Tensor = FakeTensor

    class _C:
        _cuda_getCurrentRawStream = {0: 0}.get  # noqa: N815


class Float32:
    """torch.float32."""

    def __str__(self) -> str:
        return "torch.float32"


def compile_text(core: Any, text: str, target: str) -> Any:
    return core.compile_kernel(
        source=text.encode(),
        name="launch.mlir",
        target=target,
        kernel="",
        shared_layout="auto",
        num_warps=0,
        num_stages=0,
        warpgroup_dots=True,
        optimize=True,
        divisibility=[],
        specialize=True,
        lazy=True,
    )


def describe(core: Any, *names: str) -> list[tuple[object, ...]]:
    return [(name, name.isupper(), False, False, core.REQUIRED, "") for name in names]


# Gives the nanoseconds of a launch, in a round of COUNT.
Timer = Callable[[], float]


def measure(timers: dict[str, Timer], count: int) -> dict[str, list[float]]:
    """Nanoseconds of a launch, in so many rounds of all in turns."""
    for timer in timers.values():
        for _ in range(3):
            timer()
    rounds: dict[str, list[float]] = {name: [] for name in timers}
    for _ in range(count):
        for name, timer in timers.items():
            rounds[name].append(timer())
    return rounds


def summarize(rounds: list[float]) -> dict[str, float]:
    return {"median": round(statistics.median(rounds), 1), "least": round(min(rounds), 1)}


class Setting:
    """Where the launches happen: a GPU with PyTorch, or stand-ins for both."""

    def __init__(self, fake_driver: Path | None, rounds: int) -> None:
        self.rounds = rounds
        self.is_fake = fake_driver is not None
        if fake_driver is not None:
            # What is loaded by its name is not looked for again.
            FakeTensor.describe_by(ctypes.CDLL(str(fake_driver), mode=ctypes.RTLD_GLOBAL))
            sys.modules["torch"] = FakeTorch  # type: ignore[assignment]
            dtype = Float32()
            self.x = FakeTensor(1 << 40, ELEMENTS, dtype)
            self.y = FakeTensor((1 << 40) + (1 << 20), ELEMENTS, dtype)
            self.synchronize: Callable[[], object] = lambda: None
            self.device = "a driver that does nothing"
            return
        torch = importlib.import_module("torch")
        self.x = torch.randn(ELEMENTS, device="cuda")
        self.y = torch.empty_like(self.x)
        self.synchronize = torch.cuda.synchronize
        self.device = torch.cuda.get_device_name(0)
        self.torch = torch

    def make_timer(self, call: Callable[[], object]) -> Timer:
        def time_round() -> float:
            begin = time.perf_counter_ns()
            for _ in range(COUNT):
                call()
            end = time.perf_counter_ns()
            self.synchronize()
            return (end - begin) / COUNT

        return time_round

    def check(self) -> None:
        """The last launch has computed 2 x + 3."""
        if self.is_fake:
            return
        self.synchronize()
        if not self.torch.equal(self.y, 2 * self.x + 3):
            raise SystemExit("launch.py: the kernel computes something else")


def get_timers(core: Any, setting: Setting, target: str) -> dict[str, Timer]:
    """Of our launch and its parts, of the driver alone, and of Triton where it is there."""
    kernel = core.Dispatcher(
        "axpy",
        describe(core, "x", "y", "n", "a", "b", "BLOCK"),
        lambda *_: compile_text(core, AXPY, target),
    )
    x, y, grid = setting.x, setting.y, (1,)

    def launch() -> Any:
        return kernel[grid](x, y, ELEMENTS, 2.0, 3.0, BLOCK=1024, num_warps=4)

    compiled = launch()
    setting.check()
    bound, nothing = kernel[grid], kernel[0]
    parts: dict[str, Callable[[], object]] = {
        "kernel[grid]": lambda: kernel[grid],
        "arguments bound": lambda: nothing(x, y, ELEMENTS, 2.0, 3.0, BLOCK=1024, num_warps=4),
        "without kernel[grid]": lambda: bound(x, y, ELEMENTS, 2.0, 3.0, BLOCK=1024, num_warps=4),
        "grid a function": lambda: kernel[lambda meta: (1,)](
            x, y, ELEMENTS, 2.0, 3.0, BLOCK=1024, num_warps=4
        ),
        "what is asked of two tensors": lambda: [
            (t.dtype, t.is_contiguous(), t.numel(), t.data_ptr(), t.get_device()) for t in (x, y)
        ],
        "an empty function": lambda: None,
    }
    timers = {"ours": setting.make_timer(launch), "driver": get_driver(core, setting, compiled)}
    if triton := get_triton(setting):
        timers["triton"] = setting.make_timer(triton)
    return timers | {name: setting.make_timer(call) for name, call in parts.items()}


def get_driver(core: Any, setting: Setting, kernel: Any) -> Timer:
    """The driver alone, with the code that ours has."""
    (variant,) = kernel.variants
    arguments = [setting.x.data_ptr(), setting.y.data_ptr(), ELEMENTS, 0x40000000, 0x40400000]
    stream = 0 if setting.is_fake else setting.torch.cuda.current_stream().cuda_stream
    launch = core.BareLaunch(variant["ptx"], "axpy", (1, 1, 1), kernel.block[0], arguments, stream)
    return lambda: launch.time(COUNT)


def get_triton(setting: Setting) -> Callable[[], object] | None:
    if setting.is_fake:
        return None
    try:
        kernel = importlib.import_module("bench.launch_triton").get_kernel()
    except ImportError:
        return None
    x, y, grid = setting.x, setting.y, (1,)

    def launch() -> object:
        return kernel[grid](x, y, ELEMENTS, 2.0, 3.0, BLOCK=1024, num_warps=4)

    launch()
    return launch


def time_first_call(core: Any, target: str) -> dict[str, float]:
    """Milliseconds from the text of a matmul to its PTX, in the best of three."""
    text = MATMUL.read_text(encoding="utf-8")
    best: dict[str, float] = {}
    for _ in range(3):
        begin = time.perf_counter()
        kernel = compile_text(core, text, target)
        parsed = time.perf_counter()
        _ = kernel.ptx
        end = time.perf_counter()
        for name, seconds in [("parse", parsed - begin), ("compile", end - parsed)]:
            best[name] = min(best.get(name, 1e9), round(seconds * 1e3, 1))
    return best


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the record here")
    parser.add_argument("--fake-driver", type=Path, metavar="LIBRARY", help="needs no GPU")
    parser.add_argument("--rounds", type=int, default=301, help="of a hundred launches each")
    options = parser.parse_args()
    setting = Setting(options.fake_driver, options.rounds)
    core = importlib.import_module("tilewright")._core
    target = core.get_gpu_target() or "sm_90a"
    rounds = measure(get_timers(core, setting, target), setting.rounds)
    over = [ours - driver for ours, driver in zip(rounds["ours"], rounds["driver"], strict=True)]
    times = {name: summarize(each) for name, each in rounds.items()}
    ours, driver, triton = times.pop("ours"), times.pop("driver"), times.pop("triton", None)
    record: dict[str, Any] = {
        "device": setting.device,
        "target": target,
        "complete": False,
        "nanoseconds": {
            "ours": {"launch": ours, "parts": times},
            "driver": driver,
            "ours_over_driver": summarize(over),
            "triton": triton,
        },
    }
    write_json(options.json, record)
    record |= {"first_call_milliseconds": time_first_call(core, target), "complete": True}
    write_json(options.json, record)
    print(json.dumps(record, indent=2))
    return 0


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        sys.exit(main())
