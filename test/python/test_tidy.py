"""scripts/tidy.py shows several files to clang-tidy at once, and reports what each has."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tidy

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "tidy.py"

# Of the lines of a file, `name X` cannot be read twice, as `header X` cannot, where
# a header is to blame; `bad X` is found in the file, as `shy X` is unless the file
# is read alone. It notes what it reads.
FAKE = f"""#!{sys.executable}
import json, os, re, sys
from pathlib import Path

entry, = json.loads(Path(sys.argv[2], "compile_commands.json").read_text())
words = entry["arguments"]
before = Path(words[words.index("-include") + 1]).read_text()
files = [*re.findall('"(.+)"', before), entry["file"]]
with Path(os.environ["READ"]).open("a") as read:
    read.write(json.dumps([words, [Path(file).name for file in files]]) + "\\n")
names, found = set(), []
for file in files:
    for line in Path(file).read_text().splitlines():
        kind, name = line.split()
        if kind == "name" and name in names:
            found.append((file, "redefinition", "clang-diagnostic-error"))
        if kind == "header" and name in names:
            found.append(("/a.h", "redefinition", "clang-diagnostic-error"))
        names.add(name)
        if kind == "bad" or (kind == "shy" and len(files) > 1):
            found.append((file, name, "bugprone-fake,-warnings-as-errors"))
for file, name, check in found:
    print(f"{{file}}:1:1: error: {{name}} [{{check}}]")
sys.exit(bool(found))
"""


@pytest.fixture
def check(tmp_path):
    """Checks files, given as FILE=CONTENTS: the script's run, and what was read together."""
    fake = tmp_path / "bin" / "clang-tidy-22"
    fake.parent.mkdir()
    fake.write_text(FAKE)
    fake.chmod(0o755)
    (tmp_path / ".clang-tidy").touch()
    read = tmp_path / "read"
    read.touch()

    def run(flags="", **contents):
        entries = []
        for name, text in contents.items():
            file = tmp_path / f"{name}.cpp"
            file.write_text(text)
            command = f"c++ {flags} -o {name}.o -c {file}"
            entries.append({"file": str(file), "directory": str(tmp_path), "command": command})
        (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
        path = f"{fake.parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            [sys.executable, SCRIPT, "--build", tmp_path, *(entry["file"] for entry in entries)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PATH": path, "READ": str(read)},
        )
        return done, [json.loads(line) for line in read.read_text().splitlines()]

    return run


def test_files_are_read_together(check):
    done, read = check(A="name a", B="name b", C="name c")
    assert (done.returncode, done.stdout) == (0, "")
    assert [files for _, files in read] == [["A.cpp", "B.cpp", "C.cpp"]]


def test_what_is_found_is_said_once(check):
    done, read = check(A="name a", B="bad thing", C="name c")
    assert done.returncode == 1
    assert done.stdout.count("error: thing") == 1
    assert read[-1][1] == ["B.cpp"]


def test_files_that_do_not_bear_each_other_are_read_apart(check):
    done, read = check(A="name same", B="name same", C="name c", D="name same")
    assert (done.returncode, done.stdout) == (0, "")
    assert [files for _, files in read][1] == ["A.cpp", "C.cpp"]
    assert [files for _, files in read if len(files) == 1] == [["B.cpp"], ["D.cpp"]]


def test_files_for_which_a_header_differs_are_read_apart(check):
    done, read = check(A="header same", B="name b", C="header same", D="name d")
    assert (done.returncode, done.stdout) == (0, "")
    assert [files for _, files in read][1:] == [["A.cpp", "B.cpp"], ["C.cpp", "D.cpp"]]


def test_what_only_a_unit_has_is_no_finding(check):
    done, _ = check(A="name a", B="shy thing")
    assert (done.returncode, done.stdout) == (0, "")


def test_what_does_not_compile_is_said(check):
    done, _ = check(A="name a\nname a", B="bad thing")
    assert done.returncode == 1
    assert "A.cpp:1:1: error: redefinition" in done.stdout
    assert "B.cpp:1:1: error: thing" in done.stdout


def test_precompiled_headers_are_not_used(check):
    flags = "-DX=1 -Winvalid-pch -Xclang -include-pch -Xclang a.pch -Xclang -include -Xclang a.hxx"
    _, read = check(flags + " -Xclang -fno-pch-timestamp", A="name a")
    assert read[0][0][:4] == ["c++", "-DX=1", "-Xclang", "-fno-pch-timestamp"]
    assert not any("a." in word for word in read[0][0][:-1])


def test_long_lists_are_read_in_parts(check):
    done, read = check(**{f"F{i}": f"name n{i}" for i in range(20)})
    assert done.returncode == 0
    assert [len(files) for _, files in read] == [16, 4]


def test_a_file_that_nothing_compiles_is_an_error(check, tmp_path):
    check(A="name a")
    (tmp_path / "B.cpp").touch()
    done = subprocess.run(
        [sys.executable, SCRIPT, "--build", tmp_path, tmp_path / "B.cpp"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "does not compile it" in done.stderr


def test_files_of_a_batch_are_compiled_as_it_is(tmp_path):
    members = [tmp_path / "A.cpp", tmp_path / "B.cpp"]
    batch, alone = tmp_path / "Unity" / "unity_0_cxx.cxx", tmp_path / "C.cpp"
    batch.parent.mkdir()
    batch.write_text("/* generated */\n\n" + "".join(f'#include "{each}"\n\n' for each in members))
    entries = [
        {"file": str(file), "directory": str(tmp_path), "command": f"c++ {flag} -o o -c {file}"}
        for file, flag in {batch: "-DBATCH", alone: "-DALONE"}.items()
    ]
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    commands = tidy.commands_of(tmp_path)
    flags = {file: tidy.flags_of(entry["command"]) for file, entry in commands.items()}
    in_batch = dict.fromkeys(members, ("c++", "-DBATCH"))
    assert flags == {**in_batch, alone: ("c++", "-DALONE")}
