"""Kernels whose constants are chosen by timing.

>>> configs = [tilewright.Config({"BLOCK": 512}), tilewright.Config({"BLOCK": 1024})]
>>> @tilewright.autotune(configs, key=["n"])
... @tilewright.jit
... def kernel(x, n, BLOCK: tl.constexpr): ...
"""

from __future__ import annotations

import os
import threading
import warnings
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from tilewright.errors import (
    CompileError,
    LaunchError,
    OutOfResources,
    SimulatorError,
    SizeError,
)
from tilewright.launcher import Launchable, Launcher
from tilewright.tuning.config import Config
from tilewright.tuning.gpu import Gpu, find_gpu
from tilewright.tuning.progress import Progress
from tilewright.tuning.pruning import Pruning
from tilewright.tuning.request import LaunchRequest
from tilewright.tuning.results import Trial, Tuning
from tilewright.tuning.timed_launches import GpuLostError, TimedLaunches, TimingOptions

if TYPE_CHECKING:
    from tilewright.tuning.stored_tuning import StoredTuning

#: Hashable: values of the key, types of elements, and the devices of arrays.
Key = tuple[Any, ...]


class Autotuner(Launcher):
    """A kernel whose constants are the fastest of several, for each value of the key."""

    def __init__(
        self,
        fn: Launchable,
        configs: Sequence[Config],
        key: Sequence[str],
        options: TimingOptions,
        pruning: Pruning,
        cache_results: bool = False,
    ) -> None:
        super().__init__(fn)
        given = list(configs) if isinstance(configs, Iterable) else None
        if given is None or not all(isinstance(each, Config) for each in given):
            raise TypeError(f"configs of autotune is a list of tilewright.Config, not {configs!r}")
        self.configs = given or [Config({})]
        self.keys = list(key)
        self.options = options
        self.pruning = pruning
        self.cache_results = cache_results
        #: The choice for each value of the key.
        self.cache: dict[Key, Config] = {}
        #: What was seen for each value of the key.
        self.tunings: dict[Key, Tuning] = {}
        #: The choice of the last launch.
        self.best_config: Config | None = None
        #: What the last tuning saw; it prints as a table.
        self.tuning: Tuning | None = None
        self._lock = threading.RLock()
        _tuners.add(self)
        names = [each.name for each in self.kernel.parameters]
        self._places = {name: place for place, name in enumerate(names)}
        for what, wanted in (
            ("key", self.keys),
            ("restore_value", options.restore_value),
            ("reset_to_zero", options.reset_to_zero),
        ):
            for name in wanted:
                if name not in names:
                    raise ValueError(f"{what} of autotune: {self.kernel.describe_missing(name)}")

    @property
    def passed_over(self) -> dict[Config, str]:
        """Configurations that the last tuning passed over, with what was wrong with each."""
        trials = self.tuning.trials if self.tuning else ()
        return {each.config: each.reason for each in trials if each.reason}

    def name_key(self, named: Mapping[str, Any]) -> dict[str, Any]:
        """The values of the key."""
        return {name: named.get(name) for name in self.keys}

    def _make_key(self, named: Mapping[str, Any]) -> Key:
        for name, value in self.name_key(named).items():
            try:
                hash(value)
            except TypeError:
                raise TypeError(
                    f"the key '{name}' of autotune is an array: keys are numbers and constants"
                ) from None
        arrays = [value for value in named.values() if hasattr(value, "dtype")]
        devices = {str(device) for each in arrays if (device := getattr(each, "device", None))}
        return (
            *self.name_key(named).values(),
            *(str(each.dtype) for each in arrays),
            *sorted(devices),
        )

    def run(self, *arguments: Any, grid: Any, **keywords: Any) -> Any:
        """Launches the best configuration, which the first launch with a key finds."""
        config = self.configs[0]
        if len(self.configs) > 1:
            named = self.name_arguments(arguments, keywords)
            key = self._make_key(named)
            found = self.cache.get(key)
            if found is None:
                request = LaunchRequest(arguments, grid, keywords, named)
                launched = self._tune_once(key, request)
                if launched is not None:
                    return launched
            config = self.cache[key]
        self.best_config = config
        return self._launch(config, arguments, grid, keywords)

    def warmup(self, *arguments: Any, grid: Any = None, **keywords: Any) -> Any:
        """Compiles all configurations; gives the kernels."""
        return [
            self.fn.warmup(*arguments, grid=grid, **{**keywords, **config.all_kwargs()})
            for config in self.configs
        ]

    def launch(self, request: LaunchRequest, config: Config) -> Any:
        """Launches this configuration."""
        return self._launch(config, request.arguments, request.grid, request.keywords)

    def _launch(
        self, config: Config, arguments: Sequence[Any], grid: Any, keywords: Mapping[str, Any]
    ) -> Any:
        self._refuse_chosen(config, arguments, keywords)
        if config.pre_hook is not None:
            named = self.name_arguments(arguments, keywords)
            config.pre_hook({**named, **config.all_kwargs()})
        return self.fn.run(*arguments, grid=grid, **{**keywords, **config.all_kwargs()})

    def _refuse_chosen(
        self, config: Config, arguments: Sequence[Any], keywords: Mapping[str, Any]
    ) -> None:
        for name in config.kwargs:
            if name in keywords or self._places.get(name, len(arguments)) < len(arguments):
                raise ValueError(
                    f"'{name}' is what autotune chooses, and is passed to the launch too"
                )

    # Tuning

    def _tune_once(self, key: Key, request: LaunchRequest) -> Any:
        """Finds the best configuration unless another thread has found it.

        Returns:
            What the launch gave that was made to find it; None where there is none that counts.
        """
        self._refuse_chosen(self.configs[0], request.arguments, request.keywords)
        with self._lock:
            if key in self.cache:
                return None
            names = (each.name for each in self.kernel.parameters)
            given = dict(zip(names, request.arguments, strict=False))
            configs = self.pruning.prune(self.__name__, self.configs, given, request.keywords)
            gpu = find_gpu(request.named.values())
            launched = None
            if gpu is None:
                tuning, launched = self._take_first(configs, request)
            else:
                tuning = self._tune_on(gpu, configs, request)
            self.tunings[key] = self.tuning = tuning
            self.cache[key] = self.best_config = tuning.best
            return launched

    def _take_first(self, configs: Sequence[Config], request: LaunchRequest) -> tuple[Tuning, Any]:
        """Launches the first that works: in the simulator there are no times."""
        trials: list[Trial] = []
        errors: list[Exception] = []
        for config in configs:
            try:
                request.call(self.fn.warmup, config)
                launched = self.launch(request, config)
            except (CompileError, LaunchError, SizeError) as error:
                trials.append(Trial(config, reason=get_reason(error)))
                errors.append(error)
                if isinstance(error, SimulatorError):
                    warnings.warn(
                        f"autotune passes over a configuration of '{self.__name__}' in which the "
                        f"simulator finds a defect: {config}: {get_reason(error)}",
                        stacklevel=5,
                    )
                continue
            trials.append(Trial(config))
            return self._conclude(request, "", trials, config), launched
        raise self._make_error(request, trials, errors)

    def _tune_on(self, gpu: Gpu, configs: Sequence[Config], request: LaunchRequest) -> Tuning:
        """Times them, unless another process did."""
        stored = self._open_store(gpu, request, configs)
        if stored is not None and (tuning := stored.load()) is not None:
            return tuning
        if gpu.is_capturing():
            raise LaunchError(
                f"'{self.__name__}' is not tuned for these arguments, and cannot be while a CUDA "
                "graph is captured: launch it with them once before, as a warmup"
            )
        trials: list[Trial] = []
        errors: list[Exception] = []
        with Progress(self.__name__, len(configs)) as progress:
            with gpu, TimedLaunches(self, gpu, request) as launches:
                for config in configs:
                    progress.show(len(trials), _find_best(trials))
                    try:
                        trials.append(launches.time(config))
                    except GpuLostError:
                        raise
                    except (CompileError, RuntimeError, SizeError) as error:
                        trials.append(Trial(config, reason=get_reason(error)))
                        errors.append(error)
                    progress.tell(trials[-1])
            best = _find_best(trials)
            if best is None:
                raise self._make_error(request, trials, errors)
            seconds = progress.get_seconds()
            tuning = self._conclude(request, gpu.name, trials, best.config, seconds)
            progress.conclude(tuning)
        if stored is not None:
            stored.save(tuning)
        return tuning

    def _open_store(
        self, gpu: Gpu, request: LaunchRequest, configs: Sequence[Config]
    ) -> StoredTuning | None:
        """Where the results of this tuning are kept; None where they are not."""
        if not self.cache_results:
            return None
        from tilewright.tuning.stored_tuning import open_stored_tuning

        return open_stored_tuning(self, gpu, request, configs)

    def _conclude(
        self,
        request: LaunchRequest,
        device: str,
        trials: Sequence[Trial],
        best: Config,
        seconds: float = 0.0,
    ) -> Tuning:
        key = {name: str(value) for name, value in self.name_key(request.named).items()}
        return Tuning(self.__name__, key, device, trials, best, seconds)

    def _make_error(
        self, request: LaunchRequest, trials: Sequence[Trial], errors: Sequence[Exception]
    ) -> Exception:
        """What to raise where none works, of the kind of what was wrong with all."""
        values = ", ".join(
            f"{name}={value}" for name, value in self.name_key(request.named).items()
        )
        text = f"no configuration of '{self.__name__}' works{f' for {values}' if values else ''}:\n"
        text += "\n".join(f"{each.config}: {each.reason}" for each in trials)
        kinds = {type(error) for error in errors}
        kind = kinds.pop() if len(kinds) == 1 else LaunchError
        first = errors[0]
        made: Exception = LaunchError(text)
        if isinstance(first, OutOfResources) and kind is OutOfResources:
            made = OutOfResources(first.required, first.limit, first.name, text)
        elif kind in (CompileError, SimulatorError, SizeError):
            made = kind(text)
        made.__cause__ = first
        return made


