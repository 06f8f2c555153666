"""Loops that go by numbers which they load: pages, lists of blocks, places that hang on other
numbers. Of what such a loop loads some may be written in it, by a store or an atomic, through the
same pointer or one that reaches the same elements; sums of products may be scaled by what is
loaded, and what a trip loads may stand behind its products. The same text is run by NumPy; numbers
are small and whole, so that sums are exact."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy

from .arrays import Case, Drawing
from .interpreter import Pointer, words_of
from .kernel_text import KERNEL, KernelText, find_difference, make_kernel

# Tiles, and warps.
BLOCKS = (
    *[((16, 16, 16), 1)] * 3,
    *[((32, 16, 32), 2)] * 2,
    *[((32, 32, 32), 4)] * 2,
    ((64, 32, 64), 4),
    ((64, 64, 16), 4),
    ((128, 32, 32), 8),
)
# Of a program in its list; blocks of rows and of K; what stands in a result.
NUMBERS, ROWS, STEPS, MOST = 16, 4, 4, 512
HEAD = f"""\
def drawn_kernel(
    a, b, c, table, notes, scales, x, y, a_row, b_row, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    p = tl.program_id(0)
    table += p * {NUMBERS}
    notes += p * {NUMBERS}
    c += p * {ROWS} * BLOCK_M * BLOCK_N
    om, on, ok = tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_N), tl.arange(0, BLOCK_K)
    places = om[:, None] * BLOCK_N + on[None, :]
    s = p + 1
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
"""


@dataclass
class Writer(KernelText):
    """Writes the statements of a kernel."""

    # In scope: whole numbers, and tiles of results.
    numbers: list[str] = field(default_factory=lambda: ["x", "y", "p"])
    tiles: list[str] = field(default_factory=list)
    # Of the lists.
    dtype: str = "int32"
    # Whether statements may write; and whether they carry nothing but sums.
    writes: bool = True
    only_sums: bool = False
    # Sums beside `total`.
    sums: list[str] = field(default_factory=list)

    @contextmanager
    def below(self, head: str) -> Iterator[None]:
        numbers, tiles = len(self.numbers), len(self.tiles)
        with super().below(head):
            yield
        del self.numbers[numbers:], self.tiles[tiles:]

    def draw(self, most: int) -> int:
        return self.drawing.random.randint(0, most)

    #  Numbers and places

    def number(self) -> str:
        """Mostly one of the last ones."""
        names = [*self.numbers, *self.counters, *([] if self.only_sums else ["s"])]
        return str(self.drawing.pick(*names, *names[-3:]))

    def place(self) -> str:
        """Of an element of a list."""
        simple = f"(({self.number()}) + {self.draw(NUMBERS)} & {NUMBERS - 1})"
        return self.pick(simple, simple, *(f"({each} & {NUMBERS - 1})" for each in self.counters))

    def condition(self) -> str:
        other = self.pick("0", "1", "2", self.number())
        return f"{self.number()} {self.pick('<', '>=', '==', '!=')} {other}"

    def load_number(self) -> None:
        name, source = self.name("n"), self.pick("table", "table", "notes")
        place, more = self.place(), ""
        if self.chance(20):
            # Where it is not loaded there need be nothing.
            place, bound = f"({self.number()} + {self.draw(6)})", self.pick("x + 2", "9")
            mask = f"({place} >= 0) & ({place} < {bound})"
            more = f", mask={mask}, other={self.pick('0', '-1', '2')}"
        elif self.chance(10):
            more = ", volatile=True"
        elif self.chance(10):
            more = self.pick(', cache_modifier=".cg"', ', eviction_policy="evict_last"')
        text = f"tl.load({source} + {place}{more})"
        self.line(f"{name} = tl.cast({text}, tl.int32)")
        self.numbers.append(name)

    def combine_numbers(self) -> None:
        name = self.name("n")
        one, other = self.number(), self.number()
        self.line(f"{name} = {one} {self.pick('+', '-')} {self.pick(other, '1', '3')} & 15")
        self.numbers.append(name)

    #  Tiles

    def matrix(self, base: str, rows: str, columns: str, stride: str) -> str:
        """A block of it, by two numbers that may be anywhere."""
        row, column = self.number(), self.number()
        of_rows, of_columns = (("BLOCK_M", ROWS), ("BLOCK_K", STEPS)) if base == "a" else (
            ("BLOCK_K", STEPS), ("BLOCK_N", ROWS))  # fmt: skip
        is_masked = self.chance(35)
        if self.chance(20):
            row = f"tl.cast({row}, tl.int64)"
        if not is_masked:
            row, column = f"({row} & {of_rows[1] - 1})", f"({column} & {of_columns[1] - 1})"
        at_row = f"({row} * {of_rows[0]} + {rows})[:, None]"
        at_column = f"({column} * {of_columns[0]} + {columns})[None, :]"
        more = ""
        if is_masked:
            ends = [f"{extent} * {size}" for size, extent in (of_rows, of_columns)]
            conditions = [f"({at_row} >= 0)", f"({at_row} < {ends[0]})",
                          f"({at_column} >= 0)", f"({at_column} < {ends[1]})"]  # fmt: skip
            other = self.pick("0.0", "0.0", "0.0", "1.0")
            more = f", mask={' & '.join(conditions)}, other={other}"
        return f"tl.load({base} + {at_row} * {stride} + {at_column}{more})"

    def load_result(self) -> None:
        tile = self.name("r")
        self.line(f"{tile} = tl.load(c + {self.result_place()})")
        self.tiles.append(tile)

    def result_place(self) -> str:
        return f"({self.number()} & {ROWS - 1}) * BLOCK_M * BLOCK_N + places"

    def scale(self) -> str:
        """A factor of the sums."""
        number = f"({self.number()} & 7)"
        return self.pick(
            f"tl.load(scales + {number})",
            f"tl.load(scales + ({number} + om & 7))[:, None]",
            f"tl.load(scales + ({number} + on & 7))[None, :]",
            "2.0",
        )

    def multiply(self) -> None:
        p, q = self.name("p"), self.name("q")
        self.line(f"{p} = {self.matrix('a', 'om', 'ok', 'a_row')}")
        second = f"{q} = {self.matrix('b', 'ok', 'on', 'b_row')}"
        if self.chance(15) and self.writes:
            self.note()
        self.line(second)
        if self.chance(10):
            self.line(f"{p} = {p} * 2.0")
        total = self.pick("total", *self.sums)
        way = self.pick("dot", "dot", "scaled", "scaled", "plain", "narrow", "bytes", "after")
        product = f"tl.dot({p}, {q})"
        if way == "narrow":
            narrow = self.pick("bfloat16", "float8e5", "float8e4nv", "float32")
            product = f"tl.dot(tl.cast({p}, tl.{narrow}), tl.cast({q}, tl.{narrow}))"
        elif way == "bytes":
            product = f"tl.dot(tl.cast({p}, tl.int8), tl.cast({q}, tl.int8))"
            product = f"tl.cast({product}, tl.float32)"
        elif way == "after":
            product = f"tl.maximum({product}, 1.0)"
        if way == "dot":
            self.line(f"{total} = tl.dot({p}, {q}, {total})")
        elif way != "scaled":
            self.line(f"{total} += {product}")
        elif self.chance(50):
            name = self.name("f")
            self.line(f"{name} = {self.scale()}")
            self.line(f"{total} += {product} * {name}")
        else:
            self.line(f"{total} += {product} * {self.scale()} * {self.scale()}")

    def add(self) -> None:
        if not self.tiles:
            self.load_result()
        self.line(f"total += {self.drawing.pick(*self.tiles)}")

    #  What is written

    def note(self) -> None:
        """A number of a list, that later ones may go by."""
        target, place = self.pick("table", "notes"), self.place()
        value = f"({self.number()} + {self.draw(3)} & 7)"
        if self.dtype == "int32" and self.chance(30):
            name = self.name("n")
            self.line(f"{name} = tl.atomic_add({target} + {place}, {value}) & 15")
            self.numbers.append(name)
        else:
            self.line(f"tl.store({target} + {place}, tl.cast({value}, tl.{self.dtype}))")

    def store_result(self) -> None:
        least = f"tl.minimum(tl.maximum(total, -{MOST}.0), {MOST}.0)"
        self.line(f"tl.store(c + {self.result_place()}, {least})")

    #  Statements

    def write(self, size: int) -> None:
        ways = [*[self.load_number] * 3, *[self.multiply] * 3, self.combine_numbers, self.add]
        ways.append(self.load_result)
        if not self.only_sums:
            ways.append(self.step)
        if self.writes:
            ways += [self.note, self.store_result]
        if self.depth < 4:
            ways += [self.write_branch, self.write_loop]
        for _ in range(size):
            self.drawing.pick(*ways)()

    def step(self) -> None:
        self.line(f"s = (s * 5 + {self.number()}) & 15")

    def write_branch(self) -> None:
        with self.below(f"if {self.condition()}:"):
            self.write(self.drawing.random.randint(1, 2))
        if self.chance(30):
            with self.below("else:"):
                self.write(1)

    def write_loop(self) -> None:
        """Whose counter may be where the list is not, if there is no trip."""
        first = self.pick("0", "0", "x", "y", f"({self.number()} & 3)", "1000")
        last = self.pick("4", "K", "K", "x", "y", f"({self.number()} & 7)", "(s & 3)")
        stages = self.pick("", "", f", num_stages={self.draw(3) + 1}")
        word = "tl.range" if stages else "range"
        counter = self.name("i")
        writes, self.writes = self.writes, self.writes and self.chance(40)
        with self.below(f"for {counter} in {word}({first}, {last}{stages}):"):
            self.counters.append(counter)
            if self.chance(60):
                # As it is, where a list has no more than the trips.
                name = self.name("n")
                place = f"({counter} + {NUMBERS} - K)" if last == "K" else counter
                self.line(f"{name} = tl.cast(tl.load(table + {place}), tl.int32)")
                self.numbers.append(name)
            self.write(self.drawing.random.randint(1, 4))
            self.multiply()
            if self.writes:
                self.write(1)
            self.counters.pop()
        self.writes = writes
        # Smaller again.
        self.line(f"total = tl.minimum(tl.maximum(total, -{MOST}.0), {MOST}.0)")

    def write_sums(self) -> None:
        """A loop that only sums products, of one launch in parts."""
        self.writes, self.only_sums = False, True
        if self.chance(40):
            self.sums.append("other")
            self.line("other = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)")
        if self.chance(30):
            self.write_before()
        first, last, step = self.drawing.pick(
            ("0", "K", ""), ("0", "K", ""), ("0", "tl.cdiv(K * BLOCK_K, BLOCK_K)", ""),
            ("0", "K", ", 2"), ("x", "K", ""),
        )  # fmt: skip
        counter = self.name("i")
        with self.below(f"for {counter} in range({first}, {last}{step}):"):
            self.counters.append(counter)
            for _ in range(self.drawing.random.randint(1, 3)):
                self.drawing.pick(self.load_number, self.combine_numbers, self.multiply)()
            if self.chance(15):
                with self.below(f"if {self.condition()}:"):
                    self.multiply()
            self.multiply()
            if self.sums:
                p = self.name("p")
                self.line(f"{p} = {self.matrix('a', 'om', 'ok', 'a_row')}")
                q = self.matrix("b", "ok", "on", "b_row")
                self.line(f"other = tl.dot({p}, {q}, other)")
            self.counters.pop()
        if self.sums:
            self.line(f"total = total {self.pick('+', '-')} other")
        for _ in range(self.drawing.random.randint(0, 3)):
            self.drawing.pick(self.load_number, self.load_result, self.add)()
        self.line(f"total = tl.minimum(tl.maximum(total, -{MOST}.0), {MOST}.0)")

    def write_before(self) -> None:
        for _ in range(self.drawing.random.randint(1, 2)):
            self.drawing.pick(self.load_number, self.load_result)()


def write_kernel(drawing: Drawing, dtype: str) -> str:
    writer = Writer(drawing, dtype=dtype)
    if drawing.pick(True, False, False):
        writer.write_sums()
        writer.line(f"tl.store(c + {writer.result_place()}, total)")
        return HEAD + "\n".join(writer.lines) + "\n"
    if drawing.pick(True, False):
        writer.write(drawing.random.randint(0, 3))
    writer.write_loop()
    if drawing.pick(True, False):
        writer.write(drawing.random.randint(1, 3))
    writer.line(f"tl.store(c + {writer.result_place()}, total)")
    return HEAD + "\n".join(writer.lines) + "\n"


#  By NumPy


def check_places(pointer: Pointer, inside: Any = True) -> tuple[Any, Any]:
    places, inside = numpy.broadcast_arrays(pointer.offset, inside)
    if inside.any():
        reached = places[inside]
        if reached.min() < 0 or reached.max() >= len(pointer.array):
            raise IndexError(f"{reached.min()} to {reached.max()} of {len(pointer.array)}")
    return places, inside


def load_checked(pointer: Pointer, mask: Any = True, other: float = 0, **hints: Any) -> Any:
    places, inside = check_places(pointer, mask)
    values = numpy.full(places.shape, other, numpy.float64)
    values[inside] = pointer.array[places[inside]]
    return values if places.ndim else int(values) if values == int(values) else float(values)


def _atomic_add(pointer: Pointer, value: int) -> int:
    check_places(pointer)
    before = int(pointer.array[pointer.offset])
    pointer.array[pointer.offset] += value
    return before


def interpret(text: str, programs: int, arrays: list[numpy.ndarray], *rest: Any) -> None:
    for program in range(programs):
        more = vars(words_of((program,))) | {
            "load": load_checked,
            "atomic_add": _atomic_add,
            **dict.fromkeys(("int64", "bfloat16", "float8e5", "float8e4nv")),
            "dot": lambda one, other, total=0: total + one @ other,
            "cast": lambda value, dtype: value if isinstance(value, numpy.ndarray) else int(value),
        }
        names: dict[str, Any] = {"tl": SimpleNamespace(**more)}
        exec(text, names)
        names[KERNEL](*(Pointer(each.reshape(-1)) for each in arrays), *rest)


def lists(drawing: Drawing) -> Case:
    blocks, warps = drawing.pick(*BLOCKS)
    dtype = drawing.pick("int32", "int32", "int16", "int64", "int8")
    text = write_kernel(drawing, dtype)
    programs, stages = drawing.pick(1, 1, 2, 3), drawing.pick(1, 2, 3, 4)
    # Where the second list begins in the first one, if it does.
    ahead = drawing.pick(None, None, 0, 1, 4)
    programs = 1 if ahead else programs
    x, y = drawing.pick(0, 1, 2, 3), drawing.pick(0, 2, 5)
    trips = drawing.pick(0, 1, 2, 3, 4, 6, 7, 14)

    def run() -> str:
        m, n, k = blocks
        a_row, b_row = (size + drawing.pick(0, 0, 1, 8) for size in (STEPS * k, ROWS * n))
        whole = drawing.numbers.integers
        a, b = whole(-3, 4, (ROWS * m, a_row)), whole(-3, 4, (STEPS * k, b_row))
        c = whole(-8, 9, (programs, ROWS, m, n)).astype(numpy.float64)
        table = whole(-2, 7, programs * NUMBERS + (ahead or 0))
        notes = whole(-2, 7, programs * NUMBERS) if ahead is None else table[ahead:]
        scales = 2.0 ** whole(-1, 2, 8)
        on_device = [
            drawing.device.put(values, to)
            for values, to in ((a, "float16"), (b, "float16"), (c, "float32"), (table, dtype))
        ]
        both = drawing.device.put(notes, dtype) if ahead is None else on_device[3][ahead:]
        on_device += [both, drawing.device.put(scales, "float32")]
        sizes = (x, y, a_row, b_row, trips, *blocks)
        make_kernel(text)[programs,](*on_device, *sizes, num_warps=warps, num_stages=stages)
        interpret(text, programs, [a, b, c, table, notes, scales], *sizes)
        for name, place, expected in (("c", 2, c), ("table", 3, table), ("notes", 4, notes)):
            actual = drawing.device.get(on_device[place])
            if difference := find_difference(actual, expected, f" of {name}"):
                return f"{difference}\n{text}"
        return ""

    name = f"lists {dtype} {blocks} {warps=} {stages=} {programs=} {ahead=} {x=} {y=} {trips=}"
    return Case(name, run)


FAMILIES = (lists,)
