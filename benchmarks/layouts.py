#!/usr/bin/env python3
"""Counts what our layouts and Triton's cost in shared memory, on the same tiles.

    benchmarks/layouts.py --json layouts.json --markdown layouts.md

Both kernels are compiled for one architecture and run in the PTX simulator on the same input; both
outputs are compared with the reference in our kernel. No GPU is needed. Triton compiles without one
too: pip install triton.

The exit status is 1 if a kernel was wrong, or if ours takes more wavefronts than Triton's.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

from bench.layout_cases import LayoutCase, make_cases
from bench.layout_counts import count_block
from bench.layout_table import Comparison, markdown
from bench.record import Record
from bench.triton_ptx import compile_for, import_triton
from gputools.tools import Run, ToolError, call, find_tool, parse_result, run_script

TIMEOUT_SECONDS = 600


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="cases with this in their name")
    parser.add_argument("--list", action="store_true", help="print the cases' names")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the record here")
    parser.add_argument("--markdown", type=Path, metavar="PATH", help="write the table here")
    parser.add_argument("--keep-ptx", type=Path, metavar="DIR", help="leave Triton's PTX here")
    return parser.parse_args()


def simulate(case: LayoutCase, *options: str) -> dict[str, Any]:
    """What tile-run says of our kernel, or of code in its place. A wrong result is an error."""
    fixed = ("--check", f"--target={case.target}", f"--num-warps={case.triton.num_warps}")
    run = Run(Path("-"), case.args, options=(*fixed, *options), text=case.text)
    result = parse_result(call(run.command("sim"), timeout=TIMEOUT_SECONDS, said=run.text))
    findings = result["simulator"]["findings"]
    if findings:
        raise ToolError(f"{case.name}: {findings[0].get('message', findings[0])}")
    if not result["passed"]:
        raise ToolError(f"{case.name}: the result is wrong: {json.dumps(result['outputs'])}")
    return result


def compare(case: LayoutCase, folder: Path) -> Comparison:
    ours = simulate(case)
    report = ours["report"]
    launch = report["launch"]
    our_bytes = launch["static_shared_bytes"] + launch["dynamic_shared_bytes"]
    ptx, triton_bytes = compile_for(
        case.triton, report["kernel"], report["arguments"], launch["dynamic_shared_bytes"]
    )
    code = folder / f"{case.name.replace(' ', '_').replace(',', '')}.ptx"
    code.write_text(ptx)
    theirs = simulate(case, f"--code={code}")
    warps = case.triton.num_warps
    return Comparison(
        case.name,
        case.target,
        warps,
        count_block(ours["simulator"], case.blocks, warps, our_bytes),
        count_block(theirs["simulator"], case.blocks, warps, triton_bytes),
        layouts=[tile["layout"] for tile in report["tiles"]],
    )


def describe_environment() -> dict[str, Any]:
    version = call([find_tool("tile-compile"), "--version"]).stdout.strip().splitlines()
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "triton": import_triton().__version__,
        "compiler": version[0] if version else "",
    }


def compare_all(
    cases: list[LayoutCase], folder: Path, record: Record
) -> tuple[list[Comparison], list[str]]:
    """The comparisons, and what went wrong."""
    comparisons = []
    failures = []
    for case in cases:
        try:
            comparisons.append(compare(case, folder))
            record.add(comparisons[-1].to_json())
            print(comparisons[-1].describe(), file=sys.stderr, flush=True)
        except ToolError as error:
            failures.append(f"{case.name}: {error}")
            print(f"FAILED {failures[-1]}", file=sys.stderr, flush=True)
    return comparisons, failures


def run(options: argparse.Namespace) -> int:
    cases = [case for case in make_cases() if options.only in case.name]
    if not cases:
        raise ToolError(f"no case has '{options.only}' in its name; --list prints them")
    if options.list:
        print("\n".join(case.name for case in cases))
        return 0
    # What Triton says of its own defaults is nothing that a user of this script can act upon.
    warnings.filterwarnings("ignore", module="triton")
    environment = describe_environment()
    record = Record(options.json, environment, "results")
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep_ptx or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        comparisons, failures = compare_all(cases, folder, record)
    table = markdown(environment, comparisons)
    print(table)
    if options.markdown:
        options.markdown.write_text(table)
    record.finish(failed=failures)
    return 1 if failures or any(one.is_worse for one in comparisons) else 0


def main() -> int:
    return run_script("layouts.py", lambda: run(parse_arguments()))


if __name__ == "__main__":
    sys.exit(main())
