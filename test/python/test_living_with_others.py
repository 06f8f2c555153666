"""CUDA graphs, processes that are forked, and threads; with a driver that only keeps what it is
asked."""

import importlib.util
import json
import subprocess
import sys
import types

import numpy as np
import pytest
from conftest import ROOT
from dispatch_support import make_scale, numbers, run_program
from package_support import OTHER, SCALE, CudaArray, import_package, install_fake_torch

tilewright = import_package()


@pytest.fixture
def capture(fake_driver):
    """Captures a stream, of which the thread knows nothing."""
    fake_driver.fake_capture(1)
    yield fake_driver
    fake_driver.fake_capture(0)


def arrays(**fields):
    return CudaArray((300,), **fields), CudaArray((300,), address=OTHER, **fields)


def test_a_first_launch_under_capture_loads_its_code(capture):
    before = capture.fake_last_launch().contents.launches
    make_scale("sm_90a")[0][3](*arrays(stream=7), 300, 1.0, BLOCK=128)
    last = capture.fake_last_launch().contents
    assert (last.launches, last.stream) == (before + 1, 7)


def test_what_cannot_be_captured_asks_for_a_warmup(capture):
    scale = make_scale("sm_90a")[0]
    with pytest.raises(tilewright.LaunchError, match=r"as a warmup, .* and pass stream="):
        scale[3](*arrays(), 300, 1.0, BLOCK=128)


FORKED = """
import os, signal, threading
from package_support import *

def in_fork(function):
    "Its result, printed; a process that is stuck is ended."
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)
        status = 1
        try:
            function()
            status = 0
        finally:
            os._exit(status)
    return os.waitpid(pid, 0)[1]
"""


def test_a_fork_compiles_and_simulates(fake_driver):
    program = """
scale, _ = make_scale("sm_90a")
x, y = numbers(300), np.zeros(300, np.float32)
scale[3](x, y, 300, 2.0, BLOCK=128)
scale[3](CudaArray((300,)), CudaArray((300,), address=OTHER), 300, 1.0, BLOCK=128)

def use():
    scale[3](x, y, 300, 4.0, BLOCK=128)  # the same code
    assert np.array_equal(y, x * 4)
    scale[5](x, y, 300, 3.0, BLOCK=64)  # new code
    assert np.array_equal(y, x * 3)

assert in_fork(use) == 0
"""
    result = run_program(FORKED + program)
    assert (result.returncode, result.stderr) == (0, "")


def test_a_fork_cannot_use_the_gpu(fake_driver):
    program = """
scale, _ = make_scale("sm_90a")
arguments = (CudaArray((300,)), CudaArray((300,), address=OTHER), 300, 1.0)
scale[3](*arguments, BLOCK=128)

def use():
    try:
        scale[3](*arguments, BLOCK=128)
    except tilewright.LaunchError as error:
        print(error, flush=True)

assert in_fork(use) == 0
"""
    result = run_program(FORKED + program)
    assert result.returncode == 0, result.stderr
    assert "forked from one with a GPU in use cannot use it" in result.stdout
    assert "set_start_method('spawn')" in result.stdout


def test_forks_while_other_threads_are_at_work(fake_driver):
    """They wait: else the locks of those threads would stay held."""
    program = """
kernel = make_scale("sm_90a")[0]
stop = threading.Event()
failures = []
x, y = numbers(300), np.zeros(300, np.float32)

def work(number):
    y = np.zeros(300, np.float32)
    blocks = 0
    while not stop.is_set():
        blocks += 1
        kernel[300](x, y, 300, 2.0, BLOCK=16 << blocks % 4, num_warps=1 << blocks // 4 % 3)
        if not np.array_equal(y, x * 2):
            failures.append(number)
        if blocks % 12 == 0:
            globals()["kernel"] = make_scale("sm_90a")[0]

threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
for each in threads:
    each.start()

def use():
    kernel[300](x, y, 300, 3.0, BLOCK=16)
    kernel[300](x, y, 300, 3.0, BLOCK=256, num_warps=8)
    assert np.array_equal(y, x * 3)

statuses = [in_fork(use) for _ in range(20)]
stop.set()
for each in threads:
    each.join()
assert statuses == [0] * 20, statuses
assert not failures
"""
    result = run_program(FORKED + program)
    assert (result.returncode, result.stderr) == (0, "")


def test_python_ends_while_daemon_threads_are_at_work(fake_driver):
    """Python ends them, wherever they are; the process ends as if they were not there."""
    program = """
def work():
    y = np.zeros(300, np.float32)
    while True:
        kernel = make_scale("sm_90a")[0]
        for block in (16, 32, 64):
            kernel[300](numbers(300), y, 300, 2.0, BLOCK=block)
            started.release()

started = threading.Semaphore(0)
for number in range(3):
    threading.Thread(target=work, daemon=True).start()
for count in range(6):
    started.acquire()
"""
    for _ in range(3):
        result = run_program(FORKED + program)
        assert (result.returncode, result.stderr) == (0, "")


def test_a_fork_by_the_compiler_itself_does_not_wait(fake_driver):
    """As of a constant that somebody computes in another process."""
    program = """
scale, compiler = make_scale("sm_90a")
body = compiler.body
statuses = []

def forking(types, constants):
    statuses.append(in_fork(lambda: None))
    return body(types, constants)

compiler.body = forking
x, y = numbers(300), np.zeros(300, np.float32)
scale[3](x, y, 300, 2.0, BLOCK=128)
assert statuses == [0] and np.array_equal(y, x * 2)
assert in_fork(lambda: scale[3](x, y, 300, 2.0, BLOCK=64)) == 0
"""
    result = run_program(FORKED + program)
    assert (result.returncode, result.stderr) == (0, "")


