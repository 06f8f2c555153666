#!/usr/bin/env python3
"""Says whether libraries run on machines with an older glibc, and ends with 1 where one does not.

    check-portable.py [--glibc 2.28] [--readelf llvm-readelf] LIBRARY...

Asked for may be the C library up to that version, and what stands beside the library in its
folder; of a Python, its functions.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

GLIBC = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2"}
NEEDED = re.compile(r"\(NEEDED\)\s+Shared library: \[(.+)\]")
UNDEFINED = re.compile(r"\d+: \S+ +\d+ \S+ +(GLOBAL|WEAK) +\S+ +UND (\S+)")


def parse_version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def find_faults(readelf: str, library: Path, glibc: str) -> Iterator[str]:
    command = [readelf, "--dynamic-table", "--dyn-syms", "--elf-output-style=GNU", str(library)]
    table = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for name in NEEDED.findall(table):
        if name not in GLIBC and not (library.parent / name).exists():
            yield f"asks for {name}"
    for binding, symbol in UNDEFINED.findall(table):
        name, _, version = symbol.partition("@")
        if match := re.fullmatch(r"@?GLIBC_([\d.]+)", version):
            if parse_version(match[1]) > parse_version(glibc):
                yield f"asks for {name} of glibc {match[1]}"
        elif version:
            if not re.fullmatch(r"@?TILEWRIGHT_[\d.]+", version):
                yield f"asks for {symbol}"
        elif binding != "WEAK" and not re.match(r"_?Py", name):
            yield f"asks for {name}, which no library is known to have"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--glibc", default="2.28", help="the oldest (default: %(default)s)")
    parser.add_argument("--readelf", default="/usr/lib/llvm-22/bin/llvm-readelf")
    parser.add_argument("libraries", nargs="+", type=Path, metavar="LIBRARY")
    arguments = parser.parse_args()
    faults = [
        f"{library} {fault}"
        for library in arguments.libraries
        for fault in find_faults(arguments.readelf, library, arguments.glibc)
    ]
    print(*faults, sep="\n", end="\n" if faults else "")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
