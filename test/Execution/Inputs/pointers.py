"""Runs random kernels of pointers in the simulator, against their references.

    pointers.py [--random N] [--seed S] [--print KIND]

Kinds: `block` loads a shifted block with masks of both ends and a number for what is outside, by 32
or 64 bits, forwards or backwards, or takes remainders; `product` multiplies by pointers that a loop
carries.
"""

import argparse
import random
import subprocess
import sys

from kernel_checks import TARGETS


class Text:
    """Lines of a kernel, with numbered values."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names = 0

    def add(self, op: str) -> str:
        self.names += 1
        self.lines.append(f"  %v{self.names} = {op}")
        return f"%v{self.names}"

    def const(self, value: int, kind: str) -> str:
        return self.add(f"arith.constant {value} : {kind}")

    def binary(self, op: str, a: str, b: str, kind: str) -> str:
        return self.add(f"arith.{op} {a}, {b} : {kind}")

    def splat(self, value: str, kind: str, shape: str) -> str:
        return self.add(f"tile.splat {value} : {kind} -> tensor<{shape}x{kind}>")

    def line(self, start: str, size: int, kind: str) -> str:
        """start + iota."""
        starts = self.splat(start, kind, str(size))
        iota = self.add(f"tile.iota 0 : tensor<{size}x{kind}>")
        return self.binary("addi", starts, iota, f"tensor<{size}x{kind}>")

    def spread(self, value: str, size: int, axis: int, shape: str, kind: str) -> str:
        """A line along the other dimension, in all of a tile."""
        one = f"1x{size}" if axis == 0 else f"{size}x1"
        wide = self.add(
            f"tile.expand_dims {value} {{axis = {axis} : i32}} : tensor<{size}x{kind}> "
            f"-> tensor<{one}x{kind}>"
        )
        return self.add(f"tile.broadcast {wide} : tensor<{one}x{kind}> -> tensor<{shape}x{kind}>")

    def pointers(self, base: str, element: str, offsets: str, kind: str, shape: str) -> str:
        bases = self.splat(base, f"!tile.ptr<{element}>", shape)
        pointers = f"tensor<{shape}x!tile.ptr<{element}>>"
        return self.add(f"tile.addptr {bases}, {offsets} : {pointers}, tensor<{shape}x{kind}>")

    def store(
        self, base: str, element: str, what: tuple[str, str, str], kind: str, shape: str
    ) -> None:
        """Stores (value) at (offsets) where (mask) is true."""
        value, offsets, mask = what
        to = self.pointers(base, element, offsets, kind, shape)
        self.lines.append(
            f"  tile.store {to}, {value} mask {mask} : tensor<{shape}x!tile.ptr<{element}>>"
        )

    def kernel(self, name: str, arguments: str, clauses: list[str], attributes: str) -> str:
        body, lines = "\n".join(self.lines), "\n    ".join(clauses)
        head = f"tile.kernel @{name}({arguments})\n    {lines}\n    attributes {{{attributes}}} {{"
        return f"{head}\n{body}\n  tile.return\n}}\n"


def inside_of(t: Text, m: str, n: str, kind: str, shape: str) -> str:
    """m < M and n < N."""
    in_m = t.add(f"arith.cmpi slt, {m}, {t.splat('%M', kind, shape)} : tensor<{shape}x{kind}>")
    in_n = t.add(f"arith.cmpi sgt, {t.splat('%N', kind, shape)}, {n} : tensor<{shape}x{kind}>")
    return t.binary("andi", in_m, in_n, f"tensor<{shape}xi1>")


def store_result(
    t: Text, where: tuple[str, str, str], what: tuple[str, str], kind: str, shape: str
) -> None:
    """Stores a tile into a dense matrix of M by N."""
    (base, m, n), (element, value) = where, what
    rows = t.binary("muli", m, t.splat("%N", kind, shape), f"tensor<{shape}x{kind}>")
    offsets = t.binary("addi", rows, n, f"tensor<{shape}x{kind}>")
    t.store(base, element, (value, offsets, inside_of(t, m, n, kind, shape)), kind, shape)


def program(text: Text, kind: str, tiles_n: str, bm: int, bn: int) -> tuple[str, str]:
    """Where the tile of this program begins."""
    number = text.add("tile.program_id 0")
    if kind != "index":
        number = text.add(f"arith.index_cast {number} : index to {kind}")
    row = text.binary("divsi", number, tiles_n, kind)
    column = text.binary("remsi", number, tiles_n, kind)
    return (
        text.binary("muli", row, text.const(bm, kind), kind),
        text.binary("muli", column, text.const(bn, kind), kind),
    )


def block(rng: random.Random) -> tuple[str, str]:
    kind = rng.choice(["i32", "i64", "index"])
    element, zero, other = rng.choice(
        [("f32", "0.0", "1.0"), ("f16", "0.0", "-inf"), ("i8", "0", "7"), ("f64", "0.0", "-inf")]
    )
    bm, bn = rng.choice([1, 4, 16, 32]), rng.choice([32, 64, 128])
    shape, t = f"{bm}x{bn}", Text()
    wraps = rng.random() < 0.3
    backwards = rng.random() < 0.3
    has_other = rng.random() < 0.5
    row, column = program(t, kind, "%tiles", bm, bn)
    ms, ns = t.line(row, bm, kind), t.line(column, bn, kind)
    m, n = t.spread(ms, bm, 1, shape, kind), t.spread(ns, bn, 0, shape, kind)
    tile = f"tensor<{shape}x{kind}>"
    xms, xns, mask = t.splat("%XM", kind, shape), t.splat("%XN", kind, shape), ""
    if wraps:
        lines = t.splat("%XN", kind, str(bn))
        rest = t.binary("remsi", ns, lines, f"tensor<{bn}x{kind}>")
        xm = t.binary("remsi", m, xms, tile)
        xn = t.spread(rest, bn, 0, shape, kind)
        value = "X[m % XM, n % XN]"
    else:
        xm = t.binary("addi", m, t.splat("%dm", kind, shape), tile)
        xn = t.binary("addi", n, t.splat("%dn", kind, shape), tile)
        masks = [
            t.add(f"arith.cmpi {order}, {value}, {bound} : {tile}")
            for value, end in ((xm, xms), (xn, xns))
            for order, bound in (("slt", end), ("sge", t.splat(t.const(0, kind), kind, shape)))
        ]
        rng.shuffle(masks)
        inside = masks[0]
        for more in masks[1:]:
            inside = t.binary("andi", inside, more, f"tensor<{shape}xi1>")
        mask = f"mask {inside}"
        x = "min(max(m + dm, 0), XM - 1)"
        if backwards:
            x = f"XM - 1 - {x}"
            last = t.splat(t.binary("subi", "%XM", t.const(1, kind), kind), kind, shape)
            xm = t.binary("subi", last, xm, tile)
        inside = "(m + dm >= 0) * (m + dm < XM) * (n + dn >= 0) * (n + dn < XN)"
        outside = other if has_other else "0"
        value = f"select({inside}, X[{x}, min(max(n + dn, 0), XN - 1)], {outside})"
    offsets = t.binary("addi", t.binary("muli", xm, xns, tile), xn, tile)
    xs = t.pointers("%X", element, offsets, kind, shape)
    others = t.add(f"tile.constant {other if has_other else zero} : tensor<{shape}x{element}>")
    otherwise = f" else {others}" if mask else ""
    loaded = t.add(f"tile.load {xs} {mask}{otherwise} : tensor<{shape}x!tile.ptr<{element}>>")
    store_result(t, ("%Y", m, n), (element, loaded), kind, shape)
    numbers = ", ".join(f"%{name}: {kind}" for name in ("M", "N", "XM", "XN", "dm", "dn", "tiles"))
    source = t.kernel(
        "block",
        f"%X: !tile.ptr<{element}>, %Y: !tile.ptr<{element}>, {numbers}",
        [
            'shapes ["X[XM, XN]", "Y[M, N]"]',
            f'grid ["ceildiv(M, {bm}) * ceildiv(N, {bn})"]',
            f'reference ["Y[m, n] = {value}"]',
        ],
        f"num_warps = {rng.choice([1, 4, 8])} : i32",
    )
    m_size, n_size = rng.randint(1, 70), rng.choice([rng.randint(1, 200), 16 * rng.randint(1, 12)])
    sizes = {
        "M": m_size,
        "N": n_size,
        "XM": rng.randint(1, 70),
        "XN": rng.choice([rng.randint(1, 200), 16 * rng.randint(1, 12)]),
        "dm": rng.randint(-20, 20),
        "dn": rng.choice([0, 0, 16, rng.randint(-20, 20)]),
        "tiles": -(-n_size // bn),
    }
    return source, " ".join(f"{name}={value}" for name, value in sizes.items())


def loop_of_product(
    t: Text,
    first: tuple[str, str],
    places: tuple[str, str],
    how: tuple[str, str, str],
    tile: tuple[int, int, int],
) -> None:
    """Sums products in %r#0, by pointers that the loop moves."""
    (kind, counter, other), (bm, bn, bk) = how, tile
    a_shape, b_shape = f"{bm}x{bk}", f"{bk}x{bn}"
    a_ptrs, b_ptrs = f"tensor<{a_shape}x!tile.ptr<f16>>", f"tensor<{b_shape}x!tile.ptr<f16>>"
    sums = f"tensor<{bm}x{bn}xf32>"
    zero = t.add(f"tile.constant 0.0 : {sums}")
    counted = "%K" if counter == kind else t.add(f"arith.index_cast %K : {kind} to {counter}")
    start, step = t.const(0, counter), t.const(bk, counter)
    types = f"({sums}, {a_ptrs}, {b_ptrs}){'' if counter == 'index' else ' : ' + counter}"
    t.lines.append(
        f"  %r:3 = scf.for %k = {start} to {counted} step {step} "
        f"iter_args(%acc = {zero}, %a = {first[0]}, %b = {first[1]}) -> {types} {{"
    )
    done = "%k" if counter == kind else t.add(f"arith.index_cast %k : {counter} to {kind}")
    left = t.binary("subi", "%K", done, kind)
    loads = []
    for name, shape, place in (("%a", a_shape, places[0]), ("%b", b_shape, places[1])):
        limit = t.splat(left, kind, shape)
        mask = t.add(f"arith.cmpi slt, {place}, {limit} : tensor<{shape}x{kind}>")
        none = t.add(f"tile.constant {other} : tensor<{shape}xf16>")
        pointers = f"tensor<{shape}x!tile.ptr<f16>>"
        loads.append(t.add(f"tile.load {name} mask {mask} else {none} : {pointers}"))
    tiles = f"tensor<{a_shape}xf16>, tensor<{b_shape}xf16>, {sums}"
    dot = t.add(f"tile.dot {loads[0]}, {loads[1]}, %acc : {tiles}")
    a_step = t.splat(t.const(bk, kind), kind, a_shape)
    a_next = t.add(f"tile.addptr %a, {a_step} : {a_ptrs}, tensor<{a_shape}x{kind}>")
    move = t.binary("muli", "%N", t.const(bk, kind), kind)
    b_step = t.splat(move, kind, b_shape)
    b_next = t.add(f"tile.addptr %b, {b_step} : {b_ptrs}, tensor<{b_shape}x{kind}>")
    t.lines.append(f"  scf.yield {dot}, {a_next}, {b_next} : {sums}, {a_ptrs}, {b_ptrs}\n  }}")


