"""A line on a terminal, while configurations are timed."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType

from tilewright.tuning.results import Trial, Tuning

#: Before that many seconds nobody wonders.
_PATIENCE = 1.0
_ERASE = "\r\x1b[K"


class Progress:
    """Tells of a tuning on stderr: on a terminal while it takes long, and in full where
    TILEWRIGHT_PRINT_AUTOTUNING=1 asks for it."""

    def __init__(self, kernel: str, count: int) -> None:
        self._kernel, self._count = kernel, count
        self._stream = sys.stderr
        self._tells = os.environ.get("TILEWRIGHT_PRINT_AUTOTUNING", "0") not in ("", "0")
        self._is_terminal = self._stream is not None and self._stream.isatty()
        self._start = time.monotonic()
        self._is_shown = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if self._is_shown:
            self._stream.write(_ERASE)
            self._stream.flush()

    def get_seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self._start

    def show(self, done: int, best: Trial | None) -> None:
        """Shows that so many are done."""
        if not self._is_terminal or self._tells or self.get_seconds() < _PATIENCE:
            return
        so_far = f", best so far {best.milliseconds:.4g} ms" if best else ""
        text = f"tuning {self._kernel}: {done} of {self._count} configurations{so_far}"
        self._stream.write(_ERASE + text[: self._get_width()])
        self._stream.flush()
        self._is_shown = True

    def tell(self, trial: Trial) -> None:
        """What came of one."""
        if not self._tells:
            return
        what = f"passed over, {trial.reason}" if trial.reason else f"{trial.milliseconds:.4g} ms"
        print(f"tuning {self._kernel}: {trial.config}: {what}", file=self._stream)

    def conclude(self, tuning: Tuning) -> None:
        """What was chosen."""
        if self._tells:
            print(f"{tuning.describe()}; chosen: {tuning.best}", file=self._stream)

    def _get_width(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns - 1
        except (OSError, ValueError):
            return 79
