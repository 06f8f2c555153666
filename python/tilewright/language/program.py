"""Words for the program itself: its place in the grid, loops, assertions and promises."""

from __future__ import annotations

from enum import Enum
from typing import Any, NoReturn

from tilewright.language.arithmetic import minimum
from tilewright.language.casts import convert, to_bool
from tilewright.language.comparisons import logical_not, logical_or
from tilewright.language.context import current, emit, emit_many, quote, word
from tilewright.language.shapes import describe
from tilewright.language.tensor import read_constant, tensor, to_tensor
from tilewright.language.types import float32, int32, unwrap
from tilewright.language.views import INDEX
from tilewright.sizes import is_integer


class PropagateNan(Enum):
    """What maximum and minimum make of a NaN: pass over it, or give it."""

    NONE = 0
    ALL = 0xFFFF


def _read_axis(axis: Any, name: str) -> int:
    axis = read_constant(axis, f"the axis of {name}")
    if not is_integer(axis) or not 0 <= axis <= 2:
        raise ValueError(f"{name} takes the axis 0, 1 or 2, not {axis!r}")
    return axis


def _ask_grid(op: str, axis: int) -> tensor:
    place = emit(op, [], INDEX, [("axis", f"{axis} : i32")])
    return emit("arith.index_cast", [place], int32)


@word
def program_id(axis: Any) -> tensor:
    """The number of this program along an axis of the grid, as int32."""
    return _ask_grid("tile.program_id", _read_axis(axis, "program_id"))


@word
def num_programs(axis: Any) -> tensor:
    """The number of programs along an axis of the grid, as int32."""
    return _ask_grid("tile.num_programs", _read_axis(axis, "num_programs"))


def cdiv(x: Any, div: Any) -> Any:
    """``x / div``, rounded up, of integers."""
    x, div = unwrap(x), unwrap(div)
    return (x + (div - 1)) // div


def swizzle2d(i: Any, j: Any, size_i: Any, size_j: Any, size_g: Any) -> tuple[Any, Any]:
    """Another order of blocks: those of `size_g` rows of blocks together, column by column.

    `i` and `j` count the blocks of a matrix of `size_i` rows and `size_j` columns of them row by
    row. Blocks that follow each other then share more of what they read.
    """
    number = to_tensor(i) * size_j + j
    group, place = number // (size_g * size_j), number % (size_g * size_j)
    first = group * size_g
    # The last group may have fewer rows.
    rows = minimum(to_tensor(size_i) - first, size_g)
    return first + place % rows, place // rows


_MOST_STAGES = 8


def _read_stages(value: Any) -> int | None:
    stages = read_constant(value, "num_stages")
    if stages is None:
        return None
    if not is_integer(stages):
        raise TypeError(f"num_stages of a loop is an integer, not {stages!r}")
    if not 0 <= stages <= _MOST_STAGES:
        raise ValueError(f"num_stages of a loop is a number from 0 to {_MOST_STAGES}, not {stages}")
    # With one stage nothing runs ahead; Triton has 0 for that too.
    return max(stages, 1)


class range:  # noqa: N801
    """A loop of run time: ``for i in tl.range(start, end, step)``.

    A step of run time is above 0; one that counts down is written with a minus, as in
    ``range(n, 0, -step)``.
    `num_stages` is this loop's own: with 3, loads run two rounds ahead; with 1 or 0, none does.
    `loop_unroll_factor`, `flatten`, `warp_specialize` and the others are hints that change no
    result.
    """

    def __init__(
        self,
        arg1: Any,
        arg2: Any = None,
        step: Any = None,
        num_stages: Any = None,
        loop_unroll_factor: Any = None,
        disallow_acc_multi_buffer: Any = False,
        flatten: Any = False,
        warp_specialize: Any = False,
        disable_licm: Any = False,
    ) -> None:
        self.start: Any = 0 if arg2 is None else arg1
        self.end: Any = arg1 if arg2 is None else arg2
        self.step: Any = 1 if step is None else step
        #: At least 1, or None: as the kernel says.
        self.num_stages = _read_stages(num_stages)

    def __repr__(self) -> str:
        return "a range, which a loop goes over"

    def __reversed__(self) -> NoReturn:
        raise TypeError("a loop counts down by its step: write range(n - 1, -1, -1)")


class static_range:  # noqa: N801
    """A loop that is unrolled when the kernel is compiled; its bounds are constants."""

    def __init__(self, arg1: Any, arg2: Any = None, step: Any = None) -> None:
        self.start = 0 if arg2 is None else _read_bound(arg1)
        self.end = _read_bound(arg1 if arg2 is None else arg2)
        self.step = 1 if step is None else _read_bound(step)

    __reversed__ = range.__reversed__


def _read_bound(value: Any) -> int:
    value = unwrap(value)
    if isinstance(value, tensor) and value.constant is not None:
        value = value.constant
    if isinstance(value, tensor):
        raise TypeError("static_range takes constants; a loop over values of run time is range")
    if not isinstance(value, int):
        raise TypeError(f"static_range takes integers, not {value!r}")
    return value


