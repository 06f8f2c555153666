"""A launch that somebody asked for, whose constants are still to be chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tilewright.tuning.config import Config


@dataclass(frozen=True)
class LaunchRequest:
    """What ``kernel[grid](*arguments, **keywords)`` has."""

    arguments: Sequence[Any]
    grid: Any
    keywords: Mapping[str, Any]
    #: All arguments by name, with defaults.
    named: Mapping[str, Any]

    def call(self, function: Callable[..., Any], config: Config) -> Any:
        """Calls what launches or compiles, with a configuration."""
        return function(*self.arguments, grid=self.grid, **{**self.keywords, **config.all_kwargs()})

    def name_all(self, config: Config) -> dict[str, Any]:
        """Arguments by name, and what a configuration adds."""
        return {**self.named, **config.all_kwargs()}

    def without(self, option: str) -> LaunchRequest:
        """The same without an option."""
        keywords = {name: value for name, value in self.keywords.items() if name != option}
        return replace(self, keywords=keywords)
