"""Kernels that are kept on disk: what finds them again, what does not, and what may go wrong."""

import itertools
import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import package_support
import pytest

tilewright = package_support.import_package()

HEAD = """
import json, os, sys
import numpy as np
import tilewright
import tilewright.language as tl
from tilewright import _core

def report(**facts):
    print(json.dumps({"compiled": _core.is_compiler_loaded(), **facts}))
"""

KERNEL = """
import helpers
SCALE = tl.constexpr(3)

@tilewright.jit
def shift(x):
    return x + 1.0

@tilewright.jit
def kernel(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = helpers.double(shift(tl.load(x + i, mask=i < n))) * SCALE + helpers.OFFSET
    tl.store(x + i, value, mask=i < n)
"""

HELPERS = """
import tilewright
import tilewright.language as tl

OFFSET = tl.constexpr(5)

@tilewright.jit
def double(x):
    return x * 2.0
"""

LAUNCH = """
x = np.arange(7, dtype=np.float32)
kernel[(1,)](x, 7, BLOCK=8)
report(values=x.tolist())
"""


@pytest.fixture
def run(tmp_path):
    """Runs Python in a process of its own, with a cache of the test's; gives its last line."""
    environment = {**os.environ, "TILEWRIGHT_CACHE_DIR": str(tmp_path / "cache")}
    # Python takes a module that was written twice in a second for the same one.
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(tmp_path), str(Path(tilewright.__file__).parents[1]), str(Path(__file__).parent)]
    )
    (tmp_path / "helpers.py").write_text(HELPERS)

    def run_program(body=KERNEL + LAUNCH, **variables):
        program = tmp_path / "program.py"
        program.write_text(HEAD + textwrap.dedent(body))
        result = subprocess.run(
            [sys.executable, str(program)],
            capture_output=True,
            text=True,
            env={**environment, **variables},
            cwd=tmp_path,
        )
        assert result.returncode == 0, result.stderr
        run_program.stderr = result.stderr
        return json.loads(result.stdout.splitlines()[-1])

    return run_program


def expect(scale=3, offset=5, factor=2, shift=1):
    return [(value + shift) * factor * scale + offset for value in range(7)]


# Other code of the same process, which is not kept either.
TWICE = """
kernel[(1,)](x.copy(), 7, BLOCK=16)
"""


def is_warning(text, folder, why=""):
    """The only one, whatever else could not be kept."""
    start = f"tilewright: warning: what is compiled cannot be kept in {folder}: {why}"
    return text.startswith(start) and text.count("\n") == 1


def get_entries(folder):
    return sorted((folder / "cache").glob("llvmcache-*"))


def test_a_second_process_compiles_nothing(run):
    assert run() == {"compiled": True, "values": expect()}
    facts = run(KERNEL + LAUNCH + "report(loaded='libMLIR' in open('/proc/self/maps').read())")
    assert facts == {"compiled": False, "loaded": False}
    assert run() == {"compiled": False, "values": expect()}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("SCALE = tl.constexpr(3) -> SCALE = tl.constexpr(4)", {"scale": 4}),
        ("return x + 1.0 -> return x + 2.0", {"shift": 2}),
    ],
)
def test_what_stands_in_the_file_is_part_of_the_key(run, change, expected):
    run()
    old, new = change.split(" -> ")
    assert run(KERNEL.replace(old, new) + LAUNCH) == {
        "compiled": True,
        "values": expect(**expected),
    }
    assert run() == {"compiled": False, "values": expect()}


def test_helpers_of_other_modules_are_part_of_the_key(run, tmp_path):
    run()
    path = tmp_path / "helpers.py"
    path.write_text(HELPERS.replace("x * 2.0", "x * 4.0"))
    assert run() == {"compiled": True, "values": expect(factor=4)}
    path.write_text(HELPERS.replace("constexpr(5)", "constexpr(6)"))
    assert run() == {"compiled": True, "values": expect(offset=6)}
    path.write_text(HELPERS)
    assert run() == {"compiled": False, "values": expect()}


# Of a launch that is `x, 7, BLOCK=8` otherwise.
OPTIONS = [
    "x.astype(np.float64)[:], 7, BLOCK=8",
    "x, 7, BLOCK=16",
    "x, 7, BLOCK=8, num_warps=2",
    "x, 7, BLOCK=8, num_stages=1",
    "x, 7, BLOCK=8, target='sm_80'",
    "x, 1, BLOCK=8",
]


