#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws docs/ladder.svg and writes the table of docs/ladder.md, from the record of ladder.py.

    scripts/ladder-page.py [--update] [--record benchmarks/results/2026-11-24-h200-4/ladder.json]

Without --update it says whether both are what it would write.
"""

from __future__ import annotations

import argparse
import html
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE, CHART = ROOT / "docs/ladder.md", ROOT / "docs/ladder.svg"
RECORD = ROOT / "benchmarks/results/2026-11-24-h200-4/ladder.json"
BEGIN, END = "<!-- The rungs: scripts/ladder-page.py -->", "<!-- The end of the rungs -->"

WIDTH, ROW, TOP, NAMES, NUMBERS = 720, 30, 50, 210, 60
BAR, LINE, TEXT = "#0072b2", "#bbbbbb", "#222222"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write both")
    parser.add_argument("--record", type=Path, default=RECORD)
    options = parser.parse_args()
    record = json.loads(options.record.read_text(encoding="utf-8"))
    stale = False
    wanted = {CHART: draw(record), PAGE: write_page(PAGE.read_text(encoding="utf-8"), record)}
    for path, text in wanted.items():
        if options.update:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path}: is not what the record says; run scripts/ladder-page.py --update")
            stale = True
    return 1 if stale else 0


def write_page(page: str, record: dict[str, Any]) -> str:
    """The page with its table made anew."""
    head, rest = page.split(BEGIN)
    tail = rest.split(END)[1]
    return head + BEGIN + "\n\n" + "\n".join(write_table(record)) + "\n\n" + END + tail


def write_table(record: dict[str, Any]) -> list[str]:
    head = ["", "idea", "of cuBLAS", "TFLOP/s", "sectors of memory", "wavefronts, predicted"]
    head += ["counted", "of these conflicts"]
    rows = [head, ["---"] * len(head)]
    for number, rung in enumerate(record["rungs"], 1):
        # Of 64 multiply-adds of each lane of a warp, a step of the fifth rung.
        steps = rung["counted"]["multiply_adds"] / (32 * 64)
        numbers = [rung["counted"]["global_load_sectors"]]
        # Copies that the last trips of a loop leave out were predicted, too.
        numbers += [rung["predicted"]["wavefronts"] + rung["counted"]["copies"]]
        numbers += [rung["counted"]["wavefronts"] + rung["counted"]["copies"]]
        numbers += [rung["predicted"]["conflicts"]]
        flops = 2e-6 * record["size"] ** 3 / rung["microseconds"]
        row = [str(number), f"[{rung['idea']}](../examples/{rung['path']})"]
        row += [f"{rung['of_cublas']:.3f}", f"{flops:.1f}"]
        rows.append([*row, *(f"{value / steps:.1f}" for value in numbers)])
    return ["| " + " | ".join(row) + " |" for row in rows]


def draw(record: dict[str, Any]) -> str:
    """Bars, a rung each, of the share of cuBLAS."""
    rungs: Sequence[dict[str, Any]] = record["rungs"]
    height = TOP + ROW * len(rungs) + 30
    scale = (WIDTH - NAMES - NUMBERS) / max(1.0, *(rung["of_cublas"] for rung in rungs))
    title = f"Products of f32, {record['size']} x {record['size']} x {record['size']}, "
    title += f"as parts of cuBLAS's speed: {record['gpu']}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="13">',
        f"<title>{html.escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text x="{WIDTH // 2}" y="22" text-anchor="middle" fill="{TEXT}">'
        f"{html.escape(title)}</text>",
    ]
    for share in (0, 0.25, 0.5, 0.75, 1):
        x = NAMES + share * scale
        lines += [
            f'<line x1="{x:.1f}" y1="{TOP - 12}" x2="{x:.1f}" y2="{height - 24}" stroke="{LINE}"/>',
            f'<text x="{x:.1f}" y="{height - 8}" text-anchor="middle" fill="{TEXT}">'
            f"{share:.0%}</text>",
        ]
    for number, rung in enumerate(rungs):
        y = TOP + ROW * number
        width = rung["of_cublas"] * scale
        lines += [
            f'<text x="{NAMES - 8}" y="{y + 12}" text-anchor="end" fill="{TEXT}">'
            f"{number + 1}. {html.escape(rung['idea'])}</text>",
            f'<rect x="{NAMES}" y="{y}" width="{width:.1f}" height="{ROW - 12}" fill="{BAR}"/>',
            f'<text x="{NAMES + width + 6:.1f}" y="{y + 13}" fill="{TEXT}">'
            f"{rung['of_cublas']:.1%}</text>",
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
