"""Tuning results on disk, for later processes.

Each is an entry of the cache on disk, beside those of compiled code, and is found, bounded and
removed as they are. It is JSON:

    {"format": 1, "key": {...}, "best": 2, "seconds": 1.5,
     "trials": [{"config": 0, "milliseconds": 0.1, "spread": [0.1, 0.1], "reason": ""}, ...]}

It has the whole key, of whose digest that of the entry is made. One that is damaged, or of another
format, counts as none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tilewright import _core
from tilewright.tuning.config import Config
from tilewright.tuning.results import Trial

_FORMAT = 1
#: Of the keys of entries.
_PREFIX = "tuning-"


@dataclass(frozen=True)
class StoredResults:
    """What another process found."""

    trials: list[Trial]
    best: Config
    seconds: float


def _read_trial(record: Mapping[str, Any], configs: Sequence[Config]) -> Trial:
    time_taken, spread, reason = record["milliseconds"], record["spread"], record["reason"]
    return Trial(
        configs[record["config"]],
        None if time_taken is None else float(time_taken),
        None if spread is None else (float(spread[0]), float(spread[1])),
        str(reason),
    )


class TuningStore:
    """Results by what they depend on."""

    @staticmethod
    def open() -> TuningStore | None:
        """The one of the user; None where nothing is to be kept."""
        return TuningStore() if _core.has_cache() else None

    def _digest(self, key: Mapping[str, Any]) -> str:
        return _PREFIX + _core.digest([json.dumps(key, sort_keys=True)])

    def load(self, key: Mapping[str, Any], configs: Sequence[Config]) -> StoredResults | None:
        """What was kept; None where there is nothing that can be read."""
        try:
            record = json.loads(_core.get_cached(self._digest(key)) or b"")
            if record["format"] != _FORMAT or record["key"] != key:
                return None
            return StoredResults(
                [_read_trial(each, configs) for each in record["trials"]],
                configs[record["best"]],
                float(record["seconds"]),
            )
        except (ValueError, TypeError, LookupError):
            return None

    def save(
        self, key: Mapping[str, Any], configs: Sequence[Config], results: StoredResults
    ) -> None:
        """Keeps them; does without where the cache cannot be written."""
        numbers = {id(config): number for number, config in enumerate(configs)}
        record = {
            "format": _FORMAT,
            "key": key,
            "best": numbers[id(results.best)],
            "seconds": results.seconds,
            "trials": [
                {
                    "config": numbers[id(each.config)],
                    "milliseconds": each.milliseconds,
                    "spread": each.spread,
                    "reason": each.reason,
                }
                for each in results.trials
            ],
        }
        _core.put_cached(self._digest(key), json.dumps(record).encode())


def count_stored() -> int:
    """How many results there are."""
    return len(_core.list_cached(_PREFIX))


def describe_stored() -> list[str]:
    """A line for each that can be read: of what, on which GPU, and what was chosen."""
    lines = []
    for entry in _core.list_cached(_PREFIX):
        try:
            record = json.loads(_core.get_cached(entry, is_use=False) or b"")
            key = record["key"]
            values = "".join(f", {name}={value}" for name, value in key["values"].items())
            best = key["configs"][record["best"]]
            lines.append(f"{key['kernel']}{values}, on {key['device']}: {best}")
        except (ValueError, TypeError, LookupError, AttributeError):
            continue
    return sorted(lines)
