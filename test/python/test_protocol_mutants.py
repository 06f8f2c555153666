"""Faults in the hand-overs of compiled products: the simulator finds each, or the result is another
one. Copies by warps of their own, by a thread that computes, for one program a block and for
several, for two teams that take turns, and for a slot that the next program gives back; copies by
threads; and what blocks of a cluster hand each other."""

import concurrent.futures
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "mutation"))

from mutate import judge
from protocols import mutate_protocol

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("TILEWRIGHT_BIN", ROOT / "build" / "bin"))
BARRIER, STORED = "bar.sync", "cp.async.bulk.wait_group.read"


@dataclass(frozen=True)
class Case:
    file: str
    kernel: str
    stages: int
    arguments: str
    # Mutants that cannot go wrong: classes and instructions, and how many of them.
    survivors: dict[tuple[str, str], int]
    warps: int = 4
    parts: int = 1
    #: Classes of faults that there are.
    kinds: int = 7

    def command(self, tool, *more):
        return [
            BIN / tool,
            ROOT / f"{self.file}.mlir",
            f"--kernel={self.kernel}",
            f"--num-stages={self.stages}",
            f"--num-warps={self.warps}",
            f"--product-parts={self.parts}",
            "--target=sm_90a",
            "--args",
            self.arguments,
            *more,
        ]

    def compile(self):
        command = self.command("tile-compile", "-o", "-")
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


# Each slot is new in the first round, nobody waits for the last one, and what was multiplied lies
# where results are written.
ONE_PROGRAM = {
    ("wait", "mbarrier.try_wait.parity.shared::cta.b64"): 1,
    ("phase", "mbarrier.try_wait.parity.shared::cta.b64"): 1,
    ("arrival", "mbarrier.arrive.shared::cta.b64"): 1,
}
CASES = {
    # One warpgroup has waited for its own products.
    "one program": Case("test/Execution/bulk_copies", "plain", 2, "M=72 N=136 K=264", {
        **ONE_PROGRAM,
        ("wait", BARRIER): 1,
    }),
    "all warps": Case(
        "test/Execution/teams", "product", 2, "M=72 N=136 K=584", ONE_PROGRAM, warps=32
    ),
    # Of several programs each waits for the products of the one before.
    "programs": Case("test/Execution/bulk_copies", "persistent", 3, "M=136 N=136 K=200", {
        ("arrival", "mbarrier.arrive.shared::cta.b64"): 1,
    }),
    # A team that leaves has waited for what it stored; after nine steps, or twice as many, no
    # program begins in the last place but one.
    "teams": Case("test/Execution/teams", "product", 4, "M=8 N=648 K=576", {
        ("wait", BARRIER): 1,
        ("wait", STORED): 2,
        ("stage", "setp.eq.b32"): 1,
    }),
    # The slot of a residual, where the result is written, is given back behind the next program's
    # first products, which nothing is under way in front of. Nine steps go through all slots of
    # operands, so that their waits have those of the residual's slot be over; the last program has
    # two waits for its stores, and the others one more in front of what is long over.
    "residual": Case("test/Execution/teams", "residual", 4, "M=8 N=648 K=576", {
        ("wait", STORED): 3,
        ("wait", "mbarrier.try_wait.parity.shared::cta.b64"): 1,
        ("arrival", "mbarrier.arrive.shared::cta.b64"): 1,
        ("wait", "wgmma.wait_group.sync.aligned"): 1,
        ("fence", "wgmma.fence.sync.aligned"): 1,
        ("fence", "fence.mbarrier_init.release.cluster"): 1,
        ("stage", "setp.eq.b32"): 2,
    }, warps=8),
    # The barriers of the cluster order what one of a block would.
    "parts": Case("examples/gemm_f16_nn", "gemm_f16_nn", 2, "M=8 N=136 K=648", {
        **ONE_PROGRAM,
        ("wait", BARRIER): 2,
    }, parts=2, kinds=9),
    # The first rank is 0 as it is.
    "slices": Case("examples/gemm_f16_nn", "gemm_f16_nn", 2, "M=8 N=136 K=1032", {
        **ONE_PROGRAM,
        ("wait", BARRIER): 1,
        ("rank", "mapa.shared::cluster.u32"): 1,
    }, parts=3, kinds=9),
    # The last groups are empty.
    "f64": Case("examples/gemm_f64_tt", "gemm_f64_tt", 3, "M=8 N=8 K=97", {
        ("wait", "cp.async.wait_group"): 1,
    }, kinds=3),
    "f32": Case("examples/gemm_f32_tt", "gemm_f32_tt", 3, "M=8 N=8 K=97", {
        ("wait", "cp.async.wait_group"): 1,
    }, warps=8, kinds=3),
    # Each mbarrier has one phase.
    "rows": Case("test/Execution/rows_of_clusters", "softmax", 0, "M=3 N=30000", {
        ("phase", "mbarrier.try_wait.parity.shared::cta.b64"): 2,
    }, warps=16, kinds=7),
}  # fmt: skip


def is_found(case, text, path):
    path.write_text(text)
    limit = "--instruction-limit=1048576"
    for order in ([], ["--sim-seed=1"], ["--sim-seed=2"]):
        command = case.command(
            "tile-run", f"--code={path}", "--device=sim", "--check", limit, *order
        )
        result = subprocess.run(command, capture_output=True, text=True, timeout=120)
        verdict = judge(result)
        assert verdict != "broken", result.stderr
        if verdict != "survived":
            return True
    return False


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_each_fault_is_found(case, tmp_path):
    ptx = case.compile()
    assert not is_found(case, ptx, tmp_path / "right.ptx")
    mutants = list(mutate_protocol(ptx, case.kernel, case.stages))
    assert len({mutant.kind for mutant in mutants}) >= case.kinds
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = [mutant.text for mutant in mutants]
        paths = [tmp_path / f"{number}.ptx" for number in range(len(mutants))]
        found = list(pool.map(is_found, [case] * len(mutants), texts, paths))
    lost = [mutant for mutant, is_it in zip(mutants, found, strict=True) if not is_it]
    survivors = Counter((mutant.kind, mutant.place.split()[0]) for mutant in lost)
    assert survivors == case.survivors, [f"{mutant.name}: {mutant.describe()}" for mutant in lost]
