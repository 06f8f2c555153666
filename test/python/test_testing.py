"""tilewright.testing: times by a clock that counts, comparisons, tables and plots."""

import csv
import itertools
import subprocess
import sys
import types
import xml.etree.ElementTree

import numpy as np
import package_support
import pytest

tilewright = package_support.import_package()
testing = pytest.importorskip("tilewright.testing")


class FakeClock:
    """Calls take what `times` says, in turn; nothing else takes any."""

    def __init__(self, times):
        self.times = itertools.cycle(times)
        self.now = 0.0
        self.log = []

    def call(self):
        self.now += next(self.times)
        self.log.append("call")

    def mark(self):
        return self.now

    def synchronize(self):
        self.log.append("wait")

    def get_milliseconds(self, start, end):
        return end - start

    def flush(self):
        self.log.append("flush")


@pytest.fixture
def clock(monkeypatch):
    clock = FakeClock([2.0])
    monkeypatch.setattr("tilewright.testing.timing.make_clock", lambda: clock)
    return clock


# Times


def test_calls_are_timed_for_as_long_as_asked(clock):
    assert testing.do_bench(clock.call, warmup=10, rep=20) == 2.0
    # One to compile, five to estimate, five to warm up, ten that count.
    assert clock.log.count("call") == 1 + 5 + 5 + 10
    assert clock.log.count("flush") == 5 + 10
    assert clock.log[-3:] == ["flush", "call", "wait"]


def test_a_long_call_is_timed_once(clock):
    clock.times = itertools.cycle([500.0])
    assert testing.do_bench(clock.call) == 500.0
    assert clock.log.count("call") == 1 + 5 + 1 + 1


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("min", 1.0), ("max", 4.0), ("mean", 2.5), ("median", 2.5), ("all", [4.0, 1.0, 2.0, 3.0])],
)
def test_summaries(clock, mode, expected):
    clock.times = itertools.chain([9.0], [2.5] * 5, [2.5] * 10, [4.0, 1.0, 2.0, 3.0])
    assert testing.do_bench(clock.call, warmup=25, rep=10, return_mode=mode) == expected


def test_quantiles(clock):
    times = [float(each) for each in range(11)]

    def bench(quantiles):
        clock.times = itertools.chain([0.0], [5.0] * 5, [5.0], reversed(times))
        return testing.do_bench(clock.call, warmup=5, rep=55, quantiles=quantiles)

    assert bench([0.5, 0.2, 0.8]) == [5.0, 2.0, 8.0]
    assert bench([0.25]) == pytest.approx(np.quantile(times, 0.25))
    assert bench([0.0, 1.0]) == [0.0, 10.0]


def test_gradients_are_dropped(clock):
    tensor = types.SimpleNamespace(grad=0)
    found = []

    def backward():
        found.append(tensor.grad)
        tensor.grad = 1
        clock.call()

    testing.do_bench(backward, warmup=2, rep=4, grad_to_none=[tensor])
    assert found[1:6] == [None] * 5 and found[-2:] == [None] * 2


