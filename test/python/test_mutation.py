"""The faults that test/mutation plants, and how it judges what becomes of them."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "mutation"))

import mutate
from mutants import Mutant, mutate_placed, mutate_ptx, other_layouts
from mutate import Case, Outcome, Rule, Task, find_faults, find_overstated, judge, sample


def wrap(*body):
    return "\n".join([".visible .entry other()", "{", "\tbar.sync 0;", "}"]) + "\n".join(
        ["", ".visible .entry k(", "\t.param .u64 p", ")", "{", *body, "}", ""]
    )


def mutants_of(kind, *body):
    """What takes the place of a body's lines, by mutant."""
    program = wrap(*body)
    changed = []
    for mutant in mutate_ptx(program, "k"):
        if mutant.kind == kind:
            lines = zip(program.splitlines(), mutant.text.splitlines(), strict=True)
            changed.append([after.strip() for before, after in lines if before != after])
    return changed


def test_each_barrier_wait_and_fence_of_the_kernel_is_left_out():
    body = [
        "\tbar.sync \t0;",
        "\tcp.async.commit_group;",
        "\tcp.async.wait_group \t1;",
        "\tfence.proxy.async;",
        "\tmembar.gl;",
        "\tsetmaxnreg.dec.sync.aligned.u32 \t40;",
        "\tcp.async.cg.shared.global [%r1], [%rd1], 16;",
        "\tret;",
    ]
    assert mutants_of("synchronization", *body) == [[""]] * 6


@pytest.mark.parametrize(
    ("line", "replacements"),
    [
        ("@%p1 ld.global.b32 %r1, [%rd1];", ["ld.global.b32 %r1, [%rd1];"]),
        ("@!%p1 st.global.b32 [%rd1], %r1;", ["st.global.b32 [%rd1], %r1;"]),
        ("setp.lt.s64 %p1, %rd1, %rd2;", ["setp.eq.s32 %p1, 0, 0;"]),
        ("and.pred %p3, %p1, %p2;", ["mov.pred %p3, %p1;", "mov.pred %p3, %p2;"]),
        ("selp.b32 %r1, 16, 0, %p1;", ["mov.b32 %r1, 16;"]),
        ("selp.b32 %r1, 16, 8, %p1;", []),
        ("@%p1 bra $L__BB0_2;", []),
        ("add.s32 %r1, %r2, %r3;", []),
    ],
)
def test_a_mask_is_true(line, replacements):
    assert mutants_of("mask", f"\t{line}") == [[each] for each in replacements]


@pytest.mark.parametrize(
    ("line", "replacements"),
    [
        (
            "ld.global.b16 %rs1, [%rd1];",
            [f"ld.global.b16 %rs1, [%rd1{step}];" for step in ("+-2", "+2", "+4")],
        ),
        (
            "st.shared.v4.b32 [%r1+4], {%r2, %r3, %r4, %r5};",
            [f"st.shared.v4.b32 [%r1{at}], {{%r2, %r3, %r4, %r5}};" for at in ("+0", "+8")],
        ),
        (
            "@%p1 cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;",
            [
                f"@%p1 cp.async.cg.shared.global [%r1{to}], [%rd1{source}], 16, %r2;"
                for to, source in (
                    *((step, "") for step in ("+-16", "+4", "+16")),
                    *(("", step) for step in ("+-16", "+4", "+16")),
                )
            ],
        ),
        ("ld.param.b64 %rd1, [k_param_0];", []),
        ("cp.async.wait_group 0;", []),
    ],
)
def test_an_address_is_shifted(line, replacements):
    assert mutants_of("address", f"\t{line}") == [[each] for each in replacements]


@pytest.mark.parametrize(
    ("line", "replacements"),
    [
        ("xor.b32 %r1, %r2, 16;", ["xor.b32 %r1, %r2, 32;"]),
        ("xor.b32 %r1, %r2, %r3;", ["mov.b32 %r1, %r2;", "mov.b32 %r1, %r3;"]),
        ("mad.lo.s32 %r1, %r2, 132, %r3;", ["mad.lo.s32 %r1, %r2, 133, %r3;"]),
        ("mul.wide.u32 %rd1, %r2, 4;", ["mul.wide.u32 %rd1, %r2, 5;"]),
        ("mul.lo.s32 %r1, %r2, %r3;", []),
    ],
)
def test_the_layout_of_an_address_is_another(line, replacements):
    assert mutants_of("layout", f"\t{line}") == [[each] for each in replacements]


def test_branches_are_negated():
    assert mutants_of("branch", "\t@%p1 bra $L1;", "\t@!%p1 bra.uni $L2;", "\tbra $L3;") == [
        ["@!%p1 bra $L1;"],
        ["@%p1 bra.uni $L2;"],
    ]


def test_registers_of_stores_are_swapped():
    body = [
        "\tst.global.v2.b32 [%rd1], {%r1, %r2};",
        "\t@%p1 st.global.b32 [%rd2], %r3;",
        "\tst.global.b32 [%rd3], %r4;",
        "\tst.global.b32 [%rd4], %r4;",
    ]
    assert mutants_of("swap", *body) == [
        ["st.global.v2.b32 [%rd1], {%r2, %r1};"],
        ["@%p1 st.global.b32 [%rd2], %r4;", "st.global.b32 [%rd3], %r3;"],
    ]


