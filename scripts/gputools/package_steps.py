"""Steps of the section `python` of scripts/gpu-check.py: the Python package on a GPU.

    python scripts/gputools/package_steps.py STEP

Runs one step in this process and prints what came of it as JSON: status, detail, data. It needs the
package (the wheel, or PYTHONPATH=build/python) and PyTorch; without one of them the step is skipped
and says so.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

Result = tuple[str, dict[str, Any]]

LAUNCHES = 1000
BATCHES = 15


class MissingError(Exception):
    """Something that a step needs is not installed."""


class MistakeError(Exception):
    """A step that ran and went wrong."""


def need(module: str) -> Any:
    try:
        return __import__(module)
    except ImportError as error:
        raise MissingError(f"{module} is not installed ({error})") from error


def need_torch() -> Any:
    torch = need("torch")
    if not torch.cuda.is_available():
        raise MissingError("PyTorch finds no GPU")
    return torch


def kernel(name: str) -> Any:
    return need("tilewright").compile_file(EXAMPLES / f"{name}.mlir")


def expect(right: bool, what: str) -> None:
    if not right:
        raise MistakeError(what)


def copy_and_transpose() -> Result:
    """Results on PyTorch's default stream, at sizes with whole vectors and without."""
    torch = need_torch()
    copy, transpose = kernel("copy_f32"), kernel("transpose_f32")
    for count in (1, 1000, 1 << 20, 1_000_003):
        x = torch.randn(count, device="cuda")
        y = torch.empty_like(x)
        copy(x, y)
        expect(torch.equal(x, y), f"copy of {count}")
    for m, n in ((64, 64), (300, 200), (1021, 509), (1, 7)):
        a = torch.randn(m, n, device="cuda")
        b = torch.empty(n, m, device="cuda")
        transpose(a, b)
        expect(torch.equal(b, a.t()), f"transpose of {m} x {n}")
    part = torch.randn(1 << 16, device="cuda")[1:]
    y = torch.empty_like(part)
    copy(part, y)
    expect(torch.equal(part, y), "copy from an address that is no multiple of 16")
    return f"{len(transpose.variants) - 1} variants of transpose_f32", {"target": copy.target}


def gemm() -> Result:
    torch = need_torch()
    errors = {}
    for dtype, name in ((torch.float16, "f16"), (torch.bfloat16, "bf16")):
        product = kernel(f"gemm_{name}_nn")
        a = torch.randn(520, 1032, device="cuda", dtype=dtype)
        b = torch.randn(1032, 264, device="cuda", dtype=dtype)
        c = torch.empty(520, 264, device="cuda", dtype=dtype)
        product(a, b, c)
        reference = a.double() @ b.double()
        error = ((c.double() - reference).abs() / (reference.abs() + 30)).max().item()
        errors[name] = error
        expect(error < 0.02, f"{name}: relative error {error}")
    return "", {"relative_errors": errors}


def streams() -> Result:
    """A launch waits for what its stream was asked before, and for nothing else."""
    torch = need_torch()
    copy = kernel("copy_f32")
    count = 1 << 22
    x, y = torch.zeros(count, device="cuda"), torch.empty(count, device="cuda")
    copy(x, y)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    # Half a second of other work on the stream before x has its value there.
    cycles = int(0.5e9)
    with torch.cuda.stream(stream):
        torch.cuda._sleep(cycles)
        x.fill_(7)
        copy(x, y)
        started = not stream.query()
        after = y.sum()
    stream.synchronize()
    expect(started, "the launch waited for the GPU")
    expect(after.item() == 7 * count, "on the current stream: out of order")
    torch.cuda._sleep(cycles)  # On the default stream, which the launch is not to wait for.
    with torch.cuda.stream(stream):
        x.fill_(9)
    copy(x, y, stream=stream)
    stream.synchronize()
    is_default_busy = not torch.cuda.default_stream().query()
    torch.cuda.synchronize()
    expect(is_default_busy, "on a given stream: it waited for the default one")
    expect(bool((y == 9).all().item()), "on a given stream: wrong values")
    return "", {}


def graphs() -> Result:
    """A launch can be captured in a CUDA graph."""
    torch = need_torch()
    copy = kernel("copy_f32")
    x, y = torch.zeros(4096, device="cuda"), torch.empty(4096, device="cuda")
    copy(x, y)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        copy(x, y)
    x.fill_(5)
    graph.replay()
    torch.cuda.synchronize()
    expect(bool((y == 5).all().item()), "the graph did not copy")
    return "", {}


def host_arrays() -> Result:
    """NumPy's arrays, copied to the GPU and back; and mixed ones, which are refused."""
    torch, numpy = need_torch(), need("numpy")
    transpose = kernel("transpose_f32")
    a = numpy.random.default_rng(0).standard_normal((300, 200)).astype(numpy.float32)
    b = numpy.zeros((200, 300), numpy.float32)
    transpose(a, b, device="cuda")
    expect(numpy.array_equal(b, a.T), "transpose of NumPy's arrays")
    try:
        transpose(a, torch.empty(200, 300, device="cuda"))
    except ValueError as error:
        return str(error), {}
    raise MistakeError("arrays of the host and of the GPU in one launch")


