#!/usr/bin/env python3
"""Packs a folder with the package into a wheel, the same bytes each time.

    pack-wheel.py --tag TAGS --out FOLDER TREE

TREE has the files of the package as they are installed; the metadata is the table `project` of
pyproject.toml, which Python reads from 3.11 on. The files have the time of SOURCE_DATE_EPOCH, or of
1980. Prints the wheel's path.
"""

import argparse
import base64
import hashlib
import os
import re
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import tomllib

ROOT = Path(__file__).parent.parent
EARLIEST = 315532800  # A zip archive knows no time before 1980.


def read_version() -> str:
    text = (ROOT / "CMakeLists.txt").read_text()
    match = re.search(r"project\(Tilewright VERSION ([0-9.]+)", text)
    assert match, "CMakeLists.txt has no version"
    return match[1]


def write_metadata(project: dict[str, Any], version: str) -> str:
    """The core metadata, of the fields that our pyproject.toml has."""
    known = {"name", "dynamic", "description", "readme", "license", "license-files"}
    known |= {"requires-python", "dependencies", "classifiers", "scripts"}
    if unknown := project.keys() - known:
        sys.exit(f"pack-wheel.py: error: pyproject.toml has {sorted(unknown)}, unknown here")
    fields = [("Metadata-Version", "2.4"), ("Name", project["name"]), ("Version", version)]
    fields += [("Summary", project["description"])]
    fields += [("License-Expression", project["license"])]
    fields += [("License-File", name) for name in project["license-files"]]
    fields += [("Classifier", name) for name in project["classifiers"]]
    fields += [("Requires-Python", project["requires-python"])]
    fields += [("Requires-Dist", name) for name in project["dependencies"]]
    fields += [("Description-Content-Type", "text/markdown")]
    header = "".join(f"{name}: {value}\n" for name, value in fields)
    return f"{header}\n{(ROOT / project['readme']).read_text()}"


def write_tags(tag: str) -> str:
    """The file WHEEL. A tag may have several of each part, which stand for all combinations."""
    pythons, abis, platforms = (part.split(".") for part in tag.split("-"))
    tags = [f"{p}-{a}-{on}" for p in pythons for a in abis for on in platforms]
    lines = ["Wheel-Version: 1.0", "Generator: tilewright", "Root-Is-Purelib: false"]
    return "\n".join([*lines, *(f"Tag: {each}" for each in tags), ""])


def list_files(tree: Path, tag: str) -> list[tuple[str, bytes, int]]:
    """Names, contents and permissions, as they come into the archive."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    version = read_version()
    info = f"{project['name']}-{version}.dist-info"
    files = []
    for path in sorted(tree.rglob("*")):
        if path.is_file():
            is_code = path.suffix == ".so"
            name = path.relative_to(tree).as_posix()
            files.append((name, path.read_bytes(), 0o755 if is_code else 0o644))
    scripts = "".join(f"{name} = {entry}\n" for name, entry in project["scripts"].items())
    texts = {
        "METADATA": write_metadata(project, version),
        "WHEEL": write_tags(tag),
        "entry_points.txt": f"[console_scripts]\n{scripts}",
    }
    texts |= {f"licenses/{name}": (ROOT / name).read_text() for name in project["license-files"]}
    files += [(f"{info}/{name}", text.encode(), 0o644) for name, text in sorted(texts.items())]
    record = "".join(f"{name},{digest(data)},{len(data)}\n" for name, data, _ in files)
    files.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode(), 0o644))
    return files


def digest(data: bytes) -> str:
    encoded = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return f"sha256={encoded.rstrip(b'=').decode()}"


def pack(files: list[tuple[str, bytes, int]], wheel: Path) -> None:
    seconds = max(int(os.environ.get("SOURCE_DATE_EPOCH", EARLIEST)), EARLIEST)
    date = time.gmtime(seconds)[:6]
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data, permissions in files:
            entry = zipfile.ZipInfo(name, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, whose permissions these are.
            entry.external_attr = (0o100000 | permissions) << 16
            # The highest level takes twice the time for half a percent of the bytes.
            archive.writestr(entry, data, compresslevel=6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tag", required=True, help="such as cp310.cp311-cp310.cp311-linux_x86_64")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("tree", type=Path)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    wheel = arguments.out / f"tilewright-{read_version()}-{arguments.tag}.whl"
    pack(list_files(arguments.tree, arguments.tag), wheel)
    print(wheel)


if __name__ == "__main__":
    main()
