"""Reading ncu's output and the compiler's report, and comparing them."""

import pytest
from conftest import make_result, ncu_csv

from gputools.tools import ToolError
from gputools.wavefronts import (
    MATRIX_METRICS,
    METRICS,
    Counts,
    compare,
    counts_of_ncu,
    counts_of_simulator,
    find_unknown,
    parse_ncu,
    predict,
)

LOAD, STORE, COPY, LOAD_CONFLICTS, STORE_CONFLICTS = METRICS.values()
VALUES = {LOAD: "512", STORE: "4,096", COPY: "8", LOAD_CONFLICTS: "0", STORE_CONFLICTS: "3,584"}
COUNTS = Counts(512, 4096, None, 8, 0, 3584)


def read(text, kernel="transpose_f32"):
    launches = [launch for launch in parse_ncu(text) if launch.kernel == kernel]
    return counts_of_ncu(launches[0])


def test_metrics_are_read_by_name_with_separators_of_thousands():
    assert read(ncu_csv(VALUES)) == COUNTS


def test_whole_numbers_with_decimals_are_numbers():
    assert read(ncu_csv({**VALUES, LOAD: "512.00"})).load_wavefronts == 512


def test_a_kernel_printed_with_its_parameters_is_found():
    text = ncu_csv(VALUES, kernel="transpose_f32(float *, float *)")
    assert read(text).store_wavefronts == 4096


def test_other_kernels_are_left_out():
    other = ncu_csv(dict.fromkeys(VALUES, "7"), kernel="memset").splitlines()[4:]
    assert read(ncu_csv(VALUES) + "\n".join(other)) == COUNTS


def test_matrix_accesses_are_loads_and_stores():
    matrices = dict(zip(MATRIX_METRICS.values(), ("1,000", "30"), strict=True))
    assert read(ncu_csv({**VALUES, **matrices})) == Counts(1512, 4126, None, 8, 0, 3584)
    lacking = dict.fromkeys(MATRIX_METRICS.values(), "n/a")
    assert read(ncu_csv({**VALUES, **lacking})) == COUNTS


def test_copies_need_not_be_counted():
    assert read(ncu_csv(VALUES)).copy_instructions == 8
    assert read(ncu_csv({**VALUES, COPY: "n/a"})).copy_instructions is None


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("==ERROR== Failed to find metric a__b.sum", ["a__b.sum"]),
        ('==WARNING== Could not find metric "a__b".', ["a__b.sum"]),
        ("==ERROR== Failed to find metric a__bc", []),
        ("==PROF== metric a__b", []),
    ],
)
def test_metrics_that_ncu_does_not_know(text, unknown):
    assert find_unknown(f"==PROF== Connected\n{text}\n", ["a__b.sum", "c.sum"]) == unknown


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "profiled nothing: it printed nothing"),
        ("==ERROR== ERR_NVGPUCTRPERM - no permission\nmore", "ERR_NVGPUCTRPERM"),
        ("==WARNING== No kernels were profiled.", "No kernels were profiled"),
        (ncu_csv({LOAD: "n/a"}), f"no {LOAD}"),
        (ncu_csv({LOAD: "1", STORE: "2"}), f"no {LOAD_CONFLICTS}, {STORE_CONFLICTS}"),
        (ncu_csv({**VALUES, LOAD: "n/a"}), f"no {LOAD}"),
        (ncu_csv({**VALUES, LOAD: "none"}), "'none'"),
        (ncu_csv({**VALUES, LOAD: "1.5"}), "1.5"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_says_why(text, reason):
    with pytest.raises(ToolError, match=reason.replace("[", r"\[")):
        read(text)


def test_launches_are_told_apart_in_their_order():
    rest = ncu_csv({LOAD: "7"}, "another", launch=1).split("\n", 4)[4]
    first, second = parse_ncu(ncu_csv({LOAD: "5"}) + rest)
    assert (first.kernel, first.metrics) == ("transpose_f32", {LOAD: 5})
    assert (second.kernel, second.metrics) == ("another", {LOAD: 7})


def test_a_block_is_multiplied_by_the_grid():
    assert predict(make_result()) == Counts(4 * 128, 4 * 1024, 0, 0, 0, 4 * (1024 - 128))
    assert predict(make_result(grid=[3, 2, 5])).load_wavefronts == 30 * 128


def test_conflicts_of_a_loop_count_every_trip():
    report = make_result()["report"]
    accesses = [{**access, "trips": 3} for access in report["accesses"]]
    predicted = predict(make_result(report={**report, "accesses": accesses}))
    assert predicted.store_conflicts == 4 * 3 * (1024 - 128)


def test_copies_in_front_of_a_loop_count_with_its_trips():
    report = make_result()["report"]
    copy = {"op": "tile.copy_async", "wavefronts": 130, "ideal_wavefronts": 128, "instructions": 32}
    copies = [
        {**copy, "place": {"line": line}, "trips": trips}
        for line, trips in ((1, 1), (2, 1), (1, 15), (2, 15), (3, 1))
    ]
    predicted = predict(make_result(report={**report, "accesses": copies}))
    assert predicted.copy_wavefronts == 4 * 130 * (16 + 16 + 1)
    assert predicted.copy_instructions == 4 * 32 * (16 + 16 + 1)


def test_the_simulator_counts_wavefronts():
    counts = {
        "shared_load_wavefronts": 5,
        "shared_store_wavefronts": 6,
        "shared_copy_wavefronts": 7,
    }
    assert counts_of_simulator({"simulator": {"counts": counts}}) == Counts(5, 6, 7)
    with pytest.raises(ToolError, match="did not run in the simulator"):
        counts_of_simulator(make_result())


@pytest.mark.parametrize(
    ("predicted", "counted", "differences"),
    [
        (Counts(1, 2, 3, 4, 0, 0), Counts(1, 2, 3, 4, 0, 0), 0),
        (Counts(1, 2, 3, 4, 0, 0), Counts(1, 2, 3), 0),
        (Counts(1000, 0, 0, 0, 0, 0), Counts(1001, 0, 0, 0, 0, 0), 1),
        (Counts(1000, 0, 0, 0, 0, 0), Counts(999, 0, 0, 0, 0, 0), 1),
        (Counts(0, 0, 0, 1000), Counts(0, 0, None, 1001), 1),
        # Wavefronts say it all.
        (Counts(1, 9, 0, 0, 0, 5), Counts(1, 9, 0, 0, 0, 7), 0),
        (Counts(1, 2, 0, 0, 0, 0), Counts(1, 2, 0, 0, 0, 1), 0),
        (Counts(1, 2, 3, 4, 0, 0), Counts(2, 2, 3, 4, 0, 1), 1),
        (Counts(1, 2, 0, 0, 0, 0), Counts(2, 3, 0, 0, 1, 1), 2),
        # Of copies either the wavefronts are counted or the instructions.
        (Counts(1, 2, 3, 4), Counts(1, 2, None, 4), 0),
        (Counts(1, 2, 3, 4), Counts(1, 2, None, 5), 1),
        (Counts(1, 2, 3, 4), Counts(1, 2, 4, None), 1),
        (Counts(1, 2, 3, 4), Counts(1, 2), 1),
        (Counts(1, 2, 0, 0), Counts(1, 2), 0),
    ],
)
def test_comparison(predicted, counted, differences):
    comparison = compare(predicted, counted)
    assert len(comparison.differences) == differences
    assert comparison.agrees == (differences == 0)