@pytest.mark.parametrize("bench", [testing.do_bench, testing.do_bench_cudagraph])
def test_mistakes_of_timing(clock, bench, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", types.ModuleType("torch"))
    with pytest.raises(ValueError, match="return_mode is one of min, max, mean, median, all, not"):
        bench(clock.call, return_mode="fastest")
    with pytest.raises(ValueError, match=r"a quantile is from 0 to 1, not 50"):
        bench(clock.call, quantiles=[50])


def test_without_a_library_with_events(monkeypatch):
    for name in ("torch", "cupy"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(RuntimeError, match="events of PyTorch or CuPy: install one of them"):
        testing.do_bench(lambda: None)


def make_torch(clock, log):
    """As much of torch.cuda as is asked for; a graph keeps what was called while it was made."""

    class Event:
        def __init__(self, enable_timing):
            assert enable_timing

        def record(self):
            self.time = clock.now

        def elapsed_time(self, other):
            return other.time - self.time

    class Scope:
        def __init__(self, what, *_):
            self.what = what

        def __enter__(self):
            log.append(f"begin {self.what}")

        def __exit__(self, *_):
            log.append(f"end {self.what}")

    class CUDAGraph:
        def replay(self):
            begin, end = log.index("begin graph"), log.index("end graph")
            for _ in range(log[begin:end].count("call")):
                clock.call()
            log.append("replay")

    class Buffer:
        def zero_(self):
            log.append("flush")

    def empty(count, dtype, device):
        assert (count, dtype, device) == (64 << 20, "int32", "cuda")
        return Buffer()

    torch = types.ModuleType("torch")
    torch.int32, torch.empty = "int32", empty
    torch.cuda = types.SimpleNamespace(
        Event=Event,
        Stream=lambda: "stream",
        stream=lambda stream: Scope("stream", stream),
        graph=lambda graph: Scope("graph", graph),
        CUDAGraph=CUDAGraph,
        synchronize=lambda: log.append("wait"),
    )
    return torch


def test_graphs_are_timed_as_a_whole(monkeypatch):
    clock, log = FakeClock([2.0]), []
    monkeypatch.setitem(sys.modules, "torch", make_torch(clock, log))

    def call():
        log.append("call")
        if "end graph" not in log and "begin graph" not in log:
            clock.call()

    assert testing.do_bench_cudagraph(call, rep=20) == 2.0
    assert log[0] == "begin stream" and log[-1] == "end stream"
    assert log.count("call") == 1 + 5 + 10
    assert log.count("replay") == 10


def test_events_of_torch(monkeypatch):
    clock, log = FakeClock([2.0]), []
    monkeypatch.setitem(sys.modules, "torch", make_torch(clock, log))
    assert testing.do_bench(clock.call, warmup=2, rep=4) == 2.0
    assert log == ["wait"] + ["flush"] * 5 + ["wait"] + ["flush"] * 2 + ["wait"]


def test_it_is_there_without_being_imported():
    program = """
import sys, tilewright
assert "tilewright.testing" not in sys.modules
tilewright.testing.assert_close(1.0, 1.0)
try:
    tilewright.nothing
except AttributeError as error:
    print(error)
"""
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout == "module 'tilewright' has no attribute 'nothing'\n"


# Comparisons

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("x", "y", "options"),
    [
        (1.0, 1.009, {}),
        ([1.0, NAN, INF, -INF], [1.0, NAN, INF, -INF], {"atol": 0}),
        ([100.0, 200.0], [101.0, 202.0], {"atol": 0, "rtol": 0.01}),
        ([0.0, -0.0], [-0.0, 0.0], {"atol": 0}),
        (np.zeros((2, 0)), np.zeros((2, 0)), {}),
        (np.full((3, 4), 2), 2, {"atol": 0}),
        (np.array([2**63 - 1]), np.array([2**63 - 1]), {"atol": 0}),
        (
            np.array([1.0], np.float16),
            np.array([1.125]),
            {"atol": lambda dtype: 2.0**-dtype.itemsize},
        ),
        (np.array([1 + 1j]), np.array([1 + 1.001j]), {}),
        (np.array([True, False]), np.array([True, False]), {"atol": 0}),
    ],
)
def test_close(x, y, options):
    testing.assert_close(np.asarray(x), np.asarray(y), **options)


@pytest.mark.parametrize(
    ("x", "y", "options", "text"),
    [
        (1.0, 1.5, {}, "1 of 1 elements is not close; the worst is 1.0, not 1.5: apart by 0.5, "),
        (
            [0.0, NAN, 0.0],
            [0.0, 0.0, 9.0],
            {},
            "2 of 3 elements are not close; the worst at [1] is nan,",
        ),
        (
            [INF, 5.0],
            [-INF, 0.0],
            {},
            "2 of 2 elements are not close; the worst at [0] is inf, not -inf",
        ),
        ([5.0], [INF], {"rtol": 1}, "the worst at [0] is 5.0, not inf"),
        ([5.0], [NAN], {"rtol": 1}, "the worst at [0] is 5.0, not nan"),
        ([[1, 2], [3, 4]], [[1, 2], [9, 4]], {}, "the worst at [1, 0] is 3, not 9: apart by 6,"),
        ([100.0], [102.0], {"atol": 0.5, "rtol": 0.01}, "1.52 is allowed (atol=0.5, rtol=0.01)"),
        ([1.0], [2.0], {"err_msg": "layer 3"}, "layer 3: 1 of 1 elements is not close"),
        ([1.0, 2.0], [[1.0], [2.0]], {}, "the shapes are (2,) and (2, 1)"),
    ],
)
def test_not_close(x, y, options, text):
    with pytest.raises(AssertionError) as caught:
        testing.assert_close(np.asarray(x), np.asarray(y), **options)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (np.array([2**62 + 1]), np.array([2**62])),
        (np.array([-(2**63)]), np.array([2**63 - 1])),
        (np.array([2**64 - 1], np.uint64), np.array([2**64 - 2], np.uint64)),
        (np.array([-1], np.int8), np.array([255], np.uint8)),
        (np.array([True]), np.array([False])),
    ],
)
def test_integers_are_compared_exactly(x, y):
    for first, second in ((x, y), (y, x)):
        with pytest.raises(AssertionError, match="1 of 1 elements is not close"):
            testing.assert_close(first, second, atol=0)


