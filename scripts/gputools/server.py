"""A tile-run that stays: it opens the GPU once and runs one kernel after another.

Opening a GPU takes a third of a second, which the driver gives to one process at a time, and a
profiler or a sanitizer takes seconds to start. Hundreds of kernels share both.

    with Server("cuda") as server:
        finished = server.ask(Run(EXAMPLES / "copy_f32.mlir", "n=70"), ["--check"], timeout=60)

A server ends at the first error, since a fault leaves the GPU's context unusable. `Servers` has as
many as are asked at a time, and starts another where one has ended.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO

from gputools.tools import Finished, Run, ToolError, find_tool

# A profiler writes what it counted when its program ends.
CLOSING_SECONDS = 120


def make_request(run: Run, options: Sequence[str]) -> bytes:
    """A line for tile-run --requests."""
    request: dict[str, object] = {"arguments": [*run.arguments(), *options]}
    if run.text is not None:
        request["source"] = run.text
    return json.dumps(request).encode() + b"\n"


class Server:
    """One process. `under`: the program that runs it, with its options."""

    def __init__(self, device: str, under: Sequence[str | Path] = ()) -> None:
        command = [*under, find_tool("tile-run"), "--requests", "-", f"--device={device}"]
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        # What was on it before the current kernel.
        self._told = 0
        self._unread = b""
        try:
            self._process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise ToolError(f"cannot run {command[0]}: {error.strerror}") from error
        self.is_open = True

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.is_open:
            self.kill()

    def ask(self, run: Run, options: Sequence[str], timeout: float) -> Finished:
        """Runs one kernel. What it returns is what a tile-run of its own would."""
        start = time.monotonic()
        self._told = os.fstat(self._stderr.fileno()).st_size
        assert self._process.stdin
        try:
            self._process.stdin.write(make_request(run, options))
        except BrokenPipeError:
            return self._end(start)
        # A profiler and a sanitizer speak, too.
        said = b""
        while line := self._read_line(start + timeout):
            if line.startswith(b"{") and line.endswith(b"\n"):
                return Finished(0, line.decode(errors="replace"), "", time.monotonic() - start)
            said += line
        return self._end(start, said) if line is not None else self._give_up(start)

    def close(self) -> Finished:
        """Ends it; what the program that ran it said last."""
        start = time.monotonic()
        assert self._process.stdin
        self._process.stdin.close()
        return self._end(start)

    def _read_line(self, deadline: float) -> bytes | None:
        """Nothing at the end, None at the deadline."""
        assert self._process.stdout
        while b"\n" not in self._unread:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._process.stdout], [], [], left)[0]:
                return None
            said = os.read(self._process.stdout.fileno(), 1 << 16)
            if not said:
                line, self._unread = self._unread, b""
                return line
            self._unread += said
        line, _, self._unread = self._unread.partition(b"\n")
        return line + b"\n"

    def _end(self, start: float, said: bytes = b"") -> Finished:
        deadline = time.monotonic() + CLOSING_SECONDS
        while line := self._read_line(deadline):
            said += line
        if line is None:
            return self._give_up(start)
        self.is_open = False
        code = self._process.wait()
        self._stderr.seek(self._told)
        stderr = self._stderr.read()
        seconds = time.monotonic() - start
        return Finished(
            code, said.decode(errors="replace"), stderr.decode(errors="replace"), seconds
        )

    def _give_up(self, start: float) -> Finished:
        self.kill()
        return Finished(-1, "", "", time.monotonic() - start, timed_out=True)

    def kill(self) -> None:
        self.is_open = False
        # With its children: a profiler's would go on and keep the GPU.
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()


class Servers:
    """Servers, as many as there are threads that ask."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._lock = threading.Lock()
        self._idle: list[Server] = []

    def ask(self, run: Run, options: Sequence[str], timeout: float) -> Finished:
        with self._lock:
            server = self._idle.pop() if self._idle else None
        server = server or Server(self._device)
        try:
            finished = server.ask(run, options, timeout)
        except BaseException:
            server.kill()
            raise
        if server.is_open:
            with self._lock:
                self._idle.append(server)
        return finished

    def __enter__(self) -> Servers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            for server in self._idle:
                server.close()
            self._idle.clear()
