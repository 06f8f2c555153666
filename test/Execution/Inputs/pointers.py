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

TARGETS = ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"]


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
    yms = t.add(f"arith.cmpi slt, {m}, {t.splat('%M', kind, shape)} : {tile}")
    yns = t.add(f"arith.cmpi sgt, {t.splat('%N', kind, shape)}, {n} : {tile}")
    inside = t.binary("andi", yms, yns, f"tensor<{shape}xi1>")
    rows = t.binary("muli", m, t.splat("%N", kind, shape), tile)
    ys = t.pointers("%Y", element, t.binary("addi", rows, n, tile), kind, shape)
    t.lines.append(f"  tile.store {ys}, {loaded} mask {inside} : tensor<{shape}x!tile.ptr<{element}>>")
    numbers = ", ".join(f"%{name}: {kind}" for name in ("M", "N", "XM", "XN", "dm", "dn", "tiles"))
    source = f"""tile.kernel @block(%X: !tile.ptr<{element}>, %Y: !tile.ptr<{element}>, {numbers})
    shapes ["X[XM, XN]", "Y[M, N]"]
    grid ["ceildiv(M, {bm}) * ceildiv(N, {bn})"]
    reference ["Y[m, n] = {value}"]
    attributes {{num_warps = {rng.choice([1, 4, 8])} : i32}} {{
{chr(10).join(t.lines)}
  tile.return
}}
"""
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


def product(rng: random.Random) -> tuple[str, str]:
    kind = rng.choice(["i32", "i32", "index"])
    counter = rng.choice(["i32", "index"])
    bm, bn, bk = rng.choice([32, 64]), rng.choice([32, 64]), rng.choice([16, 32, 64])
    other, beyond = rng.choice([("0.0", 0), ("1.0", 1)])
    a_shape, b_shape, c_shape = f"{bm}x{bk}", f"{bk}x{bn}", f"{bm}x{bn}"
    a_ptrs, b_ptrs = f"tensor<{a_shape}x!tile.ptr<f16>>", f"tensor<{b_shape}x!tile.ptr<f16>>"
    sums, t = f"tensor<{c_shape}xf32>", Text()
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
    a = t.pointers("%A", "f16", t.binary("addi", rows, ak, f"tensor<{a_shape}x{kind}>"), kind, a_shape)
    bk_all = t.spread(ks, bk, 1, b_shape, kind)
    rows = t.binary("muli", bk_all, t.splat("%N", kind, b_shape), f"tensor<{b_shape}x{kind}>")
    columns = t.spread(wrapped_n, bn, 0, b_shape, kind)
    b = t.pointers(
        "%B", "f16", t.binary("addi", rows, columns, f"tensor<{b_shape}x{kind}>"), kind, b_shape
    )
    zero = t.add(f"tile.constant 0.0 : {sums}")
    counted = "%K" if counter == kind else t.add(f"arith.index_cast %K : {kind} to {counter}")
    first, step = t.const(0, counter), t.const(bk, counter)
    types = f"({sums}, {a_ptrs}, {b_ptrs}){'' if counter == 'index' else ' : ' + counter}"
    t.lines.append(
        f"  %r:3 = scf.for %k = {first} to {counted} step {step} "
        f"iter_args(%acc = {zero}, %a = {a}, %b = {b}) -> {types} {{"
    )
    done = "%k" if counter == kind else t.add(f"arith.index_cast %k : {counter} to {kind}")
    left = t.binary("subi", "%K", done, kind)
    loads = []
    for name, shape, places in (("%a", a_shape, ak), ("%b", b_shape, bk_all)):
        limit = t.splat(left, kind, shape)
        mask = t.add(f"arith.cmpi slt, {places}, {limit} : tensor<{shape}x{kind}>")
        none = t.add(f"tile.constant {other} : tensor<{shape}xf16>")
        loads.append(t.add(f"tile.load {name} mask {mask} else {none} : tensor<{shape}x!tile.ptr<f16>>"))
    dot = t.add(
        f"tile.dot {loads[0]}, {loads[1]}, %acc : tensor<{a_shape}xf16>, tensor<{b_shape}xf16>, {sums}"
    )
    a_step = t.splat(t.const(bk, kind), kind, a_shape)
    a_next = t.add(f"tile.addptr %a, {a_step} : {a_ptrs}, tensor<{a_shape}x{kind}>")
    move = t.binary("muli", "%N", t.const(bk, kind), kind)
    b_step = t.splat(move, kind, b_shape)
    b_next = t.add(f"tile.addptr %b, {b_step} : {b_ptrs}, tensor<{b_shape}x{kind}>")
    t.lines.append(f"  scf.yield {dot}, {a_next}, {b_next} : {sums}, {a_ptrs}, {b_ptrs}\n  }}")
    m, n = t.spread(ms, bm, 1, c_shape, kind), t.spread(ns, bn, 0, c_shape, kind)
    tile = f"tensor<{c_shape}x{kind}>"
    in_m = t.add(f"arith.cmpi slt, {m}, {t.splat('%M', kind, c_shape)} : {tile}")
    in_n = t.add(f"arith.cmpi slt, {n}, {t.splat('%N', kind, c_shape)} : {tile}")
    inside = t.binary("andi", in_m, in_n, f"tensor<{c_shape}xi1>")
    rows = t.binary("muli", m, t.splat("%N", kind, c_shape), tile)
    cs = t.pointers("%C", "f32", t.binary("addi", rows, n, tile), kind, c_shape)
    t.lines.append(f"  tile.store {cs}, %r#0 mask {inside} : tensor<{c_shape}x!tile.ptr<f32>>")
    numbers = ", ".join(f"%{name}: {kind}" for name in ("M", "N", "K", "tiles"))
    stages, warps = rng.randint(1, 4), rng.choice([1, 4, 8])
    extra = f" + {beyond} * (ceildiv(K, {bk}) * {bk} - K)"
    source = f"""tile.kernel @product(%A: !tile.ptr<f16>, %B: !tile.ptr<f16>, %C: !tile.ptr<f32>, {numbers})
    shapes ["A[M, K]", "B[K, N]", "C[M, N]"]
    grid ["ceildiv(M, {bm}) * ceildiv(N, {bn})"]
    reference ["C[m, n] = sum(k, A[m, k] * B[k, n]){extra}"]
    attributes {{num_warps = {warps} : i32, num_stages = {stages} : i32}} {{
{chr(10).join(t.lines)}
  tile.return
}}
"""
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
        command = ["tile-run", "-", "--device=sim", "--check", f"--target={target}", "--args", sizes]
        run = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
        if run.returncode != 0 or "correct, checked" not in run.stdout:
            print(source, *command, run.stdout, run.stderr, sep="\n")
            sys.exit(f"number {number} of seed {arguments.seed}, a {kind}, is wrong")
    print(f"{arguments.random} kernels are right")


if __name__ == "__main__":
    main()
