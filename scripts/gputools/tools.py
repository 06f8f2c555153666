"""Finds and calls Tilewright's programs, and NVIDIA's."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

# Where the CUDA toolkit puts programs that are often not on the PATH.
CUDA_FOLDERS = ("/usr/local/cuda/bin", "/opt/nvidia/nsight-compute/*")


class ToolError(Exception):
    """Something a user can put right: the message says what."""


def run_script(name: str, run: Callable[[], int]) -> int:
    """The exit status of `run`, or 1 and one line that says what a user can put right."""
    try:
        return run()
    except ToolError as error:
        print(f"{name}: error: {error}", file=sys.stderr)
    except OSError as error:
        print(f"{name}: error: {error.filename}: {error.strerror}", file=sys.stderr)
    return 1


def find_tool(name: str) -> Path:
    """A program of ours: in $TILEWRIGHT_BIN, beside this package, or in the build."""
    folders = [ROOT / "bin", Path(os.environ.get("TILEWRIGHT_BUILD", ROOT / "build")) / "bin"]
    if override := os.environ.get("TILEWRIGHT_BIN"):
        folders = [Path(override)]
    for folder in folders:
        if os.access(folder / name, os.X_OK):
            return folder.resolve() / name
    looked = " and ".join(str(folder) for folder in folders)
    raise ToolError(
        f"{name} is not in {looked}; build it with scripts/build.sh, "
        "or set TILEWRIGHT_BIN to the folder that has it"
    )


def find_nvidia(name: str) -> Path:
    """A program of the CUDA toolkit: from the PATH or the toolkit's usual folders."""
    if found := shutil.which(name):
        return Path(found)
    for pattern in CUDA_FOLDERS:
        for folder in sorted(Path("/").glob(pattern.lstrip("/")), reverse=True):
            if found := shutil.which(name, path=str(folder)):
                return Path(found)
    raise ToolError(
        f"{name} is neither on the PATH nor in {' or '.join(CUDA_FOLDERS)}; "
        "it comes with the CUDA toolkit"
    )


@dataclass
class Finished:
    """A program that has run. `timed_out`: it was killed at its limit."""

    code: int
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool = False

    def complaint(self) -> str:
        """Why it failed, in a line or a few: the end of what it said."""
        if self.timed_out:
            return f"ran longer than {self.seconds:.0f} s"
        lines = (self.stderr.strip() or self.stdout.strip()).splitlines()
        said = "\n".join(lines[-8:])
        return said or f"exit status {self.code}, without a message"


def call(
    command: Sequence[str | Path],
    timeout: float | None = None,
    said: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Finished:
    """Runs a program to its end, or to the timeout in seconds. `said`: its standard input."""
    start = time.monotonic()
    try:
        process = subprocess.Popen(
            [str(part) for part in command],
            stdin=None if said is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
            env=environment,
        )
    except OSError as error:
        raise ToolError(f"cannot run {command[0]}: {error.strerror}") from error
    try:
        stdout, stderr = process.communicate(said, timeout=timeout)
    except BaseException as error:
        # With its children: a profiler's would go on and keep the GPU.
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if not isinstance(error, subprocess.TimeoutExpired):
            raise
        return Finished(-1, "", "", time.monotonic() - start, timed_out=True)
    return Finished(process.returncode, stdout, stderr, time.monotonic() - start)


@dataclass(frozen=True)
class Run:
    """One use of tile-run: a kernel's file, its arguments, how it is compiled. A kernel that is in
    no file is given to tile-run as text."""

    file: Path
    args: str
    layout: str = "auto"
    options: tuple[str, ...] = ()
    text: str | None = None

    def arguments(self) -> list[str]:
        return [
            str(self.file) if self.text is None else "-",
            f"--args={self.args}",
            f"--shared-layout={self.layout}",
            *self.options,
        ]

    def command(self, device: str) -> list[str | Path]:
        return [find_tool("tile-run"), *self.arguments(), f"--device={device}", "--json"]


def parse_result(finished: Finished) -> dict[str, Any]:
    """What tile-run --json printed. A run that ended before it had a result is an error."""
    # What the sanitizer and the profiler print stands before and after.
    start = re.search(r"^\{", finished.stdout, re.MULTILINE)
    if start and not finished.timed_out:
        try:
            result: dict[str, Any]
            result, _ = json.JSONDecoder().raw_decode(finished.stdout, start.start())
            return result
        except json.JSONDecodeError:
            pass
    raise ToolError(finished.complaint())


def target_of(major: int, minor: int) -> str:
    """The compiler's target for a GPU's compute capability."""
    if major >= 9:
        return f"sm_{major}{minor}a"
    return f"sm_{major}{minor}"


def compile_kernel(
    file: Path, args: str, *, target: str, layout: str = "auto", num_warps: int = 0
) -> tuple[str, dict[str, Any]]:
    """The PTX of a file's kernel for these arguments, and its report."""
    command: list[str | Path] = [
        find_tool("tile-compile"),
        file,
        "-o",
        "-",
        "--emit=ptx",
        f"--args={args}",
        f"--target={target}",
        f"--shared-layout={layout}",
        "--report=json",
    ]
    if num_warps:
        command.append(f"--num-warps={num_warps}")
    finished = call(command, timeout=60)
    if finished.code != 0:
        raise ToolError(finished.complaint())
    # The code goes to standard output, so the report, after any warnings, to standard error.
    report = json.loads(finished.stderr[finished.stderr.index("{\n") :])
    (kernel,) = report["kernels"]
    return finished.stdout, kernel


def architecture_of(target: str) -> int:
    """90 of sm_90 and of sm_90a."""
    return int(target.removeprefix("sm_").removesuffix("a"))


def loads_on(target: str, architecture: int) -> bool:
    """Whether a GPU of that architecture runs a target's PTX. That of an "a" target loads on its
    own architecture only; it has engines that the others lack."""
    own = architecture_of(target)
    return own == architecture if target.endswith("a") else own <= architecture