class FakeTensor:
    """A tensor of PyTorch on a GPU; NumPy may not have its type."""

    def __init__(self, array, has_type=True):
        self.array, self.has_type, self.dtype = array, has_type, array.dtype
        self.is_here = False

    def detach(self):
        return self

    def cpu(self):
        self.is_here = True
        return self

    def float(self):
        return FakeTensor(self.array).cpu()

    def numpy(self):
        assert self.is_here
        if not self.has_type:
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.array


class FakeCupyArray:
    __cuda_array_interface__ = {}  # noqa: RUF012
    dtype = np.dtype(np.float32)

    def get(self):
        return np.ones(4, np.float32)


def test_arrays_of_other_libraries():
    ones = np.ones(4, np.float32)
    testing.assert_close(FakeTensor(ones), FakeTensor(ones, has_type=False))
    testing.assert_close(FakeCupyArray(), ones)
    with pytest.raises(AssertionError, match="4 of 4"):
        testing.assert_close(FakeTensor(ones), FakeCupyArray().get() * 2)


# Benchmarks


def make_benchmark(**changes):
    options = {
        "x_names": ["n"],
        "x_vals": [1024, 2048, 4096],
        "line_arg": "provider",
        "line_vals": ["ours", "theirs"],
        "line_names": ["Tilewright", "A & B"],
        "plot_name": "add",
        "args": {"scale": 0.5},
        "ylabel": "GB/s",
        "x_log": True,
        **changes,
    }
    return testing.Benchmark(**options)


def measure(n, provider, scale, more=0.0):
    if provider == "theirs":
        return None if n == 2048 else n * scale
    return n + more, n - 1, n + 1


def test_measurements_print_as_a_table(capsys):
    made = testing.perf_report(make_benchmark())(measure).run(print_data=True, more=1.0)
    lines = ["add (GB/s)", "   n  Tilewright  A & B", "1024        1025    512"]
    assert str(made).splitlines()[:3] == lines
    assert capsys.readouterr().out == f"{made}\n"
    assert made.rows[1] == [(2049.0, 2047.0, 2049.0), None]
    assert made.rows[2][1] == (2048.0, None, None)


def test_several_benchmarks_and_names():
    square = make_benchmark(x_names=["m", "n"], x_vals=[8, (8, 16)], args={})
    report = testing.perf_report([square, square])
    first, second = report(lambda m, n, provider: m * n).run()
    assert str(first) == str(second)
    assert str(first).splitlines()[-1].split() == ["8", "16", "128", "128"]


def test_files(tmp_path):
    testing.perf_report(make_benchmark())(measure).run(save_path=tmp_path / "plots")
    with (tmp_path / "plots" / "add.csv").open() as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["n", "Tilewright", "A & B"]
    assert rows[2] == ["2048", "2048.0", ""]
    page = (tmp_path / "plots" / "add.html").read_text()
    assert "A &amp; B" in page and "<svg" in page and "<table" in page


def read_svg(text):
    root = xml.etree.ElementTree.fromstring(text)
    return {
        name: [each for each in root.iter() if each.tag.endswith("}" + name)]
        for name in ("polyline", "circle", "text", "line")
    }


