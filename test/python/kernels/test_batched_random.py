"""Random programs of branches, loops, reductions and accesses: blocks that run several of them at
once leave the bits that blocks of one program leave."""

import importlib.util
import random

import numpy as np
import pytest
from examples_support import TARGETS

pytestmark = pytest.mark.usefixtures("without_ptxas")

BLOCK = 32

HEAD = """import tilewright
import tilewright.language as tl

@tilewright.jit
def kernel(x, y, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(AXIS)
    columns = tl.arange(0, BLOCK)
    a = row * 3 - 1
    b = n
    t = tl.load(x + row * BLOCK + columns)
    u = columns * n
"""
TAIL = """    place = out + row * 4 * BLOCK + columns
    tl.store(place, t)
    tl.store(place + BLOCK, u)
    tl.store(place + 2 * BLOCK, tl.where(columns < 7, a, b))
"""


class Writer:
    """Draws the body of a kernel, which has the scalars a and b and the tiles t and u."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines = []
        self.loops = 0

    def pick(self, *choices):
        return self.rng.choice(choices)

    def scalar(self):
        one, tile = self.pick("a", "b", "row", "n", "5"), self.pick("t", "u")
        return self.pick(
            f"{one} {self.pick('+', '-', '*', '^')} {self.pick('a', 'b', '3')}",
            f"tl.{self.pick('sum', 'max', 'min', 'xor_sum')}({tile}, axis=0)",
            f"tl.load(y + ({one} & 15))",
            f"tl.minimum({one}, {self.pick('a', 'b')})",
        )

    def tile(self):
        one, two = self.pick("t", "u"), self.pick("t", "u", "a", "b", "columns", "n")
        return self.pick(
            f"{one} {self.pick('+', '-', '*', '^')} {two}",
            f"tl.where({one} > {two}, {self.pick('t', 'u')}, {self.pick('a', 'columns')})",
            f"tl.cumsum({one}, axis=0)",
            f"tl.load(x + row * BLOCK + (columns ^ {self.pick('1', '8', 'n & 31')}))",
            f"tl.load(y + ({one} & 15), mask=columns < {self.pick('a', 'n', '20')}, other=9)",
            f"tl.ravel(tl.trans(tl.reshape({one}, (4, 8)))) + {two}",
        )

    def write(self, depth, room):
        pad = "    " * depth
        for _ in range(self.rng.randint(1, room)):
            kind = self.rng.random()
            if kind < 0.3:
                self.lines.append(f"{pad}{self.pick('a', 'b')} = {self.scalar()}")
            elif kind < 0.6 or depth > 3:
                self.lines.append(f"{pad}{self.pick('t', 'u')} = {self.tile()}")
            elif kind < 0.7:
                mask = self.pick("", ", mask=columns < a", ", mask=t > u")
                place = "out + row * 4 * BLOCK + 3 * BLOCK + columns"
                self.lines.append(f"{pad}tl.store({place}, {self.pick('t', 'u')}{mask})")
            elif kind < 0.85:
                self.lines.append(f"{pad}if {self.pick('a', 'b', 'n')} > {self.pick('b', '4')}:")
                self.write(depth + 1, room - 1)
                if self.rng.random() < 0.6:
                    self.lines.append(f"{pad}else:")
                    self.write(depth + 1, room - 1)
            else:
                self.loops += 1
                extent = self.pick("2", "n & 3", "row, 9, tl.num_programs(AXIS)")
                self.lines.append(f"{pad}for i{self.loops} in range({extent}):")
                self.lines.append(f"{pad}    a += i{self.loops}")
                self.write(depth + 1, room - 1)


def make_kernel(seed, folder):
    writer = Writer(seed)
    writer.write(1, 5)
    axis = writer.pick(0, 1, 2)
    text = HEAD + "".join(f"{line}\n" for line in writer.lines) + TAIL
    path = folder / f"random_{seed}.py"
    path.write_text(text.replace("AXIS", str(axis)))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel, axis


def run(kernel, axis, rows, seed, **options):
    rng = np.random.default_rng(seed)
    x = rng.integers(-99, 99, rows * BLOCK).astype(np.int32)
    y = rng.integers(-9, 20, 16).astype(np.int32)
    out = np.zeros(rows * 4 * BLOCK, np.int32)
    grid = [1, 1, 1]
    grid[axis] = rows
    compiled = kernel[tuple(grid)](x, y, out, int(rng.integers(0, 30)), BLOCK=BLOCK, **options)
    return out, compiled.report["programs_per_block"]


@pytest.mark.parametrize("seed", range(24))
def test_random_programs(seed, tmp_path):
    kernel, axis = make_kernel(seed, tmp_path)
    options = {"target": TARGETS[seed % len(TARGETS)], "num_warps": [1, 2, 4][seed % 3]}
    for rows in (1, 17, 65):
        alone, one = run(kernel, axis, rows, seed, batch_programs=False, **options)
        together, several = run(kernel, axis, rows, seed, **options)
        assert one == 1
        # Without a reduction, or with trips that differ otherwise, blocks stay as they are.
        # Rows of which two parts are loaded count as longer ones.
        assert several in (1, 8 * options["num_warps"], 16 * options["num_warps"])
        np.testing.assert_array_equal(together, alone)


def test_most_random_programs_share_blocks(tmp_path):
    """Else the test above would say little."""
    shared = 0
    for seed in range(24):
        kernel, _ = make_kernel(seed, tmp_path)
        types = {"x": "*i32", "y": "*i32", "out": "*i32", "n": "i32"}
        compiled = kernel.compile(types, {"BLOCK": BLOCK}, target="sm_90a")
        shared += compiled.report["programs_per_block"] > 1
    assert shared >= 12
