"""Each process makes the same code, whatever hashes Python has and wherever memory is."""

import os
import subprocess
import sys
from pathlib import Path

import examples_support  # noqa: F401, the package

import tilewright
import tilewright.language as tl

HERE = Path(__file__).parent
EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


@tilewright.jit
def carrying_kernel(x, y, n):
    """Several names go around its loop and out of its branch."""
    columns = tl.arange(0, 256)
    first, second, third, fourth = columns, columns + 1, columns + 2, columns + 3
    for i in range(n):
        value = tl.load(x + i * 256 + columns)
        first, second, third, fourth = second + value, third * value, fourth - value, first
        if i == 7:
            fourth, second = second + 1, first + 2
    tl.store(y + columns, first - second * third + fourth)


PROGRAM = """
import hashlib, json, os, sys
import test_assembled, test_same_code, tilewright

def tell(name, kernel):
    for variant in kernel.variants:
        text = json.dumps([kernel.ir("tile"), variant["ptx"], variant["report"]])
        print(name, kernel.target, hashlib.sha256(text.encode()).hexdigest())

for target in ("sm_80", "sm_90a", "sm_120a"):
    os.environ["TILEWRIGHT_TARGET"] = target
    for compile_for, n in test_assembled.CASES:
        tell(f"{compile_for.__name__} {n}", compile_for(n))
    kernel = test_same_code.carrying_kernel
    tell("carries", kernel.warmup("*i32:16", "*i32:16", "i32"))
    for name in sys.argv[1:]:
        tell(name, tilewright.compile_file(name, target=target))
"""


def run(examples, hashes, filler):
    folders = [HERE, HERE.parent, HERE.parents[1], *sys.path]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, folders)),
        "PYTHONHASHSEED": hashes,
        "MALLOC_PERTURB_": filler,
        "TILEWRIGHT_PTXAS": "true",
    }
    command = [sys.executable, "-c", PROGRAM, *map(str, examples)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_two_processes_make_the_same():
    names = ["gemm_f16_nn", "gemm_f32_tn", "softmax_f16", "transpose_i8"]
    examples = [EXAMPLES / f"{name}.mlir" for name in names]
    one, other = (run(examples, *setting) for setting in (("1", "0"), ("2", "165")))
    assert len(one) >= 30 and one == other