def product(rng: random.Random) -> tuple[str, str]:
    kind = rng.choice(["i32", "i32", "index"])
    counter = rng.choice(["i32", "index"])
    bm, bn, bk = rng.choice([32, 64]), rng.choice([32, 64]), rng.choice([16, 32, 64])
    other, beyond = rng.choice([("0.0", 0), ("1.0", 1)])
    a_shape, b_shape, c_shape = f"{bm}x{bk}", f"{bk}x{bn}", f"{bm}x{bn}"
    t = Text()
    row, column = program(t, kind, "%tiles", bm, bn)
    ms, ns = t.line(row, bm, kind), t.line(column, bn, kind)
    ks = t.line(t.const(0, kind), bk, kind)
    wrapped_m = t.binary("remsi", ms, t.splat("%M", kind, str(bm)), f"tensor<{bm}x{kind}>")
    wrapped_n = t.binary("remsi", ns, t.splat("%N", kind, str(bn)), f"tensor<{bn}x{kind}>")
    rows = t.binary(
        "muli",
        t.spread(wrapped_m, bm, 1, a_shape, kind),
        t.splat("%K", kind, a_shape),
        f"tensor<{a_shape}x{kind}>",
    )
    ak = t.spread(ks, bk, 0, a_shape, kind)
    a = t.pointers(
        "%A", "f16", t.binary("addi", rows, ak, f"tensor<{a_shape}x{kind}>"), kind, a_shape
    )
    bk_all = t.spread(ks, bk, 1, b_shape, kind)
    rows = t.binary("muli", bk_all, t.splat("%N", kind, b_shape), f"tensor<{b_shape}x{kind}>")
    columns = t.spread(wrapped_n, bn, 0, b_shape, kind)
    b = t.pointers(
        "%B", "f16", t.binary("addi", rows, columns, f"tensor<{b_shape}x{kind}>"), kind, b_shape
    )
    loop_of_product(t, (a, b), (ak, bk_all), (kind, counter, other), (bm, bn, bk))
    m, n = t.spread(ms, bm, 1, c_shape, kind), t.spread(ns, bn, 0, c_shape, kind)
    store_result(t, ("%C", m, n), ("f32", "%r#0"), kind, c_shape)
    numbers = ", ".join(f"%{name}: {kind}" for name in ("M", "N", "K", "tiles"))
    extra = f" + {beyond} * (ceildiv(K, {bk}) * {bk} - K)"
    source = t.kernel(
        "product",
        f"%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f32>, {numbers}",
        [
            'shapes ["A[M, K]", "B[K, N]", "C[M, N]"]',
            f'grid ["ceildiv(M, {bm}) * ceildiv(N, {bn})"]',
            f'reference ["C[m, n] = sum(k, A[m, k] * B[k, n]){extra}"]',
        ],
        f"num_warps = {rng.choice([1, 4, 8])} : i32, num_stages = {rng.randint(1, 4)} : i32",
    )
    n_size = rng.choice([rng.randint(1, 100), 16 * rng.randint(1, 6)])
    k_size = rng.choice([rng.randint(1, 200), 16 * rng.randint(1, 12)])
    sizes = {"M": rng.randint(1, 100), "N": n_size, "K": k_size, "tiles": -(-n_size // bn)}
    return source, " ".join(f"{name}={value}" for name, value in sizes.items())


KINDS = {"block": block, "product": product}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--random", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--print", choices=KINDS)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    if arguments.print:
        print(*KINDS[arguments.print](rng), sep="\n// ")
        return
    for number in range(arguments.random):
        kind = rng.choice(list(KINDS))
        source, sizes = KINDS[kind](rng)
        target = TARGETS[number % len(TARGETS)]
        command = ["tile-run", "-", "--device=sim", "--check"]
        command += [f"--target={target}", "--args", sizes]
        run = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
        if run.returncode != 0 or "correct, checked" not in run.stdout:
            print(source, *command, run.stdout, run.stderr, sep="\n")
            sys.exit(f"number {number} of seed {arguments.seed}, a {kind}, is wrong")
    print(f"{arguments.random} kernels are right")


if __name__ == "__main__":
    main()
