"""benchmarks/layouts.py: counts, tables and the adaptation of PTX, without Triton."""

import json
import sys

import pytest

import layouts
from bench.layout_cases import make_cases
from bench.layout_counts import Counts, count_block, kind_of, words_of
from bench.layout_table import Comparison, markdown
from bench.templates import fill_template
from bench.triton_ptx import adapt, import_triton, signature_of
from gputools.tools import ToolError

# The simulator's words for what Triton and LLVM write.
LOAD = "ld.shared.v4.b32 \t{%r1, %r2, %r3, %r4}, [%r5+16]"
STORE = "@%p1 st.shared.b8 [%r1], %rs1"
MATRIX = "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1, %r2, %r3, %r4}, [%r5]"
COPY = "@!%p2 cp.async.cg.shared.global [ %r1 + 0 ], [ %rd1 + 0 ], 0x10, %r2"


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        (LOAD, "ld", 4),
        ("ld.volatile.shared::cta.v2.f16 {%h1, %h2}, [%r1]", "ld", 1),
        ("ld.shared.b64 %rd1, [%r1]", "ld", 2),
        (STORE, "st", 1),
        ("st.shared.v2.f64 [%r1], {%d1, %d2}", "st", 4),
        (MATRIX, "ldmatrix", 4),
        ("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1], {%r2, %r3}", "stmatrix", 2),
        (COPY, "cp.async", 4),
        ("cp.async.ca.shared.global [%r1], [%rd1], 8", "cp.async", 2),
        ("ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1]", None, 4),
    ],
)
def test_instructions_are_told_apart(text, kind, words):
    assert kind_of(text) == kind
    assert words_of(text) == words


@pytest.mark.parametrize("text", ["", "ld.shared [%r1]", "cp.async.commit_group"])
def test_what_moves_nothing_is_an_error(text):
    with pytest.raises(ToolError):
        words_of(text)


def simulated(accesses, shuffles=0, barriers=0):
    return {
        "counts": {
            "accesses": accesses,
            "warp_instructions_by_kind": {"warp-exchange": shuffles, "barrier": barriers},
        }
    }


def access(text, wavefronts, warps):
    return {"text": text, "shared_wavefronts": wavefronts, "warps": warps}


def test_a_block_is_its_share_of_the_grid():
    accesses = [
        access(LOAD, 64, 16),  # The ideal.
        access(LOAD, 128, 16),  # Twice that.
        access(STORE, 8, 16),  # Most lanes off: no conflict.
        access("ld.global.b32 %r1, [%rd1]", 0, 16),
    ]
    counts = count_block(simulated(accesses, shuffles=32, barriers=48), 4, 4, 1024)
    assert counts == Counts({"ld": 48, "st": 2}, 16, 8, 3, 1024)
    assert (counts.total_wavefronts, counts.passes) == (50, 58)


def test_shares_that_are_no_integers_stay_exact():
    assert count_block(simulated([access(LOAD, 6, 1)]), 4, 1, 0).wavefronts == {"ld": 1.5}


def test_an_access_of_unknown_kind_is_an_error():
    with pytest.raises(ToolError, match=r"no known kind: atom\.shared"):
        count_block(simulated([access("atom.shared.add.u32 %r1, [%r2], 1", 1, 1)]), 1, 1, 0)


# The table


def counts(wavefronts, shuffles=0):
    return Counts({"ld": wavefronts} if wavefronts else {}, 0, shuffles, 1, 512)


def test_more_wavefronts_are_worse_and_shuffles_are_counted_apart():
    worse = Comparison("a", "sm_80", 4, counts(3), counts(2, shuffles=5))
    better = Comparison("b", "sm_80", 4, counts(2, shuffles=5), counts(3))
    none = Comparison("c", "sm_80", 4, counts(0), counts(0))
    assert [one.is_worse for one in (worse, better, none)] == [True, False, False]
    assert "MORE" in worse.describe()
    assert "MORE" not in better.describe()
    assert (none.wavefront_ratio, none.pass_ratio) == (None, None)
    table = markdown({"triton": "9", "compiler": "us", "date": "today"}, [worse, better, none])
    assert "Wavefronts: fewer than Triton's 1 times, as many 1 times, more 1 times." in table
    assert (
        "| a | 4 | 3 (3 ld) | 0 | 0 | 512 | 1 | 2 (2 ld) | 0 | 5 | 512 | 1 | 1.50 | 0.43 |" in table
    )
    assert json.loads(json.dumps(better.to_json()))["pass_ratio"] == pytest.approx(7 / 3)


# Triton's PTX

PTX = """.version 8.7
.extern .shared .align 16 .b8 global_smem[];
.visible .entry copy(
\t.param .u64 .ptr .global .align 1 copy_param_0,
\t.param .u64 copy_param_1,
\t.param .u64 .ptr .global .align 1 copy_param_2,
\t.param .u64 .ptr .global .align 1 copy_param_3
)
{
\tld.param.b64 %rd1, [copy_param_0];
\tmov.b32 %r1, global_smem;
\tret;
}
\t.section\t.debug_info
\t{
.b8 1
\t}
"""