def test_a_report_is_a_page():
    kernel = tilewright.compile(SCALE, target="sm_90a")
    kernel(numbers(300), np.zeros(300, np.float32), 2.0)
    page = kernel.report_html
    assert page.startswith("<!DOCTYPE html>") and "Kernel scale for sm_90a" in page
    frame = kernel._repr_html_()
    assert frame.startswith("<iframe") and frame.endswith("</iframe>")
    assert "&lt;h1&gt;scale&lt;/h1&gt;" in frame and frame.count("<") == 2


def test_what_a_kernel_writes():
    assert tilewright.compile(SCALE, target="sm_90a").writes == ["Y"]


def test_threads_compile_and_launch():
    script = [sys.executable, str(ROOT / "scripts" / "stress-threads.py")]
    options = ["--seconds", "3", "--threads", "8", "--kernels", "6"]
    result = subprocess.run([*script, *options], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert "by 8 threads of 6 kernels; " in result.stdout


def test_the_stress_test_finds_growth():
    script = [sys.executable, str(ROOT / "scripts" / "stress-threads.py"), "--growth", "-1000"]
    options = ["--seconds", "0.1", "--threads", "1", "--kernels", "1"]
    result = subprocess.run([*script, *options], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "memory grew by more than -1000 MiB" in result.stderr


def test_what_is_tried_on_a_gpu(tmp_path):
    """Each step runs, is skipped with a reason, or fails alone."""
    record = tmp_path / "record.json"
    script = [sys.executable, str(ROOT / "scripts" / "gpu-python.py"), "--json", str(record)]
    result = subprocess.run(
        [*script, "--seconds", "0.5"], capture_output=True, text=True, check=False
    )
    steps = {each["step"]: each for each in json.loads(record.read_text())["steps"]}
    assert json.loads(result.stdout)["steps"] == list(steps.values())
    assert result.returncode == 0, result.stderr
    assert len(steps) == 8 and steps["threads"]["status"] == "passed"
    assert steps["threads"]["data"]["launches"] > 0
    for each in steps.values():
        assert each["status"] == "passed" or (each["status"], bool(each["detail"])) == (
            "skipped",
            True,
        )


def test_a_step_that_takes_too_long_fails_alone():
    script = [sys.executable, str(ROOT / "scripts" / "gpu-python.py"), "--step-timeout", "0.01"]
    result = subprocess.run([*script, "--only", "graph"], capture_output=True, text=True)
    assert result.returncode == 1
    details = [each["detail"] for each in json.loads(result.stdout)["steps"]]
    assert len(details) == 3 and all("ran longer than" in each for each in details)


# PyTorch


class FakeOperator:
    """What torch.library.custom_op makes of a function, as far as it can be called."""

    def __init__(self, name, mutates_args, function):
        self.name, self.mutates_args, self.function = name, mutates_args, function
        self.fake = self.backward = self.setup_context = None

    def __call__(self, *arguments):
        return self.function(*arguments)

    def register_fake(self, function):
        self.fake = function
        return function

    def register_autograd(self, backward, *, setup_context):
        self.backward, self.setup_context = backward, setup_context


class HostTensor(np.ndarray):
    """A tensor of the CPU."""

    def contiguous(self):
        return np.ascontiguousarray(self).view(HostTensor)


@pytest.fixture
def torch():
    """With what makes operators."""
    install_fake_torch()
    torch = sys.modules["torch"]
    torch.contiguous_format = "contiguous"
    torch.empty_like = lambda tensor, memory_format=None: np.empty_like(tensor)
    torch.nn = types.SimpleNamespace(Module=object)
    torch.library = types.SimpleNamespace(
        custom_op=lambda name, mutates_args: (
            lambda function: FakeOperator(name, mutates_args, function)
        )
    )
    yield torch
    del sys.modules["torch"]


def test_the_operator_of_the_example(torch, monkeypatch):
    """With PyTorch itself the example checks itself: that, and torch.compile, is its main()."""
    path = ROOT / "examples" / "torch" / "silu_mul.py"
    spec = importlib.util.spec_from_file_location("silu_mul_example", path)
    example = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, example)
    spec.loader.exec_module(example)

    gate, up = (numbers(37 * 51).reshape(37, 51).view(HostTensor) for _ in range(2))
    up = np.asfortranarray(up[::-1]).view(HostTensor)
    sigmoid = 1 / (1 + np.exp(-gate.astype(np.float64)))
    result = example.silu_mul(gate, up)
    tilewright.testing.assert_close(result, gate * sigmoid * up, atol=1e-5)
    assert example.silu_mul.fake(gate, up).shape == gate.shape
    context = types.SimpleNamespace(
        save_for_backward=lambda *tensors: setattr(context, "saved_tensors", tensors)
    )
    example.silu_mul.setup_context(context, (gate, up), result)
    grad = np.full((37, 51), 2, np.float32).view(HostTensor)
    found = example.silu_mul.backward(context, grad)
    wanted = (2 * up * sigmoid * (1 + gate * (1 - sigmoid)), 2 * gate * sigmoid)
    for ours, theirs in zip(found, wanted, strict=True):
        tilewright.testing.assert_close(ours, theirs, atol=1e-5)


def test_the_example_with_torch():
    pytest.importorskip("torch")
    path = ROOT / "examples" / "torch" / "silu_mul.py"
    result = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert "silu_mul is right on " in result.stdout
