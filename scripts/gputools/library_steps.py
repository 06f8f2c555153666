"""Steps of scripts/gpu-python.py: kernels in Python on a GPU, beside threads and other libraries.

Each runs in a process of its own. Without PyTorch or a GPU a step is skipped and says so; those
that need neither run in the simulator.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gputools.package_steps import (
    MissingError,
    MistakeError,
    Result,
    expect,
    need,
    need_torch,
)
from gputools.tools import EXAMPLES, ROOT, call

COUNT = 1 << 20
BLOCK = 1024


def _has_gpu() -> bool:
    try:
        need_torch()
    except MissingError:
        return False
    return True


def _run(command: Sequence[str | Path], limit: float) -> str:
    """What a program of ours prints."""
    finished = call([sys.executable, *command], limit)
    if finished.code:
        raise MistakeError(f"{finished.complaint()}\n{finished.stdout[-1000:]}".strip())
    return finished.stdout


def _launch(x: Any, out: Any, factor: float, **options: Any) -> Any:
    from gputools.library_kernels import scale

    count = x.shape[0]
    grid = ((count + BLOCK - 1) // BLOCK,)
    return scale[grid](x, out, count, factor, BLOCK=BLOCK, **options)


def threads(seconds: float) -> Result:
    """Sixteen threads that launch forty kernels with changing constants."""
    need("tilewright")
    device = "cuda" if _has_gpu() else "sim"
    kernels, count = (40, 16) if device == "cuda" else (4, 4)
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "threads.json"
        text = _run(
            [
                ROOT / "scripts" / "stress-threads.py", f"--device={device}", f"--json={record}",
                f"--seconds={seconds}", f"--threads={count}", f"--kernels={kernels}",
            ],
            limit=seconds + 240,
        )  # fmt: skip
        return text.strip(), json.loads(record.read_text())


def graph() -> Result:
    """A launch in a CUDA graph, with values that change between its replays."""
    torch = need_torch()
    x, out = torch.ones(COUNT, device="cuda"), torch.zeros(COUNT, device="cuda")
    _launch(x, out, 3.0)
    torch.cuda.synchronize()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        _launch(x, out, 3.0)
    for value in (2.0, 5.0, 7.0):
        x.fill_(value)
        captured.replay()
        torch.cuda.synchronize()
        expect(bool((out == 3 * value).all().item()), f"a replay with {value}")
    return "", {}


def first_call_in_graph() -> Result:
    """The first launch of a kernel, which compiles and loads it, while a stream is captured."""
    torch = need_torch()
    os.environ["TILEWRIGHT_CACHE_DIR"] = ""
    x, out = torch.ones(COUNT, device="cuda"), torch.zeros(COUNT, device="cuda")
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        kernel = _launch(x, out, 3.0)
        # A variant of its own: it begins where no vector does.
        _launch(x[1:], out[1:], 3.0)
    torch.cuda.synchronize()
    expect(not out.any().item(), "the launch ran while it was captured")
    captured.replay()
    torch.cuda.synchronize()
    expect(bool((out == 3).all().item()), "the replay")
    return f"{len(kernel.variants)} variants were loaded under capture", {}


def times() -> Result:
    """do_bench() beside events around many launches, and the bytes a second that it makes."""
    torch, testing = need_torch(), need("tilewright").testing
    count = 1 << 26
    x, out = torch.ones(count, device="cuda"), torch.zeros(count, device="cuda")
    milliseconds = testing.do_bench(lambda: _launch(x, out, 3.0), return_mode="median")
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    repeats = 50
    start.record()
    for _ in range(repeats):
        _launch(x, out, 3.0)
    end.record()
    torch.cuda.synchronize()
    by_events = start.elapsed_time(end) / repeats
    small = torch.ones(BLOCK, device="cuda")
    in_graph = testing.do_bench_cudagraph(lambda: _launch(small, small, 1.0))
    data = {
        "milliseconds": milliseconds,
        "by_events": by_events,
        "terabytes_a_second": 8e-9 * count / milliseconds,
        "small_in_graph_milliseconds": in_graph,
    }
    expect(0.5 < milliseconds / by_events < 2, f"do_bench is off: {data}")
    expect(0.0002 < in_graph < 0.1, f"do_bench_cudagraph is off: {data}")
    return f"{data['terabytes_a_second']:.2f} TB/s", data


def compiled_operator() -> Result:
    """torch.library.custom_op and torch.compile around kernels, with gradients."""
    need_torch()
    return _run([EXAMPLES / "torch" / "silu_mul.py"], limit=240).strip(), {}


def tuning_by_graphs() -> Result:
    """autotune(use_cuda_graph=True), with results that another process would find."""
    torch = need_torch()
    from gputools.library_kernels import make_tuned

    x, out = torch.ones(COUNT, device="cuda"), torch.zeros(COUNT, device="cuda")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TILEWRIGHT_CACHE_DIR"] = folder
        first, again = (make_tuned(use_cuda_graph=True, cache_results=True) for _ in range(2))
        for kernel in (first, again):
            out.zero_()
            kernel[lambda meta: (-(-COUNT // meta["BLOCK"]),)](x, out, COUNT, 3.0)
            torch.cuda.synchronize()
            expect(bool((out == 3).all().item()), "the launch that was tuned for")
    tuning = first.tuning
    timed = [each.milliseconds for each in tuning.trials if each.milliseconds is not None]
    expect(len(timed) == 2, f"two of three configurations can be timed:\n{tuning}")
    expect(all(0.0005 < each < 10 for each in timed), f"times that cannot be:\n{tuning}")
    expect(again.tuning.is_stored, "results were not found again")
    return str(tuning.best), {"milliseconds": timed}


def other_device() -> Result:
    """Arrays of a GPU that is not the current one, which stays so."""
    torch = need_torch()
    if torch.cuda.device_count() < 2:
        raise MissingError("there is one GPU")
    torch.cuda.set_device(0)
    x, out = torch.ones(COUNT, device="cuda:1"), torch.zeros(COUNT, device="cuda:1")
    stream = torch.cuda.Stream(device=1)
    for options in ({}, {"stream": stream}):
        out.zero_()
        torch.cuda.synchronize(1)
        _launch(x, out, 3.0, **options)
        torch.cuda.synchronize(1)
        expect(bool((out == 3).all().item()), f"a launch on the other GPU, {options}")
    expect(torch.cuda.current_device() == 0, "another GPU became current")
    here = torch.ones(COUNT, device="cuda:0")
    try:
        _launch(here, out, 3.0)
    except ValueError as error:
        return str(error), {}
    raise MistakeError("arrays of two GPUs in one launch")


def launch_cost() -> Result:
    """What a launch takes of the host beyond the driver's own part, and beside Triton's."""
    need_torch()
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "launch.json"
        _run([ROOT / "benchmarks" / "launch.py", f"--json={record}"], limit=240)
        data = json.loads(record.read_text())
    over = data["nanoseconds"]["ours_over_driver"]["median"]
    return f"{over:.0f} ns over the driver", data


def make_steps(seconds: float) -> dict[str, Callable[[], Result]]:
    """By name, in the order of a run. `seconds`: of the threads."""
    return {
        "launch cost": launch_cost,
        "graph": graph,
        "first call in a graph": first_call_in_graph,
        "times": times,
        "compiled operator": compiled_operator,
        "tuning by graphs": tuning_by_graphs,
        "other device": other_device,
        "threads": lambda: threads(seconds),
    }