def test_arguments_and_options_are_part_of_the_key(run, tmp_path):
    run()
    kept = [len(get_entries(tmp_path))]
    body = f"{KERNEL}import glob\nx = np.zeros(16, np.float32)\nkept = []\n"
    for options in OPTIONS:
        body += f"kernel[(1,)]({options})\nkept.append(len(glob.glob('cache/llvmcache-*')))\n"
    body += "report(kept=kept)"
    facts = run(body)
    # Each is kept by itself.
    assert facts["compiled"]
    kept += facts["kept"]
    assert all(before < behind for before, behind in itertools.pairwise(kept))
    # Each is found.
    assert run(body) == {"compiled": False, "kept": [kept[-1]] * len(OPTIONS)}


def test_assertions_are_part_of_the_key(run):
    """On a GPU they are not there, in the simulator they are."""
    body = KERNEL + "kernel.warmup('*fp32', 'i32', BLOCK=8, debug=True)\nreport()"
    run(body, TILEWRIGHT_DEVICE="sim")
    assert not run(body, TILEWRIGHT_DEVICE="sim")["compiled"]


def test_functions_of_python_are_part_of_the_key(run):
    body = """
    import math
    def choose(n):
        return int(math.log2(n)) + EXTRA
    EXTRA = 1

    @tilewright.jit
    def kernel(x, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(x + i, i + choose(BLOCK))

    x = np.zeros(8, np.int32)
    kernel[(1,)](x, BLOCK=8)
    report(first=int(x[0]))
    """
    assert run(body) == {"compiled": True, "first": 4}
    assert run(body) == {"compiled": False, "first": 4}
    assert run(body.replace("EXTRA = 1", "EXTRA = 2")) == {"compiled": True, "first": 5}
    assert run(body.replace("math.log2(n)", "math.sqrt(n)")) == {"compiled": True, "first": 3}


def test_what_cannot_be_told_apart_is_compiled_each_time(run, tmp_path):
    body = """
    class Settings:
        def __init__(self):
            self.step = 2
    settings = Settings()

    @tilewright.jit
    def kernel(x, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(x + i, i * settings.step)

    x = np.zeros(4, np.int32)
    kernel[(1,)](x, BLOCK=4)
    report(values=x.tolist())
    """
    for _ in range(2):
        assert run(body) == {"compiled": True, "values": [0, 2, 4, 6]}
    assert not get_entries(tmp_path)
    assert run(body.replace("self.step = 2", "self.step = 3"))["values"] == [0, 3, 6, 9]


@pytest.mark.parametrize(
    "step",
    [
        "int(os.environ['STEP'])",
        "int(getenv('STEP'))",
        "int(open(__file__ + '.step').read())",
        "int(Path(__file__ + '.step').read_text())",
    ],
)
def test_what_the_machine_says_is_asked_each_time(run, tmp_path, step):
    body = f"""
    import os
    from os import getenv
    from pathlib import Path
    def choose():
        return {step}

    @tilewright.jit
    def kernel(x, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(x + i, i * choose())

    x = np.zeros(4, np.int32)
    kernel[(1,)](x, BLOCK=4)
    report(last=int(x[3]))
    """
    for number in ("2", "3"):
        (tmp_path / "program.py.step").write_text(number)
        assert run(body, STEP=number) == {"compiled": True, "last": 3 * int(number)}


def test_a_found_kernel_notices_that_a_name_has_changed(run):
    """As the one that was compiled does; and only for names that it relies on."""
    body = KERNEL.replace("* SCALE", "* (SCALE if BLOCK > 4 else OTHER)") + (
        "OTHER = tl.constexpr(1)" + LAUNCH + "OTHER = tl.constexpr(2)\n"
        "kernel[(1,)](x, 7, BLOCK=8)\n"
        "SCALE = tl.constexpr(9)\n"
        "try:\n    kernel[(1,)](x, 7, BLOCK=8)\n"
        "except RuntimeError as error:\n    report(error=str(error))\n"
    )
    first, second = run(body), run(body)
    assert (first["compiled"], second["compiled"]) == (True, False)
    assert first["error"] == second["error"]
    assert "'SCALE' has another value" in first["error"]


def test_reports_and_programs_of_found_kernels(run):
    """The report is compiled for; all else is kept."""
    body = KERNEL + (
        "k = kernel.warmup('*fp32:16', 'i32', BLOCK=8)\n"
        "facts = dict(ptx=k.ptx, tile=k.ir('tile'), block=k.block, shared=k.shared_bytes,\n"
        "             signature=k.signature)\n"
        "before = _core.is_compiler_loaded()\n"
        "report(before=before, report=k.report_text, count=len(k.variants), **facts)\n"
    )
    first, second = run(body), run(body)
    assert (first.pop("before"), second.pop("before")) == (True, False)
    assert first == second
    assert ".entry kernel" in first["ptx"]


