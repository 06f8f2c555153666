"""Tiles of several types, floats among them, that are cast to one another, compared and moved.
What such a program computes is rounded once a word, so that each number is NumPy's (typed.py)."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from types import SimpleNamespace

import numpy

from . import words
from .arrays import Case, Drawing
from .exact import INTEGERS
from .kernel_text import KERNEL, make_kernel
from .typed import FLOATS, Pointer, decode, storage, words_of
from .words import Tile

COMPUTED = ("float16", "bfloat16", "float32", "float64")
NARROW = ("float8e4nv", "float8e5")
# Bytes of the array that programs read, and of one program in that they write.
SOURCE, ROOM = 1 << 16, 8192
# Words, halves and bytes in which zeros, infinities, NaN and the ends of types stand.
SPECIAL = """\
0 80000000 3f800000 bf800000 7f800000 ff800000 7fc00000 1 80000001 7f7fffff ffffffff 80008000
3c003c00 7c00fc00 7e00 4f000000 cf000000 5f000000 3f803f80 2 fffffffe 43800000 47c35000
"""
HEAD = """\
@tilewright.jit
def keep_more(a, b):
    return tl.maximum(a, b)


def drawn_kernel(x, table, out):
    p = tl.program_id(0)
    n = tl.load(table + p)
    out += p * {room}
