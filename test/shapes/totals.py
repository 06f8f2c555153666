"""What programs add up: additions to places that all programs share, or do not, counts of bins, and
loops that keep a total or an extreme of what they reduce. Of some kernels one block runs many
programs and adds once, of some loops one reduction is made behind them; a word that reads or writes
anything else in between may forbid it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy

from .arrays import Case, Drawing
from .interpreter import Pointer, interpret
from .kernel_text import KernelText, find_difference, make_kernel

# What is loaded is no larger, so that sums are exact.
MOST, BINS = 3, 16
HEAD = """\
def drawn_kernel(
    x, table, sums, counts, out, m, n, size, first, last, step, ROWS: tl.constexpr,
    BLOCK: tl.constexpr
):
    p = tl.program_id({axis})
    q = {other}
    r = tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    row = tl.load(table + p * BLOCK + c)
    tile = tl.load(x + (p * ROWS + r)[:, None] * BLOCK + c[None, :])
"""


@dataclass
class Writer(KernelText):
    """Writes the statements of a kernel."""

    dtype: str
    rows: list[str] = field(default_factory=lambda: ["row"])
    tiles: list[str] = field(default_factory=lambda: ["tile"])
    scalars: list[str] = field(default_factory=lambda: ["p", "n"])
    # Whether programs also store, each to a row of its own.
    others: bool = False

    def number(self, most: int) -> int:
        return self.drawing.random.randint(0, most)

    def define(self, names: list[str], start: str, value: str) -> None:
        name = self.name(start)
        self.line(f"{name} = {value}")
        names.append(name)

    def below_only(self, head: str, write: Callable[[], None]) -> None:
        """What is defined there is known nowhere else."""
        known = [list(names) for names in (self.rows, self.tiles, self.scalars)]
        with self.below(head):
            write()
        self.rows[:], self.tiles[:], self.scalars[:] = known

    #  Values

    def condition(self) -> str:
        return f"{self.pick('n', 'm', 'n', *self.scalars)} {self.pick('<', '>')} {self.number(12)}"

    def mask(self) -> str:
        """Of places: mostly the same in all programs."""
        text = self.pick(
            "", "", "c < n", "c >= n", "(c < n) & (c != 3)", "c < p", "row > 0", "c + n < m"
        )
        return f", mask={text}" if text else ""

    def places(self) -> str:
        others = ("(BLOCK - 1 - c)", "c // 2", "(c * 3) % BLOCK", "c * 0", "(c + p) % BLOCK")
        return self.pick("c", "c", "c", *others)

    def place(self) -> str:
        return self.pick("0", "0", "n % BLOCK", "(BLOCK - 1)", "p % BLOCK", "q % BLOCK")

    def column_sums(self) -> str:
        """A row of totals."""
        tile = self.pick(*self.tiles)
        return self.pick(
            f"tl.sum({tile}, axis=0)",
            f"tl.sum({tile}, axis=0)",
            self.pick(*self.rows),
            f"tl.cumsum({self.pick(*self.rows)}, axis=0)",
            f"tl.max({tile}, axis=0)",
            f"({self.pick(*self.rows)} + {self.number(3)})",
        )

    def total(self) -> str:
        tile = self.pick(*self.tiles)
        return self.pick(
            f"tl.sum({self.pick(*self.rows)}, axis=0)",
            f"tl.sum({self.column_sums()}, axis=0)",
            f"tl.sum(tl.sum({tile}, axis=1), axis=0)",
            f"tl.max({self.pick(*self.rows)}, axis=0)",
            f"tl.cast({self.number(3)}, tl.{self.dtype})",
        )

    #  Statements

    def compute(self) -> None:
        if self.chance(50):
            names, start, shape = self.rows, "v", "c"
        else:
            names, start, shape = self.tiles, "t", "r[:, None] + c[None, :]"
        value = self.pick(*names)
        self.define(
            names,
            start,
            self.pick(
                f"tl.where({shape} < n, {value}, 0)",
                f"tl.where({value} > {self.number(2)}, {value}, {value} - 1)",
                f"-{value}",
                f"({value} + {self.pick(*names)})",
            ),
        )

    def load(self) -> None:
        if self.chance(50):
            place, other = "p * BLOCK + c", self.pick("0", "0", "2")
            value = f"tl.load(table + {place}, mask={place} < size, other={other})"
        else:
            mask = self.pick("", ", mask=c < n, other=0", ", mask=c != p, other=1")
            value = f"tl.load(table + {self.pick('p * BLOCK + ', '')}c{mask})"
        self.define(self.rows, "v", value)

    def load_tile(self) -> None:
        inside = self.pick("(p * ROWS + r < m)[:, None] & (c < n)[None, :]", "(c < n)[None, :]")
        places = "(p * ROWS + r)[:, None] * BLOCK + c[None, :]"
        self.define(self.tiles, "t", f"tl.load(x + {places}, mask={inside}, other=0)")

    def add(self) -> None:
        self.line(f"tl.atomic_add(sums + {self.places()}, {self.column_sums()}{self.mask()})")

    def add_one(self) -> None:
        mask = self.pick("", "", "", f", mask={self.condition()}")
        self.line(f"tl.atomic_add(sums + {self.place()}, {self.total()}{mask})")

    def count(self) -> None:
        numbers = f"(tl.cast({self.pick(*self.rows)}, tl.int32) & {BINS - 1})"
        mask = self.pick("", ", mask=c < n", ", mask=row > 0")
        bins = f"tl.histogram({numbers}, {BINS}{mask})"
        self.line(f"tl.atomic_add(counts + tl.arange(0, {BINS}), {bins})")

    def other(self) -> None:
        self.line(
            self.pick(
                f"tl.store(out + p * BLOCK + c, {self.pick(*self.rows)})",
                f"tl.atomic_max(out + p * BLOCK + c, {self.pick(*self.rows)})",
            )
        )

    def keep(self) -> None:
        """A loop that keeps a total or an extreme of columns, or of all."""
        start, combine, reduce = self.drawing.pick(
            ("-4", "tl.maximum({0}, {1})", "max"),
            ("9", "tl.minimum({1}, {0})", "min"),
            ("0", "{0} + {1}", "sum"),
            ("1", "{1} + {0}", "sum"),
        )
        name, axis = self.name("k"), self.drawing.pick(0, 0, 0, 1)
        size = "BLOCK" if axis == 0 else "ROWS"
        self.line(f"{name} = tl.full(({size},), {start}, tl.{self.dtype})")
        head = self.pick(
            "first, last, step", "first, last", "0, n % 3", "2, -1, -1", "0, 3", "last, first, 2"
        )
        counter = self.name("i")

        def write() -> None:
            places = f"(({self.pick('p', 'q % 2', '0')} + {counter} % 2) * ROWS + r)[:, None]"
            inside = self.pick("", "", ", mask=(c < n)[None, :], other=0")
            term = f"tl.load(x + {places} * BLOCK + c[None, :]{inside})"
            if self.chance(20):
                term = f"({term} + {counter})"
            self.line(f"{name} = {combine.format(name, f'tl.{reduce}({term}, axis={axis})')}")
            if self.others and axis == 0 and self.chance(20):
                self.line(f"tl.store(out + p * BLOCK + c, {name})")

        self.below_only(f"for {counter} in range({head}):", write)
        if axis == 0:
            self.rows.append(name)
        else:
            self.line(f"tl.atomic_add(sums + r, {name})")

    def branch(self) -> None:
        def write() -> None:
            self.drawing.pick(self.load, self.load_tile, self.compute, self.add, self.add_one)()
            if self.chance(50):
                self.add()

        self.below_only(f"if {self.condition()}:", write)

    def write(self) -> None:
        ways = [self.compute, self.load, self.load_tile, *[self.add] * 3, *[self.add_one] * 2]
        if self.dtype.startswith("int"):
            ways.append(self.count)
        ways += [self.keep] * self.number(2) + [self.branch] * (self.number(3) == 0)
        if self.others:
            ways.append(self.other)
        for _ in range(self.drawing.random.randint(2, 5)):
            self.drawing.pick(*ways)()
        self.drawing.pick(self.add, self.add_one)()


def _add(pointer: Pointer, values: Any, mask: Any = True) -> None:
    places, values, inside = numpy.broadcast_arrays(pointer.offset, values, mask)
    numpy.add.at(pointer.array, places[inside], values[inside])


def _most(pointer: Pointer, values: Any) -> None:
    numpy.maximum.at(pointer.array, pointer.offset, values)


def _count(numbers: Any, bins: int, mask: Any = True) -> Any:
    return numpy.bincount(numbers[numpy.broadcast_to(mask, numbers.shape)], minlength=bins)


WORDS = {
    "atomic_add": _add,
    "atomic_max": _most,
    "histogram": _count,
    "full": lambda shape, value, dtype: numpy.full(shape, float(value)),
    "min": lambda values, axis: values.min(axis=axis),
}


def totals(drawing: Drawing) -> Case:
    rows, block = drawing.pick(1, 2, 4, 8, 16), drawing.pick(32, 64, 128, 256)
    dtype = drawing.pick("int32", "int32", "int64", "float32")
    warps, axis = drawing.pick(1, 2, 4, 8), drawing.pick(0, 0, 1, 2)
    extents = [drawing.pick(1, 1, 2, 3) for _ in range(3)]
    writer = Writer(drawing, dtype, others=drawing.pick(False, False, False, True))
    if writer.others:
        extents = [1, 1, 1]
    extents[axis] = drawing.pick(1, 2, 5, 13, 24)
    asks = drawing.pick(False, False, True)
    other = f"tl.program_id({(axis + 1) % 3})" if asks else "n"
    writer.write()
    text = HEAD.format(axis=axis, other=other) + "\n".join(writer.lines) + "\n"
    programs = extents[axis]
    n, first = drawing.random.randint(0, block), drawing.pick(0, 1)
    m, size = programs * rows - drawing.pick(0, 1, 3), programs * block - drawing.pick(0, 1, 40)
    numbers = (m, n, size, first, drawing.pick(0, 1, 4), 2)

    def run() -> str:
        draw = drawing.numbers.integers
        # For loops that go one row of tiles further.
        x = draw(-MOST, MOST + 1, (programs + 3) * rows * block)
        table = draw(-MOST, MOST + 1, (programs + 1) * block)
        wholes = [x, table, *(numpy.ones(each, int) for each in (block, BINS, programs * block))]
        types = (dtype, dtype, dtype, "int32", dtype)
        arrays = [drawing.device.put(*pair) for pair in zip(wholes, types, strict=True)]
        kernel = make_kernel(text)
        kernel[tuple(extents)](*arrays, *numbers, rows, block, num_warps=warps)
        interpret(text, tuple(extents), wholes, *numbers, rows, block, words=WORDS)
        for array, whole, name in zip(arrays, wholes, ("x", "table", *"sco"), strict=True):
            if difference := find_difference(drawing.device.get(array), whole, f" of {name}"):
                return f"{difference} by {numbers}\n{text}"
        return ""

    return Case(f"totals {dtype} {rows} x {block} by {extents} warps={warps}", run)


FAMILIES = (totals,)
