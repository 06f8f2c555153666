"""scripts/profile.sh, with stand-ins for ncu and tile-run."""

import json
import subprocess
from pathlib import Path

import pytest
from conftest import AGREEING, make_result, ncu_csv

from gputools.counting import kernel_name
from gputools.profile import read_list
from gputools.tools import Run, ToolError
from gputools.wavefronts import METRICS

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "profile.sh"


def profile(*arguments):
    return subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, check=False)


def test_equal_counts_are_success(tools, kernel_file):
    tools.tile_run()
    tools.ncu(AGREEING)
    result = profile(kernel_file, "--args", "M=128 N=128", "--shared-layout", "none")
    assert result.returncode == 0, result.stderr
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["store", "wavefronts", "4096", "4096"] in lines
    assert ["store", "conflicts", "3584", "3584"] in lines
    assert "64x64xf32: row-major" in result.stdout


def test_different_counts_are_failure(tools, kernel_file):
    tools.tile_run()
    tools.ncu({**AGREEING, METRICS["store_wavefronts"]: "4224"})
    result = profile(kernel_file, "--args", "M=128 N=128")
    assert result.returncode == 1
    assert "MISMATCH store wavefronts: predicted 4096, counted 4224" in result.stdout


def test_ncu_is_asked_for_our_kernel(tools, kernel_file, tmp_path):
    seen = tmp_path / "seen"
    tools.serve(
        f"open({str(seen)!r}, 'a').write(line)\nprint({json.dumps(make_result())!r}, flush=True)"
    )
    tools.ncu(AGREEING, f"open({str(seen)!r}, 'w').write(line)")
    assert profile(kernel_file, "--args", "M=128 N=128", "--num-warps", "4").returncode == 0
    line = seen.read_text()
    for part in ("--clock-control none", "--kernel-name regex:^(transpose_f32)$"):
        assert part in line
    for part in ("--args=M=128 N=128", "--device=cuda", "--shared-layout=auto", "--num-warps=4"):
        assert part in line


def test_another_number_of_launches_is_an_error(tools, kernel_file):
    tools.tile_run()
    rest = ncu_csv(AGREEING, launch=1).split("\n", 4)[4]
    tools.under("ncu", "", f"open(log, 'w').write({ncu_csv(AGREEING) + rest!r})")
    result = profile(kernel_file)
    assert result.returncode == 1
    assert "ncu profiled 2 launches of transpose_f32, not 1" in result.stderr


def test_without_rights_to_the_counters_the_error_is_ncus(tools, kernel_file):
    tools.prints("ncu", "==ERROR== ERR_NVGPUCTRPERM", code=1)
    tools.tile_run()
    result = profile(kernel_file)
    assert result.returncode == 1
    assert "ERR_NVGPUCTRPERM" in result.stderr


def test_metrics_that_ncu_does_not_know_are_left_out(tools, kernel_file, tmp_path):
    seen = tmp_path / "seen"
    tools.tile_run()
    unknown, known = METRICS["copy_instructions"], METRICS["store_conflicts"]
    refusal = f"""
open({str(seen)!r}, "w").write(line)
if {unknown!r} in line:
    sys.exit("==ERROR== Failed to find metric {unknown.removesuffix(".sum")}")
"""
    tools.ncu(AGREEING, refusal)
    result = profile(kernel_file, "--args", "M=128 N=128")
    assert result.returncode == 0, result.stdout + result.stderr
    assert unknown not in seen.read_text()
    assert known in seen.read_text()


def test_in_the_simulator_no_ncu_is_needed(tools, kernel_file):
    counts = {
        "shared_load_wavefronts": 512,
        "shared_store_wavefronts": 4096,
        "shared_copy_wavefronts": 0,
    }
    tools.tile_run(simulator={"counts": counts})
    assert profile(kernel_file, "--device", "sim").returncode == 0
    tools.tile_run(simulator={"counts": {**counts, "shared_load_wavefronts": 528}})
    assert profile(kernel_file, "--device", "sim").returncode == 1


def test_a_list_is_run_in_all_layouts_and_recorded(tools, kernel_file, tmp_path):
    tools.tile_run()
    tools.ncu(AGREEING)
    entries = [
        {"file": kernel_file.name, "args": "M=128 N=128"},
        {"file": kernel_file.name, "args": "M=64 N=64", "layouts": ["pad:4"]},
    ]
    (tmp_path / "list.json").write_text(json.dumps(entries))
    results = tmp_path / "results.json"
    result = profile("--list", tmp_path / "list.json", "--json", results)
    assert result.returncode == 0, result.stderr
    record = json.loads(results.read_text())
    layouts = [entry["shared_layout"] for entry in record]
    assert layouts == ["none", "pad", "swizzle", "auto", "pad:4"]
    assert record[0]["agrees"] is True
    assert record[0]["counted"]["store_wavefronts"] == 4096


@pytest.mark.parametrize("text", ["{", "3", '[{"file": "a.mlir"}]', '["a.mlir"]'])
def test_a_bad_list_is_an_error(text, tmp_path):
    path = tmp_path / "list.json"
    path.write_text(text)
    with pytest.raises(ToolError, match="not a list of"):
        read_list(path)


def test_mistakes_on_the_command_line(tools, kernel_file, tmp_path):
    assert "either a file or --list" in profile().stderr
    assert "either a file or --list" in profile(kernel_file, "--list", "x.json").stderr
    absent = profile(tmp_path / "absent.mlir")
    assert absent.returncode == 1
    assert "cannot read" in absent.stderr


def test_a_file_of_two_kernels_has_no_one_kernel(tmp_path):
    path = tmp_path / "two.mlir"
    path.write_text("tile.kernel @a() {\n}\ntile.kernel @b() {\n}\n")
    with pytest.raises(ToolError, match="has 2 kernels"):
        kernel_name(Run(path, ""))


def test_a_run_that_fails_to_compile_shows_the_compilers_words(tools, kernel_file):
    tools.ncu(AGREEING)
    tools.write("tile-run", "print('kernel.mlir:3:1: error: no', file=sys.stderr)\nsys.exit(1)\n")
    result = profile(kernel_file)
    assert result.returncode == 1
    assert "kernel.mlir:3:1: error: no" in result.stderr


def test_the_result_used_here_is_complete():
    # Guards the stand-ins: the fields that the scripts read are all there.
    assert {"report", "grid", "outputs", "device"} <= set(make_result())
