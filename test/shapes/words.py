"""Tiles of integers, of all sizes, that go through words which move, sort, combine and choose
elements, through loops and branches that carry them, and through early returns. What such a program
computes is exact, so that each bit has to be NumPy's (exact.py)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod

import numpy

from .arrays import Case, Drawing
from .exact import INTEGERS, interpret
from .kernel_text import KernelText, find_difference, make_kernel

# Of the array that programs read, and of one program in that they write.
SOURCE, ROOM, NUMBERS = 2200, 2048, 8
# What counts in an atomic word.
PLACES = 64
HEAD = """\
@tilewright.jit
def multiply(a, b):
    return a * b


@tilewright.jit
def keep_more(a, b):
    return tl.maximum(a, b)


def drawn_kernel(x, table, out, counts):
    p = tl.program_id(0)
    n = tl.load(table + p)
    out += p * {room}
"""


@dataclass(frozen=True)
class Tile:
    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return prod(self.shape)


@dataclass
class Writer(KernelText):
    """Writes the statements of a kernel."""

    dtype: str
    most: int
    # What is in scope.
    tiles: list[Tile] = field(default_factory=list)

    def number(self, least: int, most: int) -> int:
        return self.drawing.random.randint(least, most)

    def define(self, text: str, shape: tuple[int, ...]) -> Tile:
        """A tile of the program's type."""
        tile = Tile(self.name("t"), shape)
        self.line(f"{tile.name} = tl.cast({text}, tl.{self.dtype})")
        self.tiles.append(tile)
        return tile

    @contextmanager
    def below(self, head: str) -> Iterator[None]:
        tiles = len(self.tiles)
        with super().below(head):
            yield
        del self.tiles[tiles:]

    #  What statements are made of

    def scalar(self) -> str:
        return str(self.drawing.pick("p", "n", *self.counters, str(self.number(0, 5))))

    def axis(self, tile: Tile) -> int:
        return self.number(0, len(tile.shape) - 1)

    def shape_of(self, size: int) -> tuple[int, ...]:
        """One to four extents, of which some are 1."""
        shape = [1] * self.number(1, 4)
        while prod(shape) < size:
            shape[self.number(0, len(shape) - 1)] *= 2
        return tuple(shape)

    def pick_tile(self) -> Tile:
        """Mostly one of the last ones."""
        tiles = self.tiles
        return tiles[max(self.number(0, len(tiles) - 1), self.number(0, len(tiles) - 1))]

    def fit(self, tile: Tile, shape: tuple[int, ...]) -> str:
        """The elements of a tile in a shape: again and again, or the first ones."""
        size = prod(shape)
        if tile.shape == shape:
            return tile.name
        if tile.size == size:
            return f"tl.reshape({tile.name}, {shape})"
        if tile.size < size:
            rows = (size // tile.size, tile.size)
            row = f"tl.reshape({tile.name}, (1, {tile.size}))"
            return f"tl.reshape(tl.broadcast_to({row}, {rows}), {shape})"
        rows = (tile.size // size, size)
        word = self.drawing.pick("max", "min", "sum", "xor_sum")
        return f"tl.reshape(tl.{word}(tl.reshape({tile.name}, {rows}), axis=0), {shape})"

    def other(self, shape: tuple[int, ...]) -> str:
        return self.fit(self.pick_tile(), shape)

    def count(self, size: int) -> str:
        """The numbers of so many elements, in some order."""
        each = f"tl.arange(0, {size})"
        return str(self.drawing.pick(each, f"({size - 1} - {each})", f"({each} ^ {size // 2})"))

    #  Statements

    def write(self, size: int) -> None:
        ways = [
            self.load,
            self.load_block,
            self.load_by_blocks,
            self.compute,
            self.choose,
            self.reshape,
            self.permute,
        ]
        ways += [self.combine, self.scan, self.sort, self.take_most, self.flip, self.look_up]
        ways += [self.pair, self.halve, self.count_equal, self.find, self.multiply]
        ways += [self.exchange]
        if self.depth < 4:
            ways += [self.loop, self.branch] * 2
        for _ in range(size):
            self.drawing.pick(*ways)()

    def load(self) -> None:
        size = 2 ** self.number(0, self.most.bit_length() - 1)
        shape = self.shape_of(size)
        step = self.drawing.pick(1, 1, 1, 2, 0)
        place = f"{self.number(0, 60)} + {self.scalar()} + {self.count(size)} * {step}"
        mask = f", mask={self.count(size)} < {self.number(0, size)}, other={self.number(0, 9)}"
        if self.drawing.pick(True, False):
            mask = f", mask={place} < {self.number(0, 600)}, other={self.number(0, 9)}"
        self.define(f"tl.reshape(tl.load(x + ({place}){mask}), {shape})", shape)

    def load_block(self) -> None:
        rows, columns = self.number(1, 20), self.drawing.pick(4, 16, 20, 24, 32)
        # At least 16 bytes of a row.
        block = (2 ** self.number(0, 3), max(2 ** self.number(0, 4), 16))
        if prod(block) > self.most:
            return
        start = f"x + {self.drawing.pick(0, 1, 3, 16)}"
        place = f"[{self.number(-2, rows)} + {self.scalar()}, {self.number(-3, columns)}]"
        name = self.name("d")
        sizes = f"[{rows}, {columns}], [{columns}, 1], {list(block)}"
        self.line(f"{name} = tl.make_tensor_descriptor({start}, {sizes})")
        self.define(f"{name}.load({place})", block)

    def load_by_blocks(self) -> None:
        """Two, one of which lies behind the other, of a matrix that may be transposed."""
        sizes = self.number(1, 20), self.number(1, 20)
        block = 2 ** self.number(0, 4), 2 ** self.number(0, 4)
        if prod(block) > self.most:
            return
        strides = self.drawing.pick((sizes[1], 1), (1, sizes[0]), (sizes[1] + 3, 1), (40, 2))
        place = f"({self.number(-2, 5)} + {self.scalar()}, {self.number(-3, 8)})"
        name = self.name("d")
        base = f"x + {self.number(0, 17)}"
        self.line(
            f"{name} = tl.make_block_ptr({base}, {sizes}, {strides}, {place}, {block}, (1, 0))"
        )
        check = 'boundary_check=(0, 1), padding_option="zero"'
        self.define(f"tl.load({name}, {check})", block)
        self.line(f"{name} = tl.advance({name}, ({self.number(0, 5)}, {self.number(-2, 9)}))")
        self.define(f"tl.load({name}, {check})", block)

    def compute(self) -> None:
        tile = self.pick_tile()
        operator = self.drawing.pick("+", "-", "*", "&", "|", "^")
        self.define(f"{tile.name} {operator} {self.other(tile.shape)}", tile.shape)

    def choose(self) -> None:
        tile = self.pick_tile()
        a, b = self.other(tile.shape), self.other(tile.shape)
        condition = f"{a} {self.drawing.pick('<', '>=', '==', '!=')} {b}"
        self.define(f"tl.where({condition}, {tile.name}, {self.other(tile.shape)})", tile.shape)

    def reshape(self) -> None:
        tile = self.pick_tile()
        shape = self.shape_of(tile.size)
        self.define(self.fit(tile, shape), shape)

    def permute(self) -> None:
        tile = self.pick_tile()
        order = tuple(self.drawing.random.sample(range(len(tile.shape)), len(tile.shape)))
        shape = tuple(tile.shape[axis] for axis in order)
        self.define(f"tl.permute({tile.name}, {order})", shape)

    def combine(self) -> None:
        tile = self.pick_tile()
        axis = self.axis(tile)
        word = self.drawing.pick("sum", "max", "min", "xor_sum", "reduce")
        more = ", combine_fn=multiply" if word == "reduce" else ""
        text = f"tl.{word}({tile.name}, axis={axis}{more}, keep_dims=True)"
        shape = tuple(1 if i == axis else extent for i, extent in enumerate(tile.shape))
        if self.drawing.pick(True, False):
            self.define(text, shape)
        else:
            self.define(f"tl.broadcast_to({text}, {tile.shape}) - {tile.name}", tile.shape)

    def scan(self) -> None:
        tile = self.pick_tile()
        function = self.drawing.pick("", "multiply", "keep_more")
        word = (
            f"associative_scan({tile.name}, combine_fn={function}"
            if function
            else (f"cumsum({tile.name}")
        )
        reverse = self.drawing.pick(True, False)
        self.define(f"tl.{word}, axis={self.axis(tile)}, reverse={reverse})", tile.shape)

    def sort(self) -> None:
        tile = self.pick_tile()
        last, descending = len(tile.shape) - 1, self.drawing.pick(True, False)
        self.define(f"tl.sort({tile.name}, dim={last}, descending={descending})", tile.shape)

    def take_most(self) -> None:
        tile = self.pick_tile()
        k = 2 ** self.number(0, tile.shape[-1].bit_length() - 1)
        self.define(f"tl.topk({tile.name}, {k})", (*tile.shape[:-1], k))

    def flip(self) -> None:
        tile = self.pick_tile()
        self.define(f"tl.flip({tile.name}, {self.axis(tile)})", tile.shape)

    def look_up(self) -> None:
        tile = self.pick_tile()
        axis = self.axis(tile)
        extent = 2 ** self.number(0, 5)
        shape = tuple(extent if i == axis else own for i, own in enumerate(tile.shape))
        if prod(shape) > self.most:
            return
        index = f"tl.cast({self.other(shape)}, tl.int32) & {tile.shape[axis] - 1}"
        self.define(f"tl.gather({tile.name}, {index}, axis={axis})", shape)

    def pair(self) -> None:
        tile = self.pick_tile()
        if tile.size * 2 > self.most:
            return
        word = self.drawing.pick("join", "interleave", "cat")
        (first, *_), (*outer, last) = tile.shape, tile.shape
        shape = {
            "join": (*tile.shape, 2),
            "interleave": (*outer, 2 * last),
            "cat": (2 * first, *tile.shape[1:]),
        }[word]
        self.define(f"tl.{word}({tile.name}, {self.other(tile.shape)})", shape)

    def halve(self) -> None:
        tile = self.pick_tile()
        if tile.size == 1:
            return
        shape = self.shape_of(tile.size // 2)
        self.names += 1
        low, high = f"a{self.names}", f"b{self.names}"
        self.line(f"{low}, {high} = tl.split({self.fit(tile, (*shape, 2))})")
        self.define(f"{low} {self.drawing.pick('-', '^')} {high}", shape)

    def count_equal(self) -> None:
        tile = self.pick_tile()
        bins = 2 ** self.number(0, 6)
        each = f"tl.cast({self.fit(tile, (tile.size,))}, tl.int32) & {bins - 1}"
        mask = self.drawing.pick(
            "", f", mask={self.count(tile.size)} < {self.number(0, tile.size)}"
        )
        self.define(f"tl.histogram({each}, {bins}{mask})", (bins,))

    def find(self) -> None:
        tile = self.pick_tile()
        axis, word = self.axis(tile), self.drawing.pick("argmax", "argmin")
        shape = tuple(1 if i == axis else extent for i, extent in enumerate(tile.shape))
        self.define(f"tl.{word}({tile.name}, axis={axis}, keep_dims=True)", shape)

    def multiply(self) -> None:
        """Of numbers that products of f16 have exactly."""
        m, n, k = (self.drawing.pick(*extents) for extents in ((16, 32), (8, 16), (16, 32)))
        if max(m * n, m * k, k * n) > self.most:
            return
        a, b = (f"tl.cast({self.other(shape)} & 15, tl.float16)" for shape in ((m, k), (k, n)))
        self.define(f"tl.cast(tl.dot({a}, {b}), tl.int32)", (m, n))

    def exchange(self) -> None:
        """By an atomic word for each element, which gives what was there."""
        tile = self.pick_tile()
        if self.dtype[-2:] not in ("32", "64") or tile.size > ROOM // 4:
            return
        count = f"tl.reshape({self.count(tile.size)}, {tile.shape})"
        word = self.drawing.pick("add", "xchg", "max", "min", "xor")
        place = f"out + {ROOM - tile.size} + {count}"
        self.define(f"tl.atomic_{word}({place}, {tile.name})", tile.shape)

    def loop(self) -> None:
        self.names += 1
        carried = [self.define(t.name, t.shape) for t in (self.pick_tile(), self.pick_tile())]
        if self.drawing.pick(True, True, False):
            counter = f"i{self.names}"
            head = f"for {counter} in range({self.drawing.pick('2', '3', 'n', 'p', 'n, p + 3')}):"
            with self.below(head):
                self.counters.append(counter)
                self.write_round(carried)
                self.counters.pop()
            return
        counter = f"w{self.names}"
        self.line(f"{counter} = {self.scalar()}")
        with self.below(f"while {counter} < {self.number(1, 4)}:"):
            self.write_round(carried)
            self.line(f"{counter} += {self.number(1, 2)}")

    def branch(self) -> None:
        tile = self.pick_tile()
        changed = self.define(tile.name, tile.shape)
        with self.below(f"if {self.scalar()} {self.drawing.pick('<', '==', '>')} {self.scalar()}:"):
            self.write_round([changed])
        if self.drawing.pick(True, False):
            with self.below("else:"):
                self.write_round([changed])

    def write_round(self, carried: list[Tile]) -> None:
        """Statements, and what goes on of them: they may also change places."""
        self.write(self.number(1, 4))
        values = [f"tl.cast({self.other(tile.shape)}, tl.{self.dtype})" for tile in carried]
        self.line(f"{', '.join(tile.name for tile in carried)} = {', '.join(values)}")

    def finish(self) -> None:
        """Stores some tiles, behind each other, and counts by atomics."""
        first = 0
        for tile in self.tiles[-5:]:
            if first + tile.size > 3 * ROOM // 4:
                break
            if self.drawing.pick(*[False] * 7, True):
                self.line(f"if {self.scalar()} == {self.number(0, 3)}:")
                self.line("    return")
            count = self.count(tile.size)
            self.line(f"k = tl.reshape({count}, {tile.shape})")
            mask = self.drawing.pick("", f", mask=k < {self.number(0, tile.size)}")
            self.line(f"tl.store(out + {first} + k, {tile.name}{mask})")
            first += tile.size
        tile = self.pick_tile()
        word = self.drawing.pick("add", "max", "min", "and", "or", "xor")
        kind = f"tl.cast({tile.name}, tl.int32)"
        places = f"({kind} ^ {self.scalar()}) & {PLACES - 1}"
        self.line(f"tl.atomic_{word}(counts + ({places}), {kind})")


def words(drawing: Drawing) -> Case:
    dtype = drawing.pick(*INTEGERS)
    warps = drawing.pick(1, 2, 4, 4, 8, 16, 32)
    most = drawing.pick(1, 16, 128, 512, 1024)
    writer = Writer(drawing, dtype, most)
    writer.load()
    writer.write(drawing.random.randint(4, 14))
    writer.finish()
    text = HEAD.format(room=ROOM) + "\n".join(writer.lines) + "\n"
    programs = drawing.pick(1, 2, 3)

    def run() -> str:
        limits = numpy.iinfo(dtype)
        least, largest = drawing.pick((limits.min, limits.max), (max(limits.min, -4), 9))
        given = [
            drawing.numbers.integers(least, largest, SOURCE, dtype, endpoint=True),
            drawing.numbers.integers(0, 4, NUMBERS, "int32"),
            drawing.numbers.integers(0, 100, programs * ROOM).astype(dtype),
            drawing.numbers.integers(0, 100, PLACES, "int32"),
        ]
        arrays = [drawing.device.put(each, str(each.dtype)) for each in given]
        make_kernel(text)[programs,](*arrays, num_warps=warps)
        interpret(text, (programs,), given)
        for name, array, expected in zip(("out", "counts"), arrays[2:], given[2:], strict=True):
            if difference := find_difference(drawing.device.get(array), expected, f" of {name}"):
                return f"{difference}\n{text}"
        return ""

    return Case(f"words {dtype} {most} programs={programs} warps={warps}", run)


FAMILIES = (words,)
