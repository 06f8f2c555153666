"""What came of trying configurations, for a terminal and a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tilewright.tables import Table, format_number
from tilewright.tuning.config import Config


@dataclass(frozen=True)
class Trial:
    """A configuration with its time, or with why it has none."""

    config: Config
    #: The median; nothing where it was passed over, or could not be timed.
    milliseconds: float | None = None
    #: A fifth of the runs was faster than the first, and a fifth slower than the second.
    spread: tuple[float, float] | None = None
    #: Why it was passed over.
    reason: str = ""


@dataclass(frozen=True, repr=False)
class Tuning:
    """A choice among configurations, with all that was seen.

    >>> kernel.tuning
    scale, n=4096, on NVIDIA H200: 2 of 3 configurations timed in 0.9 s
     ms    20 %    80 %  of best  configuration
    ...
    """

    kernel: str
    #: The values of the key by name.
    key: Mapping[str, str]
    #: The GPU; empty in the simulator, where nothing is timed.
    device: str
    trials: Sequence[Trial]
    best: Config
    seconds: float = 0.0
    #: Whether another process timed them, and left the results on disk.
    is_stored: bool = False

    def describe(self) -> str:
        """The choice in one line."""
        values = "".join(f", {name}={value}" for name, value in self.key.items())
        count = len(self.trials)
        configurations = f"{count} configuration{'s' if count != 1 else ''}"
        if not self.device:
            passed = sum(bool(each.reason) for each in self.trials)
            what = f"the first of its configurations that works, {passed} passed over"
            return f"{self.kernel}{values}, in the simulator: {what}"
        timed = sum(each.milliseconds is not None for each in self.trials)
        how = "kept from another process" if self.is_stored else f"timed in {self.seconds:.1f} s"
        return f"{self.kernel}{values}, on {self.device}: {timed} of {configurations} {how}"

    def _make_table(self) -> Table:
        best = min(
            (each.milliseconds for each in self.trials if each.milliseconds is not None),
            default=None,
        )
        rows = []
        for each in sorted(self.trials, key=_order):
            low, high = each.spread or (None, None)
            time = each.milliseconds
            ratio = f"{time / best:.2f}" if time is not None and best else ""
            if each.config is self.best and not ratio:
                ratio = "taken"
            text = f"{each.config}: {each.reason}" if each.reason else str(each.config)
            rows.append([*map(format_number, (time, low, high)), ratio, text])
        headings = ("ms", "20 %", "80 %", "of best", "configuration")
        return Table(self.describe(), headings, rows, texts=frozenset({4}))

    def __repr__(self) -> str:
        return str(self._make_table())

    def _repr_html_(self) -> str:
        return self._make_table().to_html()


def _order(trial: Trial) -> tuple[bool, float]:
    """The fastest first, what was passed over last."""
    return bool(trial.reason), trial.milliseconds or 0.0
