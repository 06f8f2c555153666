"""What stands in memory: scalars, tiles and atomics of drawn programs on a few elements of their
own, by two pointers that may reach the same ones, in loops and branches. A load gets what the
stores before it have written, whichever thread has done it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from .arrays import Case, Drawing
from .interpreter import interpret
from .kernel_text import KernelText, find_difference, make_kernel

# Of a program; what stands in an element is less than MOST.
ELEMENTS, MOST, NUMBERS = 128, 64, 8
HEAD = """\
def drawn_kernel(a, b, table, BLOCK: tl.constexpr, AHEAD: tl.constexpr):
    p = tl.program_id(0)
    n = tl.load(table + p)
    each = tl.arange(0, BLOCK)
    first = a + p * {elements}
    other = b + AHEAD + p * {elements}
"""


@dataclass
class Writer(KernelText):
    """Writes the statements of a kernel."""

    block: int
    dtype: str
    # What is in scope.
    scalars: list[str] = field(default_factory=list)
    tiles: list[str] = field(default_factory=list)

    def number(self, most: int) -> int:
        return self.drawing.random.randint(0, most)

    def define(self, names: list[str], start: str, value: str) -> None:
        names.append(self.name(start))
        self.line(f"{names[-1]} = {value}")

    @contextmanager
    def below(self, head: str) -> Iterator[None]:
        scalars, tiles = len(self.scalars), len(self.tiles)
        with super().below(head):
            yield
        del self.scalars[scalars:], self.tiles[tiles:]

    #  Places and values

    def place(self) -> str:
        """Of one element."""
        text = self.pick("0", "p", "n", *self.counters, *self.scalars)
        return f"(({text}) + {self.number(ELEMENTS - 1)} & {ELEMENTS - 1})"

    def places(self) -> str:
        """Of as many elements as a tile has, no two of which are one."""
        last = ELEMENTS - 1
        return self.pick(
            f"({self.number(ELEMENTS - self.block)} + each)",
            f"({self.place()} + each & {last})",
            f"({last} - each)",
            f"((each ^ {self.number(7)}) & {last})",
            f"(each * 3 + {self.place()} & {last})",
        )

    def pointer(self) -> str:
        return self.pick("first", "other")

    def stored(self, values: str) -> str:
        return f"tl.cast({values} + {self.number(3)} & {MOST - 1}, tl.{self.dtype})"

    def mask(self) -> str:
        return f", mask=each < {self.number(self.block)}" if self.chance(30) else ""

    def scalar(self) -> str:
        return self.pick("p", "n", *self.scalars)

    def tile(self) -> str:
        text = self.pick("each", *self.tiles)
        return f"({text} + {self.scalar()})" if self.chance(30) else text

    #  Statements

    def write(self, size: int) -> None:
        ways = [*[self.load_tile, self.store_tile] * 3, *[self.load_one, self.store_one] * 2]
        ways.append(self.combine)
        if self.dtype in ("int32", "float32"):
            ways.append(self.add)
        if self.depth < 4:
            ways += [self.write_branch, self.write_loop]
        for _ in range(size):
            self.drawing.pick(*ways)()

    def load_one(self) -> None:
        more = ", volatile=True" if self.chance(15) else ""
        value = f"tl.load({self.pointer()} + {self.place()}{more})"
        self.define(self.scalars, "s", f"tl.cast({value}, tl.int32)")

    def store_one(self) -> None:
        self.line(f"tl.store({self.pointer()} + {self.place()}, {self.stored(self.scalar())})")

    def load_tile(self) -> None:
        value = f"tl.load({self.pointer()} + {self.places()}{self.mask()})"
        self.define(self.tiles, "t", f"tl.cast({value}, tl.int32)")

    def store_tile(self) -> None:
        place, values = self.places(), self.stored(self.tile())
        self.line(f"tl.store({self.pointer()} + {place}, {values}{self.mask()})")

    def combine(self) -> None:
        self.define(self.scalars, "s", f"tl.{self.pick('sum', 'max')}({self.tile()}, axis=0)")

    def add(self) -> None:
        one = f"tl.cast(p + {self.number(3)}, tl.{self.dtype})"
        value = f"tl.atomic_add({self.pointer()} + {self.place()}, {one})"
        self.define(self.scalars, "s", f"tl.cast({value}, tl.int32)")

    def write_branch(self) -> None:
        with self.below(f"if ({self.scalar()} & 3) {self.pick('<', '==', '>')} {self.number(2)}:"):
            self.write(self.drawing.random.randint(1, 3))
        if self.chance(40):
            with self.below("else:"):
                self.write(1)

    def write_loop(self) -> None:
        self.names += 1
        counter = f"i{self.names}"
        with self.below(f"for {counter} in range({self.pick('1', '2', '3', 'n', 'p')}):"):
            self.counters.append(counter)
            self.write(self.drawing.random.randint(1, 4))
            self.counters.pop()


def memory(drawing: Drawing) -> Case:
    block, warps = drawing.pick(1, 2, 16, 32, 64, 128), drawing.pick(1, 1, 2, 4, 8)
    dtype = drawing.pick("int8", "int16", "int32", "int32", "float32")
    writer = Writer(drawing, block, dtype)
    writer.write(drawing.random.randint(4, 10))
    text = HEAD.format(elements=ELEMENTS) + "\n".join(writer.lines) + "\n"
    programs, ahead = drawing.pick(1, 2, 3), drawing.pick(0, 1, 4, 16)

    def run() -> str:
        whole = drawing.numbers.integers(0, MOST, ahead + programs * ELEMENTS)
        table = drawing.numbers.integers(0, 4, NUMBERS)
        result = drawing.device.put(whole, dtype)
        numbers = drawing.device.put(table, "int32")
        kernel = make_kernel(text)
        kernel[programs,](result[ahead:], result, numbers, block, ahead, num_warps=warps)
        interpret(text, (programs,), [whole[ahead:], whole, table], block, ahead)
        difference = find_difference(drawing.device.get(result), whole)
        return f"{difference}\n{text}" if difference else ""

    return Case(f"memory {dtype} {block} ahead={ahead} programs={programs} warps={warps}", run)


FAMILIES = (memory,)