def test_text_is_kept_too(run, tmp_path):
    shutil.copy(Path(__file__).parents[2] / "examples" / "transpose_f32.mlir", tmp_path)
    body = """
    kernel = tilewright.compile_file("transpose_f32.mlir", target="sm_90a")
    a = np.random.rand(70, 33).astype(np.float32)
    b = np.zeros((33, 70), np.float32)
    kernel(a, b)
    assert np.array_equal(a.T, b)
    report()
    """
    assert run(body)["compiled"]
    assert not run(body)["compiled"]
    assert run(body.replace('"sm_90a"', '"sm_90a", optimize=False'))["compiled"]


def test_damaged_entries_are_made_anew(run, tmp_path):
    run()
    for damage in (b"", b"garbage", None):
        for entry in get_entries(tmp_path):
            entry.write_bytes(entry.read_bytes()[:-1] if damage is None else damage)
        assert run() == {"compiled": True, "values": expect()}
        assert run() == {"compiled": False, "values": expect()}


def test_entries_that_are_pipes_are_made_anew(run, tmp_path):
    """Whoever opens one to read it waits for somebody who writes."""
    run()
    for entry in get_entries(tmp_path):
        entry.unlink()
        os.mkfifo(entry)
    assert run() == {"compiled": True, "values": expect()}
    assert run() == {"compiled": False, "values": expect()}


def test_without_a_place_to_write(run, tmp_path):
    (tmp_path / "file").write_text("")
    for folder in (str(tmp_path / "file" / "cache"), "/proc/nothing", ""):
        for _ in range(2):
            facts = run(KERNEL + LAUNCH + TWICE, TILEWRIGHT_CACHE_DIR=folder)
            assert facts == {"compiled": True, "values": expect()}
            assert run.stderr.count("\n") == (folder != "")
            assert not folder or is_warning(run.stderr, folder)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk(run, tmp_path):
    """What cannot be written to its end is no entry, and no mistake."""
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
    ignore = "import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    for _ in range(2):
        facts = run(limit + ignore + KERNEL + LAUNCH + TWICE)
        assert facts == {"compiled": True, "values": expect()}
        assert is_warning(run.stderr, str(tmp_path / "cache"), "File too large")


def test_who_only_reads_is_not_warned(run, tmp_path):
    limit = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (int(os.environ["LIMIT"]),) * 2)
"""
    for limit_of_files, compiled in (("1000000", True), ("0", False)):
        facts = run(limit + KERNEL + LAUNCH, LIMIT=limit_of_files)
        assert facts == {"compiled": compiled, "values": expect()}
        assert run.stderr == ""


def test_a_limit_that_is_no_number(run):
    body = KERNEL + (
        "try:\n    kernel.warmup('*fp32', 'i32', BLOCK=8)\n"
        "except ValueError as error:\n    report(error=str(error))\n"
    )
    error = run(body, TILEWRIGHT_CACHE_MB="much")["error"]
    assert error.startswith("TILEWRIGHT_CACHE_MB in the environment is a number of megabytes")


def test_after_a_fork(run):
    """A child launches what its parent compiled, and adds to the cache."""
    body = (
        KERNEL
        + LAUNCH
        + """
child = os.fork()
y = np.arange(7, dtype=np.float32)
kernel[(1,)](y, 7, BLOCK=8)
assert y.tolist() == x.tolist()
if child == 0:
    kernel[(1,)](y, 7, BLOCK=32)
    os._exit(0)
report(status=os.waitpid(child, 0)[1])
"""
    )
    assert run(body) == {"compiled": True, "status": 0}
    assert not run(KERNEL + LAUNCH.replace("BLOCK=8", "BLOCK=32"))["compiled"]


def test_cells_of_a_notebook(run):
    """A cell that is run again defines its functions anew; each definition has its own key."""
    body = """
    import linecache
    def run_cell(number, text):
        name = f"<cell {number}>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        exec(compile(text, name, "exec"), globals())

    HELPER = '@tilewright.jit\\ndef helper(x):\\n    return x + STEP\\n'
    KERNEL = (
        '@tilewright.jit\\ndef kernel(x, BLOCK: tl.constexpr):\\n    i = tl.arange(0, BLOCK)\\n'
        '    tl.store(x + i, helper(i))\\n'
    )
    seen = []
    for number, step in enumerate(("1", "2", "1")):
        run_cell(f"a{step}", HELPER.replace("STEP", step))
        if number == 1:
            # The kernel still has the helper that it was compiled with, and says so.
            try:
                kernel[(1,)](x, BLOCK=4)
            except RuntimeError as error:
                seen.append("'helper' has another value" in str(error))
        run_cell("b", KERNEL)
        x = np.zeros(4, np.int32)
        kernel[(1,)](x, BLOCK=4)
        seen.append(int(x[0]))
    report(seen=seen)
    """
    assert run(body) == {"compiled": True, "seen": [1, True, 2, 1]}
    assert run(body) == {"compiled": False, "seen": [1, True, 2, 1]}


CELL = """
import linecache, os