def get_reason(error: Exception) -> str:
    """The first line of what is wrong."""
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__


def _find_best(trials: Sequence[Trial]) -> Trial | None:
    """The fastest; of two that are as fast, the first."""
    timed = [each for each in trials if each.milliseconds is not None]
    return min(timed, key=lambda each: each.milliseconds or 0.0, default=None)


_tuners: weakref.WeakSet[Autotuner] = weakref.WeakSet()


def _renew_locks() -> None:
    """Called in a process that was forked, in which nobody is tuning."""
    for tuner in _tuners:
        tuner._lock = threading.RLock()


os.register_at_fork(after_in_child=_renew_locks)


def autotune(
    configs: Sequence[Config],
    key: Sequence[str],
    prune_configs_by: Mapping[str, Any] | None = None,
    reset_to_zero: Sequence[str] | None = None,
    restore_value: Sequence[str] | None = None,
    pre_hook: Callable[..., Any] | None = None,
    post_hook: Callable[..., Any] | None = None,
    warmup: float | None = None,
    rep: float | None = None,
    use_cuda_graph: bool = False,
    do_bench: Callable[..., Any] | None = None,
    cache_results: bool = False,
) -> Callable[[Launchable], Autotuner]:
    """Times configurations, and launches the fastest.

    What the kernel writes is as it was before when the fastest is launched at last. Without a GPU
    the first configuration that works is taken.

    Args:
        configs: What to try.
        key: Parameters by name; for each new value of them the configurations are timed anew.
        prune_configs_by: What leaves out configurations before they are timed, a dictionary:
            early_config_prune(configs, named_arguments, **keywords) gives those to try;
            perf_model(**arguments) estimates the time of one, and the `top_k` with the least are
            tried: a number of them, or a share of all.
        reset_to_zero: Arrays that are to be zero before each run that is timed.
        restore_value: Arrays that are to be before each run what they were before the first: those
            whose values decide how long the kernel takes.
        pre_hook: Called with all arguments by name before each run that is timed, in place of what
            restore_value and reset_to_zero do; with reset_only=True behind the last.
        post_hook: Called behind each with the arguments and exception=, what it raised or None.
        warmup, rep: Milliseconds that each is run for before and while it is timed: 25 and 100
            unless told.
        use_cuda_graph: Time several launches as one CUDA graph, for kernels that are shorter than a
            launch takes.
        do_bench: What times, in place of `tilewright.testing.do_bench`: it is called with the
            launch and quantiles=, and gives that many times in milliseconds.
        cache_results: Keep the results on disk, in the folder that TILEWRIGHT_CACHE_DIR names, for
            other processes with the same kernel, configurations, key and kind of GPU.
    """
    unknown = set(prune_configs_by or ()) - {each.name for each in fields(Pruning)}
    if unknown:
        raise ValueError(f"prune_configs_by has no '{min(unknown)}'")
    pruning = Pruning(**(prune_configs_by or {}))
    options = TimingOptions(
        restore_value=tuple(restore_value or ()),
        reset_to_zero=tuple(reset_to_zero or ()),
        pre_hook=pre_hook,
        post_hook=post_hook,
        warmup=25 if warmup is None else warmup,
        rep=100 if rep is None else rep,
        use_cuda_graph=use_cuda_graph,
        do_bench=do_bench,
    )
    return lambda fn: Autotuner(fn, configs, key, options, pruning, cache_results)
