"""conftest.py draws on which targets the cases of a test run."""

from types import SimpleNamespace

import conftest
from package_support import TARGETS


def make_items(test, cases):
    return [
        SimpleNamespace(
            nodeid=f"{test}[{target}-{case}]",
            fixturenames=["target", "case"],
            callspec=SimpleNamespace(id=f"{target}-{case}", params={"target": target, "n": case}),
        )
        for case in cases
        for target in TARGETS
    ]


def draw(items, seed="seed"):
    """Pairs of a case and a target."""
    drawn = conftest.draw_targets(items, seed)
    return [(item.callspec.params["n"], item.callspec.params["target"]) for item in drawn]


def test_each_case_runs_on_each_generation_and_each_test_on_all_targets():
    for cases in (range(3), range(8)):
        runs = draw(make_items("test", cases))
        assert len(runs) == 3 * len(cases) and {target for _, target in runs} == set(TARGETS)
        for case in cases:
            of_case = {target for number, target in runs if number == case}
            assert all(len(of_case & set(each)) == 1 for each in conftest.GENERATIONS)


def test_many_cases_leave_out_a_generation_each():
    for cases in (range(9), range(10), range(50)):
        runs = draw(make_items("test", cases))
        assert len(runs) == 2 * len(cases) and {target for _, target in runs} == set(TARGETS)
        for targets in conftest.GENERATIONS:
            of_generation = [number for number, target in runs if target in targets]
            assert len(of_generation) == len(set(of_generation)) >= len(cases) * 3 // 5


def test_generations_have_all_targets():
    assert sum(conftest.GENERATIONS, ()) == TARGETS


def test_few_cases_run_on_all_targets():
    assert len(draw(make_items("test", range(2)))) == 12


def test_a_seed_draws_the_same_again():
    items = make_items("test", range(20))
    assert draw(items) == draw(items) != draw(items, "other")


def test_what_has_no_target_runs():
    bare = SimpleNamespace(nodeid="test", fixturenames=[])
    # A test may have targets of its own choice.
    own = make_items("own", range(5))
    for item in own:
        item.fixturenames = []
    assert list(conftest.draw_targets([bare, *own], "seed")) == [bare, *own]
