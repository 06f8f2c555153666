"""Kernels over the rows of matrices that are drawn: a row or several a program, programs that take
rows in turn, rows in parts. What they load lies in order, backwards, in steps, transposed or where
a list says; beside it are numbers of rows and of columns; what they compute is stored, combined,
and maybe read again, in place too. The same text is run by NumPy; numbers are small and whole, so
that all is exact."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy

from .arrays import Case, Drawing
from .interpreter import Pointer, words_of
from .kernel_text import KERNEL, KernelText, find_difference, make_kernel
from .lists import check_places, load_checked

TYPES = ("float16", "float32", "float32", "float64", "int8", "int16", "int32")
# What is stored, and what is computed, is no larger.
MOST_STORED, MOST = 100, 1 << 20
HEAD = """\
def drawn_kernel(
    x, y, z, out, turned, of_rows, of_columns, order, M, N, x_row, y_row, z_row, out_row,
    turned_row, ROWS: tl.constexpr, BLOCK: tl.constexpr,
):
    p = tl.program_id(0)
"""


@dataclass(frozen=True)
class Tile:
    """`kind` is "tile", "rows", "columns" or "number"."""

    name: str
    kind: str
    most: int


@dataclass
class Writer(KernelText):
    """Writes the statements of a kernel."""

    # Whether a program has one row, and so tiles have one dimension.
    is_row: bool
    in_place: bool
    # Whether numbers are floats.
    floats: bool
    tiles: list[Tile] = field(default_factory=list)
    # Whether there are columns now: in loops over parts, or everywhere.
    has_columns: bool = False
    # Of programs that have some columns each, those that are stored: others have the rest.
    stored: str = ""

    @contextmanager
    def below(self, head: str) -> Iterator[None]:
        tiles = len(self.tiles)
        with super().below(head):
            yield
        del self.tiles[tiles:]

    def draw(self, least: int, most: int) -> int:
        return self.drawing.random.randint(least, most)

    @property
    def number_kind(self) -> str:
        """What a sum along a row is."""
        return "number" if self.is_row else "rows"

    def define(self, text: str, kind: str, most: int) -> Tile:
        name = self.name("t")
        if most > MOST:
            text, most = f"tl.minimum(tl.maximum({text}, -{MOST}), {MOST})", MOST
        self.line(f"{name} = {text}")
        self.tiles.append(Tile(name, kind, most))
        return self.tiles[-1]

    def find(self, *kinds: str) -> Tile | None:
        fitting = [tile for tile in self.tiles if tile.kind in kinds]
        return self.drawing.pick(*fitting, *fitting[-2:]) if fitting else None

    #  What is loaded

    def at_row(self, text: str) -> str:
        return text if self.is_row else f"({text})[:, None]"

    def at_column(self, text: str) -> str:
        return text if self.is_row else f"({text})[None, :]"

    def load(self) -> None:
        if not self.has_columns:
            return
        source = self.pick("x", "x", "y", "z", *["out"] * self.in_place)
        row = "rows"
        if source in ("y", "z") and self.chance(40):
            row = self.pick("(M - 1 - rows)", "listed", "(rows // 2)")
        column, more = "columns", "columns < N"
        if self.chance(40):
            column, more = self.drawing.pick(
                ("(N - 1 - columns)", "columns < N"),
                ("(columns + 1)", "columns + 1 < N"),
                ("(columns - 2)", "(columns >= 2) & (columns < N + 2)"),
                ("(columns * 2)", "columns * 2 < N"),
                ("(columns // 2)", "columns < N"),
                ("tl.minimum(columns, N - 1)", "columns < N"),
            )
        mask = f"({self.at_row('rows < M')}) & ({self.at_column(more)})"
        if self.is_row and self.chance(60):
            mask = more
        if source == "z":
            # The columns of which are rows.
            place = f"z + {self.at_column(column)} * z_row + {self.at_row(row)}"
        else:
            place = f"{source} + {self.at_row(row)} * {source}_row + {self.at_column(column)}"
        other = self.drawing.pick(0, 0, 0, -50, 1)
        hint = self.pick("", "", "", ', cache_modifier=".cg"', ', eviction_policy="evict_first"')
        text = f"tl.load({place}, mask={mask}, other={other}{hint})"
        self.define(self.cast(text), "tile", 100)

    def cast(self, text: str) -> str:
        return f"tl.cast({text}, tl.{'float32' if self.floats else 'int32'})"

    def load_of_rows(self) -> None:
        mask = "" if self.is_row else ", mask=rows < M, other=3"
        row = self.pick("rows", "rows", "(M - 1 - rows)", "listed")
        self.define(self.cast(f"tl.load(of_rows + {row}{mask})"), self.number_kind, 9)

    def load_of_columns(self) -> None:
        if self.has_columns:
            text = self.cast("tl.load(of_columns + columns, mask=columns < N, other=0)")
            self.define(text, "columns", 9)

    #  What is computed

    def spread(self, tile: Tile) -> str:
        """As it is beside tiles."""
        if tile.kind == "rows":
            return f"{tile.name}[:, None]"
        return self.at_column(tile.name) if tile.kind == "columns" else tile.name

    def compute(self) -> None:
        one = self.find("tile") or self.find("number", "rows")
        if one is None:
            return
        kinds = {"tile": ("tile", "tile", "rows", "columns", "number"), "rows": ("rows", "number")}
        other = self.find(*kinds.get(one.kind, ("number",)))
        assert other is not None
        a, b = one.name, self.spread(other) if one.kind == "tile" else other.name
        most = max(one.most, other.most)
        text, most = self.drawing.pick(
            (f"{a} + {b}", one.most + other.most),
            (f"{a} - {b}", one.most + other.most),
            (f"{b} - {a}", one.most + other.most),
            (f"tl.maximum({a}, {b})", most),
            (f"tl.minimum({a}, {b})", most),
            (f"{a} * {self.draw(2, 3)}", one.most * 3),
            (f"-{a}", one.most),
            (f"tl.abs({a})", one.most),
            (f"tl.where({a} > {b}, {a}, {b} - 1)", most + 1),
            (f"tl.where({a} == {b}, {self.draw(0, 5)}, {a})", most + 5),
        )
        if one.most * other.most < MOST and self.chance(20):
            text, most = f"{a} * {b}", one.most * other.most
        self.define(text, one.kind, most)

    def cut(self) -> None:
        """What a row does not have is something else."""
        tile = self.find("tile")
        if tile is not None:
            value = self.drawing.pick(0, -200, 200)
            where = self.at_column("columns < N")
            self.define(f"tl.where({where}, {tile.name}, {value})", "tile", max(tile.most, 200))

    def combine(self) -> None:
        tile = self.find("tile")
        if tile is None:
            return
        along_rows = not self.is_row and self.chance(25)
        axis = 0 if self.is_row or along_rows else 1
        kind = "columns" if along_rows else self.number_kind
        word = self.pick("sum", "sum", "max", "min", "argmax", "sums")
        if word == "argmax":
            self.define(self.cast(f"tl.argmax({tile.name}, axis={axis})"), kind, 1 << 15)
        elif word == "sums":
            both = f"{tile.name} * {tile.name}" if tile.most <= 200 else tile.name
            self.define(f"tl.sum({both}, axis={axis})", kind, MOST)
        else:
            bounded = tile.most if word != "sum" else MOST
            if word == "sum" and tile.most > 500:
                return
            self.define(f"tl.{word}({tile.name}, axis={axis})", kind, bounded)

    def scan(self) -> None:
        tile = self.find("tile")
        if tile is not None and tile.most <= 500:
            axis = 0 if self.is_row else self.draw(0, 1)
            self.define(f"tl.cumsum({tile.name}, axis={axis})", "tile", MOST)

    #  What is stored

    def small(self, tile: Tile) -> str:
        if tile.most <= MOST_STORED:
            return tile.name
        return f"tl.minimum(tl.maximum({tile.name}, -{MOST_STORED}), {MOST_STORED})"

    def store(self) -> None:
        tile = self.find("tile")
        if tile is None:
            return
        column = self.stored or self.pick(*["columns"] * 3, "(N - 1 - columns)")
        mask = f"({self.at_row('rows < M')}) & ({self.at_column('columns < N')})"
        if self.is_row and self.chance(70):
            mask = "columns < N"
        if self.chance(20):
            mask = f"({mask}) & ({tile.name} >= 0)"
        place = f"out + {self.at_row('rows')} * out_row + {self.at_column(column)}"
        if self.chance(25):
            place = f"turned + {self.at_column(column)} * turned_row + {self.at_row('rows')}"
        self.line(f"tl.store({place}, {self.small(tile)}, mask={mask})")

    def store_of_rows(self) -> None:
        tile = self.find(self.number_kind)
        if tile is not None and not self.stored:
            mask = "" if self.is_row else ", mask=rows < M"
            place = f"turned + N * turned_row + {self.draw(0, 1)} * M + rows"
            self.line(f"tl.store({place}, {self.small(tile)}{mask})")

    #  Statements

    def write(self, size: int) -> None:
        ways = [*[self.load] * 4, *[self.compute] * 4, self.load_of_rows, self.load_of_columns]
        ways += [self.combine, self.combine, self.cut, self.store, self.store, self.store_of_rows]
        ways += [self.scan]
        if self.depth < 4:
            ways.append(self.write_branch)
        for _ in range(size):
            self.drawing.pick(*ways)()

    def write_branch(self) -> None:
        number = self.find("number")
        of_launch = self.pick("p", "M", "N")
        one = number.name if number is not None and self.chance(60) else of_launch
        with self.below(f"if {one} {self.pick('<', '>', '==')} {self.draw(0, 9)}:"):
            self.write(self.draw(1, 3))
            self.line("pass")

    def write_whole(self) -> None:
        """Rows whose block has all columns."""
        self.line("columns = tl.arange(0, BLOCK)")
        self.has_columns = True
        self.load()
        self.write(self.draw(3, 9))
        self.store()

    def write_blocks(self) -> None:
        """Programs that have some rows, and some columns of them."""
        self.stored = self.pick("columns", "columns", "(N - 1 - columns)")
        self.line("columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)")
        self.has_columns = True
        self.load()
        self.write(self.draw(2, 8))
        self.store()

    def write_parts(self) -> None:
        """Rows in parts, once or twice."""
        carried = []
        for _ in range(self.draw(1, 2)):
            zeros = "tl.zeros((ROWS,), dtype=tl.{})"
            start = ("0.0" if self.floats else "0") if self.is_row else zeros.format(
                "float32" if self.floats else "int32")  # fmt: skip
            carried.append(self.define(start, self.number_kind, MOST))
        for _ in range(self.draw(1, 2)):
            stages = self.pick("", "", f", num_stages={self.draw(1, 4)}")
            word = "tl.range" if stages else "range"
            with self.below(f"for first in {word}(0, N, BLOCK{stages}):"):
                self.line("columns = first + tl.arange(0, BLOCK)")
                self.has_columns = True
                self.load()
                self.write(self.draw(1, 6))
                if self.chance(60):
                    self.store()
                for number in carried:
                    self.carry_on(number)
                self.has_columns = False
            self.write(self.draw(0, 2))
        self.store_of_rows()

    def carry_on(self, number: Tile) -> None:
        tile = self.find("tile")
        if tile is None or self.chance(20):
            return
        axis = 0 if self.is_row else 1
        if tile.most > 500:
            largest = f"tl.max({tile.name}, axis={axis})"
            self.line(f"{number.name} = tl.maximum({number.name}, {largest})")
        else:
            added = f"{number.name} + tl.sum({tile.name}, axis={axis})"
            self.line(f"{number.name} = tl.minimum({added}, {MOST})")


def write_kernel(drawing: Drawing, is_row: bool, in_turn: bool, way: str, floats: bool,
                 in_place: bool) -> str:  # fmt: skip
    writer = Writer(drawing, is_row, in_place, floats)
    first, every = ("p", "tl.num_programs(0)") if is_row else (
        "p * ROWS", "tl.num_programs(0) * ROWS")  # fmt: skip
    if in_turn:
        writer.line(f"for place in range({first}, M, {every}):")
        writer.depth += 1
        first = "place"
    writer.line(f"rows = {first}" if is_row else f"rows = {first} + tl.arange(0, ROWS)")
    listed = "tl.load(order + rows)" if is_row else "tl.load(order + rows, mask=rows < M, other=0)"
    writer.line(f"listed = {listed}")
    {"parts": writer.write_parts, "whole": writer.write_whole, "blocks": writer.write_blocks}[way]()
    return HEAD + "\n".join(writer.lines) + "\n"


#  By NumPy


def _store(pointer: Pointer, values: Any, mask: Any = True) -> None:
    places, inside = check_places(pointer, mask)
    pointer.array[places[inside]] = numpy.broadcast_to(values, places.shape)[inside]


def _load(pointer: Pointer, mask: Any = True, other: float = 0, **hints: Any) -> Any:
    found = load_checked(pointer, mask, other)
    return found.astype(numpy.int64) if isinstance(found, numpy.ndarray) else int(found)


def interpret(text: str, grid: tuple[int, int], arrays: list[numpy.ndarray], *rest: Any) -> None:
    for program in itertools.product(*(range(size) for size in grid)):
        more = vars(words_of(program)) | {
            "load": _load,
            "store": _store,
            "cast": lambda value, dtype: value,
            "num_programs": lambda axis: grid[axis],
            "zeros": lambda shape, dtype: numpy.zeros(shape, numpy.int64),
            "min": lambda values, axis: values.min(axis=axis),
            "argmax": lambda values, axis: values.argmax(axis=axis),
            "abs": numpy.abs,
        }
        names: dict[str, Any] = {"tl": SimpleNamespace(**more)}
        exec(text, names)
        names[KERNEL](*(Pointer(each.reshape(-1)) for each in arrays), *rest)


def draw_sizes(drawing: Drawing) -> tuple[int, int]:
    way = drawing.random.random()
    if way < 0.1:
        return drawing.pick(1, 2, 3), drawing.random.randint(1000, 20000)
    if way < 0.3:
        return drawing.random.randint(20, 200), drawing.random.randint(1, 24)
    columns = drawing.pick(16, 32, 64, 128) + drawing.pick(-1, 0, 0, 1)
    return drawing.random.randint(1, 40), drawing.pick(drawing.random.randint(1, 300), columns)


def matrices(drawing: Drawing) -> Case:
    m, n = draw_sizes(drawing)
    is_row, in_turn = (drawing.random.random() < each for each in (0.5, 0.25))
    way = drawing.pick("whole", "whole", "parts", "blocks")
    rows = 1 if is_row else drawing.pick(1, 2, 4, 8, 16, 32)
    block = 1 << (n - 1).bit_length()
    if way != "whole":
        block = max(min(drawing.pick(block, block // 2, block // 4, 64, 32), 1024), 1, block // 16)
    while rows * block > 16384 and rows > 1:
        rows //= 2
    dtype, other = drawing.pick(*TYPES), drawing.pick(*TYPES)
    floats, in_place = drawing.pick(True, False), drawing.random.random() < 0.25
    in_place &= way != "blocks"
    text = write_kernel(drawing, is_row, in_turn, way, floats, in_place)
    programs = drawing.random.randint(1, 5) if in_turn else -(-m // rows)
    grid = programs, -(-n // block) if way == "blocks" else 1
    warps, stages = drawing.pick(1, 2, 4, 4, 8, 16), drawing.pick(1, 2, 3, 4)

    def run() -> str:
        numbers = drawing.numbers.integers
        x_row, y_row, out_row = (n + drawing.pick(0, 0, 1, 3, 8) for _ in range(3))
        z_row, turned_row = (m + drawing.pick(0, 0, 1, 8) for _ in range(2))
        given = [
            (numbers(-9, 10, m * x_row), dtype),
            (numbers(-9, 10, m * y_row), other),
            (numbers(-9, 10, n * z_row), dtype),
            (numbers(-9, 10, m * out_row), dtype),
            (numbers(-9, 10, n * turned_row + 2 * m), other),
            (numbers(-9, 10, m), drawing.pick("float32", "int32", other)),
            (numbers(-9, 10, n), drawing.pick("float32", dtype)),
            (numbers(0, m, m), "int32"),
        ]
        firsts = [drawing.pick(0, 0, 1, 3, 8) for _ in given]
        arrays = [
            drawing.device.put(numpy.concatenate((numpy.full(first, 77), values)), to)[first:]
            for first, (values, to) in zip(firsts, given, strict=True)
        ]
        expected = [values for values, _ in given]
        if in_place:
            arrays[0], expected[0], x_row = arrays[3], expected[3], out_row
        sizes = (m, n, x_row, y_row, z_row, out_row, turned_row, rows, block)
        make_kernel(text)[grid](*arrays, *sizes, num_warps=warps, num_stages=stages)
        interpret(text, grid, expected, *sizes)
        for name, place in (("out", 3), ("turned", 4)):
            actual = drawing.device.get(arrays[place])
            if difference := find_difference(actual, expected[place], f" of {name}"):
                return f"{difference}\n{text}"
        return ""

    name = f"matrices {m} x {n} {dtype} {other} {rows=} {block=} {grid=} {warps=} {stages=}"
    return Case(f"{name} {way} {in_place=}", run)


FAMILIES = (matrices,)
