"""A tuning that other processes may have made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tilewright.cache_key import make_contents_key
from tilewright.tuning.config import Config
from tilewright.tuning.gpu import Gpu
from tilewright.tuning.request import LaunchRequest
from tilewright.tuning.results import Tuning
from tilewright.tuning.store import StoredResults, TuningStore

if TYPE_CHECKING:
    from tilewright.tuning.autotuner import Autotuner


@dataclass(frozen=True)
class StoredTuning:
    """The place on disk for one tuning."""

    store: TuningStore
    key: Mapping[str, Any]
    configs: Sequence[Config]
    #: What it is a tuning of; its results are missing.
    empty: Tuning

    def load(self) -> Tuning | None:
        """What another process found; None where there is nothing."""
        found = self.store.load(self.key, self.configs)
        if found is None:
            return None
        return replace(
            self.empty,
            trials=found.trials,
            best=found.best,
            seconds=found.seconds,
            is_stored=True,
        )

    def save(self, tuning: Tuning) -> None:
        """Keeps it for others."""
        results = StoredResults(list(tuning.trials), tuning.best, tuning.seconds)
        self.store.save(self.key, self.configs, results)


def _describe(config: Config) -> str:
    hook = f", pre_hook: {config.pre_hook.__qualname__}" if config.pre_hook else ""
    return f"{config}{hook}"


def open_stored_tuning(
    tuner: Autotuner,
    gpu: Gpu,
    request: LaunchRequest,
    configs: Sequence[Config],
) -> StoredTuning | None:
    """Where the results for these arguments are; None where nobody could find them again."""
    store = TuningStore.open()
    if store is None:
        return None
    contents = make_contents_key(tuner.kernel)
    if contents is None:
        return None
    key, named = tuner.name_key(request.named), request.named
    values = {name: repr(value) for name, value in key.items()}
    types = {name: str(each.dtype) for name, each in named.items() if hasattr(each, "dtype")}
    described = [_describe(config) for config in configs]
    # What is shown by its address is another one in each process.
    if any(" at 0x" in text for text in (*values.values(), *described)):
        return None
    whole = {
        "kernel": tuner.__qualname__,
        "contents": contents,
        "device": gpu.name,
        "driver": gpu.driver,
        "values": values,
        "types": types,
        "configs": described,
    }
    shown = {name: str(value) for name, value in key.items()}
    empty = Tuning(tuner.__name__, shown, gpu.name, [], configs[0])
    return StoredTuning(store, whole, configs, empty)
