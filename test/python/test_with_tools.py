"""The scripts on the real tools, in the simulator."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("TILEWRIGHT_BIN", ROOT / "build" / "bin"))

pytestmark = pytest.mark.skipif(
    not (BIN / "tile-run").exists(), reason="tile-run is not built: scripts/build.sh"
)


def run(*command):
    result = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TILEWRIGHT_BIN": str(BIN)},
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_examples_are_right_at_awkward_sizes():
    names = "transpose_.* (127|0) x |(copy|scale)_f32 (0|1009)$"
    out = run(
        *(sys.executable, ROOT / "scripts" / "gpu-check.py", "--device=sim"),
        *("--only=sizes,specials", "--match", names),
    )
    assert "transpose_i8 127 x 131" in out
    assert "copy_f32 0: nothing to launch" in out


def test_random_layouts_take_the_wavefronts_that_are_predicted():
    out = run(
        *(sys.executable, ROOT / "scripts" / "gpu-check.py", "--device=sim"),
        *("--only=layouts", "--layouts=60", "--seed=1"),
    )
    assert "layouts 0 to 49: 50 kernels as predicted" in out
    assert "layouts 50 to 59: 10 kernels as predicted" in out


@pytest.mark.parametrize("dtype", ["f64", "f32", "f16", "i8"])
def test_the_simulator_counts_what_the_compiler_predicts(dtype):
    layouts = [f"--shared-layout={layout}" for layout in ("none", "pad", "swizzle", "auto")]
    out = run(
        *(ROOT / "scripts" / "profile.sh", ROOT / "examples" / f"transpose_{dtype}.mlir"),
        *("--device=sim", "--args", "M=160 N=130", *layouts),
    )
    assert out.count("store wavefronts") == 4


@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
def test_the_simulator_counts_what_is_predicted_of_products(layout):
    # The report counts 16 trips where the end of a loop is not constant: 16 steps of 64 along K.
    out = run(
        *(ROOT / "scripts" / "profile.sh", ROOT / "examples" / f"gemm_f16_{layout}.mlir"),
        *("--device=sim", "--args", f"M=128 N=128 K={16 * 64}"),
    )
    (row,) = (line.split() for line in out.splitlines() if line.startswith("  store wavefronts"))
    assert row[2] == row[3] != "0"
    assert "copy instructions" in out


def test_every_problem_of_the_benchmarks_compiles():
    out = run(
        sys.executable,
        ROOT / "benchmarks" / "compare.py",
        "--dry-run",
        "--limit=1",
        "--tiles=32x64",
    )
    assert "transpose i8   16384 x 16384    32x64 auto" in out
