"""The random layouts of gpu-check.py, with stand-ins for tile-run and ncu."""

import json

from conftest import AGREEING, REPORT, make_result, ncu_csv

from gputools.check import FAILED, LAYOUTS_OF_STEP, Settings, run_sections
from gputools.layouts import check_layouts, make_kernel

NUMBERS = range(300)


def stand_ins(tools, counts):
    """Every kernel is that of the report; ncu runs what it is given and has these counts of the
    kernels 0 to 2."""
    tools.prints("tile-run", json.dumps(make_result(report=REPORT)))
    text = "".join(
        ncu_csv(values, f"layouts_{number}", number)
        if number == 0
        else "".join(
            line + "\n"
            for line in ncu_csv(values, f"layouts_{number}", number).splitlines()
            if line[1:].startswith(str(number))
        )
        for number, values in enumerate(counts)
    )
    tools.write(
        "ncu",
        f"""
subprocess.run(sys.argv[sys.argv.index("--kernel-name") + 2 :], check=True)
open(sys.argv[sys.argv.index("--log-file") + 1], "w").write({text!r})
""",
    )


def test_the_same_numbers_give_the_same_kernels():
    kernels = [make_kernel(number, 3) for number in NUMBERS]
    assert kernels == [make_kernel(number, 3) for number in NUMBERS]
    assert len({kernel.shown for kernel in kernels}) == len(kernels)
    assert kernels[:5] != [make_kernel(number, 4) for number in range(5)]


def test_all_kinds_of_layouts_are_drawn():
    text = "".join(make_kernel(number, 0).text for number in NUMBERS)
    for kind in ("offset = ", "order [0, 1]", ", pad ", ", swizzle<", "xi8", "xf64", "[0, 0]"):
        assert kind in text, kind


def test_kernels_profiled_in_one_run_are_told_apart(tools):
    wrong = dict.fromkeys(AGREEING, 1)
    stand_ins(tools, [AGREEING, wrong, AGREEING])
    results = check_layouts(range(3), 0, "cuda", 60)
    assert [bool(result["differences"]) for result in results] == [False, True, False]
    assert "predicted 512, counted 1" in results[1]["differences"][0]
    assert results[1]["kernel"] == make_kernel(1, 0).text


def test_a_kernel_that_ncu_did_not_see_is_a_failure(tools):
    stand_ins(tools, [AGREEING, AGREEING])
    (outcome,) = run_sections(["layouts"], Settings("cuda", 0, random_layouts=3), 100)
    assert outcome.status == FAILED
    assert outcome.detail.startswith("layouts_2: ncu printed no ")


def test_steps_have_whole_batches_and_a_rest(tools):
    tools.prints("tile-run", "tile-run: error: there is no GPU", 1)
    tools.write(
        "ncu",
        """
subprocess.run(sys.argv[sys.argv.index("--kernel-name") + 2 :], check=True)
open(sys.argv[sys.argv.index("--log-file") + 1], "w").write("==ERROR== no GPU")
""",
    )
    settings = Settings("cuda", 0, random_layouts=LAYOUTS_OF_STEP + 2)
    first, rest = run_sections(["layouts"], settings, 100)
    assert (first.status, rest.status) == (FAILED, FAILED)
    assert rest.name == f"layouts {LAYOUTS_OF_STEP} to {LAYOUTS_OF_STEP + 1}"
    assert "there is no GPU" in rest.detail
