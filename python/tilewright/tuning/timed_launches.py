"""Launches of configurations on a GPU, timed, that leave arrays as they were."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilewright.errors import LaunchError
from tilewright.tuning.arrays import SavedArrays, set_to_zero
from tilewright.tuning.config import Config
from tilewright.tuning.gpu import Gpu
from tilewright.tuning.request import LaunchRequest
from tilewright.tuning.results import Trial

if TYPE_CHECKING:
    from tilewright.tuning.autotuner import Autotuner

#: The median, and what a fifth of the runs is below and above.
_QUANTILES = (0.5, 0.2, 0.8)


class GpuLostError(LaunchError):
    """A configuration failed in a way after which this process cannot use the GPU any more."""


@dataclass(frozen=True)
class TimingOptions:
    """How configurations are timed; see `autotune`."""

    restore_value: tuple[str, ...] = ()
    reset_to_zero: tuple[str, ...] = ()
    pre_hook: Callable[..., Any] | None = None
    post_hook: Callable[..., Any] | None = None
    warmup: float = 25
    rep: float = 100
    use_cuda_graph: bool = False
    do_bench: Callable[..., Any] | None = None

    def measure(self, launch: Callable[[], None]) -> Sequence[float]:
        """Milliseconds of a launch, for each of the quantiles."""
        from tilewright import testing

        if self.do_bench is not None:
            return list(self.do_bench(launch, quantiles=_QUANTILES))
        if self.use_cuda_graph:
            return list(testing.do_bench_cudagraph(launch, rep=self.rep, quantiles=_QUANTILES))
        times = testing.do_bench(launch, warmup=self.warmup, rep=self.rep, quantiles=_QUANTILES)
        return list(times)


class TimedLaunches:
    """A launch of a kernel that is made again and again, by several configurations.

    What was in the arrays that the kernel writes is there again behind the last one.
    """

    def __init__(self, tuner: Autotuner, gpu: Gpu, request: LaunchRequest) -> None:
        self._tuner, self._gpu, self._options = tuner, gpu, tuner.options
        # Events are on the current stream; what the caller's stream has to do is waited for.
        self._request = request.without("stream")
        self._saved = SavedArrays(request.named)
        self._last: Config | None = None
        self._is_lost = False

    def __enter__(self) -> TimedLaunches:
        self._gpu.synchronize()
        named = (*self._options.restore_value, *self._options.reset_to_zero)
        self._saved.save(named, is_asked=True)
        return self

    def __exit__(self, *error: Any) -> None:
        if self._is_lost:
            return
        self._saved.put_back()
        if self._options.pre_hook is not None and self._last is not None:
            self._options.pre_hook(self._request.name_all(self._last), reset_only=True)
        self._gpu.synchronize()

    def time(self, config: Config) -> Trial:
        """Times a configuration.

        Raises:
            CompileError: It cannot be compiled.
            GpuLostError: It broke the GPU for this process.
            RuntimeError: It cannot be launched.
            SizeError: No kernel has so many warps or stages.
        """
        kernel = self._request.call(self._tuner.fn.warmup, config)
        self._saved.save(kernel.writes, is_asked=False)
        self._last = config
        try:
            middle, low, high = self._options.measure(lambda: self._launch(config))
            self._gpu.synchronize()
        except RuntimeError as error:
            self._verify_gpu(config, error)
            raise
        return Trial(config, float(middle), (float(low), float(high)))

    def _launch(self, config: Config) -> None:
        if self._options.pre_hook is not None:
            self._options.pre_hook(self._request.name_all(config), reset_only=False)
        else:
            self._saved.put_back(self._options.restore_value)
            for name in self._options.reset_to_zero:
                array = self._request.named.get(name)
                if array is not None:
                    set_to_zero(array)
        failure: Exception | None = None
        try:
            self._tuner.launch(self._request, config)
        except Exception as error:
            failure = error
            raise
        finally:
            if self._options.post_hook is not None:
                self._options.post_hook(self._request.name_all(config), exception=failure)

    def _verify_gpu(self, config: Config, error: RuntimeError) -> None:
        """After a bad address CUDA refuses all that a process asks for."""
        try:
            self._gpu.synchronize()
        except RuntimeError:
            self._is_lost = True
            raise GpuLostError(
                f"a configuration of '{self._tuner.__name__}' failed on the GPU, which this "
                f"process cannot use any more: {config}: {error}; leave it out, or run it in the "
                "simulator (TILEWRIGHT_DEVICE=sim), which finds the place"
            ) from error
