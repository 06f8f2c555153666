"""Kernels that are wrong: one clear error each, at the user's line."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import tilewright
import tilewright.language as tl
from tilewright.frontend.program import compile_function
from tilewright.language.extra import libdevice

SIZE = 128
WIDTH = tl.constexpr(64)

# Each mistake: the kernel, the types of its parameters, its constants, and what is said of it.
_MISTAKES: list[tuple[tilewright.JITFunction, tuple[str, ...], dict[str, Any], str, str]] = []


def mistake(
    line: str, message: str, *types: str, **constants: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A kernel with a mistake: the line that is shown, and what is said."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        _MISTAKES.append((tilewright.jit(function), types or ("*fp32",), constants, line, message))
        return function

    return add


def plain(x):
    return x + 1


@tilewright.jit
def recursive(x):
    return recursive(x) + 1


@tilewright.jit
def two(a, b):
    return a + b


@mistake("a = tl.load(x) + tl.load(x + x)", "two pointers cannot be added")
def wrong_types(x):
    a = tl.load(x) + tl.load(x + x)


@mistake(
    "both = tl.cat(x + tl.arange(0, 16), x + tl.arange(0, 16))",
    "cat takes numbers, not pointers: join what is added to the pointer",
)
def pointers_in_line(x):
    both = tl.cat(x + tl.arange(0, 16), x + tl.arange(0, 16))


@mistake("a = tl.load(x & 3)", "& takes numbers, not pointers (pointer<fp32>): write x + (i & 3)")
def masked_pointer(x):
    a = tl.load(x & 3)


@mistake(
    "tl.store(tl.arange(0, 16), 1.0)",
    "store takes a pointer or a tile of pointers, not a value of type <[16], int32>",
)
def not_ptr(x):
    tl.store(tl.arange(0, 16), 1.0)


@mistake(
    "a = tl.arange(0, 16) + tl.arange(0, 32)",
    "tiles of shapes [16] and [32] do not fit together: extents are to be equal, or 1",
)
def no_broadcast(x):
    a = tl.arange(0, 16) + tl.arange(0, 32)


@mistake(
    "a = tl.zeros((n,), tl.float32)",
    "an extent of a shape is a value of run time; make it a constant, by a parameter with the annotation tl.constexpr",
    "*fp32",
    "i32",
)
def block_runtime(x, n):
    a = tl.zeros((n,), tl.float32)


@mistake(
    "a = tl.arange(0, N)",
    "arange(0, 100) has 100 numbers; it is to be a power of two (tilewright.next_power_of_2 gives one; a mask cuts off what is too much)",
    "*fp32",
    N=100,
)
def not_pow2(x, N: tl.constexpr):
    a = tl.arange(0, N)


@mistake("break", "kernels do not have 'break': end a loop by the condition of a 'while'")
def brk(x):
    for i in range(4):
        break


@mistake("try:", "kernels do not have 'try': a kernel raises nothing")
def tryy(x):
    try:
        pass
    except Exception:
        pass


@mistake("f = lambda a: a", "kernels do not have a lambda: write a function with @tilewright.jit")
def lam(x):
    f = lambda a: a


@mistake(
    "return recursive(x) + 1", "'recursive' calls itself: kernels have no recursion; write a loop"
)
def recu(x):
    recursive(tl.load(x))


@mistake(
    "tl.store(x, SIZE)",
    "'SIZE' is a variable of Python, whose changes a compiled kernel would not see: make it a constant, SIZE = tl.constexpr(128), or pass it as a parameter",
)
def glob(x):
    tl.store(x, SIZE)


@mistake(
    "global SIZE",
    "kernels do not have 'global': a kernel changes no Python variable; store into memory",
)
def globmut(x):
    global SIZE
    SIZE = 2


@mistake(
    "for i in range(4):",
    "'acc' is int32 before this loop and fp32 at the end of its body: what goes around a loop keeps its type; begin with a tile of that shape and type, as by tl.zeros, or cast it back by .to()",
)
def typechange(x):
    acc = 0
    for i in range(4):
        acc += tl.load(x)


@mistake(
    "for i in range(4):",
    "'acc' is fp32 before this loop and <[16], fp32> at the end of its body: what goes around a loop keeps its type; begin with a tile of that shape and type, as by tl.zeros, or cast it back by .to()",
)
def shapechange(x):
    acc = 0.0
    for i in range(4):
        acc += tl.load(x + tl.arange(0, 16))


@mistake(
    "plain(tl.load(x))",
    "'plain' is a function of Python, which cannot take values of run time: put @tilewright.jit before its definition",
)
def notjit(x):
    plain(tl.load(x))


@mistake("two(tl.load(x))", "missing a required argument: 'b': it is two(a, b)")
def missing(x):
    two(tl.load(x))


@mistake(
    "y = float(tl.load(x))",
    "'float' is a function of Python, which cannot take values of run time: write x.to(tl.float32)",
)
def cast_of_python(x):
    y = float(tl.load(x))


@mistake(
    "y = math.sqrt(tl.load(x))",
    "'sqrt' is a function of Python, which cannot take values of run time: write tl.sqrt",
)
def function_of_a_library(x):
    y = math.sqrt(tl.load(x))


@mistake(
    "y = math.gcd(tl.load(x), 4)",
    "'gcd' is a function of Python, which cannot take values of run time: write it with words of tilewright.language",
)
def function_without_a_word(x):
    y = math.gcd(tl.load(x), 4)


@mistake(
    "two[(1,)](x, 1)",
    "kernels launch no kernels: call 'two' as it is, without a grid, and its body becomes part of this one",
)
def launches(x):
    two[(1,)](x, 1)


@mistake(
    "tl.maximum(b, 1)",
    "a value is a number or a tile, not a value of type pointer<<[16], fp32>>",
)
def maximum_of_a_block_pointer(x):
    b = tl.make_block_ptr(x, (64,), (1,), (0,), (16,), (0,))
    tl.maximum(b, 1)


@mistake(
    "for i in range(range(3)):",
    "a bound of a loop is a number or a tile, not a range, which a loop goes over",
)
def range_of_a_range(x):
    for i in range(range(3)):
        tl.store(x, 1.0)


@mistake("y = tl.zeros((16,), tl.void)", "zeros takes a type such as tl.float32, not void")
def tile_of_nothing(x):
    y = tl.zeros((16,), tl.void)


@tilewright.jit
def number_or_other(n):
    if n > 3:
        if n > 5:
            return 1
    return 1.5


@mistake(
    "if n > 3:",
    "the function returns 1.5 in one branch and int32 in the other: what it returns is to have one type",
    "*fp32",
    "i32",
)
def returns_two_kinds_of_numbers(x, n):
    tl.store(x, number_or_other(n))


@tilewright.jit
def type_or_other(n):
    if n > 3:
        if n > 5:
            return tl.float16
    return tl.float32


@mistake(
    "if n > 3:",
    "the function returns fp32 in one branch and fp16 in the other: what it returns is to have one type",
    "*fp32",
    "i32",
)
def returns_two_types(x, n):
    tl.store(x, tl.full((), 1, type_or_other(n)))


@mistake("two(tl.load(x), c=1)", "there is no parameter 'c': it is two(a, b)")
def unknownkw(x):
    two(tl.load(x), c=1)


@mistake("y = foo + 1", "'foo' is not defined")
def undefinedname(x):
    y = foo + 1


@mistake("y = tl.sofmax(x)", "tilewright.language has no 'sofmax'; did you mean 'softmax'?")
def nosuchword(x):
    y = tl.sofmax(x)


@mistake(
    "def letters(x, größe):",
    "the names of a kernel and of its parameters have the letters a to z, digits and _: 'größe' "
    "needs another",
    "*fp32",
    "i32",
)
def letters(x, größe):
    tl.store(x, größe)


@mistake(
    "y = tl.extract_slice(tl.load(x + tl.arange(0, 16)), 0, 8)",
    "tilewright.language has no 'extract_slice': tl.split cuts a tile in two, tl.gather takes "
    "elements by their numbers",
)
def no_word_of_ours(x):
    y = tl.extract_slice(tl.load(x + tl.arange(0, 16)), 0, 8)


@mistake(
    "y = tl.math.tanh(1.0)",
    "tilewright.language.math has no 'tanh': write libdevice.tanh, from tilewright.language.extra",
)
def word_of_libdevice(x):
    y = tl.math.tanh(1.0)


@mistake(
    "y = libdevice.cumsum(x)",
    "tilewright.language.extra.libdevice has no 'cumsum': write tl.cumsum",
)
def no_word_of_libdevice(x):
    y = libdevice.cumsum(x)


@mistake(
    "y = sum(x)",
    "'sum' is not defined: kernels do not have that function of Python; write tl.sum",
)
def sum_of_python(x):
    y = sum(x)


@mistake(
    "y = tl.reduce(tl.arange(0, 16), 0, min)",
    "combine_fn is a function with @tilewright.jit, or a word; min is not",
)
def reduced_by_python(x):
    y = tl.reduce(tl.arange(0, 16), 0, min)


@mistake(
    "y = tl.associative_scan(tl.arange(0, 16), 0, plain)",
    "combine_fn is a function with @tilewright.jit, or a word; plain is not",
)
def scanned_by_python(x):
    y = tl.associative_scan(tl.arange(0, 16), 0, plain)


@mistake(
    "tl.store(x, y)",
    "'y' has a value in one branch of an 'if' of run time only: give it one before",
    "*fp32",
    "i32",
)
def onebranch(x, n):
    if n > 1:
        y = 1
    tl.store(x, y)


@mistake(
    "if n > 1:",
    "'y' has another type in each branch: fp32 and <[16], fp16>; cast one by .to(), or give it one shape",
    "*fp32",
    "i32",
)
def twotypes(x, n):
    if n > 1:
        y = tl.load(x)
    else:
        y = tl.load(x + tl.arange(0, 16)).to(tl.float16)
    tl.store(x, 1.0)


@mistake(
    "if tl.arange(0, 16) > 1:",
    "a condition is one value, not a tile (<[16], int1>): tl.where chooses element by element, tl.max or tl.sum make one value of a tile",
    "*fp32",
    "i32",
)
def tilecond(x, n):
    if tl.arange(0, 16) > 1:
        tl.store(x, 1.0)


@mistake(
    "tl.store(x, y)",
    "'y' gets its value in a loop of run time, which may not run: give it one before",
    "*fp32",
    "i32",
)
def loopname(x, n):
    for i in range(n):
        y = i
    tl.store(x, y)


@mistake(
    "return",
    "a 'return' in a loop: end the loop by its condition, and return behind it",
    "*fp32",
    "i32",
)
def retloop(x, n):
    for i in range(n):
        if i > 2:
            return


@mistake("while True:", "this condition is always true: the loop would never end")
def whiletrue(x):
    while True:
        tl.store(x, 1.0)


@mistake("a[0] = 1", "an element of a tile cannot be changed: tl.where makes another tile")
def elem(x):
    a = tl.zeros((16,), tl.float32)
    a[0] = 1


@mistake("x.size = 1", "a kernel changes no attribute: give the value a name of its own")
def attribute(x):
    x.size = 1


@mistake(
    "b = a[0]",
    "the index of a tile is made of : and None; a single element is got by a sum over tl.where, or by a load",
)
def index(x):
    a = tl.zeros((16,), tl.float32)
    b = a[0]


@mistake("b = 1 < tl.load(x) < 2", "comparisons do not follow one another: write (a < b) & (b < c)")
def chain(x):
    b = 1 < tl.load(x) < 2


@mistake(
    "a = tl.dot(tl.zeros((16, 8), tl.float16), tl.zeros((8, 16), tl.float16))",
    "dot of shapes [16, 8] and [8, 16]: what is summed over, the last extent of the first, is 16 or"
    " more",
)
def dotsmall(x):
    a = tl.dot(tl.zeros((16, 8), tl.float16), tl.zeros((8, 16), tl.float16))


@mistake(
    "a = tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float32))",
    "dot takes tiles of one type, not fp16 and fp32: cast one by .to()",
)
def dottypes(x):
    a = tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float32))


@mistake(
    "a = tl.exp(tl.arange(0, 16))", "exp takes fp32 and fp64, not int32: cast it by .to(tl.float32)"
)
def ints(x):
    a = tl.exp(tl.arange(0, 16))


@mistake("return 1", "a kernel returns nothing: store its results")
def retval(x):
    return 1


@mistake("return 2.5", "a kernel returns nothing: store its results", "*fp32", "i32")
def early_retval(x, n):
    if n > 3:
        tl.store(x, 1.0)
        return 1.5
    return 2.5


@mistake(
    "return a + b",
    "tiles of shapes [16] and [8] do not fit together: extents are to be equal, or 1",
)
def ctxr(x):
    two(tl.arange(0, 16), tl.arange(0, 8))


@mistake('tl.static_assert(WIDTH == 32, "width must be 32")', "width must be 32")
def staticass(x):
    tl.static_assert(WIDTH == 32, "width must be 32")


@mistake("for i in range(0, 10, 0):", "the step of a loop is 0: it would never end")
def step0(x):
    for i in range(0, 10, 0):
        pass


@mistake('a = "abc" + 1', 'can only concatenate str (not "int") to str')
def strs(x):
    a = "abc" + 1


@mistake(
    "a: tl.constexpr = n",
    "what is annotated as tl.constexpr is known at run time only",
    "*fp32",
    "i32",
)
def cx(x, n):
    a: tl.constexpr = n


@mistake(
    "a = {i for i in (1, 2)}",
    "kernels do not have a comprehension: write a loop over tl.static_range",
)
def comp(x):
    a = {i for i in (1, 2)}


@mistake(
    "a = [i for i in (1, 2) if i]",
    "a comprehension in a kernel has one 'for', and no 'if'",
)
def comp_if(x):
    a = [i for i in (1, 2) if i]


@mistake(
    "a = [i for i in range(n)]",
    "a comprehension goes over a tuple, a list or a tl.static_range",
    "*fp32",
    "i32",
)
def comp_range(x, n):
    a = [i for i in range(n)]


@tilewright.jit
def prints(a, b):
    tl.device_print("a", a)
    return a + b


@mistake(
    'tl.device_print("a", a)',
    "a function that combines elements is arithmetic on one element of each tile, which 'print' is "
    "not: put it outside of the function",
)
def combine_print(x):
    a = tl.reduce(tl.arange(0, 16), 0, prints)


@tilewright.jit
def loops(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@mistake(
    "while b != 0:",
    "a function that combines or maps elements has no loop of run time: tl.static_range unrolls "
    "one",
)
def combine_loop(x):
    a = tl.reduce(tl.arange(0, 16), 0, loops)


@tilewright.jit
def stores(p):
    tl.store(p, 1)
    return p


@mistake(
    "tl.store(p, 1)",
    "a function of map_elementwise is arithmetic on one element of each tile, which 'store' is "
    "not: put it outside of the function",
)
def map_store(x):
    a = tl.map_elementwise(stores, x + tl.arange(0, 16))


@mistake(
    "tl.load(x + tl.arange(0, 16), mask=tl.arange(0, 32) < 4)",
    "the mask of a load has the shape [32], which does not fit into that of the pointers, [16]",
)
def mask_mismatch(x):
    tl.load(x + tl.arange(0, 16), mask=tl.arange(0, 32) < 4)


@mistake(
    "tl.load(x + tl.arange(0, 16), other=0.0)",
    "other is what is read where the mask is false, and there is no mask",
)
def other_nomask(x):
    tl.load(x + tl.arange(0, 16), other=0.0)


@mistake(
    "for i in range(n):",
    "'first' is 'yes' before this loop and 'no' at the end of its body: what goes around a loop keeps its type; a constant is the same in all rounds",
    "*fp32",
    "i32",
)
def constant_changes(x, n):
    first = "yes"
    for i in range(n):
        if first == "yes":
            tl.store(x, 1.0)
        first = "no"


@mistake(
    "for i in range(n):",
    "'a' is None before this loop and fp32 at the end of its body: what goes around a loop keeps its type; a constant is the same in all rounds",
    "*fp32",
    "i32",
)
def none_changes(x, n):
    a = None
    for i in range(n):
        if a is None:
            a = 0.0
        a += 1
        tl.store(x, a)


@mistake(
    "for i in range(n):",
    "'a' is ((int32, int32), int32) before this loop and (int32, (int32, int32)) at the end of its body: what goes around a loop keeps its type; begin with a tile of that shape and type, as by tl.zeros, or cast it back by .to()",
    "*fp32",
    "i32",
)
def structure_changes(x, n):
    a = ((1, 2), 3)
    for i in range(n):
        a = (a[0][0], (a[0][1], a[1]))
    tl.store(x, a[1][0])


@mistake("n(3)", "a value of run time is no function", "*fp32", "i32")
def value_called(x, n):
    n(3)


@mistake(
    "if x == None:  # noqa: E711", "what is known at run time only is not None: write 'is None'"
)
def compared_with_none(x):
    if x == None:  # noqa: E711
        tl.store(x, 1.0)


@mistake(
    "y = x.to(tl.float32)",
    "a pointer becomes an integer, or another pointer, and not fp32: tl.load gives what stands "
    "behind it",
)
def not_loaded(x):
    y = x.to(tl.float32)


@mistake(
    "for i in range(n):",
    "'x' is int32 before this loop and fp32 at the end of its body: what goes around a loop keeps its type; begin with a tile of that shape and type, as by tl.zeros, or cast it back by .to()",
    "*fp32",
    "i32",
)
def joined_value_changes(out, n):
    x = 0
    for i in range(n):
        if i > 2:
            x = 5
        tl.store(out + i, x)
        x = 1.5


@pytest.mark.parametrize("case", _MISTAKES, ids=lambda case: case[0].__name__)
def test_mistake(case) -> None:
    function, types, constants, line, message = case
    rest = iter(types)
    entries = [
        "constexpr" if each.name in constants else next(rest) for each in function.parameters
    ]
    with pytest.raises(tilewright.CompileError) as caught:
        compile_function(function, entries, constants, num_warps=4, num_stages=3, target="sm_90a")
    assert caught.value.message == message
    assert caught.value.file == __file__
    shown, source, caret = str(caught.value).splitlines()[:3]
    assert shown == f"{__file__}:{caught.value.line}:{caught.value.column}: error: {message}"
    assert source.strip() == line
    assert caret.index("^") == caught.value.column - 1


def test_chain_of_calls() -> None:
    """A mistake in a helper shows who called it."""
    function = next(case[0] for case in _MISTAKES if case[0].__name__ == "ctxr")
    with pytest.raises(tilewright.CompileError) as caught:
        compile_function(function, ["*fp32"], {}, num_warps=4, num_stages=3, target="sm_90a")
    (note,) = caught.value.notes
    assert note.message == "'two' is called here"
    assert "two(tl.arange(0, 16), tl.arange(0, 8))" in str(caught.value)
