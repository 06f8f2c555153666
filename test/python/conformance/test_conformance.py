# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A third of the conformance cases, drawn by the commit; scripts/conformance.py runs all."""

import dataclasses
import sys
from pathlib import Path

import numpy as np
import package_support
import pytest

package_support.import_package()
# Before scripts/, which has a differential.py too.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from conformance import batch, runner  # noqa: E402
from conformance.case import Case, Result, find_wrong  # noqa: E402
from conformance.cases import collect  # noqa: E402
from conformance.cases.random import philox  # noqa: E402
from conformance.values import draw, from_numbers, make  # noqa: E402


def test_there_are_several_hundred():
    assert len(collect()) >= 400


@pytest.mark.parametrize("part", range(2))
def test_a_third(part):
    runs = list(runner.draw_third(collect(), package_support.get_commit()))
    jobs = runner.make_jobs(runs)[part::2]
    failures = [failure for job in jobs for failure in runner.run_job(job)]
    assert not failures, "\n".join(f"{f.target}: {f.case}: {f.text}" for f in failures)


def test_known_answers_of_philox():
    assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    ones = philox([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2)
    assert ones == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


# That a case can fail.

ADD = Case("add", "x + 1", {"x": draw("int32", 64)}, [Result("int32", lambda x: x + np.int32(1))])


def run(**changes):
    failures = batch.run_batch([dataclasses.replace(ADD, **changes)], "sm_90a")
    return failures[0].text if failures else ""


def test_a_right_case_passes():
    assert not run()


def test_a_wrong_number_is_found():
    wrong = Result("int32", lambda x: x + np.int32(1) + (np.arange(64) == 13).astype(np.int32))
    assert "1 of 64 wrong; at [13]" in run(results=[wrong])


def test_a_wrong_type_is_found():
    assert "the type is int32, not int64" in run(results=[Result("int64", np.int64)])


def test_a_wrong_shape_is_found():
    wrong = Result("int32", lambda x: (x + np.int32(1))[:, None])
    assert "the shape is (64,), not (64, 1)" in run(results=[wrong])


def test_words_that_do_not_compile_are_found():
    assert "has no 'colour'" in run(code="x.colour")


def test_the_others_of_a_batch_are_still_checked():
    bad = dataclasses.replace(ADD, name="bad", code="x.colour")
    failures = batch.run_batch([ADD, bad, dataclasses.replace(ADD, name="third")], "sm_90a")
    assert [failure.case for failure in failures] == ["bad"]


@pytest.mark.parametrize(
    "got, is_wrong",
    [
        (1.0, False),
        (1.0 + 2**-23, False),
        (1.0 + 2**-21, True),
        (-1.0, True),
        (np.nan, True),
        (np.inf, True),
    ],
)
def test_bounds(got, is_wrong):
    result = Result("fp32", np.exp, ulps=1)
    assert find_wrong(result, np.array(1.0), from_numbers("fp32", got)) == is_wrong


def test_zeros_differ_by_their_sign_and_nans_do_not():
    result = Result("fp16", np.exp)
    got = make("fp16", [-0.0, np.nan])
    assert find_wrong(result, np.array([0.0, -np.nan]), got).tolist() == [True, False]