def run_cell(text):
    name = NAME
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), globals())

run_cell('@tilewright.jit\\ndef helper(x):\\n    return x + STEP\\n')
run_cell(
    '\\n@tilewright.jit\\ndef kernel(x, BLOCK: tl.constexpr):\\n    i = tl.arange(0, BLOCK)\\n'
    '    tl.store(x + i, helper(i))\\n'
)
x = np.zeros(4, np.int32)
kernel[(1,)](x, BLOCK=4)
compiled = _core.is_compiler_loaded()
try:
    kernel[(1,)](x, BLOCK=3)
except tilewright.CompileError as error:
    message = str(error).split(" error")[0]
report(compiled=compiled, first=int(x[0]), message=message)
"""


@pytest.mark.parametrize(
    "name",
    [
        'f"/tmp/ipykernel_{os.getpid()}/{len(text)}.py"',
        'f"<ipython-input-{os.getpid() % 97}-{hash(text) & 0xffff:x}>"',
    ],
)
def test_cells_are_found_after_a_restart(run, name):
    """Their names have the process in them, which is no part of the key, nor of messages."""
    body = CELL.replace("NAME", name)
    expected = {"first": 1, "message": "<cell>:4:9:"}
    assert run(body.replace("STEP", "1")) == {"compiled": True, **expected}
    assert run(body.replace("STEP", "1")) == {"compiled": False, **expected}
    assert run(body.replace("STEP", "2")) == {"compiled": True, **expected, "first": 2}


def test_functions_without_a_source(run):
    """They are no kernels, with or without a cache; as names of kernels they are what they do."""
    body = """
    exec('def plain(n):\\n    return n + 3')
    exec('@tilewright.jit\\ndef typed(x):\\n    tl.store(x, 1)')

    @tilewright.jit
    def kernel(x):
        tl.store(x, plain(4))

    x = np.zeros(1, np.int32)
    kernel[(1,)](x)
    before = _core.is_compiler_loaded()
    try:
        typed[(1,)](x)
    except tilewright.CompileError as error:
        report(before=before, value=int(x[0]), error=str(error))
    """
    facts = run(body)
    assert (facts["before"], facts["value"]) == (True, 7)
    assert facts["error"].startswith("the source of 'typed' cannot be found")
    assert run(body) == {**facts, "before": False, "compiled": False}
    assert run(body.replace("n + 3", "n + 4"))["value"] == 8


def test_the_command(run, tmp_path):
    run()

    def call(*arguments, before=(), **variables):
        return subprocess.run(
            [*before, sys.executable, "-m", "tilewright", "cache", *arguments],
            capture_output=True,
            text=True,
            env={
                **os.environ,
                "PYTHONPATH": str(Path(tilewright.__file__).parents[1]),
                "TILEWRIGHT_CACHE_DIR": str(tmp_path / "cache"),
                **variables,
            },
        )

    folder, contents = call().stdout.splitlines()
    assert folder == str(tmp_path / "cache")
    assert contents.startswith("2 entries, 0.0 of 1024 MB")
    assert call("--clear").stdout.splitlines()[1] == "0 entries, 0.0 of 1024 MB"
    assert not get_entries(tmp_path)
    assert run()["compiled"]
    assert call(TILEWRIGHT_CACHE_DIR="").stdout.startswith("There is no cache")
    assert "Nothing can be added (" in call(TILEWRIGHT_CACHE_DIR="/proc/nothing").stdout
    # As on a disk that is full.
    limits = ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh"]
    assert "Nothing can be added (File too large)" in call(before=limits).stdout
    assert call(TILEWRIGHT_CACHE_MB="x").returncode == 1


def test_many_processes_of_which_some_are_killed(tmp_path):
    """A small share of what scripts/cache-stress.py does."""
    script = Path(__file__).parents[2] / "scripts" / "cache-stress.py"
    environment = {**os.environ, "PYTHONPATH": str(Path(tilewright.__file__).parents[1])}
    result = subprocess.run(
        [sys.executable, str(script), "--rounds", "3", "--processes", "4", "--seed", "7"],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines()[-1].startswith("3 rounds, ")
