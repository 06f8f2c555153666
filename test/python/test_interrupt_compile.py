"""Ctrl-C while a kernel is compiled."""

import asyncio
import signal
import threading
import time

import numpy as np
import pytest
from package_support import SCALE, import_package, numbers

tilewright = import_package()

CHAIN = 3000


def make_long(name="long"):
    """Takes some seconds to compile, most of them in the code generator."""
    lines = [f"  %t{i + 1} = arith.addf %t{i}, %t{i // 2} : tensor<1024xf64>" for i in range(CHAIN)]
    return f"""
tile.kernel @{name}(%X: !tile.ptr<f64>, %Y: !tile.ptr<f64>)
    shapes ["X[1024]", "Y[1024]"] grid ["1"] {{
  %c0 = arith.constant 0 : index
  %x = tile.view %X, shape [1024], strides [1] : !tile.ptr<f64> -> !tile.view<1024xf64, [1]>
  %y = tile.view %Y, shape [1024], strides [1] : !tile.ptr<f64> -> !tile.view<1024xf64, [1]>
  %t0 = tile.load_view %x[%c0] : !tile.view<1024xf64, [1]> -> tensor<1024xf64>
{chr(10).join(lines)}
  tile.store_view %t{CHAIN}, %y[%c0] : tensor<1024xf64>, !tile.view<1024xf64, [1]>
  tile.return
}}
"""


@pytest.fixture(scope="module")
def seconds():
    """How long it computes to its end."""
    begin = time.process_time()
    tilewright.compile(make_long(), target="sm_90a")
    return time.process_time() - begin


def compute(seconds):
    """Where Ctrl-C comes if what it was to end was faster this time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def scale_works():
    x = numbers(300)
    y = np.empty_like(x)
    tilewright.compile(SCALE, target="sm_90a")(x, y, factor=2.0)
    return np.array_equal(y, 2 * x)


@pytest.mark.parametrize("part", [0.05, 0.3, 0.5, 0.7])
def test_ctrl_c_ends_a_compilation(seconds, part, ctrl_c):
    is_over = False
    ctrl_c(part * seconds)
    begin = time.process_time()
    with pytest.raises(KeyboardInterrupt):
        tilewright.compile(make_long(), target="sm_90a")
        is_over = True
        compute(10 * seconds)
    # The last half may be one pass.
    if part < 0.4:
        assert not is_over
        assert time.process_time() - begin < 0.8 * seconds
    assert scale_works()


def test_what_was_ended_can_be_compiled_again_and_is_kept_then(
    seconds, tmp_path, monkeypatch, ctrl_c
):
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    ctrl_c(0.3 * seconds)
    with pytest.raises(KeyboardInterrupt):
        tilewright.compile(make_long("kept"), target="sm_90a")
        compute(10 * seconds)
    assert [each for each in tmp_path.rglob("*") if each.is_file()] == []
    assert scale_works()
    first = tilewright.compile(make_long("kept"), target="sm_90a").ptx
    begin = time.process_time()
    assert tilewright.compile(make_long("kept"), target="sm_90a").ptx == first
    assert time.process_time() - begin < 0.5 * seconds


def test_a_handler_that_returns_does_not(seconds, ctrl_c):
    calls = []
    before = signal.signal(signal.SIGINT, lambda *_: calls.append(scale_works()))
    try:
        ctrl_c(0.3 * seconds)
        kernel = tilewright.compile(make_long(), target="sm_90a")
    finally:
        signal.signal(signal.SIGINT, before)
    assert calls == [True]
    assert ".entry long" in kernel.ptx


def test_asyncio_hears_it_once(seconds, ctrl_c):
    calls = []

    async def run():
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, calls.append, 1)
        ctrl_c(0.3 * seconds)
        tilewright.compile(make_long(), target="sm_90a")
        await asyncio.sleep(0.1)

    asyncio.run(run())
    assert calls == [1]


def test_a_thread_goes_on(seconds, ctrl_c):
    """Python handles signals in its main thread only."""
    done = []

    def run():
        done.append(tilewright.compile(make_long(), target="sm_90a"))

    other = threading.Thread(target=run)
    other.start()
    ctrl_c(0.3 * seconds)
    with pytest.raises(KeyboardInterrupt):
        compute(10 * seconds)
    other.join()
    assert len(done) == 1


def test_ctrl_c_ends_the_compilation_of_a_launch(seconds, ctrl_c):
    """Of a variant, which the launch is the first to need."""
    kernel = tilewright.compile(make_long(), target="sm_90a")
    x = np.zeros(1040)[1:1025]
    ctrl_c(0.4 * seconds)
    with pytest.raises(KeyboardInterrupt):
        kernel(x, np.zeros(1024))
        compute(10 * seconds)
    y = np.zeros(1024)
    kernel(x, y)
    assert np.all(y == 0)
