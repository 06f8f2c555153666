"""Which configurations are left out before any is timed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tilewright.tuning.config import Config


@dataclass(frozen=True)
class Pruning:
    """Which configurations are worth a try; see `autotune`."""

    perf_model: Callable[..., float] | None = None
    #: None is all of them.
    top_k: int | float | None = 1.0
    early_config_prune: Callable[..., Sequence[Config]] | None = None

    def __post_init__(self) -> None:
        is_share = isinstance(self.top_k, float) and 0 < self.top_k <= 1
        is_count = isinstance(self.top_k, int) and self.top_k >= 1
        if self.top_k is not None and not is_share and not is_count:
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
        if self.perf_model is None or self.top_k is None:
            return chosen
        model = self.perf_model
        count = self.top_k if isinstance(self.top_k, int) else int(len(configs) * self.top_k)
        # One that is thought as fast as another stays behind it.
        chosen.sort(key=lambda config: model(**named, **keywords, **config.all_kwargs()))
        return chosen[: max(count, 1)]
