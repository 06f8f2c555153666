"""Tuning results on disk, for later processes.

Each is a file of JSON in the folder `tuning` of the cache:

    {"format": 1, "key": {...}, "best": 2, "seconds": 1.5,
     "trials": [{"config": 0, "milliseconds": 0.1, "spread": [0.1, 0.1], "reason": ""}, ...]}

It has the whole key, of whose hash its name is made, and is written beside the others and then
renamed: who reads it has all of it. One that is damaged, or of another format, counts as none.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilewright.cache_folder import get_cache_folder
from tilewright.tuning.config import Config
from tilewright.tuning.results import Trial

_FORMAT = 1
#: What a process that was killed left behind is that many seconds old.
_STALE = 3600.0


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

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @staticmethod
    def open() -> TuningStore | None:
        """The one of the user; None where nothing is to be kept."""
        folder = get_cache_folder()
        return TuningStore(folder / "tuning") if folder else None

    def _get_path(self, key: Mapping[str, Any]) -> Path:
        text = json.dumps(key, sort_keys=True)
        return self.folder / f"{hashlib.sha256(text.encode()).hexdigest()}.json"

    def load(self, key: Mapping[str, Any], configs: Sequence[Config]) -> StoredResults | None:
        """What was kept; None where there is nothing that can be read."""
        try:
            record = json.loads(self._get_path(key).read_bytes())
            if record["format"] != _FORMAT or record["key"] != key:
                return None
            return StoredResults(
                [_read_trial(each, configs) for each in record["trials"]],
                configs[record["best"]],
                float(record["seconds"]),
            )
        except (OSError, ValueError, TypeError, LookupError):
            return None

    def save(
        self, key: Mapping[str, Any], configs: Sequence[Config], results: StoredResults
    ) -> None:
        """Keeps them; does without where the folder cannot be written."""
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
        with contextlib.suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._remove_unfinished()
            self._write(self._get_path(key), json.dumps(record))

    def _write(self, path: Path, text: str) -> None:
        descriptor, name = tempfile.mkstemp(prefix="unfinished-", dir=self.folder)
        unfinished = Path(name)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            unfinished.replace(path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise

    def _remove_unfinished(self) -> None:
        for path in self.folder.glob("unfinished-*"):
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime > _STALE:
                    path.unlink()
