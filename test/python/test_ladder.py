"""The ladder's rungs: what the compiler predicts of them is what the simulator counts."""

import package_support
import pytest

import ladder
from bench.ladder_rungs import RUNGS, count
from gputools.tools import EXAMPLES

package_support.import_package()


@pytest.mark.parametrize("rung", RUNGS, ids=lambda rung: rung.file.stem)
def test_predicted_wavefronts_are_counted(rung):
    made = count(rung)
    assert ladder.is_good(made)
    assert not ladder.is_good({**made, "is_right": False})
    assert not ladder.is_good({**made, "predicted": {**made["predicted"], "wavefronts": -1}})


def test_each_rung_takes_less_of_memory():
    """Of shared memory, or of global memory before there is any, for each multiply-add."""
    counts = [count(rung)["counted"] for rung in RUNGS]
    sectors = [each["global_load_sectors"] / each["multiply_adds"] for each in counts]
    wavefronts = [(each["wavefronts"] + each["copies"]) / each["multiply_adds"] for each in counts]
    assert sectors[0] > 4 * sectors[1] > 8 * sectors[2] > 8 * sectors[3]
    # Tiles in registers pay with conflicts for what they save, until these are gone.
    assert wavefronts[2] > wavefronts[3] > wavefronts[4] > wavefronts[5] > wavefronts[6]
    assert wavefronts[6] > wavefronts[7] > wavefronts[8]
    conflicts = [count(rung)["predicted"]["conflicts"] for rung in RUNGS]
    assert [each > 0 for each in conflicts] == [4 <= rung <= 6 for rung in range(len(RUNGS))]


def test_all_rungs_are_there():
    files = sorted(EXAMPLES.glob("ladder/*.mlir"))
    assert files == [rung.file for rung in RUNGS[:-1]] and len(files) == 10
