"""The random layouts of gpu-check.py, with stand-ins for tile-run and ncu."""

from conftest import AGREEING, REPORT, make_result, ncu_csv

from gputools.check import LAYOUTS_OF_STEP, SECTIONS
from gputools.layouts import check_layouts, make_kernel
from gputools.schedule import FAILED, Settings, run_sections

NUMBERS = range(300)


def run_layouts(settings):
    return run_sections({"layouts": SECTIONS["layouts"]}, settings, 100)


# Says that the kernel is that of the request's source.
ANSWER = f"""
result = {make_result(report=REPORT)!r}
result["kernel"] = json.loads(request)["source"].split("@")[1].split("(")[0]
print(json.dumps(result), flush=True)
"""


def stand_ins(tools, counts):
    """Every kernel has that report; ncu runs what it is given and has these counts of the kernels 0
    to 2."""
    tools.serve(ANSWER)
    text = "".join(
        ncu_csv(values, f"layouts_{number}", number).split("\n", 0 if number == 0 else 4)[-1]
        for number, values in enumerate(counts)
    )
    tools.under("ncu", "", f"open(log, 'w').write({text!r})")


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
    (outcome,) = run_layouts(Settings("cuda", 0, random_layouts=3))
    assert outcome.status == FAILED
    assert outcome.detail == "layouts_2: ncu profiled 0 launches of layouts_2, not 1"


def test_steps_have_whole_batches_and_a_rest(tools):
    tools.write("tile-run", "print('tile-run: error: no GPU', file=sys.stderr)\nsys.exit(1)\n")
    tools.under("ncu", "", "open(log, 'w').write('==ERROR== no GPU')")
    settings = Settings("cuda", 0, random_layouts=LAYOUTS_OF_STEP + 2)
    first, rest = run_layouts(settings)
    assert (first.status, rest.status) == (FAILED, FAILED)
    assert rest.name == f"layouts {LAYOUTS_OF_STEP} to {LAYOUTS_OF_STEP + 1}"
    assert "no GPU" in rest.detail


def test_an_error_ends_a_process_and_not_the_check(tools):
    tools.serve(
        ANSWER.replace("print(", "sys.exit('a fault') if 'layouts_1' in request else print(")
    )
    # Each run of ncu counts what was run in it.
    tools.under(
        "ncu",
        "",
        f"""
name = "layouts_0" if "layouts_1|" in line_of_ncu else "layouts_2"
open(log, "w").write({ncu_csv(AGREEING)!r}.replace("transpose_f32", name))
""",
    )
    text = (tools.folder / "ncu").read_text()
    (tools.folder / "ncu").write_text(text.replace("log = ", "line_of_ncu = line\nlog = ", 1))
    differences = [result["differences"] for result in check_layouts(range(3), 0, "cuda", 60)]
    assert differences == [[], ["a fault"], []]
