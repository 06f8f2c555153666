"""Tuning on GPUs: whose they are, and which one is current. The driver only keeps what it is asked,
and PyTorch is stood in for."""

import sys
import types

import package_support
import pytest
from package_support import OTHER, CudaArray, FakeTensor, address_on

tilewright = package_support.import_package()
tl = pytest.importorskip("tilewright.language")
from tilewright.tuning.gpu import find_gpu  # noqa: E402


@tilewright.jit
def add_one(x, n, BLOCK: tl.constexpr):  # noqa: N803
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


class Tensor(FakeTensor):
    """With what the tuning asks for; its log has what became of its values."""

    is_cuda = True

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.device, self.log = f"cuda:{self.device_number}", []

    def detach(self):
        return self

    def clone(self):
        self.log.append("clone")
        return self

    def copy_(self, other):
        self.log.append("copy_")


class Device:
    """torch.cuda.device(): the one that is current within it."""

    current = 0

    def __init__(self, number):
        self.number = number

    def __enter__(self):
        self.before, Device.current = Device.current, self.number

    def __exit__(self, *_):
        Device.current = self.before


@pytest.fixture
def torch(fake_driver, monkeypatch):
    package_support.install_fake_torch()
    torch = sys.modules["torch"]
    torch.Tensor = FakeTensor
    torch.capturing = False
    torch.waits = []
    torch.cuda = types.SimpleNamespace(
        ExternalStream=lambda stream, device: (stream, device),
        device=Device,
        synchronize=torch.waits.append,
        is_current_stream_capturing=lambda: torch.capturing,
    )
    monkeypatch.delenv("TILEWRIGHT_DEVICE", raising=False)
    yield torch
    del sys.modules["torch"]


@pytest.fixture
def bench(monkeypatch):
    """Launches, and notes the GPU that is current and the stream of each launch."""
    noted = []

    def run(launch, warmup, rep, quantiles):
        launch()
        noted.append(Device.current)
        return [1.0] * 3

    monkeypatch.setattr("tilewright.testing.do_bench", run)
    return noted


CONFIGS = [tilewright.Config({"BLOCK": block}) for block in (64, 128)]


def test_the_gpu_of_the_arrays_is_current_while_they_are_timed(torch, bench, fake_driver):
    kernel = tilewright.autotune(CONFIGS, key=["n"])(add_one)
    for number in (1, 0):
        x = Tensor((300,), device=number)
        kernel[(1,)](x, 100, stream=0x77)
        launch = fake_driver.fake_last_launch().contents
        # The launch that counts is on the stream of the caller.
        assert (launch.context, launch.stream) == (number + 1, 0x77)
        assert x.log == ["clone", "copy_"]
        assert torch.waits[0] == torch.waits[-1] == number
        torch.waits.clear()
    assert bench == [1, 1, 0, 0]
    assert Device.current == 0
    assert kernel.tuning.device == "NVIDIA Fake"


def test_what_is_read_only_is_not_copied(torch, bench):
    @tilewright.jit
    def copy(x, y, BLOCK: tl.constexpr):  # noqa: N803
        i = tl.arange(0, BLOCK)
        tl.store(y + i, tl.load(x + i))

    x, y = Tensor((300,)), Tensor((300,), address=OTHER)
    tilewright.autotune(CONFIGS, key=[])(copy)[(1,)](x, y)
    assert (x.log, y.log) == ([], ["clone", "copy_"])


def test_a_capture_of_torch(torch, bench):
    kernel = tilewright.autotune(CONFIGS, key=["n"])(add_one)
    torch.capturing = True
    with pytest.raises(tilewright.LaunchError, match="as a warmup"):
        kernel[(1,)](Tensor((300,)), 100)


def test_where_arrays_are(torch, monkeypatch):
    on_host = types.SimpleNamespace(is_cuda=False, __cuda_array_interface__=None)
    assert find_gpu([1, None, on_host]) is None
    gpu = find_gpu([1, Tensor((3,), device=1)])
    assert (gpu.number, gpu.name, gpu.driver) == (1, "NVIDIA Fake", "13.0")
    assert find_gpu([CudaArray((3,))]).number == 0
    monkeypatch.setenv("TILEWRIGHT_DEVICE", "sim")
    assert find_gpu([Tensor((3,))]) is None


def test_arrays_of_cupy(fake_driver, monkeypatch):
    cupy = types.ModuleType("cupy")
    waits = []

    class CupyDevice(Device):
        def synchronize(self):
            waits.append(self.number)

    cupy.cuda = types.SimpleNamespace(Device=CupyDevice)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.delenv("TILEWRIGHT_DEVICE", raising=False)
    array = CudaArray((300,), address=address_on(1))
    array.device = types.SimpleNamespace(id=1)
    gpu = find_gpu([array])
    assert gpu.number == 1 and not gpu.is_capturing()
    with gpu:
        assert Device.current == 1
        gpu.synchronize()
    assert waits == [1] and Device.current == 0
