"""Products whose loops are drawn: where they begin and end, what stands around, beside and in them,
and what is made of the sums. The same text is run by NumPy; numbers are small and whole, so that
sums are exact and a step too few or too many shows."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy

from .arrays import UNTOUCHED, Case, Drawing
from .interpreter import interpret
from .kernel_text import KernelText, find_difference, make_kernel

# Tiles of C, steps along K, and warps.
BLOCKS = (
    # More often those of blocks that stay for several programs.
    *[((128, 256, 64), 8)] * 3,
    ((128, 128, 64), 8),
    *[((128, 128, 64), 4)] * 2,
    ((64, 128, 64), 4),
    ((64, 64, 32), 4),
    ((64, 64, 64), 8),
    ((32, 32, 32), 2),
)
# Of a loop around others; matrices that a kernel may store, one behind the other; numbers in its
# table.
MOST_ROUNDS, MATRICES, NUMBERS = 3, 12, 16
HEAD = """\
def drawn_kernel(
    a, b, c, halves, residual, table, M, N, K, x, y,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    pm, pn = tl.program_id(0), tl.program_id(1)
    m, n = pm * BLOCK_M, pn * BLOCK_N
    om, on, ok = m + tl.arange(0, BLOCK_M), n + tl.arange(0, BLOCK_N), tl.arange(0, BLOCK_K)
    rows = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    columns = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    others = tl.make_tensor_descriptor(residual, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    places = om[:, None] * N + on[None, :]
    inside = (om[:, None] < M) & (on[None, :] < N)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
"""
EPILOGUES = (
    "total = total * 2.0",
    "total = tl.maximum(total, -8.0)",
    "total = tl.where(om[:, None] >= on[None, :], total, 0.0)",
    "total = total - tl.max(total, axis=0)[None, :]",
    "total = total - tl.max(total, axis=1)[:, None]",
    "total = total + tl.load(residual + places, mask=inside, other=0.0)",
    "total = total + others.load([m, n])",
    "total = tl.cumsum(total, axis=0)",
    "total = tl.cumsum(total, axis=1)",
)


@dataclass
class Writer(KernelText):
    """Writes the statements of a kernel."""

    # Of each loop around loops, whether its rounds begin with no sum.
    begins_anew: list[bool] = field(default_factory=list)
    stores: int = 0
    # Tiles that are loaded before all products.
    early: list[str] = field(default_factory=list)
    is_in_branch: bool = False
    has_scan: bool = False
    # What bulk copies may fetch: all or nothing of what is multiplied.
    has_descriptors: bool = False

    #  Numbers

    def number(self, most: int = 2) -> str:
        """A small one, of which may be known nothing before the program runs."""
        simple = ("0", "1", "x", "y", "pm", "pn", *self.counters)
        way = self.drawing.random.random() if most > 0 else 0.0
        if way < 0.4:
            return self.pick(*simple)
        if way < 0.5:
            return f"tl.load(table + {self.pick(*simple)})"
        one, other = self.number(most - 1), self.number(most - 1)
        return self.pick(
            f"tl.maximum({one}, 0) // 2",
            f"tl.maximum({one}, 0) % 2",
            f"tl.maximum({one} - 1, 0)",
            f"tl.minimum({one}, {other})",
            f"({one}) * ({other})",
            f"({one}) + ({other})",
            f"({one}) - ({other})",
        )

    def condition(self) -> str:
        return f"{self.number(1)} {self.pick('<', '<=', '>', '==', '!=')} {self.number(1)}"

    #  Statements

    def write(self, size: int) -> None:
        for _ in range(size):
            ways = [*[self.write_product] * 5, self.write_branch, self.write_epilogue]
            if len(self.counters) < 2:
                ways.append(self.write_rounds)
            if not self.counters and not self.is_in_branch:
                ways.append(self.write_return)
            self.drawing.pick(*ways)()

    def write_branch(self) -> None:
        was, self.is_in_branch = self.is_in_branch, True
        with self.below(f"if {self.condition()}:"):
            self.write(self.drawing.random.randint(1, 2))
        if self.chance(40):
            with self.below("else:"):
                self.write(1)
        self.is_in_branch = was

    def write_return(self) -> None:
        with self.below(f"if {self.condition()}:"):
            if self.chance(50):
                self.write_store()
            self.line("return")

    def write_rounds(self) -> None:
        """A loop around loops, which may store in each round."""
        counter = self.name("g")
        rounds = self.pick("2", "3", "x", "pm", f"tl.minimum({self.number(1)}, {MOST_ROUNDS})")
        with self.below(f"for {counter} in range({rounds}):"):
            self.counters.append(counter)
            self.begins_anew.append(self.chance(60))
            if self.begins_anew[-1]:
                self.line("total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)")
            self.write(self.drawing.random.randint(1, 2))
            if self.chance(70):
                self.write_store()
            self.counters.pop()
            self.begins_anew.pop()

    def write_epilogue(self) -> None:
        # Sums of sums would not be exact, as in each round of a loop that goes on with them.
        goes_on = self.has_scan or not all(self.begins_anew[-1:])
        ways = [each for each in EPILOGUES if not (goes_on and "cumsum" in each)]
        ways += [f"total = total + {tile}" for tile in self.early]
        # What a program has stored, or what stood there before.
        half = self.drawing.random.randrange(3)
        ways.append(f"total = total + {self.half(str(half))}.load([m, n])")
        ways.append(f"total = total + tl.load(halves + {half} * M * N + places, mask=inside)")
        text = self.pick(*ways)
        self.has_scan |= "cumsum" in text
        self.line(text)

    def write_store(self) -> None:
        self.stores += 1
        matrix = str(self.stores % 3)
        if self.counters:
            matrix = f"({matrix} + 3 * {self.counters[-1]})"
        if not self.chance(50):
            self.line(f"tl.store(c + {matrix} * M * N + places, total, mask=inside)")
            return
        # So small that halves are exact.
        half = "tl.cast(tl.minimum(tl.maximum(total, -256.0), 256.0), tl.float16)"
        if self.chance(70):
            self.line(f"{self.half(matrix)}.store([m, n], {half})")
        else:
            self.line(f"tl.store(halves + {matrix} * M * N + places, {half}, mask=inside)")

    def half(self, matrix: str) -> str:
        """One of the matrices of halves."""
        base = f"halves + {matrix} * M * N"
        return f"tl.make_tensor_descriptor({base}, [M, N], [N, 1], [BLOCK_M, BLOCK_N])"

    def write_early(self) -> None:
        self.early.append(self.name("early"))
        self.line(f"{self.early[-1]} = others.load([m, n])")

    def write_product(self) -> None:
        first = self.pick("0", "0", self.number())
        last = self.pick("", "", self.number())
        stages = self.pick("", "", "", f", num_stages={self.pick('1', '2', '3')}")
        word = "tl.range" if stages else "range"
        steps = last or "tl.cdiv(K, BLOCK_K)"
        k, style = self.name("k"), self.pick("places", "places", "steps", "steps", "list", "while")
        if style == "places":
            end = f"tl.minimum(({last}) * BLOCK_K, K)" if last else "K"
            step = self.pick("BLOCK_K", "BLOCK_K", "2 * BLOCK_K")
            head = f"for {k} in {word}(({first}) * BLOCK_K, {end}, {step}{stages}):"
        elif style == "while":
            self.line(f"{k} = ({first}) * BLOCK_K")
            head = f"while {k} < ({steps}) * BLOCK_K:"
        else:
            step = self.name("step")
            head = f"for {step} in {word}({first}, {steps}{stages}):"
        with self.below(head):
            if style == "steps":
                self.line(f"{k} = {step} * BLOCK_K")
            elif style == "list":
                place = f"tl.minimum(tl.maximum({step}, 0), {NUMBERS - 1})"
                self.line(f"{k} = tl.load(table + {place}) * BLOCK_K")
            if self.chance(15):
                with self.below(f"if {self.pick(k + ' != BLOCK_K', self.condition())}:"):
                    self.write_sums(k)
            else:
                self.write_sums(k)
            if style == "while":
                self.line(f"{k} += BLOCK_K")

    def write_sums(self, k: str) -> None:
        p, q, r = self.name("p"), self.name("q"), self.name("r")
        self.line(f"{p} = {self.load_rows(k)}")
        self.line(f"{q} = {self.load_columns(k)}")
        if self.chance(15):
            self.line(f"{p} = {p} * 2.0")
        self.line(f"total = tl.dot({p}, {q}, total)")
        if self.chance(25):
            self.line(f"{r} = {self.load_columns(f'({k} + BLOCK_K)')}")
            self.line(f"total = tl.dot({p}, {r}, total)")

    def load_rows(self, k: str) -> str:
        at = f"({k} + ok)[None, :]"
        mask = f"(om[:, None] < M) & ({at} >= 0) & ({at} < K)"
        by_pointers = f"tl.load(a + om[:, None] * K + {at}, mask={mask}, other=0.0)"
        return self.load(f"rows.load([m, {k}])", by_pointers)

    def load_columns(self, k: str) -> str:
        at = f"({k} + ok)[:, None]"
        mask = f"({at} >= 0) & ({at} < K) & (on[None, :] < N)"
        by_pointers = f"tl.load(b + {at} * N + on[None, :], mask={mask}, other=0.0)"
        return self.load(f"columns.load([{k}, n])", by_pointers)

    def load(self, by_descriptor: str, by_pointers: str) -> str:
        if self.has_descriptors:
            return by_descriptor
        return self.pick(by_descriptor, by_pointers)


def write_kernel(drawing: Drawing) -> str:
    writer = Writer(drawing)
    writer.has_descriptors = writer.chance(60)
    if writer.chance(25):
        writer.write_early()
    if writer.chance(40):
        # What blocks may stay for.
        for _ in range(drawing.random.randint(1, 2)):
            writer.write_product()
    else:
        writer.write(drawing.random.randint(1, 3))
    for _ in range(drawing.random.randint(0, 2)):
        writer.write_epilogue()
    writer.write_store()
    return HEAD + "\n".join(writer.lines) + "\n"


def loops(drawing: Drawing) -> Case:
    blocks, warps = drawing.pick(*BLOCKS)
    stages = drawing.pick(1, 2, 3, 4, 5)
    text = write_kernel(drawing)
    m, n = (drawing.pick(size, 2 * size - 8, size + 8) for size in blocks[:2])
    steps = drawing.pick(0, 1, stages - 1, stages, stages + 1)
    k = max(steps * blocks[2] - drawing.pick(0, 0, 8, 1), 0)
    x, y = drawing.random.randint(0, 2), drawing.random.randint(0, 3)
    launch = {"num_warps": warps, "num_stages": stages}

    def whole(least: int, most: int, *shape: int) -> numpy.ndarray:
        return drawing.numbers.integers(least, most + 1, shape)

    def run() -> str:
        a, b, residual = whole(-2, 2, m, k), whole(-2, 2, k, n), whole(-8, 8, m, n)
        table = whole(0, 3, NUMBERS)
        c = numpy.full((MATRICES, m, n), float(UNTOUCHED))
        halves = c.copy()
        grid, put = (-(-m // blocks[0]), -(-n // blocks[1])), drawing.device.put
        results = [put(c, "float32"), put(halves, "float16")]
        make_kernel(text)[grid](
            put(a, "float16"), put(b, "float16"), *results, put(residual, "float16"),
            put(table, "int32"), m, n, k, x, y, *blocks, **launch,
        )  # fmt: skip
        arrays = [a, b, c, halves, residual, table]
        interpret(text, grid, arrays, m, n, k, x, y, *blocks)
        for result, expected in zip(results, (c, halves), strict=True):
            if difference := find_difference(drawing.device.get(result), expected):
                return f"{difference}\n{text}"
        return ""

    return Case(f"loops {m} x {n} x {k} x={x} y={y} {blocks} {launch}", run)


FAMILIES = (loops,)