def test_the_plot():
    made = testing.perf_report(make_benchmark())(measure).run()
    parts = read_svg(made.make_chart().to_svg())
    # One line is broken where nothing was measured.
    assert [len(each.get("points").split()) for each in parts["polyline"]] == [3, 1, 1]
    assert len(parts["circle"]) == 5
    texts = [each.text for each in parts["text"]]
    for expected in ("add", "n", "GB/s", "1024", "2048", "4096", "A & B", "0"):
        assert expected in texts
    xs = [float(each.split(",")[0]) for each in parts["polyline"][0].get("points").split()]
    assert xs[1] - xs[0] == pytest.approx(xs[2] - xs[1], abs=0.2)
    ys = [float(each.split(",")[1]) for each in parts["polyline"][0].get("points").split()]
    assert ys[0] > ys[1] > ys[2] >= 40
    assert made._repr_html_().count("<svg") == 1


@pytest.mark.parametrize(
    ("values", "options"),
    [
        ([0, 0, 0], {}),
        ([5, 5, 5], {"y_log": True}),
        ([-1, 0, 1], {"y_log": True}),
        ([1e-9, 1e9, 3], {"y_log": True}),
        ([None, None, None], {}),
    ],
)
def test_plots_of_odd_numbers(values, options):
    bench = make_benchmark(x_vals=["a", "b", "c"], x_log=False, args={}, **options)
    places = dict(zip("abc", values, strict=True))
    made = testing.perf_report(bench)(lambda n, provider: places[n]).run()
    parts = read_svg(made.make_chart().to_svg())
    for line in parts["polyline"]:
        for point in line.get("points").split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= 640 and 0 <= y <= 400


def test_libraries_that_are_not_there(monkeypatch):
    for name in ("matplotlib", "pandas"):
        monkeypatch.setitem(sys.modules, name, None)
    report = testing.perf_report(make_benchmark())(measure)
    with pytest.raises(ImportError, match="matplotlib, which is not installed: save_path= writes"):
        report.run(show_plots=True)
    with pytest.raises(ImportError, match=r"pandas, which is not installed: .* in \.rows"):
        report.run(return_df=True)


def test_libraries_that_are(monkeypatch):
    pandas = types.ModuleType("pandas")
    pandas.DataFrame = lambda columns: columns
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    frame = testing.perf_report(make_benchmark())(measure).run(return_df=True)
    assert frame == {
        "n": [1024, 2048, 4096],
        "Tilewright": [1024.0, 2048.0, 4096.0],
        "A & B": [512.0, None, 2048.0],
    }
    drawn = []
    axes = types.SimpleNamespace(
        plot=lambda x, y, **options: drawn.append((x, y, options)),
        set=lambda **options: drawn.append(options),
        set_xscale=drawn.append,
        set_yscale=drawn.append,
        legend=lambda: None,
    )
    pyplot = types.SimpleNamespace(
        subplots=lambda: (None, axes), show=lambda: drawn.append("shown")
    )
    matplotlib = types.ModuleType("matplotlib")
    matplotlib.pyplot = pyplot
    monkeypatch.setitem(sys.modules, "matplotlib", matplotlib)
    styled = make_benchmark(styles=[("blue", "-"), ("green", "--")])
    testing.perf_report(styled)(measure).run(show_plots=True)
    assert drawn[0][1:] == (
        [1024.0, 2048.0, 4096.0],
        {"label": "Tilewright", "color": "blue", "linestyle": "-"},
    )
    assert drawn[-3:] == ["log", "linear", "shown"]


def test_mistakes_of_benchmarks():
    with pytest.raises(ValueError, match="'add' has 1 line_vals and 2 line_names"):
        make_benchmark(line_vals=["ours"])
    with pytest.raises(ValueError, match=r"x_vals has \(1, 2\), which is to have a value for each"):
        make_benchmark(x_vals=[(1, 2)])
    report = testing.perf_report(make_benchmark())(lambda **_: (1, 2))
    with pytest.raises(TypeError, match=r"gives a number, or \(middle, least, most\), and not 2"):
        report.run()