def test_ptx_becomes_a_kernel_of_ours():
    ptx = adapt(PTX, "ours", 2, 4096, 0)
    assert ".entry ours(\n\t.param .u64 .ptr .global .align 1 copy_param_0," in ptx
    assert "copy_param_1\n)" in ptx
    assert "copy_param_2" not in ptx
    assert ".shared .align 16 .b8 global_smem[4096];" in ptx
    assert ".extern" not in ptx
    assert "debug_info" not in ptx
    assert ".extern .shared .align 16 .b8 global_smem[];" in adapt(PTX, "ours", 2, 4096, 4096)


@pytest.mark.parametrize(
    ("ptx", "message"),
    [
        ("", "has 0 kernels"),
        (PTX + PTX, "has 2 kernels"),
        (PTX.replace("copy_param_2,", "copy_param_2"), "has 3 parameters, not 2 and 2"),
        (PTX.replace("[copy_param_0]", "[copy_param_3]"), "reads its own parameter copy_param_3"),
    ],
)
def test_ptx_of_another_form_is_an_error(ptx, message):
    with pytest.raises(ToolError, match=message):
        adapt(ptx, "ours", 2, 4096, 0)


def test_types_and_promises_are_those_of_our_kernel():
    arguments = [
        {"type": "f16", "is_pointer": True, "divisibility": 16},
        {"type": "i64", "is_pointer": False, "divisibility": 8},
    ]
    signature, promises = signature_of(["a", "n", "rows"], arguments, {"rows": 32})
    assert signature == {"a": "*fp16", "n": "i64", "rows": "constexpr"}
    assert promises == {(0,): [["tt.divisibility", 16]]}
    with pytest.raises(ToolError, match="takes a, n, rows, ours 2 values"):
        signature_of(["a", "n", "rows"], arguments, {})


def test_without_triton_one_is_told_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "triton", None)
    with pytest.raises(ToolError, match="pip install triton"):
        import_triton()


# The cases and the whole


def test_cases_are_complete_and_of_whole_tiles():
    cases = make_cases()
    assert len({case.name for case in cases}) == len(cases)
    for case in cases:
        assert "@ROWS@" not in case.text
        tiles = case.sizes["M"] // case.triton.constants["rows"]
        tiles *= case.sizes["N"] // case.triton.constants["columns"]
        assert tiles == case.blocks
        assert case.target in ("sm_80", "sm_90a")
    with pytest.raises(ToolError, match="@DTYPE@, for which there is no value"):
        fill_template("transpose", {"ROWS": 32, "COLUMNS": 32})


@pytest.fixture
def run(tools, tmp_path, monkeypatch):
    """Runs layouts.py on one case, with tile-run and Triton stood in for."""
    report = {
        "kernel": "transpose_f32",
        "arguments": [],
        "launch": {"static_shared_bytes": 4096, "dynamic_shared_bytes": 0},
        "tiles": [{"layout": "swizzle<3,2,5>"}],
    }

    def call(ours, triton, **outcome):
        results = [
            {
                "passed": True,
                "outputs": [],
                "report": report,
                "simulator": {"findings": [], **simulated([access(LOAD, count, 1)])},
                **outcome,
            }
            for count in (ours, triton)
        ]
        tools.write("tile-run", f"print({list(map(json.dumps, results))!r}['--code=' in line])")
        tools.prints("tile-compile", "fake 1")
        monkeypatch.setattr(layouts, "import_triton", lambda: sys)
        monkeypatch.setattr(sys, "__version__", "9", raising=False)
        monkeypatch.setattr(layouts, "compile_for", lambda *_: (PTX, 2048))
        record = tmp_path / "record.json"
        options = ["--only=transpose f32 32x32", f"--json={record}"]
        monkeypatch.setattr(sys, "argv", ["layouts.py", *options])
        return layouts.main(), json.loads(record.read_text())

    return call


def test_equal_counts_pass_and_are_recorded(run):
    status, record = run(64, 64)
    assert status == 0
    (result,) = record["results"]
    assert result["us"]["wavefronts"] == {"ld": 16}
    assert (result["us"]["shared_bytes"], result["triton"]["shared_bytes"]) == (4096, 2048)
    assert record["failed"] == []


def test_more_wavefronts_fail(run):
    status, record = run(68, 64)
    assert status == 1
    assert record["results"][0]["wavefront_ratio"] == pytest.approx(17 / 16)


@pytest.mark.parametrize(
    "outcome",
    [
        {"passed": False},
        {"simulator": {"findings": [{"message": "race"}], **simulated([])}},
    ],
)
def test_wrong_results_fail(run, outcome):
    status, record = run(64, 64, **outcome)
    assert status == 1
    assert len(record["failed"]) == 1


def test_no_such_case(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["layouts.py", "--only=nothing"])
    assert layouts.main() == 1
    assert "--list prints them" in capsys.readouterr().err
