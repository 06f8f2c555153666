"""Tests of the scripts and benchmarks, without a GPU: NVIDIA's programs and ours are stood in for
by small scripts that print what the real ones do."""

import gc
import json
import os
import shutil
import signal
import sys
import textwrap
import threading
import time
import zlib
from collections import defaultdict
from pathlib import Path

import package_support
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("scripts", "benchmarks", "test")]

# What is compiled here is compiled: tests of the cache have one of their own.
os.environ["TILEWRIGHT_CACHE_DIR"] = ""

# Before anything looks for a driver: it is looked for once.
FAKE_DRIVER = package_support.load_fake_driver()

from gputools.wavefronts import METRICS  # noqa: E402

# A block of transpose_f32 as the compiler reports it, with --shared-layout=none.
REPORT = {
    "kernel": "transpose_f32",
    "accesses": [
        {"op": "tile.load_view", "sectors": 512, "ideal_sectors": 512, "trips": 1},
        {"op": "tile.local_store", "wavefronts": 1024, "ideal_wavefronts": 128, "trips": 1},
        {"op": "tile.local_load", "wavefronts": 128, "ideal_wavefronts": 128, "trips": 1},
    ],
    "tiles": [{"type": "64x64xf32", "layout": "row-major"}],
    "shared_load_wavefronts": 128,
    "shared_store_wavefronts": 1024,
}


def make_result(**changes):
    """What tile-run --json prints of a good run of four blocks."""
    output = {"name": "B", "elements": 16384, "checked": 16384, "wrong": 0, "mismatches": []}
    return {
        "kernel": "transpose_f32",
        "device": {"name": "NVIDIA H200", "architecture": "sm_90", "memory_bytes": 150 << 30},
        "grid": [2, 2, 1],
        "launched": True,
        "passed": True,
        "outputs": [output],
        "violations": [],
        "report": REPORT,
        **changes,
    }


def ncu_csv(values, kernel="transpose_f32", launch=0):
    """The log of ncu --csv: its messages, then a line for each metric."""
    lines = [
        "==PROF== Connected to process 4711 (/opt/tilewright/bin/tilewright)",
        '==PROF== Profiling "transpose_f32" - 0: 0%....50%....100% - 1 pass',
        "==PROF== Disconnected from process 4711",
        '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream",'
        '"Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit",'
        '"Metric Value"',
    ]
    for metric, value in values.items():
        lines.append(
            f'"{launch}","4711","tilewright","127.0.0.1","{kernel}","1","7","(256, 1, 1)",'
            f'"(4, 1, 1)","0","9.0","Command line profiler metrics","{metric}","","{value}"'
        )
    return "\n".join(lines) + "\n"


# What ncu counts of make_result's launch: loads, stores, copies; conflicts of loads and of stores.
AGREEING = dict(zip(METRICS.values(), ("512", "4096", "0", "0", "3584"), strict=True))


class FakeTools:
    """A folder of stand-ins, found as ours (TILEWRIGHT_BIN) and on the PATH."""

    def __init__(self, folder):
        self.folder = folder

    def write(self, name, body):
        """A Python program. `line` is its command line as one text."""
        path = self.folder / name
        head = (
            f"#!{sys.executable}\nimport sys, json, time, subprocess\nline = ' '.join(sys.argv)\n"
        )
        path.write_text(head + body)
        path.chmod(0o755)

    def prints(self, name, text, code=0):
        self.write(name, f"print({text!r})\nsys.exit({code})\n")

    def tile_run(self, code=0, **changes):
        """Has the same result for every kernel."""
        self.serve(f"print({json.dumps(make_result(**changes))!r}, flush=True)", code)

    def serve(self, answer, code=0):
        """A tile-run. `answer`: Python that prints what there is to say of `line`, what one
        is asked, as a command line of its own or as a request."""
        self.write(
            "tile-run",
            f"""
def answer(line):
{textwrap.indent(answer, "    ")}
if "--requests" not in line:
    answer(line)
    sys.exit({code})
for request in sys.stdin:
    answer(" ".join(json.loads(request)["arguments"]))
sys.exit({code})
""",
        )

    def under(self, name, before, after):
        """A program that runs another; `count` is how many results that had."""
        self.write(
            name,
            f"""
log = sys.argv[sys.argv.index("--log-file") + 1]
{before}
at = next(i for i, a in enumerate(sys.argv) if a.endswith("/tile-run"))
child = subprocess.Popen(sys.argv[at:], stdout=subprocess.PIPE, text=True)
count = 0
for line in child.stdout:
    print(line, end="", flush=True)
    count += 1
code = child.wait()
{after}
sys.exit(code)
""",
        )

    def ncu(self, values, before=""):
        """Runs the program that it is given, and counts the same of every launch."""
        self.under(
            "ncu",
            before,
            f"""
text = {ncu_csv(values)!r}.splitlines(True)
head, rows = text[:4], text[4:]
with open(log, "w") as out:
    out.writelines(head)
    for launch in range(count):
        out.writelines(row.replace('"0"', '"%d"' % launch, 1) for row in rows)
""",
        )


