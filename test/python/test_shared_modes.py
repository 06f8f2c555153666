"""benchmarks/shared_modes.py, without a GPU: where tiles lie, what ptxas leaves of the kernels, and
what the clocks say."""

import numpy as np
import pytest
from code_support import instructions
from conftest import ncu_csv

import shared_modes
from bench import shared_counters
from bench.shared_launch import MAJORS
from bench.shared_ptx import CLOCK_WORDS, READS, SLOT_BYTES, SLOTS, product_ptx, read_ptx
from bench.shared_tiles import ROW_BYTES, Tile
from gputools.tools import ToolError


@pytest.mark.parametrize("row_bytes", ROW_BYTES)
def test_atoms_are_xored_with_rows(row_bytes):
    """As the table of HardwareSwizzle.h has it, in two panels."""
    columns = row_bytes // 2
    tile = Tile(32, 2 * columns, row_bytes)
    rows_a_step = 128 // row_bytes
    for row in range(32):
        for column in range(2 * columns):
            in_row = column % columns * 2
            atom = in_row // 16 ^ row // rows_a_step % (row_bytes // 16)
            panel = column // columns * 32 * row_bytes
            expected = panel + row * row_bytes + atom * 16 + in_row % 16
            assert tile.offset(row, column) == expected


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("row_bytes", ROW_BYTES)
def test_an_image_has_each_element_once(row_bytes, across):
    matrix = np.arange(128 * 64).reshape(128, 64) % 2048
    image = Tile(128, 64, row_bytes, across).image(matrix.astype(np.float16))
    assert sorted(image) == sorted(matrix.ravel())


def test_a_descriptor():
    """The one that WarpgroupMma.h has as an example."""
    tile = Tile(128, 64, 128, across=True)
    leading, stride, mode = 8192, 1024, 1
    fields = leading >> 4 << 16 | stride >> 4 << 32 | mode << 62
    assert tile.descriptor(16) == fields | 16 * 128 >> 4
    assert tile.offset(64, 16) == 8192 + 16 * 128


def test_rows_that_are_too_short():
    with pytest.raises(ValueError, match="rows of 128 bytes; these have 64"):
        Tile(32, 64, 128, across=True)


@pytest.mark.parametrize("major", MAJORS)
def test_ptxas_leaves_all_products(tmp_path, major):
    found = instructions(product_ptx(64, *MAJORS[major]), tmp_path)
    assert found.count("HGMMA") == shared_modes.INSTRUCTIONS


def test_ptxas_asks_for_boxes_without_a_loop_over_threads(tmp_path):
    """Which would elect one for each box; the clocks would be those of the loop."""
    assert instructions(product_ptx(64, False, False), tmp_path).count("ELECT") == 1


def test_ptxas_leaves_all_reads(tmp_path):
    """And the one in front of the loop."""
    assert instructions(read_ptx(), tmp_path).count("LDSM") == READS + 1


def test_clocks_of_an_instruction():
    """Two blocks, whose second warpgroup begins 50 clocks later and ends as much later."""

    def launch(iterations):
        clocks = np.zeros((2, CLOCK_WORDS), np.int64)
        for block, each in enumerate((20, 30)):
            clocks[block, :4] = [100, 150 + iterations * each, 150, 200 + iterations * each]
        return clocks

    clocks = shared_modes.Clocks(iterations=10, repeats=1).each(launch, 2, 4)
    assert clocks == {"median": 6.25, "least": 5.0, "most": 7.5}


def test_bytes_a_clock():
    """The first clock is that of copy 16; a block that made no more has no rate."""
    clocks = np.zeros((2, CLOCK_WORDS), np.int64)
    clocks[0, 4:7] = [1000, 1000 + 3 * 512, 2 * SLOTS + 4]
    assert shared_modes._rates(clocks) == [SLOT_BYTES / 512, 0.0]


def test_counters_that_ncu_does_not_know_are_left_out(tools):
    unknown, *known = shared_counters.METRICS
    said = ncu_csv(dict.fromkeys(known, "7"), "reads")
    tools.write(
        "ncu",
        f"""
if {unknown!r} in line:
    sys.exit("==ERROR== Failed to find metric {unknown}")
open(sys.argv[sys.argv.index("--log-file") + 1], "w").write({said!r})
""",
    )
    assert shared_counters.count(["script"], "reads") == [dict.fromkeys(known, 7)]


def test_ncu_says_why_it_counts_nothing(tools):
    tools.prints("ncu", "==ERROR== ERR_NVGPUCTRPERM", code=1)
    with pytest.raises(ToolError, match="ERR_NVGPUCTRPERM"):
        shared_counters.count(["script"], "reads")
