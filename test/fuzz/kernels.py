# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels, with the reference that says what they compute.

A kernel computes one element of Y from elements of other tensors at the same
place, in its own or a permuted order of dimensions, by an expression. Every
node of the expression is a tile of the whole program's size, and writes its
own reference:

    kernel = make_kernel(random.Random(7))
    kernel.text         # "tile.kernel @fuzz(...) ... { ... }"
    kernel.arguments    # "D0=70 D1=131 s=-3"
    kernel.options      # ["--num-warps=4", "--shared-layout=pad:1", ...]
"""

import dataclasses
import random

INTEGERS = ["i8", "i16", "i32", "i64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
TARGETS = ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"]
LAYOUTS = ["auto", "none", "pad", "pad:1", "pad:4", "swizzle"]

# A program's tile may hold this many elements, and a matrix extend so far.
MAX_ELEMENTS = 4096
MAX_EXTENT = 150


@dataclasses.dataclass
class Kernel:
    text: str
    arguments: str
    options: list


@dataclasses.dataclass
class Value:
    """A tile of the program's shape and its reference."""

    name: str
    reference: str


class Writer:
    """Writes one kernel."""

    def __init__(self, rng):
        self.rng = rng
        self.element = rng.choice(INTEGERS + FLOATS)
        self.is_float = self.element in FLOATS
        rank = rng.choice([1, 1, 2, 2, 2, 3])
        self.tile = [2 ** rng.randrange(0, 8) for _ in range(rank)]
        while self.count(self.tile) > MAX_ELEMENTS:
            self.tile[rng.randrange(rank)] = 1
        self.parameters = []
        self.shapes = []
        self.lines = []
        self.values = 0
        self.dims = range(rank)

    @staticmethod
    def count(shape):
        product = 1
        for extent in shape:
            product *= extent
        return product

    def line(self, text):
        self.lines.append("  " + text)

    def define(self, text):
        """Writes an op and returns the name of its result."""
        self.values += 1
        name = f"%v{self.values}"
        self.line(f"{name} = {text}")
        return name

    def type(self, element, shape=None):
        extents = "x".join(map(str, self.tile if shape is None else shape))
        return f"tensor<{extents}x{element}>"

    def permutation(self):
        return self.rng.sample(self.dims, len(self.tile))

    # Memory.

    def add_tensor(self, order):
        """A tensor whose dimensions are those of the program, in an order."""
        name = f"T{len(self.shapes)}"
        self.parameters.append(f"%{name}: !tile.ptr<{self.element}>")
        self.shapes.append(f'"{name}[{", ".join(f"D{d}" for d in order)}]"')
        return name

    def strides(self, order):
        """The strides of a dense tensor, in elements."""
        strides = ["1"]
        for dim in reversed(order[1:]):
            last = strides[0]
            strides.insert(
                0, f"%D{dim}" if last == "1" else self.define(f"arith.muli {last}, %D{dim} : index")
            )
        return strides

    def view(self, tensor, order):
        strides = self.strides(order)
        static = ", ".join("1" if s == "1" else "?" for s in strides)
        shape = "x".join("?" for _ in order)
        type_ = f"!tile.view<{shape}x{self.element}, [{static}]>"
        extents = ", ".join(f"%D{d}" for d in order)
        name = self.define(
            f"tile.view %{tensor}, shape [{extents}], strides [{', '.join(strides)}] "
            f": !tile.ptr<{self.element}> -> {type_}"
        )
        return name, type_, ", ".join(f"%o{d}" for d in order)

    def spread(self, value, element, shape, axis):
        """A tile of one dimension, at its axis, over a tile of this shape."""
        extents = [shape[axis]]
        for other in range(len(shape)):
            if other == axis:
                continue
            grown = [*extents[:other], 1, *extents[other:]]
            value = self.define(
                f"tile.expand_dims {value} {{axis = {other} : i32}} : "
                f"{self.type(element, extents)} -> {self.type(element, grown)}"
            )
            extents = grown
        if extents == shape:
            return value
        return self.define(
            f"tile.broadcast {value} : {self.type(element, extents)} -> {self.type(element, shape)}"
        )

    def pointers(self, tensor, order):
        """A tile of pointers in that order, and its mask."""
        shape = [self.tile[d] for d in order]
        index, mask = None, None
        for axis, (dim, stride) in enumerate(zip(order, self.strides(order), strict=True)):
            one = self.type("index", [shape[axis]])
            iota = self.define(f"tile.iota 0 : {one}")
            start = self.define(f"tile.splat %o{dim} : index -> {one}")
            place = self.define(f"arith.addi {iota}, {start} : {one}")
            limit = self.define(f"tile.splat %D{dim} : index -> {one}")
            inside = self.define(f"arith.cmpi slt, {place}, {limit} : {one}")
            if stride != "1":
                factor = self.define(f"tile.splat {stride} : index -> {one}")
                place = self.define(f"arith.muli {place}, {factor} : {one}")
            place = self.spread(place, "index", shape, axis)
            inside = self.spread(inside, "i1", shape, axis)
            both = self.type("index", shape)
            index = self.define(f"arith.addi {index}, {place} : {both}") if index else place
            both = self.type("i1", shape)
            mask = self.define(f"arith.andi {mask}, {inside} : {both}") if mask else inside
        pointer = f"!tile.ptr<{self.element}>"
        tiles = self.type(pointer, shape)
        base = self.define(f"tile.splat %{tensor} : {pointer} -> {tiles}")
        moved = self.define(f"tile.addptr {base}, {index} : {tiles}, {self.type('index', shape)}")
        return moved, tiles, mask

    def transpose(self, value, order, back):
        """Extents from the order of a tensor to the program's, or back."""
        if order == list(self.dims):
            return value
        there = [self.tile[d] for d in order]
        inverse = [order.index(d) for d in self.dims]
        if back:
            return self.define(
                f"tile.trans {value} {order} : {self.type(self.element)} -> "
                f"{self.type(self.element, there)}"
            )
        return self.define(
            f"tile.trans {value} {inverse} : {self.type(self.element, there)} -> "
            f"{self.type(self.element)}"
        )

    def load(self):
        order = self.permutation()
        tensor = self.add_tensor(order)
        type_ = self.type(self.element, [self.tile[d] for d in order])
        if self.rng.random() < 0.5:
            view, view_type, at = self.view(tensor, order)
            name = self.define(f"tile.load_view {view}[{at}] : {view_type} -> {type_}")
        else:
            pointers, pointers_type, mask = self.pointers(tensor, order)
            other = ""
            if self.rng.random() < 0.3:
                number = "7.0" if self.is_float else "7"
                other = " else " + self.define(f"arith.constant dense<{number}> : {type_}")
            name = self.define(f"tile.load {pointers} mask {mask}{other} : {pointers_type}")
        indices = ", ".join(f"i{d}" for d in order)
        return Value(self.transpose(name, order, back=False), f"{tensor}[{indices}]")

    def store(self, value):
        order = self.permutation()
        tensor = self.add_tensor(order)
        name = self.transpose(value.name, order, back=True)
        if self.rng.random() < 0.5:
            view, view_type, at = self.view(tensor, order)
            type_ = self.type(self.element, [self.tile[d] for d in order])
            self.line(f"tile.store_view {name}, {view}[{at}] : {type_}, {view_type}")
        else:
            pointers, pointers_type, mask = self.pointers(tensor, order)
            self.line(f"tile.store {pointers}, {name} mask {mask} : {pointers_type}")
        indices = ", ".join(f"i{d}" for d in order)
        return f"{tensor}[{indices}] = {value.reference}"

    # Expressions.

    def vector(self):
        """A tensor of one dimension, repeated along the others."""
        dim = self.rng.choice(self.dims)
        tensor = self.add_tensor([dim])
        view, view_type, at = self.view(tensor, [dim])
        one = self.type(self.element, [self.tile[dim]])
        name = self.define(f"tile.load_view {view}[{at}] : {view_type} -> {one}")
        return Value(self.spread(name, self.element, self.tile, dim), f"{tensor}[i{dim}]")

    def position(self):
        """The element's own place along a dimension."""
        dim = self.rng.choice(self.dims)
        one = self.type("i64", [self.tile[dim]])
        iota = self.define(f"tile.iota 0 : {one}")
        start = self.define(f"arith.index_cast %o{dim} : index to i64")
        starts = self.define(f"tile.splat {start} : i64 -> {one}")
        place = self.spread(
            self.define(f"arith.addi {iota}, {starts} : {one}"), "i64", self.tile, dim
        )
        if self.element == "i64":  # max(i0, x) would be a reduction over i0.
            return Value(place, f"(i{dim} + 0)")
        op = "arith.sitofp" if self.is_float else "arith.trunci"
        name = self.define(f"{op} {place} : {self.type('i64')} to {self.type(self.element)}")
        return Value(name, f"{self.element}(i{dim})")

    def scalar(self):
        type_ = self.type(self.element)
        return Value(self.define(f"tile.splat %s : {self.element} -> {type_}"), "s")

    def through_shared(self, value):
        """The same tile, by way of shared memory."""
        shape = "x".join(map(str, self.tile))
        shared = f"!tile.shared<{shape}x{self.element}>"
        layout = self.rng.choice(["", ' {layout = "pad:1"}', ' {layout = "swizzle"}'])
        tile = self.define(f"tile.alloc_shared{layout} : {shared}")
        type_ = self.type(self.element)
        self.line(f"tile.local_store {value.name}, {tile} : {type_}, {shared}")
        return Value(self.define(f"tile.local_load {tile} : {shared} -> {type_}"), value.reference)

    def reshaped(self, value):
        """The same tile, by way of one dimension."""
        flat = self.type(self.element, [self.count(self.tile)])
        type_ = self.type(self.element)
        name = self.define(f"tile.reshape {value.name} : {type_} -> {flat}")
        return Value(self.define(f"tile.reshape {name} : {flat} -> {type_}"), value.reference)

    def looped(self, value):
        """The tile, added to itself a few times."""
        if self.is_float:
            return value
        times = self.rng.randrange(0, 4)
        type_ = self.type(self.element)
        bounds = [self.define(f"arith.constant {n} : index") for n in (0, times, 1)]
        zero = self.define(f"arith.constant dense<0> : {type_}")
        self.values += 1
        name = f"%v{self.values}"
        self.line(f"{name} = scf.for %k{self.values} = {bounds[0]} to {bounds[1]} step {bounds[2]}")
        self.line(f"    iter_args(%sum{self.values} = {zero}) -> ({type_}) {{")
        self.line(f"  %next{self.values} = arith.addi %sum{self.values}, {value.name} : {type_}")
        self.line(f"  scf.yield %next{self.values} : {type_}")
        self.line("}")
        return Value(name, f"{self.element}({times} * ({value.reference}))")

    def binary(self, a, b):
        ops = (
            [("addf", "{} + {}"), ("subf", "{} - {}"), ("mulf", "{} * {}"),
             ("maximumf", "max({}, {})"), ("minnumf", "minnum({}, {})")]
            if self.is_float
            else [("addi", "{} + {}"), ("subi", "{} - {}"), ("muli", "{} * {}"),
                  ("maxsi", "max({}, {})"), ("minsi", "min({}, {})")]
        )  # fmt: skip
        op, formula = self.rng.choice(ops)
        name = self.define(f"arith.{op} {a.name}, {b.name} : {self.type(self.element)}")
        return Value(name, f"{self.element}({formula.format(a.reference, b.reference)})")

    def expression(self, depth):
        if depth == 0 or self.rng.random() < 0.2:
            leaf = self.rng.choice(
                [self.load, self.load, self.load, self.vector, self.position, self.scalar]
            )
            return leaf()
        value = self.binary(self.expression(depth - 1), self.expression(depth - 1))
        for change in (self.through_shared, self.reshaped, self.looped):
            if self.rng.random() < 0.15:
                value = change(value)
        return value

    def finish(self):
        result = self.expression(self.rng.randrange(0, 4))
        reference = self.store(result)
        head = []
        for dim in self.dims:
            self.parameters.append(f"%D{dim}: index")
            head.append(f"  %e{dim} = arith.constant {self.tile[dim]} : index")
            head.append(f"  %p{dim} = tile.program_id {dim}")
            head.append(f"  %o{dim} = arith.muli %p{dim}, %e{dim} : index")
        self.parameters.append(f"%s: {self.element}")
        grid = ", ".join(f'"ceildiv(D{d}, {self.tile[d]})"' for d in self.dims)
        return "\n".join(
            [
                f"tile.kernel @fuzz({', '.join(self.parameters)})",
                f"    shapes [{', '.join(self.shapes)}]",
                f"    grid [{grid}]",
                f'    reference ["{reference}"] {{',
                *head,
                *self.lines,
                "  tile.return",
                "}",
                "",
            ]
        )

    def sizes(self):
        """Extents that need no more than some dozens of programs."""
        limit = [min(MAX_EXTENT, 4 * extent + 3) for extent in self.tile]
        return [
            self.rng.choice([0, 1, extent, most, self.rng.randrange(1, most + 1)])
            if self.rng.random() < 0.9
            else extent * 2
            for extent, most in zip(self.tile, limit, strict=True)
        ]


def make_kernel(rng):
    writer = Writer(rng)
    text = writer.finish()
    sizes = " ".join(f"D{dim}={size}" for dim, size in enumerate(writer.sizes()))
    scalar = rng.choice(["0", "1", "-3", "5"])
    options = [
        f"--num-warps={2 ** rng.randrange(0, 6)}",
        f"--shared-layout={rng.choice(LAYOUTS)}",
        f"--target={rng.choice(TARGETS)}",
        f"--seed={rng.randrange(1000)}",
    ]
    if rng.random() < 0.5:
        options.append("--specials")
    return Kernel(text, f"{sizes} s={scalar}", options)


if __name__ == "__main__":
    print(make_kernel(random.Random()).text)
