"""Kernels whose constants are chosen by timing."""

from __future__ import annotations

import io
import pickle
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from package_support import DLPackArray, import_package
from tuning_support import CONFIGS, Tuner, tuned

tilewright = import_package()
tl = pytest.importorskip("tilewright.language")


@tilewright.jit
def add_one(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


# Without a GPU


def test_without_a_gpu_the_first_that_compiles_is_taken() -> None:
    x = np.zeros(1000, np.float32)
    tuned[lambda meta: (tilewright.cdiv(1000, meta["BLOCK"]),)](x, 1000)
    assert np.array_equal(x, np.arange(1000))
    assert tuned.best_config.kwargs == {"BLOCK": 256}
    assert "arange(0, 100) has 100 numbers" in tuned.passed_over[tuned.configs[0]]
    with pytest.raises(ValueError, match="'BLOCK' is what autotune chooses"):
        tuned[(1,)](x, 1000, BLOCK=64)
    with pytest.raises(ValueError, match="'BLOCK' is what autotune chooses"):
        tuned[(1,)](x, 999, BLOCK=64)
    with pytest.raises(ValueError, match="'BLOCK' is what autotune chooses"):
        tuned[(1,)](x, 1000, 64)
    text = repr(tuned.tuning)
    assert "tuned, n=1000, in the simulator: the first of its configurations that works" in text
    assert "taken  BLOCK: 256, num_warps: 2, num_stages: 3" in text


def test_warps_and_stages_may_stand_in_the_dict() -> None:
    config = tilewright.Config({"BLOCK": 64, "num_warps": 8, "num_stages": 2})
    assert (config.kwargs, config.num_warps, config.num_stages) == ({"BLOCK": 64}, 8, 2)
    assert tilewright.Config({"num_warps": 8}, num_warps=2).num_warps == 2
    plain = tilewright.Config({})
    assert (plain.num_warps, plain.num_stages) == (4, 3)
    x = np.zeros(64, np.float32)
    kernel = tilewright.autotune([config], key=[])(add_one)
    ran = kernel[(1,)](x, 64)
    assert ran.block == (256, 1, 1)
    assert np.all(x == 1)


@tilewright.jit
def square(x, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    places = x + i[:, None] * SIZE + i[None, :]
    tl.store(places, tl.dot(tl.load(places), tl.load(places)))


def test_too_little_shared_memory_has_a_class() -> None:
    from tilewright.errors import make_compile_error
    from tilewright.runtime.errors import OutOfResources

    assert OutOfResources is tilewright.OutOfResources
    x = np.zeros((16, 16), np.float32)
    with pytest.raises(OutOfResources, match="use smaller tiles") as caught:
        square[(1,)](x, SIZE=256, num_warps=32)
    error = caught.value
    assert isinstance(error, tilewright.CompileError)
    assert error.required > error.limit > 48 << 10
    assert error.name == "shared memory"
    assert error.line > 0
    again = pickle.loads(pickle.dumps(error))
    assert (again.required, again.line, str(again)) == (error.required, error.line, str(error))
    # The words of an error do not make it one.
    words = "needs 262144 bytes of shared memory; a block on sm_90a may have 232448"
    other = make_compile_error(words, words, "", 0, 0, [], None)
    assert type(other) is tilewright.CompileError
    made = OutOfResources(9, 5, "registers")
    assert str(made) == "out of registers: 9 are needed, 5 is the limit"

    sizes = [tilewright.Config({"SIZE": size}, num_warps=32) for size in (256, 16)]
    kernel = tilewright.autotune(sizes, key=[])(square)
    kernel[(1,)](x)
    assert kernel.best_config is sizes[1]
    none = tilewright.autotune([sizes[0], sizes[0]], key=[])(square)
    with pytest.raises(OutOfResources, match="no configuration of 'square' works") as caught:
        none[(1,)](x)
    assert caught.value.required == error.required


def test_what_needs_too_much_is_passed_over() -> None:
    @tilewright.jit
    def product(x, N: tl.constexpr):
        i = tl.arange(0, N)
        places = x + i[:, None] * N + i[None, :]
        tl.store(places, tl.dot(tl.load(places), tl.load(places)).to(tl.float16))

    configs = [tilewright.Config({"N": size}, num_warps=8) for size in (100, 512, 16)]
    kernel = tilewright.autotune(configs, key=[])(product)
    kernel[(1,)](np.zeros((16, 16), np.float16))
    assert kernel.best_config is configs[2]
    assert "arange(0, 100) has 100 numbers" in kernel.passed_over[configs[0]]
    assert "use smaller tiles or more warps" in kernel.passed_over[configs[1]]
    assert len(kernel.passed_over) == 2


def test_a_defect_in_the_simulator_is_passed_over_with_a_warning() -> None:
    @tilewright.jit
    def unmasked(x, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(x + i, tl.load(x + i) + 1)

    configs = [tilewright.Config({"BLOCK": size}) for size in (64, 16)]
    kernel = tilewright.autotune(configs, key=[])(unmasked)
    x = np.zeros(16, np.float32)
    with pytest.warns(UserWarning, match=r"of 'unmasked' .*finds a defect: BLOCK: 64"):
        kernel[(1,)](x)
    assert np.array_equal(x, np.ones(16))
    assert kernel.best_config is configs[1]
    assert list(kernel.passed_over) == configs[:1]
    alone = tilewright.autotune([*configs[:1], *configs[:1]], key=[])(unmasked)
    with (
        pytest.warns(UserWarning),
        pytest.raises(tilewright.SimulatorError, match="no configuration of 'unmasked' works:"),
    ):
        alone[(1,)](x)


def test_an_error_lists_why_none_works() -> None:
    broken = tilewright.autotune(
        [tilewright.Config({"BLOCK": 3}), tilewright.Config({"BLOCK": 5})], key=["n"]
    )
    with pytest.raises(tilewright.CompileError) as caught:
        broken(tuned.fn)[(1,)](np.zeros(4, np.float32), 4)
    head, *reasons = str(caught.value).splitlines()
    assert head == "no configuration of 'tuned' works for n=4:"
    assert [reason.split(", ")[0] for reason in reasons] == ["BLOCK: 3", "BLOCK: 5"]
    assert all("a power of two" in reason for reason in reasons)


def test_mistakes_of_options() -> None:
    by_array = tilewright.autotune([tilewright.Config({"BLOCK": b}) for b in (64, 128)], key=["x"])
    with pytest.raises(TypeError, match="the key 'x' of autotune is an array: keys are numbers"):
        by_array(tuned.fn)[(1,)](np.zeros(4, np.float32), 4)
    with pytest.raises(ValueError, match="'tuned' has no parameter 'm'"):
        tilewright.autotune([], key=["m"])(tuned.fn)
    with pytest.raises(ValueError, match="reset_to_zero of autotune: 'tuned' has no parameter 'y'"):
        tilewright.autotune(CONFIGS, key=[], reset_to_zero=["y"])(tuned.fn)
    with pytest.raises(ValueError, match="restore_value of autotune: 'tuned' has no parameter 'y'"):
        tilewright.autotune(CONFIGS, key=[], restore_value=["y"])(tuned.fn)
    with pytest.raises(ValueError, match="prune_configs_by has no 'early'"):
        tilewright.autotune(CONFIGS, key=[], prune_configs_by={"early": None})(tuned.fn)
    with pytest.raises(TypeError, match=r"this decorator stands before @tilewright\.jit"):
        tilewright.autotune(CONFIGS, key=[])(print)


# The choice


def test_the_fastest_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    tuner = Tuner(monkeypatch)
    for n in (100, 100, 50):
        tuner.launch(n=n)
    assert tuner.timed == [64, 128, 256, 512] * 2
    assert tuner.kernel.best_config is CONFIGS[-1]
    assert tuner.calls[0] == {"warmup": 25, "rep": 100, "quantiles": (0.5, 0.2, 0.8)}
    tuner.launch(np.zeros(1000, np.int32))
    assert len(tuner.timed) == 12


def test_results_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = tilewright.Config({"BLOCK": 100})
    tuner = Tuner(monkeypatch, configs=[CONFIGS[0], bad, CONFIGS[3]])
    tuner.launch()
    tuning = tuner.kernel.tuning
    assert tuning.best is CONFIGS[3]
    assert [each.milliseconds for each in tuning.trials] == [1 / 64, None, 1 / 512]
    assert tuning.trials[0].spread == (0.9 / 64, 1.1 / 64)
    head, titles, *lines = repr(tuning).splitlines()
    assert head.startswith("tuned, n=100, on NVIDIA Fake: 2 of 3 configurations timed in ")
    assert titles.split() == ["ms", "20", "%", "80", "%", "of", "best", "configuration"]
    assert lines[0].split()[3:6] == ["1.00", "BLOCK:", "512,"]
    assert lines[1].split()[3:6] == ["8.00", "BLOCK:", "64,"]
    assert lines[2].split()[:2] == ["BLOCK:", "100,"] and "arange(0, 100)" in lines[2]
    page = tuning._repr_html_()
    assert page.count("<tr>") == 4 and "arange(0, 100)" in page
    assert list(tuner.kernel.tunings.values()) == [tuning]


@pytest.mark.parametrize("use_cuda_graph", [False, True])
def test_who_times(monkeypatch: pytest.MonkeyPatch, use_cuda_graph: bool) -> None:
    tuner = Tuner(monkeypatch, warmup=3, rep=7, use_cuda_graph=use_cuda_graph)
    graphs: list[dict[str, Any]] = []

    def time_graph(launch: Callable[[], None], **options: Any) -> list[float]:
        graphs.append(options)
        return tuner.run_and_time(launch, **options)

    monkeypatch.setattr("tilewright.testing.do_bench_cudagraph", time_graph)
    tuner.launch()
    expected: dict[str, Any] = {"rep": 7, "quantiles": (0.5, 0.2, 0.8)}
    assert graphs == ([expected] * 4 if use_cuda_graph else [])
    assert tuner.calls[0] == (expected if use_cuda_graph else {"warmup": 3, **expected})


def test_the_caller_may_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow_is_good(launch: Callable[[], None], quantiles: Any) -> list[float]:
        launch()
        return [tuner.block] * len(quantiles)

    tuner = Tuner(monkeypatch, do_bench=slow_is_good)
    tuner.launch()
    assert tuner.kernel.best_config is CONFIGS[0]


def test_pruning_early(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def keep_small(configs: Any, named: dict[str, Any], **keywords: Any) -> Any:
        asked.append((list(named), keywords))
        return [each for each in configs if each.kwargs["BLOCK"] < 200]

    tuner = Tuner(monkeypatch, prune_configs_by={"early_config_prune": keep_small})
    tuner.kernel[(1,)](np.zeros(1000, np.float32), n=100)
    assert tuner.timed == [64, 128]
    assert asked == [(["x"], {"n": 100})]
    nothing = Tuner(monkeypatch, prune_configs_by={"early_config_prune": lambda *_, **__: []})
    with pytest.raises(ValueError, match="early_config_prune of 'tuned' leaves no configuration"):
        nothing.launch()


@pytest.mark.parametrize(
    ("top_k", "blocks"),
    [(2, [128, 256]), (0.25, [256]), (0.1, [256]), (None, [64, 128, 256, 512])],
)
def test_pruning_by_estimates(monkeypatch: pytest.MonkeyPatch, top_k: float, blocks: Any) -> None:
    def estimate(x: Any, n: int, BLOCK: int, num_warps: int, num_stages: int) -> float:
        return abs(BLOCK - 2 * n)

    tuner = Tuner(monkeypatch, prune_configs_by={"perf_model": estimate, "top_k": top_k})
    tuner.launch()
    assert sorted(tuner.timed) == blocks


def test_pruning_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = dict.fromkeys(("early_config_prune", "perf_model", "top_k"))
    tuner = Tuner(monkeypatch, prune_configs_by=nothing)
    tuner.launch()
    assert sorted(tuner.timed) == [64, 128, 256, 512]


@pytest.mark.parametrize("top_k", [0, 1.5, "all", -1])
def test_wrong_pruning(top_k: Any) -> None:
    with pytest.raises(ValueError, match="top_k is a number of configurations, or a share"):
        tilewright.autotune(CONFIGS, key=[], prune_configs_by={"top_k": top_k})(tuned.fn)


# Arrays


class Tensor(np.ndarray):
    """With PyTorch's methods in place of NumPy's."""

    copy = None  # type: ignore[assignment]

    def detach(self) -> Tensor:
        return self

    def clone(self) -> Tensor:
        return np.array(self).view(Tensor)

    def copy_(self, other: Tensor) -> None:
        self[...] = other

    def zero_(self) -> None:
        self[...] = 0


KINDS = [np.ndarray, Tensor]


@pytest.mark.parametrize("kind", KINDS)
def test_the_tuning_call_gives_the_right_result(monkeypatch: pytest.MonkeyPatch, kind: Any) -> None:
    """Each configuration ran twice, and each run adds one."""
    tuner = Tuner(monkeypatch, add_one.fn)
    x = tuner.launch(np.full(1000, 5, np.float32).view(kind), n=50)
    assert np.array_equal(x[:50], np.full(50, 6)) and np.array_equal(x[50:], np.full(950, 5))
    tuner.launch(x, n=50)
    assert np.array_equal(x[:50], np.full(50, 7))


def look_into(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What each launch finds."""
    seen: list[float] = []
    for each in CONFIGS:
        monkeypatch.setattr(each, "pre_hook", lambda named: seen.append(float(named["x"][0])))
    return seen


@pytest.mark.parametrize("kind", KINDS)
def test_values_that_are_restored_before_each_run(
    monkeypatch: pytest.MonkeyPatch, kind: Any
) -> None:
    seen = look_into(monkeypatch)
    x = np.full(1000, 5, np.float32).view(kind)
    Tuner(monkeypatch, add_one.fn).launch(x)
    assert seen == [5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 5.0]
    seen.clear()
    Tuner(monkeypatch, add_one.fn, restore_value=["x"]).launch(x)
    assert seen == [6.0] * 9
    seen.clear()
    Tuner(monkeypatch, add_one.fn, reset_to_zero=["x"]).launch(x)
    assert seen == [0.0] * 8 + [7.0]
    assert x[0] == 8


def test_what_is_none_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    @tilewright.jit
    def optional(x, n, bias, BLOCK: tl.constexpr):
        tl.store(x, n)

    tuner = Tuner(monkeypatch, optional.fn, restore_value=["bias"], reset_to_zero=["bias"])
    x = np.zeros(4, np.float32)
    tuner.kernel[(1,)](x, 3, None)
    assert x[0] == 3


def test_what_cannot_be_copied_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    x = DLPackArray(np.zeros(1000, np.float32))
    with pytest.raises(TypeError, match=r"'x' cannot be restored: it has neither clone\(\) nor"):
        Tuner(monkeypatch, restore_value=["x"]).launch(x)
    Tuner(monkeypatch).launch(x)
    assert np.array_equal(x.array[:100], np.arange(100))


def test_arrays_are_put_back_when_tuning_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    tuner = Tuner(monkeypatch, add_one.fn)

    def press_ctrl_c(launch: Callable[[], None], **_: Any) -> list[float]:
        launch()
        raise KeyboardInterrupt

    monkeypatch.setattr("tilewright.testing.do_bench", press_ctrl_c)
    x = np.zeros(100, np.float32)
    with pytest.raises(KeyboardInterrupt):
        tuner.launch(x)
    assert not x.any()
    assert not tuner.kernel.cache


def test_hooks(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    def before(arguments: dict[str, Any], reset_only: bool = False) -> None:
        calls.append((arguments["BLOCK"], reset_only))

    def behind(arguments: dict[str, Any], exception: Exception | None) -> None:
        calls.append(exception)

    keep = {"early_config_prune": lambda configs, *_, **__: configs[:1]}
    tuner = Tuner(monkeypatch, pre_hook=before, post_hook=behind, prune_configs_by=keep)
    tuner.launch()
    assert calls == [(64, False), None, (64, False), None, (64, True)]


# Failures


def test_a_fault_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    failures: list[Exception | None] = []
    note = lambda _, exception: failures.append(exception)  # noqa: E731
    tuner = Tuner(monkeypatch, add_one.fn, post_hook=note)

    def fail_at_512(launch: Callable[[], None], **options: Any) -> list[float]:
        times = tuner.run_and_time(launch)
        if tuner.block == 512:
            raise RuntimeError("CUDA error: too many resources requested for launch\nat a line")
        return times

    monkeypatch.setattr("tilewright.testing.do_bench", fail_at_512)
    x = tuner.launch(np.zeros(100, np.float32))
    assert x[0] == 1
    assert tuner.kernel.best_config is CONFIGS[2]
    reason = "CUDA error: too many resources requested for launch"
    assert tuner.kernel.passed_over == {CONFIGS[3]: reason}
    assert failures == [None] * 8


def test_a_fault_that_takes_the_gpu_along_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    tuner = Tuner(monkeypatch, add_one.fn)

    def fail(launch: Callable[[], None], **options: Any) -> list[float]:
        tuner.gpu.is_lost = True
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    monkeypatch.setattr("tilewright.testing.do_bench", fail)
    with pytest.raises(
        tilewright.LaunchError,
        match=r"cannot use any more: BLOCK: 64, .*: CUDA error: an illegal .* finds the place",
    ):
        tuner.launch()


def test_all_faults_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(launch: Callable[[], None], **options: Any) -> list[float]:
        raise RuntimeError("out of resources")

    tuner = Tuner(monkeypatch)
    monkeypatch.setattr("tilewright.testing.do_bench", fail)
    with pytest.raises(tilewright.LaunchError) as caught:
        tuner.launch()
    assert str(caught.value).count("out of resources") == 4


def test_tuning_under_capture_asks_for_a_warmup(monkeypatch: pytest.MonkeyPatch) -> None:
    tuner = Tuner(monkeypatch)
    tuner.gpu.captures = True
    with pytest.raises(tilewright.LaunchError, match="once before, as a warmup"):
        tuner.launch()
    tuner.gpu.captures = False
    tuner.launch()
    tuner.gpu.captures = True
    tuner.launch()
    assert tuner.timed == [64, 128, 256, 512]


# Several threads


def test_kernels_are_pickled_by_name() -> None:
    assert pickle.loads(pickle.dumps(tuned)) is tuned


def test_threads_tune_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tuner = Tuner(monkeypatch)
    results = [np.zeros(1000, np.float32) for _ in range(8)]
    threads = [threading.Thread(target=tuner.launch, args=(x,)) for x in results]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert tuner.timed == [64, 128, 256, 512]
    assert all(np.array_equal(x[:100], np.arange(100)) for x in results)


# What it tells


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What is 0.6 seconds later each time."""
    seconds = [0.0]

    def tick() -> float:
        seconds[0] += 0.6
        return seconds[0]

    monkeypatch.setattr("tilewright.tuning.progress.time.monotonic", tick)
    return seconds


def test_progress_on_a_terminal(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    Tuner(monkeypatch).launch()
    lines = sys.stderr.getvalue().split("\r\x1b[K")  # type: ignore[attr-defined]
    assert lines == [
        "",
        "tuning tuned: 1 of 4 configurations, best so far 0.01562 ms",
        "tuning tuned: 2 of 4 configurations, best so far 0.007812 ms",
        "tuning tuned: 3 of 4 configurations, best so far 0.003906 ms",
        "",
    ]


def test_no_progress_where_nobody_looks(
    monkeypatch: pytest.MonkeyPatch, clock: list[float], capsys: Any
) -> None:
    Tuner(monkeypatch).launch()
    assert capsys.readouterr().err == ""


def test_progress_that_is_asked_for(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("TILEWRIGHT_PRINT_AUTOTUNING", "1")
    Tuner(monkeypatch, configs=[tilewright.Config({"BLOCK": 100}), CONFIGS[0]]).launch()
    first, second, last = capsys.readouterr().err.splitlines()
    assert "tuning tuned: BLOCK: 100, num_warps: 4, num_stages: 3: passed over, " in first
    assert second == "tuning tuned: BLOCK: 64, num_warps: 4, num_stages: 3: 0.01562 ms"
    assert last.startswith("tuned, n=100, on NVIDIA Fake: 1 of 2 configurations timed in 0.")
    assert last.endswith("; chosen: BLOCK: 64, num_warps: 4, num_stages: 3")
