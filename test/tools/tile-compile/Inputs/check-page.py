# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a page has all that the JSON report of the same compilation has.

check-page.py REPORT.json PAGE.html: each record of the report must be a row of a table.
"""

import json
import sys
from html.parser import HTMLParser
from pathlib import Path

SINGLE = ["time_bound", "resources", "occupancy"]
LISTS = ["tiles", "accesses", "conversions", "roles", "loops", "copies", "products"]


class Rows(HTMLParser):
    """The rows of all tables: the texts of their cells."""

    def __init__(self):
        super().__init__()
        self.rows = []
        self.is_in_cell = False

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append("")
        self.is_in_cell = tag == "td"

    def handle_endtag(self, tag):
        self.is_in_cell &= tag != "td"

    def handle_data(self, data):
        if self.is_in_cell:
            self.rows[-1][-1] += data


def text_of(value):
    """As a page writes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return str(value["line"])
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def check(rows, record, where):
    """Every value of the record must stand in one row, as often as in the record."""
    values = [value for value in record.values() if not isinstance(value, list)]
    wanted = [text for text in map(text_of, values) if text]
    for row in rows:
        left = list(row)
        if all(text in left and not left.remove(text) for text in wanted):
            return
    sys.exit(f"{where}: no row of the page has {wanted}")


def check_kernel(rows, kernel):
    plain = ["kernel", "target", "num_warps", "shared_bytes", "barriers", "barriers_in_loops"]
    plain += ["persistent", "teams", "why_not_persistent", "why_fewer_stages"]
    plain += ["programs_per_block", "blocks_per_program"]
    check(rows, {key: kernel[key] for key in plain}, "kernel")
    for key in SINGLE:
        check(rows, kernel.get(key, {}), key)
    for key in LISTS:
        for record in kernel[key]:
            check(rows, record, key)
            for candidate in record.get("candidates", []):
                check(rows, candidate, "candidates")
    for texts in kernel["summary"].values():
        for text in texts:
            check(rows, {"text": text}, "summary")


parser = Rows()
parser.feed(Path(sys.argv[2]).read_text())
kernels = json.loads(Path(sys.argv[1]).read_text())["kernels"]
for kernel in kernels:
    check_kernel(parser.rows, kernel)
for key in LISTS:
    print(key, sum(len(kernel[key]) for kernel in kernels))
