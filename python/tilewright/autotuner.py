"""Kernels whose constants are chosen: by functions of the arguments, or by timing.

>>> @tilewright.heuristics({"HAS_BIAS": lambda args: args["bias"] is not None})
... @tilewright.jit
... def kernel(x, bias, n, HAS_BIAS: tl.constexpr): ...

>>> configs = [tilewright.Config({"BLOCK": 512}), tilewright.Config({"BLOCK": 1024})]
>>> @tilewright.autotune(configs, key=["n"])
... @tilewright.jit
... def kernel(x, n, BLOCK: tl.constexpr): ...
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from tilewright import _core
from tilewright.errors import CompileError, LaunchError
from tilewright.jit_function import JITFunction

#: What a decorator may stand before.
Launcher = Any


class Config:
    """Constants and options of a launch that autotune tries.

    >>> Config({"BLOCK_M": 128, "BLOCK_N": 64}, num_warps=8, num_stages=3)
    """

    def __init__(
        self,
        kwargs: Mapping[str, Any],
        num_warps: int = 4,
        num_stages: int = 3,
        num_ctas: int = 1,
        maxnreg: int | None = None,
        pre_hook: Callable[..., Any] | None = None,
    ) -> None:
        if num_ctas != 1:
            raise ValueError(f"num_ctas is 1 here, not {num_ctas}")
        self.kwargs = dict(kwargs)
        self.num_warps = num_warps
        self.num_stages = num_stages
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook

    def all_kwargs(self) -> dict[str, Any]:
        """All that a launch with it is given."""
        return {**self.kwargs, "num_warps": self.num_warps, "num_stages": self.num_stages}

    def __repr__(self) -> str:
        return ", ".join(f"{name}: {value}" for name, value in self.all_kwargs().items())


class _Wrapper:
    """A kernel with something around its launches."""

    #: Helpers of kernels are found through it.
    is_launcher = True

    def __init__(self, fn: Launcher) -> None:
        if not isinstance(fn, (JITFunction, _Wrapper)):
            raise TypeError(f"this decorator stands before @tilewright.jit, not before {fn!r}")
        self.fn: Launcher = fn
        self.__name__: str = fn.__name__
        self.__qualname__: str = fn.__qualname__
        self.__module__ = fn.__module__
        self.__doc__ = fn.__doc__

    @property
    def kernel(self) -> JITFunction:
        """The kernel itself."""
        fn = self.fn
        while isinstance(fn, _Wrapper):
            fn = fn.fn
        assert isinstance(fn, JITFunction)
        return fn

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        """``kernel[grid]``: what launches that many programs."""
        return lambda *arguments, **keywords: self.run(*arguments, grid=grid, **keywords)

    def run(self, *arguments: Any, grid: Any, **keywords: Any) -> Any:
        """Launches; see `JITFunction.run`."""
        raise NotImplementedError

    def name_arguments(
        self, arguments: Sequence[Any], keywords: Mapping[str, Any]
    ) -> dict[str, Any]:
        """All arguments of a launch by name, with defaults."""
        named = {
            each.name: each.default
            for each in self.kernel.parameters
            if each.default is not inspect.Parameter.empty
        }
        named.update(zip((each.name for each in self.kernel.parameters), arguments, strict=False))
        return {**named, **keywords}

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.fn(*arguments, **keywords)

    def __reduce__(self) -> str:
        # As functions are: pickled by module and name, and never copied.
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.fn!r}>"


class Heuristics(_Wrapper):
    """A kernel some of whose constants are functions of its arguments."""

    def __init__(self, fn: Launcher, values: Mapping[str, Callable[[dict[str, Any]], Any]]) -> None:
        super().__init__(fn)
        self.values = dict(values)

    def _fill(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
        filled = dict(keywords)
        named = self.name_arguments(arguments, keywords)
        for name, compute in self.values.items():
            try:
                filled[name] = named[name] = compute(named)
            except KeyError as error:
                raise TypeError(
                    f"the heuristic for '{name}' of '{self.__name__}' asks for {error}, which is "
                    "no argument of this launch"
                ) from error
        return filled

    def run(self, *arguments: Any, grid: Any, **keywords: Any) -> Any:
        """Launches with the constants that the functions give."""
        return self.fn.run(*arguments, grid=grid, **self._fill(arguments, keywords))

    def warmup(self, *arguments: Any, grid: Any = None, **keywords: Any) -> Any:
        """Compiles what `run` would launch."""
        return self.fn.warmup(*arguments, grid=grid, **self._fill(arguments, keywords))


def heuristics(
    values: Mapping[str, Callable[[dict[str, Any]], Any]],
) -> Callable[[Launcher], Heuristics]:
    """Computes constants of a launch from its arguments, which come by name in a dictionary."""
    return lambda fn: Heuristics(fn, values)


def _runs_on_gpu(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """Whether one of the arrays is on a GPU; in the simulator nothing can be timed."""
    if os.environ.get("TILEWRIGHT_DEVICE") == "sim" or _core.get_gpu_target() is None:
        return False
    return any(
        getattr(value, "is_cuda", False) or hasattr(value, "__cuda_array_interface__")
        for value in (*arguments, *keywords.values())
    )


@dataclass(frozen=True)
class Pruning:
    """Which configurations are worth a try; see `autotune`."""

    perf_model: Callable[..., float] | None = None
    top_k: int | float = 1.0
    early_config_prune: Callable[..., Sequence[Config]] | None = None

    def __post_init__(self) -> None:
        is_share = isinstance(self.top_k, float) and 0 < self.top_k <= 1
        is_count = isinstance(self.top_k, int) and self.top_k >= 1
        if not is_share and not is_count:
            raise ValueError(
                f"top_k is a number of configurations, or a share of them up to 1.0, not "
                f"{self.top_k!r}"
            )

    def prune(
        self,
        kernel: str,
        configs: Sequence[Config],
        named: dict[str, Any],
        keywords: Mapping[str, Any],
    ) -> list[Config]:
        """What is left of them for these arguments.

        Args:
            named: The arguments of the launch that were given in their places, by name.

        Raises:
            ValueError: Nothing is left.
        """
        chosen = list(configs)
        if self.early_config_prune is not None:
            chosen = list(self.early_config_prune(chosen, named, **keywords))
            if not chosen:
                raise ValueError(f"early_config_prune of '{kernel}' leaves no configuration")
        if self.perf_model is None:
            return chosen
        model = self.perf_model
        count = self.top_k if isinstance(self.top_k, int) else int(len(configs) * self.top_k)
        # One that is thought as fast as another stays behind it.
        chosen.sort(key=lambda config: model(**named, **keywords, **config.all_kwargs()))
        return chosen[: max(count, 1)]


class Autotuner(_Wrapper):
    """A kernel whose constants are the fastest of several, for each value of the key."""

    def __init__(
        self,
        fn: Launcher,
        configs: Sequence[Config],
        key: Sequence[str],
        warmup: int | None = None,
        rep: int | None = None,
        restore_value: Sequence[str] | None = None,
        reset_to_zero: Sequence[str] | None = None,
        prune_configs_by: Mapping[str, Any] | None = None,
        pre_hook: Callable[..., Any] | None = None,
        post_hook: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(fn)
        self.configs = list(configs) or [Config({})]
        self.keys = list(key)
        self.restore_value = list(restore_value or ())
        self.reset_to_zero = list(reset_to_zero or ())
        unknown = set(prune_configs_by or ()) - {each.name for each in fields(Pruning)}
        if unknown:
            raise ValueError(f"prune_configs_by has no '{min(unknown)}'")
        self.pruning = Pruning(**(prune_configs_by or {}))
        self.pre_hook, self.post_hook = pre_hook, post_hook
        self.warmup_ms = 25 if warmup is None else warmup
        self.rep_ms = 100 if rep is None else rep
        #: The choice for each value of the key.
        self.cache: dict[tuple[Any, ...], Config] = {}
        #: The choice of the last launch.
        self.best_config: Config | None = None
        #: Configurations that the last choice passed over, with what was wrong with each.
        self.passed_over: dict[Config, str] = {}
        names = [each.name for each in self.kernel.parameters]
        for option in ("keys", "restore_value", "reset_to_zero"):
            for name in getattr(self, option):
                if name not in names:
                    what = "key" if option == "keys" else option
                    raise ValueError(
                        f"{what} of autotune: '{self.__name__}' has no parameter '{name}'"
                    )

    def _make_key(self, named: Mapping[str, Any]) -> tuple[Any, ...]:
        values = [named.get(name) for name in self.keys]
        for name, value in zip(self.keys, values, strict=True):
            try:
                hash(value)
            except TypeError:
                raise TypeError(
                    f"the key '{name}' of autotune is an array: keys are numbers and constants"
                ) from None
        types = [str(value.dtype) for value in named.values() if hasattr(value, "dtype")]
        return (*values, *types)

    def run(self, *arguments: Any, grid: Any, **keywords: Any) -> Any:
        """Launches the best configuration, which the first launch with a key finds."""
        config = self.configs[0]
        if len(self.configs) > 1:
            key = self._make_key(self.name_arguments(arguments, keywords))
            if key not in self.cache:
                self.cache[key] = self._tune(arguments, grid, keywords)
            config = self.cache[key]
        self.best_config = config
        return self._launch(config, arguments, grid, keywords)

    def warmup(self, *arguments: Any, grid: Any = None, **keywords: Any) -> Any:
        """Compiles all configurations; gives the kernels."""
        return [
            self.fn.warmup(*arguments, grid=grid, **{**keywords, **config.all_kwargs()})
            for config in self.configs
        ]

    def _launch(
        self, config: Config, arguments: Sequence[Any], grid: Any, keywords: Mapping[str, Any]
    ) -> Any:
        together = [name for name in config.kwargs if name in keywords]
        if together:
            raise ValueError(
                f"'{together[0]}' is what autotune chooses, and is passed to the launch too"
            )
        if config.pre_hook is not None:
            named = self.name_arguments(arguments, keywords)
            config.pre_hook({**named, **config.all_kwargs()})
        return self.fn.run(*arguments, grid=grid, **{**keywords, **config.all_kwargs()})

    def _tune(self, arguments: Sequence[Any], grid: Any, keywords: Mapping[str, Any]) -> Config:
        """The fastest on a GPU; without one the first that can be compiled."""
        self.passed_over = {}
        times: list[tuple[float, int]] = []
        is_timed = _runs_on_gpu(arguments, keywords)
        names = (each.name for each in self.kernel.parameters)
        given = dict(zip(names, arguments, strict=False))
        configs = self.pruning.prune(self.__name__, self.configs, given, keywords)
        for index, config in enumerate(configs):
            try:
                if not is_timed:
                    self.fn.warmup(*arguments, grid=grid, **{**keywords, **config.all_kwargs()})
                    return config
                times.append((self._time(config, arguments, grid, keywords), index))
            except (CompileError, LaunchError) as error:
                self.passed_over[config] = str(error).splitlines()[0]
        if not times:
            raise CompileError(
                f"no configuration of '{self.__name__}' works:\n"
                + "\n".join(f"{config}: {why}" for config, why in self.passed_over.items())
            )
        return configs[min(times)[1]]

    def _time(
        self, config: Config, arguments: Sequence[Any], grid: Any, keywords: Mapping[str, Any]
    ) -> float:
        from tilewright.testing import do_bench

        named = {**self.name_arguments(arguments, keywords), **config.all_kwargs()}
        saved = {name: named[name].clone() for name in self.restore_value}

        def reset(only: bool) -> None:
            if self.pre_hook is not None:
                self.pre_hook(named, reset_only=only)
                return
            for name in self.reset_to_zero:
                named[name].zero_()
            for name, value in saved.items():
                named[name].copy_(value)

        def launch() -> None:
            reset(only=False)
            failure: Exception | None = None
            try:
                self._launch(config, arguments, grid, keywords)
            except Exception as error:
                failure = error
                raise
            finally:
                if self.post_hook is not None:
                    self.post_hook(named, exception=failure)

        try:
            return do_bench(launch, warmup=self.warmup_ms, rep=self.rep_ms)
        finally:
            reset(only=True)


def autotune(
    configs: Sequence[Config],
    key: Sequence[str],
    warmup: int | None = None,
    rep: int | None = None,
    restore_value: Sequence[str] | None = None,
    reset_to_zero: Sequence[str] | None = None,
    prune_configs_by: Mapping[str, Any] | None = None,
    pre_hook: Callable[..., Any] | None = None,
    post_hook: Callable[..., Any] | None = None,
) -> Callable[[Launcher], Autotuner]:
    """Times configurations, and launches the fastest.

    Args:
        configs: What to try.
        key: Parameters by name; for each new value of them the configurations are timed anew.
        warmup, rep: Milliseconds that each is run for before and while it is timed.
        restore_value: Arrays that the kernel changes, which are put back between runs.
        reset_to_zero: Arrays that are to be zero before each run.
        prune_configs_by: What leaves out configurations before they are timed, a dictionary:
            early_config_prune(configs, named_arguments, **keywords) gives those to try;
            perf_model(**arguments) estimates the time of one, and the `top_k` with the least are
            tried: a number of them, or a share of all.
        pre_hook: Called with all arguments by name before each run that is timed, in place of what
            restore_value and reset_to_zero do; with reset_only=True behind the last.
        post_hook: Called behind each with the arguments and exception=, what it raised or None.
    """
    return lambda fn: Autotuner(
        fn,
        configs,
        key,
        warmup,
        rep,
        restore_value,
        reset_to_zero,
        prune_configs_by,
        pre_hook,
        post_hook,
    )
