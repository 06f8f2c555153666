"""Reading ncu's output and the compiler's report, and comparing them."""

import pytest
from conftest import make_result, ncu_csv

from gputools.tools import ToolError
from gputools.wavefronts import METRICS, Counts, compare, counts_of_simulator, parse_ncu, predict

LOAD, STORE, LOAD_CONFLICTS, STORE_CONFLICTS = METRICS.values()
VALUES = {LOAD: "512", STORE: "4,096", LOAD_CONFLICTS: "0", STORE_CONFLICTS: "3,584"}


def test_metrics_are_read_by_name_with_separators_of_thousands():
    assert parse_ncu(ncu_csv(VALUES), "transpose_f32") == Counts(512, 4096, 0, 3584)


def test_whole_numbers_with_decimals_are_numbers():
    assert parse_ncu(ncu_csv({**VALUES, LOAD: "512.00"}), "transpose_f32").load_wavefronts == 512


def test_a_kernel_printed_with_its_parameters_is_found():
    text = ncu_csv(VALUES, kernel="transpose_f32(float *, float *)")
    assert parse_ncu(text, "transpose_f32").store_wavefronts == 4096


def test_other_kernels_are_left_out():
    other = ncu_csv(dict.fromkeys(VALUES, "7"), kernel="memset").splitlines()[4:]
    text = ncu_csv(VALUES) + "\n".join(other)
    assert parse_ncu(text, "transpose_f32") == Counts(512, 4096, 0, 3584)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "profiled nothing: it printed nothing"),
        ("==ERROR== ERR_NVGPUCTRPERM - no permission\nmore", "ERR_NVGPUCTRPERM"),
        ("==WARNING== No kernels were profiled.", "No kernels were profiled"),
        (ncu_csv({}), f"no {LOAD}"),
        (ncu_csv({LOAD: "1", STORE: "2"}), f"no {LOAD_CONFLICTS}, {STORE_CONFLICTS}"),
        (ncu_csv(VALUES, kernel="another"), "of transpose_f32"),
        (ncu_csv({**VALUES, LOAD: "n/a"}), "'n/a'"),
        (ncu_csv({**VALUES, LOAD: "1.5"}), "1.5"),
        (ncu_csv(VALUES) + ncu_csv(VALUES, launch=1).split("\n", 4)[4], "2 launches"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_says_why(text, reason):
    with pytest.raises(ToolError, match=reason.replace("[", r"\[")):
        parse_ncu(text, "transpose_f32")


def test_a_block_is_multiplied_by_the_grid():
    assert predict(make_result()) == Counts(4 * 128, 4 * 1024, 0, 4 * (1024 - 128))
    assert predict(make_result(grid=[3, 2, 5])).load_wavefronts == 30 * 128


def test_conflicts_of_a_loop_count_every_trip():
    report = make_result()["report"]
    accesses = [{**access, "trips": 3} for access in report["accesses"]]
    predicted = predict(make_result(report={**report, "accesses": accesses}))
    assert predicted.store_conflicts == 4 * 3 * (1024 - 128)


def test_the_simulator_counts_wavefronts():
    counts = {"shared_load_wavefronts": 5, "shared_store_wavefronts": 6}
    assert counts_of_simulator({"simulator": {"counts": counts}}) == Counts(5, 6)
    with pytest.raises(ToolError, match="did not run in the simulator"):
        counts_of_simulator(make_result())


@pytest.mark.parametrize(
    ("predicted", "counted", "differences"),
    [
        (Counts(1, 2, 0, 0), Counts(1, 2, 0, 0), 0),
        (Counts(1, 2, 0, 0), Counts(1, 2), 0),
        # Where conflicts are predicted, wavefronts say it all.
        (Counts(1, 9, 0, 5), Counts(1, 9, 0, 7), 0),
        (Counts(1, 2, 0, 0), Counts(1, 2, 0, 1), 1),
        (Counts(1, 2, 0, 0), Counts(2, 2, 0, 0), 1),
        (Counts(1, 2, 0, 0), Counts(2, 3, 1, 1), 4),
    ],
)
def test_comparison(predicted, counted, differences):
    comparison = compare(predicted, counted)
    assert len(comparison.differences) == differences
    assert comparison.agrees == (differences == 0)