def cupy_arrays() -> Result:
    cupy = need("cupy")
    transpose = kernel("transpose_f32")
    a = cupy.random.standard_normal((300, 200), dtype=cupy.float32)
    b = cupy.empty((200, 300), cupy.float32)
    transpose(a, b)
    expect(bool((b == a.T).all()), "transpose of CuPy's arrays")
    with cupy.cuda.Stream(non_blocking=True) as stream:
        a *= 2
        transpose(a, b)
        stream.synchronize()
    expect(bool((b == a.T).all()), "transpose on a stream of CuPy")
    return "", {"cupy": cupy.__version__}


def errors() -> Result:
    """Mistakes are told, and the GPU works on after them."""
    torch, tilewright = need_torch(), need("tilewright")
    copy = kernel("copy_f32")
    x = torch.zeros(64, device="cuda")
    for arguments, kind in (
        ((x, x.half()), TypeError),
        ((x, x[:32]), ValueError),
        ((x[::2], x[::2]), ValueError),
        ((x, x.cpu()), ValueError),
        ((x, None), TypeError),
    ):
        try:
            copy(*arguments)
        except kind:
            continue
        raise MistakeError(f"{[type(argument).__name__ for argument in arguments]} were taken")
    try:
        tilewright.compile_file(EXAMPLES / "copy_f32.mlir", target="sm_120a")(x, x.clone())
    except tilewright.LaunchError as error:
        told = str(error)
    else:
        raise MistakeError("code for another GPU was taken")
    y = torch.ones(64, device="cuda")
    copy(x, y)
    expect(not y.any().item(), "a launch after the errors")
    return told.splitlines()[0], {}


def time_calls(torch: Any, call: Callable[[], object]) -> float:
    """Nanoseconds of the host for one call: the median of batches that the queue of the GPU can
    hold, so that no call waits for it."""
    batch = 200
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    samples = []
    for _ in range(max(BATCHES, LAUNCHES // batch)):
        begin = time.perf_counter_ns()
        for _ in range(batch):
            call()
        samples.append((time.perf_counter_ns() - begin) / batch)
        torch.cuda.synchronize()
    return statistics.median(samples)


def triton_call(torch: Any, x: Any, y: Any) -> Callable[[], object] | None:
    """The same launch by Triton, where it is installed and can make its launcher."""
    try:
        from gputools import triton_copy

        triton_copy.copy[(1,)](x, y, x.numel(), BLOCK=1024)
        torch.cuda.synchronize()
    except Exception:
        return None
    return lambda: triton_copy.copy[(1,)](x, y, x.numel(), BLOCK=1024)


def launch_time() -> Result:
    """What a launch takes of the host, beside PyTorch's copy and Triton's launch."""
    torch = need_torch()
    copy = kernel("copy_f32")
    x, y = torch.randn(1024, device="cuda"), torch.empty(1024, device="cuda")
    stream = torch.cuda.current_stream()
    data = {
        "launch_ns": time_calls(torch, lambda: copy(x, y)),
        "launch_with_sizes_ns": time_calls(torch, lambda: copy(x, y, 1024)),
        "launch_with_stream_ns": time_calls(torch, lambda: copy(x, y, 1024, stream=stream)),
        "torch_copy_ns": time_calls(torch, lambda: y.copy_(x)),
        "empty_call_ns": time_calls(torch, lambda: None),
    }
    if call := triton_call(torch, x, y):
        data["triton_ns"] = time_calls(torch, call)
    expect(torch.equal(x, y), "the copy was wrong")
    return ", ".join(f"{name[:-3]} {value:.0f} ns" for name, value in data.items()), data


STEPS: dict[str, Callable[[], Result]] = {
    "copy and transpose": copy_and_transpose,
    "gemm": gemm,
    "streams": streams,
    "graphs": graphs,
    "host arrays": host_arrays,
    "cupy arrays": cupy_arrays,
    "errors": errors,
    "launch time": launch_time,
}
# What others would disturb.
TIMED = ("streams", "launch time")


def run_step(step: Callable[[], Result]) -> dict[str, Any]:
    """What came of a step."""
    try:
        detail, data = step()
        return {"status": "passed", "detail": detail, "data": data}
    except MissingError as error:
        return {"status": "skipped", "detail": str(error), "data": {}}
    except MistakeError as error:
        return {"status": "FAILED", "detail": f"wrong: {error}", "data": {}}
    except Exception:
        return {"status": "FAILED", "detail": traceback.format_exc(limit=-3), "data": {}}


def main() -> int:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    print(json.dumps(run_step(STEPS[sys.argv[1]])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
