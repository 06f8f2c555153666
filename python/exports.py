#!/usr/bin/env python3
"""Writes what libTilewright.so shows: what the bindings ask of it, and no more.

    exports.py --nm llvm-nm --version NODE --map FILE --undefined FILE OBJECT...

--map gets a version script, whose node keeps the symbols apart from those of another library's
LLVM; --undefined the linker's options that take them out of archives.
"""

import argparse
import re
import subprocess
from pathlib import Path

#: Symbols of C++ with a name of ours or of LLVM's in them.
OURS = re.compile(r"_Z\w*(10tilewright|4llvm)")


def list_symbols(nm: str, objects: list[str], kind: str) -> set[str]:
    command = [nm, "--format=just-symbols", "--no-sort", "--quiet", f"--{kind}-only", *objects]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {line for line in output.splitlines() if line and not line.endswith(":")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nm", required=True)
    parser.add_argument("--version", required=True, help="the name of the symbols' version")
    parser.add_argument("--map", required=True, type=Path)
    parser.add_argument("--undefined", required=True, type=Path)
    parser.add_argument("objects", nargs="+")
    arguments = parser.parse_args()
    undefined, defined = (
        list_symbols(arguments.nm, arguments.objects, kind) for kind in ("undefined", "defined")
    )
    wanted = sorted(name for name in undefined - defined if OURS.match(name))
    names = "".join(f"    {name};\n" for name in wanted)
    arguments.map.write_text(
        f"{arguments.version} {{\n  global:\n{names}  local: *;\n}};\n", encoding="ascii"
    )
    options = "".join(f"--undefined={name}\n" for name in wanted)
    arguments.undefined.write_text(options, encoding="ascii")


if __name__ == "__main__":
    main()