def static_assert(cond: Any, msg: Any = "") -> None:
    """Stops the compilation, with `msg`, where a constant condition does not hold."""
    cond, msg = unwrap(cond), unwrap(msg)
    if isinstance(cond, tensor) and cond.constant is not None:
        cond = cond.constant
    if isinstance(cond, tensor):
        raise TypeError("static_assert takes a constant condition; device_assert one of run time")
    if not cond:
        raise AssertionError(str(msg) if msg else "static_assert does not hold")


def static_print(*values: Any, sep: str = " ", end: str = "\n", **_: Any) -> None:
    """Prints while the kernel is compiled."""
    print(*(unwrap(value) for value in values), sep=sep, end=end)


@word
def debug_barrier() -> None:
    """All threads of the program wait for each other; memory that one wrote the others see."""
    emit_many("tile.barrier", [], [])


@word
def device_assert(cond: Any, msg: Any = "", mask: Any = None) -> None:
    """Stops the kernel where the condition does not hold; the simulator says where.

    On a GPU it is there with ``@tilewright.jit(debug=True)``, the launch option `debug`, or
    TILEWRIGHT_DEBUG=1 in the environment; in the simulator unless `debug` is False.
    """
    if not current().options.get("debug"):
        return
    condition = to_bool(cond)
    if mask is not None:
        condition = logical_or(condition, logical_not(mask))
    text = str(read_constant(msg, "the message"))
    emit_many("tile.assert", [condition], [], [("message", quote(text))])


@word
def device_print(prefix: Any, *args: Any, hex: Any = False) -> None:
    """Prints while the kernel runs: a line for each element of each value.

    ``pid (0, 0, 0) idx (3) prefix: 1.500000``: the program, the place in the tile, the value. With
    several values the line says which one, as in ``(operand 1)``. `prefix` is a constant text.
    """
    if not isinstance(prefix, str) or not prefix.isascii():
        raise TypeError(
            f"device_print begins with a constant text of ASCII, not with {describe(prefix)}: "
            'write device_print("text", x); static_print prints constants while the kernel is '
            "compiled"
        )
    text = prefix
    if args:
        text = text.rstrip(" :") + ": "
    if text.strip(" :"):
        text = " " + text.lstrip(" ")
    if not args:
        emit_many("tile.print", [], [], [("prefix", quote(text))])
    for number, each in enumerate(args):
        operand = f"(operand {number}) " if len(args) > 1 else ""
        _print(text + operand, to_tensor(each, "what is printed"), read_constant(hex, "hex"))


def _print(text: str, value: tensor, hex: Any) -> None:
    if value.dtype.is_fp8():
        value = convert(value, float32)
    attributes = [("prefix", quote(text))]
    if hex and not value.dtype.is_floating():
        attributes.append(("hex", "unit"))
    if value.dtype.is_int_unsigned():
        attributes.append(("is_unsigned", "unit"))
    emit_many("tile.print", [value], [], attributes)


_LARGEST_PROMISE = 2**30


def _read_numbers(values: Any, rank: int, name: str) -> list[int]:
    given = list(values) if isinstance(values, (tuple, list)) else [values]
    numbers = [read_constant(number, f"a number of {name}") for number in given]
    for number in numbers:
        if not is_integer(number) or number < 1:
            raise TypeError(f"{name} takes constants of 1 or more, not {number!r}")
    if len(numbers) != max(rank, 1):
        raise ValueError(f"{name} of {rank} dimensions takes as many numbers, not {len(numbers)}")
    return numbers


def _promise(name: str, input: Any, values: Any, key: str) -> tensor:
    value = to_tensor(input)
    shape = value.type.shape
    numbers = _read_numbers(values, len(shape), name)
    # What is no power of two promises no less than its largest divisor that is one.
    powers = [min(number & -number, _LARGEST_PROMISE) for number in numbers]
    if key != "divisibility":
        powers = [min(power, extent) for power, extent in zip(powers, shape or (1,), strict=True)]
    if all(power == 1 for power in powers) or value.dtype.is_floating():
        return value
    attributes = [(key, f"array<i64: {', '.join(map(str, powers))}>")]
    return emit("tile.assume", [value], value.type, attributes)


@word
def multiple_of(input: Any, values: Any) -> tensor:
    """The same value, with the promise that it, or each run of it, begins at a multiple."""
    return _promise("multiple_of", input, values, "divisibility")


@word
def max_contiguous(input: Any, values: Any) -> tensor:
    """The same tile, with the promise that so many elements along each axis count up by one."""
    return _promise("max_contiguous", input, values, "contiguity")


@word
def max_constancy(input: Any, values: Any) -> tensor:
    """The same tile, with the promise that so many elements along each axis are equal."""
    return _promise("max_constancy", input, values, "constancy")


@word
def assume(cond: Any) -> None:
    """A promise that a condition holds. No code relies on it yet; the simulator checks it."""
    device_assert(cond, "what tl.assume promises")
