"""Neighbours of places: loads that have elements in common, each with a mask and a value of its
own, of arrays that may be one, and may be written in between, in rows and in tiles, in loops that
are written out and in others."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy

from .arrays import Case, Drawing
from .interpreter import interpret
from .kernel_text import KernelText, find_difference, make_kernel

# What places may be off by, which arrays have on both sides; what stands in a result is no larger
# than MOST.
FAR, MOST = 9, 512
HEAD = """\
def drawn_kernel(
    x, y, out, n, rows, d, x_row, y_row, WIDTH: tl.constexpr, BLOCK: tl.constexpr,
    ROWS: tl.constexpr
):
    q = tl.program_id(0)
    x += {far} + {far} * x_row
    y += {far} + {far} * y_row
    i = q * BLOCK + tl.arange(0, BLOCK)
    r = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    i, r = {shape}
    total = tl.zeros((ROWS, BLOCK), dtype=tl.float32)
"""
WHOLE = ("i[None, :]", "r[:, None]")
WIDE = ("tl.cast(i, tl.int64)[None, :]", "tl.cast(r, tl.int64)[:, None]")


@dataclass
class Writer(KernelText):
    """Writes the statements of a kernel."""

    dtype: str
    # Whether statements may write what others read.
    writes: bool
    # Numbers in scope that a place may be off by.
    steps: list[str] = field(default_factory=lambda: ["d"])
    tiles: list[str] = field(default_factory=list)
    # What was loaded last, if that is in scope.
    last: str = ""

    def draw(self, least: int, most: int) -> int:
        return self.drawing.random.randint(least, most)

    def step(self) -> str:
        """Mostly small: neighbours are near."""
        number = self.drawing.pick(self.draw(-4, 4), self.draw(-1, 1), self.draw(-8, 8))
        return self.pick(*[str(number)] * 4, *self.steps, *self.counters)

    def column(self) -> str:
        return self.pick("i", "i", f"(i + {self.step()})", f"(i - {self.step()})")

    def row(self) -> str:
        return self.pick("r", "r", "r", f"(r + {self.draw(-2, 2)})")

    def part(self, column: str, row: str) -> str:
        """What a mask asks for, mostly of the place that is loaded."""
        column = self.pick(column, column, column, self.column())
        end = self.pick("n", "n", "WIDTH", f"n - {self.draw(0, 4)}", f"n + {self.draw(0, 4)}")
        return self.pick(
            f"({column} < {end})",
            f"({column} < {end})",
            f"({column} >= 0)",
            f"({column} >= {self.draw(-2, 3)})",
            f"({column} <= {end})",
            f"(0 <= {column})",
            f"({end} > {column})",
            f"({column} != {end})",
            f"({row} < rows)",
            f"({row} >= 0)",
            f"({column} & {self.draw(1, 4)} < 2)",
            "(d > 1)",
        )

    def mask(self, column: str, row: str) -> str:
        if self.chance(15):
            return ""
        parts = [self.part(column, row) for _ in range(self.draw(1, 4))]
        text = parts[0]
        for part in parts[1:]:
            text = f"({text} {self.pick('&', '&', '&', '|')} {part})"
        return f", mask={text}{self.pick('', f', other={self.draw(-3, 3)}')}"

    def pointer(self, column: str, row: str) -> str:
        name = self.pick("x", "x", "x", "y")
        place = f"{row} * {name}_row + {column}"
        return f"{name} + {self.pick(place, place, f'({column} + {row} * {name}_row)')}"

    #  Statements

    def write(self, size: int) -> None:
        ways = [*[self.load] * 6, self.load_again, self.compute]
        if self.writes:
            ways += [self.store] * 2
        if self.depth < 3:
            ways += [self.write_loop, self.write_branch]
        for _ in range(size):
            self.drawing.pick(*ways)()

    def load(self) -> None:
        column, row = self.column(), self.row()
        more = ", volatile=True" if self.chance(3) else ""
        self.take(f"tl.load({self.pointer(column, row)}{self.mask(column, row)}{more})")

    def load_again(self) -> None:
        """Of a row, some neighbours with masks that are alike."""
        row, first = self.row(), self.draw(-3, 1)
        columns = [f"(i + {first + number})" for number in range(self.draw(2, 5))]
        columns[0] = self.pick("i", columns[0])
        mask = self.mask("COLUMN", row)
        pointer = self.pointer("COLUMN", row)
        for column in self.drawing.random.sample(columns, len(columns)):
            self.take(f"tl.load({pointer}{mask})".replace("COLUMN", column))

    def take(self, value: str) -> None:
        self.last = value
        tile = self.name("t")
        self.line(f"{tile} = tl.cast({value}, tl.float32)")
        self.line(f"total += {self.pick('', f'{self.draw(2, 3)} * ')}{tile}")
        self.tiles.append(tile)

    def compute(self) -> None:
        one, two = (self.pick("total", *self.tiles[-6:]) for _ in range(2))
        self.line(f"total += tl.{self.pick('maximum', 'minimum')}({one}, {two})")

    def store(self) -> None:
        """To one of both, which may lie in the same array."""
        column, row = self.pick("i", "(i + 1)", "(i - 2)"), "r"
        number = f"tl.cast(tl.minimum(tl.maximum(total, -9.0), 9.0), tl.{self.dtype})"
        mask = self.mask(column, row).partition(", other")[0]
        self.line(f"tl.store({self.pointer(column, row)}, {number}{mask})")
        if self.last and self.chance(70):
            self.take(self.last)

    def write_loop(self) -> None:
        word = self.pick("range", "tl.static_range")
        counter = self.name("k")
        last = self.pick("2", "3") if word != "range" else self.pick("2", "3", "4", "d")
        tiles = len(self.tiles)
        with self.below(f"for {counter} in {word}({last}):"):
            self.counters.append(counter)
            self.write(self.draw(1, 3))
            self.counters.pop()
        del self.tiles[tiles:]
        self.last = ""
        self.limit()

    def write_branch(self) -> None:
        tiles = len(self.tiles)
        with self.below(f"if {self.pick('q', 'd')} {self.pick('<', '==', '>')} 1:"):
            self.write(self.draw(1, 3))
        del self.tiles[tiles:]

    def limit(self) -> None:
        self.line(f"total = tl.minimum(tl.maximum(total, -{MOST}.0), {MOST}.0)")


def stencils(drawing: Drawing) -> Case:
    dtype = drawing.pick("int8", "int16", "int32", "float16", "float16", "float32", "float32")
    block, tall = drawing.pick(
        *[(64, 1), (128, 1), (256, 1), (512, 1), (1024, 1), (16, 4), (32, 8), (64, 2), (64, 16)]
    )
    warps = drawing.pick(1, 1, 2, 4, 4, 8)
    grid = drawing.pick((1, 1), (1, 1), (2, 1), (1, 2), (3, 2))
    writes = grid == (1, 1) and drawing.pick(True, True, False)
    writer = Writer(drawing, dtype, writes)
    writer.write(drawing.random.randint(3, 8))
    writer.limit()
    column, row = drawing.pick(WHOLE, WHOLE, WHOLE, WIDE)
    head = HEAD.format(far=FAR, shape=f"{column}, {row}")
    end = "    tl.store(out + r * (tl.num_programs(0) * BLOCK) + i, total)\n"
    text = head + "\n".join(writer.lines) + "\n" + end
    width, height = block * grid[0], tall * grid[1]
    n, rows = width - drawing.pick(0, 0, 1, 3, 8, 17), height - drawing.pick(0, 0, 1)
    d = drawing.pick(0, 1, 2, 4, 5)

    def run() -> str:
        strides = [width + 2 * FAR + drawing.pick(0, 0, 1, 6, 14) for _ in range(2)]
        sizes = [(height + 2 * FAR) * stride + 2 * FAR for stride in strides]
        # Where y begins in x, if it does.
        ahead = drawing.pick(None, None, 0, 1, 4)
        x, y = (drawing.numbers.integers(-9, 10, max(sizes)) for _ in range(2))
        expected = numpy.zeros((height, width))
        on_device = [drawing.device.put(x, dtype), drawing.device.put(y, dtype)]
        if ahead is not None:
            whole = numpy.concatenate((x, y))
            both = drawing.device.put(whole, dtype)
            x, y = whole, whole[ahead:]
            on_device = [both, both[ahead:]]
        on_device.append(drawing.device.put(expected, "float32"))
        more = (n, rows, d, *strides, width, block, tall)
        make_kernel(text)[grid](*on_device, *more, num_warps=warps)
        interpret(text, grid, [x, y, expected], *more)
        for name, place, right in (("out", 2, expected), ("x", 0, x), ("y", 1, y)):
            actual = drawing.device.get(on_device[place])
            if difference := find_difference(actual, right, f" of {name}"):
                return f"{difference}\n{text}"
        return ""

    name = f"stencils {dtype} {block}x{tall} {warps=} {grid=} {n=} {rows=} {d=}"
    return Case(name, run)


FAMILIES = (stencils,)