# Nearly all that code hangs on is the same within a generation.
GENERATIONS = (("sm_80", "sm_86", "sm_89"), ("sm_90a",), ("sm_100a", "sm_120a"))


def draw_targets(items, seed):
    """What runs of tests that take the fixture `target`. Most of their time is the compiler's, so
    where a test has several cases, each of them has one target of each generation, and of many
    cases each leaves out one generation: the next case has the next ones, in an order that is
    drawn. So each test runs on all targets."""
    cases = defaultdict(lambda: defaultdict(dict))
    for item in items:
        call = getattr(item, "callspec", None)
        target = call.params.get("target") if call else None
        if "target" in item.fixturenames and target in package_support.TARGETS:
            case = call.id.replace(target, "", 1)
            cases[item.nodeid.partition("[")[0]][case][target] = item
        else:
            yield item
    for test, of_test in cases.items():
        order = sorted(of_test, key=lambda case: zlib.crc32(f"{seed} {test} {case}".encode()))
        for number, case in enumerate(order):
            drawn = draw_of_case(number, len(order))
            yield from (item for target, item in of_test[case].items() if target in drawn)


def draw_of_case(number, count):
    """The targets of a case, of so many."""
    most = max(map(len, GENERATIONS))
    if count < most:
        return package_support.TARGETS
    if count < most * len(GENERATIONS):
        return {targets[number % len(targets)] for targets in GENERATIONS}
    turn, left_out = divmod(number, len(GENERATIONS))
    return {
        targets[turn % len(targets)]
        for place, targets in enumerate(GENERATIONS)
        if place != left_out
    }


def pytest_addoption(parser):
    parser.addoption(
        "--all-targets", action="store_true", help="run each case of a test on each target"
    )


def pytest_collection_modifyitems(config, items):
    if config.getoption("--all-targets"):
        return
    kept = set(draw_targets(items, package_support.get_commit()))
    left_out = [item for item in items if item not in kept]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item in kept]


def pytest_collection_finish():
    """What is imported and collected by now stays: the search for garbage need not go over it
    again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(params=package_support.TARGETS)
def target(request, monkeypatch):
    """Each of them; what is compiled is compiled for it."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", request.param)
    return request.param


@pytest.fixture
def without_ptxas(monkeypatch):
    """For tests that read code and reports of simulated kernels, of which each would run ptxas;
    kernels/test_assembled.py does. What it says of registers is in no report then."""
    monkeypatch.setenv("TILEWRIGHT_PTXAS", shutil.which("true"))


@pytest.fixture
def fake_driver():
    """The driver that stands in for NVIDIA's; it has the last launch."""
    if FAKE_DRIVER is None:
        pytest.skip("the build has no fake driver")
    return FAKE_DRIVER


@pytest.fixture
def tools(tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("TILEWRIGHT_BIN", str(folder))
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    return FakeTools(folder)


@pytest.fixture
def kernel_file(tmp_path):
    path = tmp_path / "kernel.mlir"
    path.write_text("// tile.kernel @not_this(\ntile.kernel @transpose_f32(%A: index) {\n}\n")
    return path


def press_ctrl_c_after(seconds):
    """Once this process has computed for so long: a busy machine takes longer for that."""

    def press():
        end = time.process_time() + seconds
        while time.process_time() < end:
            time.sleep(0.002)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()


@pytest.fixture(scope="module")
def ctrl_c():
    """Presses it after some seconds. It is heard, also where who started the tests in the
    background has them ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield press_ctrl_c_after
    signal.signal(signal.SIGINT, before)