def test_layouts_differ_from_the_one_given():
    assert other_layouts("#tile.shared_layout<8x8, swizzle<3,2,6>>") == [
        "#tile.shared_layout<8x8>",
        "#tile.shared_layout<8x8, swizzle<2,2,6>>",
        "#tile.shared_layout<8x8, swizzle<2,2,7>>",
    ]
    assert other_layouts("#tile.shared_layout<8x8, pad 4 every 8>") == [
        "#tile.shared_layout<8x8>",
        "#tile.shared_layout<8x8, pad 8 every 8>",
    ]
    assert other_layouts("#tile.shared_layout<8x16>") == [
        "#tile.shared_layout<8x16, pad 16 every 16>"
    ]
    # Padding behind the only row would move nothing.
    assert other_layouts("#tile.shared_layout<1x128>") == [
        "#tile.shared_layout<1x128, pad 16 every 64>"
    ]
    assert other_layouts("#tile.shared_layout<4>") == []


def test_one_side_of_a_shared_tile_gets_another_layout():
    shared = "#tile.shared_layout<8x16>"
    program = "\n".join(
        [
            f"%1 = alloc_shared {{offset = 0 : i64}} : !tile.shared<8x16xf32, {shared}>",
            f"local_store %0, %1 : tensor<8x16xf32>, !tile.shared<8x16xf32, {shared}>",
            f"%2 = local_load %1 : !tile.shared<8x16xf32, {shared}> -> tensor<8x16xf32>",
            "%12 = local_load %11 : !tile.shared<8x16xf32> -> tensor<8x16xf32>",
        ]
    )
    store, load = mutate_placed(program)
    assert (store.place, load.place) == ("local_store", "local_load")
    padded = "#tile.shared_layout<8x16, pad 16 every 16>"
    lines = store.text.splitlines()
    assert (
        lines[1] == f"%other = alloc_shared {{offset = 0 : i64}} : !tile.shared<8x16xf32, {padded}>"
    )
    assert (
        lines[2] == f"local_store %0, %other : tensor<8x16xf32>, !tile.shared<8x16xf32, {padded}>"
    )
    assert lines[3] == program.splitlines()[2]
    assert "local_load %other" in load.text
    assert "local_store %0, %1" in load.text


@pytest.mark.parametrize(
    ("code", "stdout", "stderr", "verdict"),
    [
        (0, "correct", "", "survived"),
        (1, "", "the simulator found:\nrace", "found"),
        (1, "B: 3 WRONG", "", "wrong"),
        (1, "", "line 3: unknown instruction", "broken"),
        (-11, "WRONG", "", "broken"),
    ],
)
def test_verdicts(code, stdout, stderr, verdict):
    assert judge(subprocess.CompletedProcess([], code, stdout, stderr)) == verdict


def make_task(kind="mask", number=1, example="e"):
    return Task(Case(example, "n=1"), Mutant(kind, number, "setp", ("a", "b"), {1: "c"}))


def test_faults_are_what_is_unlike_the_list():
    tasks = [make_task(number=number) for number in range(3)]
    group = tasks[0].group
    population = Counter({group: 3})

    def judged(*verdicts, rules=(), among=population):
        pairs = zip(tasks, verdicts, strict=False)
        outcomes = [Outcome(task, verdict, "") for task, verdict in pairs]
        return find_faults(outcomes, among, list(rules))

    assert judged("found", "wrong", "found") == []
    assert "1 survive, not 0: e n=1: mask setp" in judged("found", "survived", "found")[0]
    assert "line 2: c" in judged("found", "survived", "found")[0]
    assert judged("found", "survived", "found", rules=[Rule(group, 1)]) == []
    assert judged("found", "survived", "survived", rules=[Rule("e *: mask *", None)]) == []
    assert (
        "only 1 survive, not 2" in judged("found", "survived", "found", rules=[Rule(group, 2)])[0]
    )
    assert "none survives" in judged("found", "found", "found", rules=[Rule(group, None)])[0]
    # Of a group that was not run whole, fewer may survive.
    assert judged("found", rules=[Rule(group, 2)], among=Counter({group: 3})) == []
    assert "could not be judged" in judged("broken", "found", "found")[0]


def test_no_more_survive_than_there_are():
    population = Counter({"a n=1: mask selp.b32": 2, "b n=1: mask selp.b32": 8})
    rules = [Rule("a *", 3), Rule("b *", 8), Rule("* selp.b32", None)]
    found = find_overstated(population, rules)
    assert found == ["2 mutants, of which 3 are to survive: a n=1: mask selp.b32"]
    assert find_overstated(population, rules[1:]) == []


def test_a_sample_has_all_examples_and_classes():
    tasks = [make_task(kind, n, e) for e in "ab" for kind in ("mask", "swap") for n in range(9)]
    chosen = sample(tasks, 8)
    assert chosen == sample(tasks, 8)
    assert Counter((task.case.example, task.mutant.kind) for task in chosen) == Counter(
        {(e, kind): 2 for e in "ab" for kind in ("mask", "swap")}
    )


def test_the_list_of_survivors_is_read(tmp_path, monkeypatch):
    path = tmp_path / "survivors.txt"
    path.write_text(
        "# A comment.\n\nA reason\nof two lines.\n  14  e n=1: mask setp\n  some  e *\n"
    )
    monkeypatch.setattr(mutate, "SURVIVORS", path)
    assert mutate.read_survivors() == [Rule("e n=1: mask setp", 14), Rule("e *", None)]
