# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the programs, and prints which features are there."""

import package_support
import pytest

package_support.import_package()

from census import arithmetic, host, memory, syntax, tiles  # noqa: E402, F401
from census.features import FEATURES, FIRST  # noqa: E402
from census.programs import PROGRAMS, judge  # noqa: E402

NAMES = {number: name for number, name, _ in FEATURES}


@pytest.fixture(scope="module")
def table():
    return {number: judge(number) for number in NAMES}


def test_programs_are_of_features():
    assert set(PROGRAMS) <= set(NAMES)


def test_table(table, capsys):
    """The table itself: `pytest -s -k test_table` shows it."""
    with capsys.disabled():
        print()
        for number, name, kernels in FEATURES:
            verdict, wrong = table[number]
            reason = wrong[0].splitlines()[0][:90] if wrong else ""
            print(f"{number:4} {name:42} {kernels:5}  {verdict:7} {reason}".rstrip())
        for title, last in ((f"the first {FIRST}", FIRST), (f"all {len(FEATURES)}", len(FEATURES))):
            verdicts = [table[number][0] for number in range(1, last + 1)]
            counts = ", ".join(f"{verdicts.count(v)} {v}" for v in ("there", "partly", "not"))
            print(f"{title}: {counts}")


@pytest.mark.parametrize("number", range(1, FIRST + 1), ids=lambda number: NAMES[number])
def test_first_features_are_there(table, number):
    verdict, wrong = table[number]
    assert verdict == "there", f"{NAMES[number]}: {wrong}"
