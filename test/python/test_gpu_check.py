"""scripts/gpu-check.py, with stand-ins for tile-run and NVIDIA's programs."""

import json
import math
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import AGREEING, make_result
from example_sizes import find_examples

from gputools.cases import (
    LONG_EDGE,
    LONG_VECTOR,
    TRANSPOSES,
    device_cases,
    large_cases,
    profile_cases,
    size_cases,
    special_cases,
)
from gputools.check import SECTIONS
from gputools.random_kernels import random_cases
from gputools.sanitizer import FOUND
from gputools.schedule import (
    AFTERWARDS,
    ALONE,
    PASSED,
    SIDE_BY_SIDE,
    Memory,
    Result,
    Section,
    Settings,
    Step,
    run_sections,
)

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "gpu-check.py"
MISTAKE = {
    "name": "B",
    "elements": 9,
    "checked": 9,
    "wrong": 1,
    "mismatches": [{"index": [2, 0], "expected": "1", "got": "nan"}],
}


def check(*arguments):
    return subprocess.run(
        [sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False
    )


def run_section(name, settings, time_limit=100):
    return run_sections({name: SECTIONS[name]}, settings, time_limit)


def sanitizer(tools, summary="========= ERROR SUMMARY: 0 errors", code="code"):
    """With this summary, and that exit status, in which `code` is that of what it ran."""
    said = f"========= COMPUTE-SANITIZER\n{summary}\n"
    tools.under("compute-sanitizer", "", f"open(log, 'w').write({said!r})\ncode = {code}")


def tile_diff(tools, status="same", code=0, **changes):
    test = {"file": "/elsewhere/sums.ptx", "kernel": "sums", "status": status}
    test |= {"message": "", "buffers": [], **changes}
    tools.prints("tile-diff", json.dumps({"tests": [test]}), code)


def test_everything_good_is_success_and_recorded(tools, tmp_path):
    tools.tile_run()
    tile_diff(tools)
    tools.ncu(AGREEING)
    sanitizer(tools)
    record = tmp_path / "out.json"
    code_tools(tools, waits=1)
    result = check("--json", record, "--match", "e_f32.* (70|131|208|512|1024) x|product 7 ")
    # The stand-in is transpose_f32 wherever it is asked.
    assert result.returncode == 0, result.stdout + result.stderr
    written = json.loads(record.read_text())
    assert written["passed"] is True
    assert set(written["sections"]) == set(SECTIONS) - {"large", "layouts", "python"}
    for section in written["sections"].values():
        assert section["passed"] and not section["others"]
    assert written["device"]["name"] == "NVIDIA H200"
    assert "/elsewhere/" not in record.read_text()


def test_a_wrong_element_is_failure_and_shown(tools):
    tools.tile_run(code=1, passed=False, outputs=[MISTAKE])
    result = check("--only", "sizes", "--match", "f32 70 x 70")
    assert result.returncode == 1
    assert "B: 1 of 9 elements are wrong, first [2, 0]: nan for 1" in result.stdout
    assert "FAILED sizes: transpose_f32 70 x 70" in result.stdout


def test_a_check_of_nothing_is_failure(tools):
    tools.tile_run(outputs=[])
    result = check("--only", "sizes", "--match", "f32 70 x 70")
    assert result.returncode == 1
    assert "nothing was checked" in result.stdout


def test_a_random_kernel_that_fails_is_recorded(tools, tmp_path):
    tools.tile_run(code=1, passed=False, outputs=[MISTAKE])
    record = tmp_path / "out.json"
    result = check("--only", "random", "--match", "^product 3 ", "--json", record)
    assert result.returncode == 1
    section = json.loads(record.read_text())["sections"]["random"]
    assert section["passed"] == {}
    (outcome,) = section["others"]
    assert outcome["data"]["kernel"].strip().startswith("tile.kernel @gemm")
    assert "--check" in outcome["data"]["command"]


def test_random_kernels_are_those_of_their_seed():
    cases = random_cases(200, 5, 90, is_simulated=False)
    assert len(cases) == 260
    assert cases == random_cases(200, 5, 90, is_simulated=False)
    assert cases != random_cases(200, 6, 90, is_simulated=False)
    kinds = {case.name.split()[2] for case in cases}
    assert {"f16", "bf16", "f32", "tf32", "f64", "i8", "f8E4M3FN", "f8E5M2"} <= kinds
    # With every target whose PTX the GPU runs, with wgmma and without.
    options = [case.run.options for case in cases if case.name.startswith("product")]
    targets = {option for each in options for option in each if option.startswith("--target")}
    assert targets == {f"--target={name}" for name in ("sm_80", "sm_86", "sm_89", "sm_90a")}
    off = sum("--warpgroup-dots=false" in each for each in options)
    assert 0 < off < len(options) / 2
    # An Ampere GPU has no products of 8-bit floats.
    assert not any(" f8E" in case.name for case in random_cases(200, 5, 80, is_simulated=False))


def test_steps_side_by_side_keep_their_order(tools):
    tools.tile_run()
    settings = Settings("cuda", 0, jobs=4)
    names = [outcome.name for outcome in run_section("specials", settings)]
    assert names == [case.name for case in special_cases()]


def test_a_crash_is_failure_with_the_programs_words(tools):
    tools.serve(
        """
if "--args=n=1 " in line + " ":
    print('{"device": {"name": "GPU", "memory_bytes": 0}}')
else:
    sys.exit("tile-run: error: CUDA_ERROR_ILLEGAL_ADDRESS")
"""
    )
    result = check("--only", "sizes", "--match", "f32 70 x 70")
    assert result.returncode == 1
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in result.stdout


def test_a_hang_ends_at_the_timeout(tools):
    # A child of its own, as under a profiler, which holds the pipes open.
    tools.serve("subprocess.run(['sleep', '60'])")
    settings = Settings("cuda", 0, case_timeout=0.2)
    outcome = next(run_section("sizes", settings))
    assert outcome.status == "FAILED"
    assert "ran longer than" in outcome.detail


def test_other_bits_than_the_simulators_are_failure(tools):
    tools.tile_run()
    difference = {"index": 7, "first": "0x01", "second": "0x02"}
    buffer = {"name": "y", "elements": 9, "wrong": 2, "differences": [difference]}
    tile_diff(tools, "different", code=1, buffers=[buffer])
    result = check("--only", "simulator", "--match", "integer")
    assert result.returncode == 1
    assert (
        "sums: 2 of 9 elements of y, first [7]: 0x01 on the GPU, 0x02 in the simulator"
        in result.stdout
    )


def test_a_kernel_that_ran_on_one_device_only_is_failure(tools):
    tools.tile_run()
    tile_diff(tools, "ran")
    assert check("--only", "simulator", "--match", "integer").returncode == 1
    on_simulator = check("--only", "simulator", "--match", "integer", "--device=sim")
    assert on_simulator.returncode == 0, on_simulator.stdout


def test_every_instruction_family_is_compared():
    names = {case.name for case in device_cases()}
    assert {"integer", "float", "convert", "memory", "warp", "mma", "scale_f32 1009"} <= names


def test_what_the_limit_cuts_off_has_failed(tools):
    tools.tile_run()
    outcomes = list(run_section("specials", Settings("cuda", 0), time_limit=-1))
    assert outcomes
    assert all(outcome.status == "FAILED" and "limit" in outcome.detail for outcome in outcomes)


def test_what_memory_cannot_hold_is_skipped(tools):
    tools.tile_run()
    outcomes = list(run_section("large", Settings("cuda", 8 << 30)))
    status = {outcome.name: outcome.status for outcome in outcomes}
    assert status["transpose_i8 46352 x 46352"] == "passed"
    assert status["transpose_f64 46352 x 46352"] == "skipped"


@pytest.mark.parametrize(
    ("summary", "code", "reason"),
    [
        ("========= Invalid __global__ write of size 16 bytes", FOUND, "Invalid __global__ write"),
        ("nothing of the sort", "code", "printed no summary"),
        ("========= RACECHECK SUMMARY: 1 hazard displayed", "code", "1 hazard displayed"),
        ("========= ERROR SUMMARY: 10 errors", "code", "10 errors"),
    ],
)
def test_findings_of_the_sanitizer_are_failures(tools, summary, code, reason):
    tools.tile_run()
    sanitizer(tools, summary, code)
    result = check("--only", "sanitizer", "--match", "memcheck transpose_f16 131")
    assert result.returncode == 1
    assert reason in result.stdout


def test_only_the_kernel_with_a_finding_is_a_failure(tools):
    tools.tile_run()
    sanitizer(tools, code=f"{FOUND} if count > 1 or 'N=200' in asked else code")
    # What it ran was asked this.
    text = (tools.folder / "compute-sanitizer").read_text()
    keep = "    asked = line\n    print(line"
    (tools.folder / "compute-sanitizer").write_text(text.replace("    print(line", keep))
    answer = "print(json.dumps({**RESULT, 'asked': line}), flush=True)"
    tools.serve(f"RESULT = {make_result()!r}\n{answer}")
    outcomes = run_section("sanitizer", Settings("cuda", 0))
    wrong = [outcome.name for outcome in outcomes if outcome.status == "FAILED"]
    assert wrong
    assert all("136 x 200 x 264" in name for name in wrong), wrong


def test_a_missing_sanitizer_is_failure(tools, monkeypatch):
    tools.tile_run()
    monkeypatch.setenv("PATH", str(tools.folder))
    monkeypatch.setattr("gputools.tools.CUDA_FOLDERS", ("/absent",))
    outcome = next(run_section("sanitizer", Settings("cuda", 0)))
    assert outcome.status == "FAILED"
    assert "comes with the CUDA toolkit" in outcome.detail


def code_tools(tools, waits):
    """Of a kernel that loads a register and stores it, by an instruction that waits so."""
    tools.tile_run()
    tools.write(
        "tile-compile",
        """
out = sys.argv[sys.argv.index("-o") + 1]
target = next(each for each in sys.argv if each.startswith("--target="))
open(out, "w").write(".target " + target.removeprefix("--target=") + "\\n")
""",
    )
    tools.write("ptxas", "assert '-arch=sm_90a' in sys.argv, line")
    words = [(0, "LDG.E R4, [R2.64]"), (7, "STG.E [R2.64], R4"), (7, "EXIT")]
    listing = ["\t\tFunction : sums"]
    for place, (signals, text) in enumerate(words):
        control = signals << 5 | (waits if place == 1 else 0) << 11
        listing.append(f"        /*{16 * place:04x}*/  {text} ;  /* 0x{0:016x} */")
        listing.append(f"                              /* 0x{control << 41:016x} */")
    tools.prints("cuobjdump", "\n".join(listing))


def test_code_that_waits_is_good(tools):
    code_tools(tools, waits=1)
    match = "^(copy_f32 5003|gemm_f16_nn 70 x 131 x 67|product 7 .*--target=sm_90a)"
    result = check("--only", "scoreboards", "--match", match)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "sums: 3 instructions, 0 registers not written" in result.stdout


def test_code_that_does_not_wait_is_failure(tools):
    code_tools(tools, waits=0)
    result = check("--only", "scoreboards", "--match", "copy_f32 5003")
    assert result.returncode == 1
    assert "0010  R4 in STG.E [R2.64], R4" in result.stdout
    assert "FAILED scoreboards: copy_f32 5003" in result.stdout


@pytest.mark.parametrize("tool", ["tile-compile", "ptxas", "cuobjdump"])
def test_code_that_is_not_made_or_read_is_failure(tools, tool):
    code_tools(tools, waits=1)
    tools.write(tool, "sys.exit('it has failed')")
    result = check("--only", "scoreboards", "--match", "copy_f32 5003")
    assert result.returncode == 1
    assert "FAILED scoreboards: copy_f32 5003" in result.stdout
    assert tool in result.stdout or "it has failed" in result.stdout


def test_without_the_toolkit_code_is_not_looked_at(tools, monkeypatch):
    tools.tile_run()
    monkeypatch.setenv("PATH", str(tools.folder))
    monkeypatch.setattr("gputools.tools.CUDA_FOLDERS", ("/absent",))
    (outcome,) = run_section("scoreboards", Settings("cuda", 0, architecture=90))
    assert outcome.status == "skipped"
    assert "ptxas is neither on the PATH" in outcome.detail


def test_the_code_of_every_example_is_looked_at(tools):
    code_tools(tools, waits=1)
    cases = SECTIONS["scoreboards"].steps(Settings("cuda", 0, architecture=90))
    assert set(find_examples()) <= {case.case.file.stem for case in cases}


def test_mistakes_on_the_command_line(tools):
    assert "no section 'speed'" in check("--only", "speed").stderr
    assert "no section 'sanitizer' for sim" in check("--device=sim", "--only=sanitizer").stderr
    assert "--match" in check("--match", "(").stderr
    assert "at least 1" in check("--jobs", "0").stderr


def test_without_pytorch_the_package_is_skipped(tools):
    tools.tile_run()
    result = check("--only", "python", "--match", "copy and transpose")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "skipped" in result.stdout
    assert "torch is not installed" in result.stdout


def test_a_step_of_the_package_that_dies_is_failure(tools, tmp_path, monkeypatch):
    (tmp_path / "torch.py").write_text("import os\nos.abort()\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    tools.tile_run()
    result = check("--only", "python", "--match", "gemm")
    assert result.returncode == 1
    assert "FAILED python: gemm" in result.stdout


def test_no_step_is_no_success(tools):
    tools.tile_run()
    result = check("--only", "sizes", "--match", "no such step")
    assert result.returncode == 1
    assert "no step was run" in result.stdout


def test_without_tools_the_error_says_what_to_do(tools):
    result = check("--only", "sizes")
    assert result.returncode == 1
    assert "build it with scripts/build.sh" in result.stderr


def test_the_sizes_are_those_that_are_asked_for():
    arguments = {case.run.args for case in size_cases()}
    for wanted in ("n=0", "n=1", "n=70", "M=0 N=0", "M=1 N=1", "M=70 N=1", "M=127 N=131"):
        assert wanted in arguments
    assert f"n={LONG_VECTOR}" in arguments
    assert {f"M={LONG_EDGE} N=3", f"M=3 N={LONG_EDGE}"} <= arguments
    # More tiles than 65,535 along one dimension, for the largest tile.
    assert (LONG_EDGE + 127) // 128 > 65535
    # A matrix of more than 2^31 elements: of a transpose both, of a product one of three.
    for case in large_cases():
        extents = [int(value) for value in re.findall(r"=(\d+)", case.run.args)]
        most = math.prod(sorted(extents)[1:]) if "gemm" in case.name else math.prod(extents)
        assert most > 2**31, case.name
    wanted = {f"transpose_{dtype}" for dtype in TRANSPOSES} | {"copy_f32", "scale_f32"}
    wanted |= {"gemm_f16_nn", "gemm_f32_nn", "gemm_f64_nn", "gemm_batched_f16", "softmax_f16"}
    assert wanted <= {case.name.split()[0] for case in large_cases()}


def test_every_example_has_sizes():
    conflicts = {"bank_conflicts"}  # An example of what is slow, for the section `profile`.
    assert {case.run.file.stem for case in size_cases()} == set(find_examples()) - conflicts
    assert {case.run.file.stem for case in profile_cases()} == set(find_examples())


def test_large_steps_share_the_memory_there_is():
    memory = Memory(100 << 30)
    running, most = 0, 0
    lock = threading.Lock()

    def run(gibibytes):
        nonlocal running, most
        with memory.hold(Step("", gibibytes << 30, None)):
            with lock:
                running += gibibytes
                most = max(most, running)
            time.sleep(0.02)
            with lock:
                running -= gibibytes

    # What is larger than the share runs, too, alone.
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(run, (1, 90, 1, 1, 90, 1)))
    assert most == 90


def test_what_is_timed_runs_when_all_else_is_over():
    seen = []

    def note(steps, context):
        seen.extend(step.name for step in steps)
        return [Result(PASSED, "") for _ in steps]

    sections = {
        name: Section(lambda _, name=name: [Step(name, 0, None)], note, lambda _, lane=lane: lane)
        for name, lane in (("timed", ALONE), ("after", AFTERWARDS), ("first", SIDE_BY_SIDE))
    }
    outcomes = [outcome.name for outcome in run_sections(sections, Settings("cuda", 0), 100)]
    assert seen == outcomes == ["first", "after", "timed"]
