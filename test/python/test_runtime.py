"""What programs of Triton ask and say on the host: which GPU there is, and what needs no saying."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import package_support
import pytest

tilewright = package_support.import_package()
tl = pytest.importorskip("tilewright.language")
from tilewright.runtime import driver  # noqa: E402
from tilewright.runtime.driver import driver as by_module  # noqa: E402


@pytest.fixture
def simulated(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_DEVICE", "sim")
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_80")
    return driver.active


@pytest.fixture
def fake_torch(monkeypatch):
    cuda = SimpleNamespace(current_device=lambda: 1)
    torch = SimpleNamespace(device=lambda *parts: parts, cuda=cuda)
    monkeypatch.setitem(sys.modules, "torch", torch)
    return torch


def test_names():
    assert by_module is driver is tilewright.runtime.driver
    assert tilewright.runtime.JITFunction is tilewright.JITFunction


@pytest.mark.parametrize(
    "name", ["language.extra.libdevice", "runtime.driver", "testing", "tools.tensor_descriptor"]
)
def test_modules_are_there_without_an_import_of_their_own(name):
    subprocess.run([sys.executable, "-c", f"import tilewright; tilewright.{name}"], check=True)


def test_simulator(simulated, fake_torch):
    assert simulated.get_current_target() == ("cuda", 80, 32)
    assert simulated.get_current_device() == 0
    assert simulated.get_active_torch_device() == ("cpu",)
    assert simulated.utils.get_device_properties(0) == {
        "max_shared_mem": 163 * 1024,
        "max_num_regs": 65536,
        "multiprocessor_count": 108,
        "warpSize": 32,
    }


def test_multiprocessors_are_those_of_the_card_that_reports_take(simulated, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_100a")
    assert simulated.utils.get_device_properties()["multiprocessor_count"] == 148


def test_gpu(fake_driver, fake_torch, monkeypatch):
    monkeypatch.delenv("TILEWRIGHT_DEVICE", raising=False)
    monkeypatch.delenv("TILEWRIGHT_TARGET", raising=False)
    active = driver.active
    assert active.get_current_target() == ("cuda", 90, 32)
    assert active.get_current_target().backend == "cuda"
    assert active.get_current_device() == 1
    assert active.get_active_torch_device() == ("cuda", 1)
    names = ("cuda", "cuda:1", SimpleNamespace(index=None))
    for device in (None, 1, SimpleNamespace(index=1), *names):
        properties = active.utils.get_device_properties(device)
        assert properties["multiprocessor_count"] == 132
        assert properties["max_shared_mem"] == 227 * 1024
    assert active.get_device_interface() is fake_torch.cuda


def test_an_unknown_target(simulated, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_70")
    with pytest.raises(ValueError, match="unknown target 'sm_70'"):
        simulated.get_current_target()


def test_allocators_are_not_needed():
    tilewright.set_allocator(lambda size, alignment, stream: None)
    tilewright.set_allocator(None)
    with pytest.raises(TypeError, match="set_allocator takes a function, not 5"):
        tilewright.set_allocator(5)


@tilewright.constexpr_function
def half(n):
    return n // 2


@tilewright.jit
def store_half(z, N: tl.constexpr):  # noqa: N803
    tl.store(z + tl.arange(0, half(N)), half(N))


def test_a_function_of_constants():
    z = np.zeros(8, np.int32)
    store_half[(1,)](z, N=8, device="sim", target="sm_90a")
    assert z.tolist() == [4, 4, 4, 4, 0, 0, 0, 0]
    assert half(6) == 3
