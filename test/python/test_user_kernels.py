"""benchmarks/user_kernels.py, without a GPU: its cases compile, some run, and the table."""

import ast
import sys
from pathlib import Path

import numpy_as_torch
import pytest

from bench import users_table
from bench.both_languages import OURS, TRITON, for_triton
from bench.users.case import Hollow, HollowData, plain
from bench.users.collection import CASES, SUBJECTS, Task, compile_all, compile_case, load_ours
from bench.work import describe, find_mistake

# One of each subject, quick to compile.
QUICK = [
    "products.split_k",
    "attention.attn_bwd_pre",
    "norms.l2norm",
    "losses.tvd",
    "quantization.group_quant_fp8",
    "scans.lookback_scan",
    "sparse.scatter_add",
    "elementwise.swiglu_bwd",
    "convolutions.fir",
    "images.pixel_shuffle",
    "optimizers.lamb_norms",
    "sampling.moe_align",
    "experts.moe_combine",
    "states.state_passing",
    "packed.dequantize_blocks",
    "decoding.write_cache",
    "transforms.compact",
    "geometry.nms_mask",
    "gradients.layer_norm_bwd",
    "ragged.min_p_sample",
    "simulations.tridiagonal",
]

# Those whose references ask little of PyTorch.
SMALL = {
    "products.gemv": {"m": 64, "n": 1024},
    "products.mm_f16_masked": {"size": 136},
    "attention.attn_bwd_pre": {"b": 1, "h": 2, "t": 128},
    "norms.fused_add_rms": {"rows": 8, "n": 1024},
    "quantization.codebook": {"n": 1000},
    "sparse.hash_lookup": {"n": 1000, "stored": 256},
    "elementwise.transpose": {"m": 50, "n": 70},
    "optimizers.sgd_momentum": {"n": 3000},
    "optimizers.lamb_norms": {"n": 65536},
}


def test_each_file_is_a_subject_with_cases():
    folder = Path(next(iter(load_ours().values())).__file__).parent
    files = {path.stem for path in folder.glob("*.py")} - {"__init__", "case", "collection"}
    assert files == set(SUBJECTS)
    assert {name.partition(".")[0] for name in CASES} == files
    assert len({name.partition(".")[2] for name in CASES}) == len(CASES) >= 150


@pytest.mark.parametrize("name", SUBJECTS)
def test_kernels_become_modules_of_triton(name):
    changed = for_triton(Path(load_ours()[name].__file__).read_text())
    assert "tilewright" not in changed
    assert "import triton.language as tl" in changed
    ast.parse(changed)


@pytest.mark.parametrize("name", CASES)
def test_cases_can_be_told_apart_from_hollow_data(name):
    work = CASES[name](HollowData())
    assert work.module == name.partition(".")[0]
    assert work.work > 0 and work.results
    configs = [describe(config) for config in work.configs]
    assert len(set(configs)) == len(configs)


@pytest.mark.parametrize("name", QUICK)
def test_cases_compile(name):
    compiled = compile_case(Task(name, OURS, "sm_90a"))
    assert compiled.failed == {}
    assert len(compiled.seconds) == len(CASES[name](HollowData()).configs)


def test_what_does_not_compile_is_told(monkeypatch):
    name = "losses.tvd"
    assert {each.partition(".")[0] for each in QUICK} == set(SUBJECTS)
    (compiled,) = compile_all([Task(name, OURS, "sm_1")], jobs=1)
    assert compiled.seconds == {}
    assert "sm_1" in compiled.describe()


@pytest.mark.parametrize("name", SMALL)
def test_cases_run_in_the_simulator(name):
    data = numpy_as_torch.NumpyData()
    work = CASES[name](data, **SMALL[name])
    module, config = load_ours()[work.module], work.configs[0]
    assert plain(module) is module
    assert find_mistake(data.torch, work, lambda: work.launch(module, **config)) == ""


def test_hollow_tensors_have_a_shape():
    tensor = Hollow((4, 8, 16), "bfloat16")
    assert (tensor.numel(), tensor.element_size()) == (512, 2)
    assert [tensor.stride(each) for each in (0, 1, 2, -1)] == [128, 16, 1, 1]


def result(name, ours, triton, **more):
    times = {OURS: {"median": ours}, TRITON: {"median": triton}}
    return {
        "case": name,
        "microseconds": {"warps 4": {who: each for who, each in times.items() if each["median"]}},
        "ratio_of_best": triton / ours if ours and triton else None,
        "wrong": [],
        "failed": {},
        **more,
    }


def test_the_table_begins_with_the_slowest():
    record = {
        "gpu": "fake GPU",
        "driver": "1",
        "versions": {},
        "date": "today",
        "rounds": 3,
        "method": "Guessed.",
        "results": [result("fast", 1.0, 2.0), result("slow", 2.0, 1.0), result("alone", 1.0, 0)],
    }
    record["results"][2]["failed"] = {"triton, warps 4": "no"}
    lines = users_table.markdown(record).splitlines()
    assert "1 of 2 are at least 0.97, all 1.00 in geometric mean." in lines
    rows = [line.split("|")[1].strip() for line in lines if line.startswith("|")]
    assert rows[2:] == ["alone", "slow", "fast"]
    assert "failed: triton, warps 4" in lines[-3]


def test_the_dry_run_lists_and_compiles(monkeypatch, capsys):
    import user_kernels

    monkeypatch.setattr(sys, "argv", ["user_kernels.py", "--list", "--only", "gemv,tvd"])
    assert user_kernels.main() == 0
    assert capsys.readouterr().out.split() == ["products.gemv", "losses.tvd"]
    words = ["--dry-run", "--only", "tvd", "--jobs", "1"]
    monkeypatch.setattr(sys, "argv", ["user_kernels.py", *words])
    assert user_kernels.main() == 0
    assert "1 cases, 0 failed" in capsys.readouterr().out