"""


@dataclass
class Writer(words.Writer):
    """Writes statements of which each is of the type of its first tile."""

    types: tuple[str, ...] = ()
    type_of: dict[str, str] = field(default_factory=dict)
    # Where each stored tile begins and ends, and its type.
    stored: list[tuple[int, int, str]] = field(default_factory=list)

    def define(self, text: str, shape: tuple[int, ...]) -> Tile:
        tile = super().define(text, shape)
        self.type_of[tile.name] = self.dtype
        return tile

    def pick_tile(self) -> Tile:
        tile = super().pick_tile()
        self.dtype = self.type_of[tile.name]
        return tile

    def fit(self, tile: Tile, shape: tuple[int, ...]) -> str:
        if tile.size <= prod(shape):
            return super().fit(tile, shape)
        rows = f"tl.reshape({tile.name}, {(tile.size // prod(shape), prod(shape))})"
        extreme = f"tl.{self.pick('max', 'min')}({rows}, axis=0)"
        return f"tl.reshape(tl.cast({extreme}, tl.{self.type_of[tile.name]}), {shape})"

    def other(self, shape: tuple[int, ...], dtype: str = "") -> str:
        wanted = dtype or self.dtype
        text = self.fit(self.pick_tile(), shape)
        self.dtype = wanted
        return f"tl.cast({text}, tl.{wanted})"

    def write(self, size: int) -> None:
        ways = [self.load, self.convert, self.convert, self.narrow, self.compute, self.compute]
        ways += [self.choose, self.reshape, self.permute, self.combine, self.scan, self.sort]
        ways += [self.take_most, self.flip, self.look_up, self.pair, self.halve, self.find]
        if self.depth < 4:
            ways += [self.loop, self.branch]
        for _ in range(size):
            self.drawing.pick(*ways)()

    def load(self) -> None:
        self.dtype = self.pick(*self.types)
        size = 2 ** self.number(0, self.most.bit_length() - 1)
        shape, step = self.shape_of(size), self.drawing.pick(1, 1, 1, 2, 0, 3)
        place = f"{self.number(0, 60)} + {self.scalar()} + {self.count(size)} * {step}"
        mask = f", mask={self.count(size)} < {self.number(0, size)}, other={self.number(0, 9)}"
        pointers = f"x.to(tl.pointer_type(tl.{self.dtype})) + ({place})"
        self.define(f"tl.reshape(tl.load({pointers}{self.pick('', mask)}), {shape})", shape)

    def convert(self) -> None:
        tile = self.pick_tile()
        self.dtype = self.pick(*self.types)
        self.define(tile.name, tile.shape)

    def narrow(self) -> None:
        """By way of 8 bits."""
        tile = self.pick_tile()
        wide = tile.name if self.dtype in FLOATS else f"tl.cast({tile.name}, tl.float32)"
        order = tuple(self.drawing.random.sample(range(len(tile.shape)), len(tile.shape)))
        self.dtype = self.pick(*COMPUTED)
        text = f"tl.permute(tl.cast({wide}, tl.{self.pick(*NARROW)}), {order})"
        self.define(text, tuple(tile.shape[axis] for axis in order))

    def compute(self) -> None:
        tile = self.pick_tile()
        integers = () if self.dtype in FLOATS else ("*", "&", "|", "^")
        way = self.pick("+", "-", "minus", "abs", "maximum", "minimum", *integers)
        if way == "minus":
            self.define(f"-{tile.name}", tile.shape)
        elif way == "abs":
            self.define(f"tl.abs({tile.name})", tile.shape)
        elif way.endswith("imum"):
            self.define(f"tl.{way}({tile.name}, {self.other(tile.shape)})", tile.shape)
        else:
            self.define(f"{tile.name} {way} {self.other(tile.shape)}", tile.shape)

    def choose(self) -> None:
        """By a comparison of any type."""
        tile = self.pick_tile()
        own, compared = self.dtype, self.pick(self.dtype, *self.types)
        a, b = self.other(tile.shape, compared), self.other(tile.shape, compared)
        condition = f"{a} {self.pick('<', '>=', '==', '!=')} {b}"
        text = f"tl.where({condition}, {tile.name}, {self.other(tile.shape, own)})"
        self.define(text, tile.shape)

    def combine(self) -> None:
        tile = self.pick_tile()
        axis = self.axis(tile)
        text = f"tl.{self.pick('max', 'min')}({tile.name}, axis={axis}, keep_dims=True)"
        spread = f"tl.broadcast_to(tl.cast({text}, tl.{self.dtype}), {tile.shape})"
        self.define(f"{spread} - {tile.name}", tile.shape)

    def scan(self) -> None:
        tile = self.pick_tile()
        # Of bf16 the larger one is an f32.
        if self.dtype != "bfloat16":
            more = f"axis={self.axis(tile)}, reverse={self.drawing.pick(True, False)}"
            text = f"tl.associative_scan({tile.name}, combine_fn=keep_more, {more})"
            self.define(text, tile.shape)

    def look_up(self) -> None:
        tile = self.pick_tile()
        own, axis, extent = self.dtype, self.axis(tile), 2 ** self.number(0, 5)
        shape = tuple(extent if i == axis else other for i, other in enumerate(tile.shape))
        if prod(shape) <= self.most:
            index = f"{self.other(shape, 'int32')} & {tile.shape[axis] - 1}"
            self.dtype = own
            self.define(f"tl.gather({tile.name}, {index}, axis={axis})", shape)

    def halve(self) -> None:
        tile = self.pick_tile()
        if tile.size > 1:
            shape, low, high = self.shape_of(tile.size // 2), self.name("a"), self.name("b")
            self.line(f"{low}, {high} = tl.split({self.fit(tile, (*shape, 2))})")
            self.define(f"{low} - {high}", shape)

    def find(self) -> None:
        tile = self.pick_tile()
        axis, self.dtype = self.axis(tile), "int32"
        shape = tuple(1 if i == axis else extent for i, extent in enumerate(tile.shape))
        word = self.pick("argmax", "argmin")
        self.define(f"tl.{word}({tile.name}, axis={axis}, keep_dims=True)", shape)

    def write_round(self, carried: list[Tile]) -> None:
        self.write(self.number(1, 4))
        values = [self.other(tile.shape, self.type_of[tile.name]) for tile in carried]
        self.line(f"{', '.join(tile.name for tile in carried)} = {', '.join(values)}")

    def finish(self) -> None:
        """Stores some tiles, behind each other."""
        first = 0
        for tile in self.tiles[-6:]:
            dtype = self.type_of[tile.name]
            size = tile.size * storage(dtype).itemsize
            if first + size > ROOM:
                break
            self.line(f"k = tl.reshape({self.count(tile.size)}, {tile.shape})")
            begin = f"{first // storage(dtype).itemsize} + k"
            mask = self.pick("", f", mask=k < {self.number(0, tile.size)}")
            target = f"out.to(tl.pointer_type(tl.{dtype})) + {begin}"
            self.line(f"tl.store({target}, {tile.name}{mask})")
            self.stored.append((first, first + size, dtype))
            first += -(-size // 8) * 8


def draw_bytes(drawing: Drawing) -> numpy.ndarray:
    numbers = drawing.numbers.integers(0, 1 << 32, SOURCE // 4, numpy.uint32)
    special = numpy.array([int(each, 16) for each in SPECIAL.split()], numpy.uint32)
    places = drawing.numbers.random(len(numbers)) < 0.6
    numbers[places] = drawing.numbers.choice(special, places.sum())
    return numbers.view(numpy.int8)


def find_wrong(
    actual: numpy.ndarray, expected: numpy.ndarray, stored: list[tuple[int, int, str]]
) -> str:
    """Zeros of both signs are alike, and all NaN."""
    for first, end, dtype in stored:
        got, right = (
            decode(dtype, each[..., first:end].copy().view(storage(dtype)))
            for each in (actual, expected)
        )
        wrong = ~((got == right) | ((got != got) & (right != right)))
        if wrong.any():
            place = tuple(numpy.argwhere(wrong)[0])
            return f"{dtype} at {first}: {got[place]} for {right[place]} at {place}"
    rest = slice(max((end for _, end, _ in stored), default=0), None)
    is_same = (actual[..., rest] == expected[..., rest]).all()
    return "" if is_same else "bytes behind what is stored were written"


def mixed(drawing: Drawing) -> Case:
    types = tuple(drawing.random.sample((*INTEGERS, *COMPUTED), drawing.random.randint(1, 5)))
    warps, programs = drawing.pick(1, 2, 4, 4, 8), drawing.pick(1, 2, 3)
    writer = Writer(drawing, types[0], drawing.pick(16, 128, 512, 1024), types=types)
    writer.load()
    writer.write(drawing.random.randint(6, 16))
    writer.finish()
    text = HEAD.format(room=ROOM) + "\n".join(writer.lines) + "\n"

    def run() -> str:
        source = draw_bytes(drawing)
        table = drawing.numbers.integers(0, 4, 8, "int32")
        expected = numpy.zeros((programs, ROOM), numpy.int8)
        given = [(source, "int8"), (table, "int32"), (expected, "int8")]
        arrays = [drawing.device.put(*each) for each in given]
        make_kernel(text)[programs,](*arrays, num_warps=warps)
        pointers = [Pointer(source, "int8"), Pointer(table.view("int8"), "int32")]
        for program in range(programs):
            jit = SimpleNamespace(jit=lambda function: function)
            names = {"tl": words_of(program), "tilewright": jit}
            exec(text, names)
            with numpy.errstate(all="ignore"):
                names[KERNEL](*pointers, Pointer(expected.reshape(-1), "int8"))  # type: ignore[operator]
        difference = find_wrong(drawing.device.get(arrays[2]), expected, writer.stored)
        return f"{difference}\n{text}" if difference else ""

    return Case(f"mixed {' '.join(types)} programs={programs} warps={warps}", run)


FAMILIES = (mixed,)
