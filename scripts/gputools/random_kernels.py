"""Random products and reductions, drawn by the generators of the tests (test/Execution/Inputs)."""

from __future__ import annotations

import random
import sys
from pathlib import Path

from gputools.cases import Case
from gputools.tools import ROOT, Run, loads_on

sys.path.append(str(ROOT / "test" / "Execution" / "Inputs"))
import gemm  # type: ignore[import-not-found]
import kernel_checks  # type: ignore[import-not-found]
import reduce  # type: ignore[import-not-found]

# More than any takes.
BYTES_NEEDED = 1 << 28


def targets_of(architecture: int) -> list[str]:
    """The targets whose PTX a GPU of that architecture (90 of sm_90) runs, all for 0."""
    return [target for target in gemm.TARGETS if not architecture or loads_on(target, architecture)]


def _product(
    name: str, rng: random.Random, types: list[str], largest: int, targets: list[str]
) -> Case[Run]:
    # References know nothing of sums of fewer bits.
    case = gemm.draw_case(rng, types, largest, targets)._replace(imprecise=None)
    several = case.batch[1:] if case.batch else ()
    shape = "x".join(map(str, [*several, *case.tile]))
    args = gemm.make_arguments(case)
    shown = f"{name} {case.type} {case.layout} {shape} {case.warps} warps {case.stages} stages"
    specials = ("--specials",) if case.specials else ()
    options = (f"--target={case.target}", *case.options, *specials)
    run = Run(Path("-"), args, case.shared, options, gemm.make_kernel(case))
    return Case(" ".join([f"{shown} {case.shared} {args}", *options]), run, BYTES_NEEDED)


def _reduction(name: str, rng: random.Random, most: int) -> Case[Run]:
    case = reduce.draw_case(rng, most)
    shape = "x".join(map(str, case.tile))
    args = kernel_checks.make_arguments(case)
    what = f"{case.reduction.combiner} {case.element} {shape} axis {case.axis} {case.warps} warps"
    rowwise = " row-wise" if case.rowwise else ""
    options = ("--specials",) if case.specials else ()
    run = Run(Path("-"), args, options=options, text=reduce.make_kernel(case))
    return Case(" ".join([f"{name} {what}{rowwise} {args}", *options]), run, BYTES_NEEDED)


def random_cases(
    products: int, seed: int, architecture: int, is_simulated: bool
) -> list[Case[Run]]:
    """Draws so many products, and 3 reductions for 10 of them. The same seed gives the same, but
    smaller ones for the simulator. `architecture`: the GPU's, 0 if anything goes."""
    targets = targets_of(architecture)
    types = list(gemm.TYPES)
    if not any(gemm.has_float8(target) for target in targets):
        types = [name for name in types if not name.startswith("f8")]
    largest, most = (100, 1 << 14) if is_simulated else (1000, 1 << 20)
    cases = [
        _product(f"product {n}", random.Random(f"{seed}/{n}"), types, largest, targets)
        for n in range(products)
    ]
    cases += [
        _reduction(f"reduction {n}", random.Random(f"{seed}/{n}"), most)
        for n in range(products * 3 // 10)
    ]
    return cases
