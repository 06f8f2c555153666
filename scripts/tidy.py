#!/usr/bin/env python3
"""Runs clang-tidy on several source files at once.

    scripts/tidy.py [--build FOLDER] [--jobs N] FILE.cpp...

Most of the time that clang-tidy takes goes into the headers of LLVM and MLIR. So
files that are compiled alike are read as one translation unit, and without the
precompiled header, of which every check would have to unpack all there is. A
file that cannot be read after others (both have, say, a local `struct Candidate`)
waits for the next unit. What is found in a unit is looked for again in its
files alone before it is reported, unless a header has it. Exits with 1 where
something is.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

# The most files in a unit: what headers take is little then, and memory suffices.
UNIT = 16
FINDING = re.compile(r"^(/[^:\n]+):\d+:\d+: (?:error|warning): .*\[([^\]]+)\]$", re.MULTILINE)
# A file of a batch, in the file that CMake makes of the batch.
MEMBER = re.compile(r'^#include "(/[^"]+\.cpp)"$', re.MULTILINE)
# How what the compiler says is named, errors and warnings.
COMPILER = "clang-diagnostic-"


@dataclass(frozen=True)
class Unit:
    """Files that are compiled with `flags` in `directory`; `config` is their .clang-tidy."""

    flags: tuple[str, ...]
    directory: str
    config: Path
    files: tuple[Path, ...] = ()

    def of(self, files: list[Path]) -> Unit:
        return Unit(self.flags, self.directory, self.config, tuple(files))

    def parts(self, files: list[Path]) -> list[Unit]:
        """Units of as many of the files as one may have."""
        return [self.of(files[at : at + UNIT]) for at in range(0, len(files), UNIT)]


def flags_of(command: str) -> tuple[str, ...]:
    """How a file is compiled, less its own name, its output and the precompiled header."""
    words = iter(shlex.split(command))
    flags = []
    for word in words:
        if word == "-Xclang":
            argument = next(words)
            if argument in ("-include-pch", "-include"):
                next(words), next(words)
            else:
                flags += [word, argument]
        elif word in ("-o", "-c"):
            next(words)
        elif word != "-Winvalid-pch":
            flags.append(word)
    return tuple(flags)


def config_of(file: Path) -> Path:
    return next(c for f in file.parents if (c := f / ".clang-tidy").exists())


def commands_of(build: Path) -> dict[Path, dict[str, str]]:
    """How each file is compiled: those of a batch as the batch is."""
    commands: dict[Path, dict[str, str]] = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = Path(entry["file"])
        is_batch = file.parent.name == "Unity"
        for member in map(Path, MEMBER.findall(file.read_text())) if is_batch else [file]:
            commands.setdefault(member, entry)
    return commands


def units_of(build: Path, files: list[Path]) -> list[Unit]:
    """The units of the files, in the order of these; ends where one is not compiled."""
    commands = commands_of(build)
    alike: dict[Unit, list[Path]] = {}
    for file in files:
        if file not in commands:
            sys.exit(f"{file}: {build} does not compile it")
        entry = commands[file]
        unit = Unit(flags_of(entry["command"]), entry["directory"], config_of(file))
        alike.setdefault(unit, []).append(file)
    return [part for unit, members in alike.items() for part in unit.parts(members)]


def run(unit: Unit) -> tuple[int, str]:
    """Runs clang-tidy on a unit: its last file, before which a header includes the others."""
    *others, last = map(str, unit.files)
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder, "before.h")
        before.write_text("".join(f'#include "{other}"\n' for other in others))
        arguments = [*unit.flags, "-ferror-limit=0", "-include", str(before), "-c", last]
        entry = {"file": last, "directory": unit.directory, "arguments": arguments}
        Path(folder, "compile_commands.json").write_text(json.dumps([entry]))
        done = subprocess.run(
            ["clang-tidy-22", "-p", folder, "--quiet", last],
            capture_output=True,
            text=True,
            check=False,
        )
    # The other stream counts the warnings, or says why there was no run.
    return done.returncode, done.stdout or done.stderr


def check(unit: Unit) -> str:
    """What clang-tidy finds in the files of a unit."""
    status, output = run(unit)
    if status == 0:
        return ""
    files = unit.files
    if len(files) == 1:
        return output
    findings = [(Path(path), name) for path, name in FINDING.findall(output)]
    apart = {path for path, name in findings if name.startswith(COMPILER)}
    if not apart:
        found = {path for path, _ in findings}
        # What a header has, it has after whatever is before it.
        if not found or not found.issubset(files):
            return output
        return "".join(check(unit.of([file])) for file in files if file in found)
    if apart.isdisjoint(files):
        # A header that was read in one way for the files before.
        apart = set(files[len(files) // 2 :])
    if apart.issuperset(files):
        return "".join(check(unit.of([file])) for file in files)
    together = unit.of([file for file in files if file not in apart])
    return check(together) + check(unit.of([file for file in files if file in apart]))


def main() -> int:
    parser = argparse.ArgumentParser(description="clang-tidy on several files at once")
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--jobs", type=int, default=1, help="units at a time")
    parser.add_argument("files", nargs="+", type=Path)
    arguments = parser.parse_args()
    units = units_of(arguments.build, [file.resolve() for file in arguments.files])
    found = False
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for output in pool.map(check, units):
            sys.stdout.write(output)
            sys.stdout.flush()
            found |= bool(output)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
