#!/usr/bin/env python3
"""Makes libraries to link with in place of the machine's glibc, with an older one's symbols.

    stubs.py --glibc 2.28 --clang clang-22 --readelf llvm-readelf --out FOLDER

glibc keeps each old version of a symbol beside the new one. The libraries that this writes have
the same names and symbols, but only versions that the older glibc has, and no code: what is linked
with them runs there and on anything newer, and what an older glibc lacks is missed by the linker.

FOLDER is to be searched before the system's (-L). Its libc.so stands for the libraries that were
made one in 2.34, too.
"""

import argparse
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

#: Those that symbols moved from into libc.so.6, by the beginnings of their names.
MOVED = {
    "libdl.so.2": re.compile(r"dl(open|close|sym|vsym|error|addr|addr1|info|mopen)$"),
    "libpthread.so.0": re.compile(r"_*(pthread|sem)_"),
}
MACHINE = ("libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2")
ROW = re.compile(r"\s*\d+: \S+ +(\d+) (\S+) +(GLOBAL|WEAK) +\S+ +(\d+|ABS) (\S+?)@(@?)(\S+)")


class Symbol(NamedTuple):
    name: str
    version: str
    kind: str
    size: int


def parse_version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def read_symbols(readelf: str, library: Path) -> Iterator[tuple[Symbol, bool]]:
    """The symbols that a library has, and whether each is of the version for new programs."""
    table = subprocess.run(
        [readelf, "--dyn-syms", str(library)], check=True, capture_output=True, text=True
    ).stdout
    for row in table.splitlines():
        if match := ROW.match(row):
            size, kind, _, _, name, newest, version = match.groups()
            if version.startswith("GLIBC_2.") and name != version:
                number = version.removeprefix("GLIBC_")
                yield Symbol(name, number, kind, int(size)), bool(newest)


def choose(
    symbols: Iterator[tuple[Symbol, bool]], library: str, glibc: tuple[int, ...]
) -> dict[str, list[Symbol]]:
    """By library, for each name the newest version that the older glibc has."""
    found: dict[str, list[tuple[Symbol, bool]]] = defaultdict(list)
    for symbol, newest in symbols:
        found[symbol.name].append((symbol, newest))
    chosen = defaultdict(list)
    for name, versions in found.items():
        old = [symbol for symbol, _ in versions if parse_version(symbol.version) <= glibc]
        if not old:
            continue
        is_old = any(newest and parse_version(s.version) <= glibc for s, newest in versions)
        home = library
        if not is_old and library == "libc.so.6":
            home = next((moved for moved, names in MOVED.items() if names.match(name)), library)
        chosen[home].append(max(old, key=lambda symbol: parse_version(symbol.version)))
    return chosen


def write_library(clang: str, out: Path, library: str, symbols: list[Symbol]) -> None:
    lines = []
    for number, symbol in enumerate(sorted(symbols)):
        kind = "object" if symbol.kind == "OBJECT" else "function"
        section = {"OBJECT": ".data", "TLS": '.section .tdata,"awT",@progbits'}.get(
            symbol.kind, ".text"
        )
        kind = "tls_object" if symbol.kind == "TLS" else kind
        lines += [
            section,
            f".globl s{number}",
            f".type s{number}, @{kind}",
            f".symver s{number}, {symbol.name}@@@GLIBC_{symbol.version}",
            f"s{number}: .skip {max(symbol.size, 1) if kind != 'function' else 1}",
            f".size s{number}, . - s{number}",
        ]
    assembly, versions = out / f"{library}.s", out / f"{library}.map"
    assembly.write_text("\n".join([*lines, '.section .note.GNU-stack,"",@progbits', ""]))
    nodes = sorted({symbol.version for symbol in symbols}, key=parse_version)
    versions.write_text("".join(f"GLIBC_{node} {{}};\n" for node in nodes))
    options = ["-shared", "-nostdlib", "-fuse-ld=lld", f"-Wl,-soname,{library}"]
    options.append(f"-Wl,--version-script={versions}")
    subprocess.run([clang, *options, str(assembly), "-o", str(out / library)], check=True)


def find_file(clang: str, name: str) -> Path:
    command = [clang, f"-print-file-name={name}"]
    path = Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())
    if not path.is_absolute():
        sys.exit(f"stubs.py: error: {clang} finds no {name}")
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--glibc", required=True, help="the older version, such as 2.28")
    parser.add_argument("--clang", required=True)
    parser.add_argument("--readelf", required=True)
    parser.add_argument("--out", required=True, type=Path)
    arguments = parser.parse_args()
    clang, out = arguments.clang, arguments.out
    out.mkdir(parents=True, exist_ok=True)
    symbols: dict[str, list[Symbol]] = defaultdict(list)
    for library in MACHINE:
        found = read_symbols(arguments.readelf, find_file(clang, library))
        for home, some in choose(found, library, parse_version(arguments.glibc)).items():
            symbols[home] += some
    for library, some in symbols.items():
        write_library(clang, out, library, some)
    # What every shared library has of its own, such as atexit.
    own = find_file(clang, "libc_nonshared.a")
    rest = " ".join(str(out / name) for name in [*MOVED, "ld-linux-x86-64.so.2"])
    group = f"GROUP({out / 'libc.so.6'} {own} AS_NEEDED({rest}))\n"
    (out / "libc.so").write_text(group)
    (out / "libm.so").write_text(f"INPUT({out / 'libm.so.6'})\n")
    for name in ("libdl", "libpthread", "librt"):
        (out / f"{name}.so").write_text(group)


if __name__ == "__main__":
    main()
