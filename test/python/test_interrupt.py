"""Kernels that never end, and the ways out: Ctrl-C, other signals, a limit."""

import os
import pty
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from package_support import OTHER, CudaArray, import_package

tilewright = import_package()

ENDLESS = Path(__file__).parent.parent / "tools" / "tile-run" / "Inputs" / "endless.mlir"
LOOPS = "in the loop of line 9, which is in that of line 8"


@pytest.fixture(scope="module")
def endless():
    """With a step of 0 it is; the variant for it is compiled."""
    compiled = tilewright.compile_file(ENDLESS, target="sm_90a")

    def kernel(x, *sizes, **options):
        y = np.zeros_like(x) if isinstance(x, np.ndarray) else CudaArray((16,), address=OTHER)
        before = y.copy() if isinstance(y, np.ndarray) else None
        try:
            compiled(x, y, *sizes, **options)
        except BaseException:
            assert before is None or np.array_equal(y, before)
            raise

    kernel(np.zeros(16, np.float32), 16, 16)
    return kernel


def test_ctrl_c_ends_a_launch(endless, ctrl_c):
    ctrl_c(0.1)
    with pytest.raises(KeyboardInterrupt) as caught:
        endless(np.ones(16, np.float32), 16, 0)
    if sys.version_info >= (3, 11):
        (note,) = caught.value.__notes__
        assert "interrupted: PTX line" in note and LOOPS in note
    # Nothing is left over.
    endless(np.ones(16, np.float32), 16, 16)


def test_a_handler_that_raises_ends_a_launch(endless):
    def give_up(*_):
        raise TimeoutError("too long")

    before = signal.signal(signal.SIGALRM, give_up)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(TimeoutError, match="too long"):
            endless(np.zeros(16, np.float32), 16, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_handler_that_returns_does_not(endless):
    calls = []
    before = signal.signal(signal.SIGALRM, lambda *_: calls.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        with pytest.raises(tilewright.SimulatorError, match="instruction-limit"):
            endless(np.zeros(16, np.float32), 16, 0, instruction_limit=1_000_000)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert calls


def test_ctrl_c_while_another_thread_runs_the_kernel(endless, ctrl_c):
    failures = []

    def run():
        try:
            endless(np.zeros(16, np.float32), 16, 0, instruction_limit=2_000_000)
        except tilewright.SimulatorError as error:
            failures.append(error)

    other = threading.Thread(target=run)
    other.start()
    ctrl_c(0.1)
    with pytest.raises(KeyboardInterrupt):
        while True:
            endless(np.zeros(16, np.float32), 16, 0)
    other.join()
    assert "instruction_limit=" in str(failures[0])


def test_the_limit_names_its_option_and_the_loop(endless):
    x = np.zeros(16, np.float32)
    with pytest.raises(tilewright.SimulatorError) as caught:
        endless(x, 16, 0, instruction_limit=100_000)
    assert "executed 100000 warp instructions, the most that instruction_limit= allows" in str(
        caught.value
    )
    assert LOOPS in str(caught.value)
    # It is of one launch.
    endless(x, 16, 16)


@pytest.mark.parametrize(
    ("limit", "kind", "text"),
    [
        (0, ValueError, "endless: instruction_limit is 1 or more, not 0"),
        (-5, ValueError, "endless: instruction_limit is 1 or more, not -5"),
        ("many", TypeError, "instruction_limit"),
    ],
)
def test_bad_limits(endless, limit, kind, text):
    with pytest.raises(kind, match=text):
        endless(np.zeros(16, np.float32), 16, 16, instruction_limit=limit)


def test_a_gpu_has_no_limit(endless, fake_driver):
    message = "instruction_limit= is of the simulator"
    with pytest.raises(ValueError, match=message):
        endless(CudaArray((16,)), 16, 16, instruction_limit=5)
    with pytest.raises(ValueError, match=message):
        endless(np.zeros(16, np.float32), 16, 16, instruction_limit=5, device="cuda")


def test_ctrl_c_while_a_gpu_is_waited_for(endless, fake_driver, ctrl_c):
    """The driver says that the kernel runs, and presses Ctrl-C once."""
    x = np.arange(16, dtype=np.float32)
    fake_driver.fake_hang(1)
    try:
        with pytest.raises(KeyboardInterrupt):
            endless(x, 16, 0, device="cuda")
    finally:
        fake_driver.fake_hang(0)
    assert np.array_equal(x, np.arange(16))
    endless(x, 16, 16, device="cuda")


ROOT = Path(__file__).parents[2]
BIN = Path(os.environ.get("TILEWRIGHT_BIN", ROOT / "build" / "bin"))
TILE_RUN = [str(BIN / "tile-run"), str(ENDLESS), "--args", "n=16 step=0"]


def test_tile_run_tells_where_the_simulator_was():
    """On a terminal, a line shows that the kernel runs; then Ctrl-C comes."""
    main, terminal = pty.openpty()
    with subprocess.Popen([*TILE_RUN, "--device=sim"], stderr=terminal) as process:
        os.close(terminal)
        text = ""
        while "simulating: 0 of 2 blocks finished (Ctrl-C ends it)" not in text:
            text += os.read(main, 1000).decode()
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
    try:
        while part := os.read(main, 1000).decode():
            text += part
    except OSError:  # the other end is closed
        pass
    os.close(main)
    assert "tile-run: endless: " in text
    assert "interrupted: PTX line" in text and LOOPS in text


def test_tile_run_leaves_a_gpu_that_never_ends(fake_driver):
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": os.environ["TILEWRIGHT_FAKE_CUDA"],
        "TILEWRIGHT_FAKE_CUDA_HANGS": "1",
    }
    result = subprocess.run(
        [*TILE_RUN, "--device=cuda"], env=environment, capture_output=True, text=True
    )
    assert result.returncode == 130
    assert result.stderr == (
        "tile-run: interrupted after the launch of 'endless', grid 2 x 1 x 1, 128 threads a "
        "block: the GPU goes on with it until this process ends\n"
    )
