"""What calls of Python kernels are told apart by, and what the compiler is told of them."""

import collections
import decimal
import enum
import fractions
import threading
import time

import numpy as np
import pytest
from dispatch_support import (
    Compiler,
    compile_text,
    core,
    make_scale,
    numbers,
    parameter,
    tilewright,
)

import tilewright.language as tl

X = numbers(300)


def make_listener(*parameters):
    """A kernel that does nothing, with a compile() that keeps what it was told."""
    compiler = Compiler([each[0] for each in parameters], lambda types, constants: "")
    return core.Dispatcher("listen", list(parameters), compiler), compiler


def signature_of(*arguments, **parameter_options):
    """Of one argument, with the constants."""
    kernel, compiler = make_listener(parameter("a", **parameter_options))
    kernel[1](*arguments)
    signature, constants, _ = compiler.calls[-1]
    return signature[0], constants.get("a", "none")


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        (np.float16, "*fp16"),
        (np.float32, "*fp32"),
        (np.float64, "*fp64"),
        (np.int8, "*i8"),
        (np.int16, "*i16"),
        (np.int32, "*i32"),
        (np.int64, "*i64"),
        (np.uint8, "*u8"),
        (np.uint16, "*u16"),
        (np.uint32, "*u32"),
        (np.uint64, "*u64"),
        (np.bool_, "*i1"),
    ],
)
def test_arrays(dtype, expected):
    assert signature_of(np.zeros(4, dtype)) == (expected, "none")
    assert signature_of(np.zeros((), dtype)) == (expected, "none")
    assert signature_of(np.zeros((3, 0), dtype)) == (expected, "none")


class Narrow:
    """An array of floats that NumPy does not know, as ml_dtypes makes them."""

    def __init__(self, typestr, dtype):
        self.bits = np.zeros(4, np.uint16)
        self.__array_interface__ = {**self.bits.__array_interface__, "typestr": typestr}
        self.dtype = dtype


@pytest.mark.parametrize(
    ("typestr", "dtype", "expected"),
    [
        ("<V2", "bfloat16", "*bf16"),
        ("|V1", "float8_e4m3fn", "*fp8e4nv"),
        # A letter and a size that NumPy would have for its own.
        ("<f1", "float8_e5m2", "*fp8e5"),
    ],
)
def test_arrays_of_ml_dtypes(typestr, dtype, expected):
    assert signature_of(Narrow(typestr, dtype)) == (expected, "none")
    with pytest.raises(TypeError, match="'a' has elements of float4"):
        signature_of(Narrow(typestr, "float4"))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, ("i32", "none")),
        (1, ("constexpr", 1)),
        (-1, ("i32", "none")),
        (2**31 - 1, ("i32", "none")),
        (2**31, ("i64", "none")),
        (-(2**31), ("i32", "none")),
        (-(2**31) - 1, ("i64", "none")),
        (2**63 - 1, ("i64", "none")),
        (2**63, ("u64", "none")),
        (2**64 - 1, ("u64", "none")),
        (1.0, ("fp32", "none")),
        (float("inf"), ("fp32", "none")),
        (True, ("i1", "none")),
        (False, ("i1", "none")),
        (None, ("constexpr", None)),
        (np.int64(7), ("i32", "none")),
        (np.int8(1), ("constexpr", 1)),
        (np.uint64(2**63), ("u64", "none")),
        (np.float16(1), ("fp32", "none")),
        (np.float64(1), ("fp32", "none")),
        (np.True_, ("i1", "none")),
        (decimal.Decimal(1), ("fp32", "none")),
        (fractions.Fraction(1, 3), ("fp32", "none")),
    ],
)
def test_scalars(value, expected):
    found = signature_of(value)
    assert found == expected
    assert type(found[1]) is type(expected[1])


@pytest.mark.parametrize(
    ("annotation", "value", "expected"),
    [
        ("tl.int64", 5, "i64"),
        ("i64", 1, "i64"),
        ("'tl.uint32'", 2**32 - 1, "u32"),
        ("tilewright.language.float64", 3, "fp64"),
        ("fp16", 1.5, "fp16"),
        ("bool", True, "i1"),
        ("int", 5, "i32"),
        ("torch.Tensor", X, "*fp32"),
        ("", 5, "i32"),
    ],
)
def test_annotations_fix_the_type_of_a_scalar(annotation, value, expected):
    assert signature_of(value, annotation=annotation) == (expected, "none")


def test_what_is_not_to_be_specialized():
    assert signature_of(1, fixed=(True, False)) == ("i32", "none")
    assert signature_of(1, fixed=(False, True)) == ("constexpr", 1)
    assert signature_of(None, fixed=(True, True)) == ("constexpr", None)


class Color(enum.IntEnum):
    """A constant that is an integer by another name."""

    RED = 1


Pair = collections.namedtuple("Pair", "x n")


def test_constants_are_told_apart_by_value_and_type():
    kernel, compiler = make_listener(parameter("a", constexpr=True))
    values = [1, 1.0, True, None, "1", 2**70, -0.0, 0.0, (), (1,), (1.0,), ((1,),), [1], len]
    values += [np.float32, np.float64, Color.RED, Pair(1, 2), (1, 2), "", 0, False, -(2**70)]
    for count, value in enumerate(values, start=1):
        for _ in range(2):
            kernel[1](value)
        assert len(compiler.calls) == count, value
        assert compiler.calls[-1][1] == {"a": value}
    # Equal ones that are other objects.
    for value in ["".join(["", "1"]), 2**69 * 2, (1,), Pair(1, 2), [1]]:
        kernel[1](value)
    assert len(compiler.calls) == len(values)
    assert len(kernel.kernels) == len(values)


def test_kernels_are_in_the_order_in_which_they_were_made():
    kernel, _ = make_listener(parameter("a", constexpr=True))
    made = [kernel[1](value) for value in range(30)]
    # A later call of one that is there changes nothing.
    assert kernel[1](3) is made[3]
    assert all(a is b for a, b in zip(kernel.kernels, made, strict=True))


def test_numbers_of_numpy_are_constants_like_those_of_python():
    kernel, compiler = make_listener(parameter("a", constexpr=True))
    for values in [
        (8, np.int64(8), np.int8(8), np.array(8)),
        (0.5, np.float32(0.5), np.float64(0.5)),
        (True, np.bool_(True)),
        (-0.0, np.float16(-0.0)),
        (np.uint64(2**63), np.uint64(2**63)),
    ]:
        compiler.calls.clear()
        for value in values:
            kernel[1](value)
        assert len(compiler.calls) == 1
    assert len(kernel.kernels) == 5


@pytest.mark.parametrize("is_constant", [True, False])
def test_what_a_constexpr_stands_for_is_the_constant(is_constant):
    """That of other parameters, too."""
    kernel, compiler = make_listener(parameter("a", constexpr=is_constant))
    values = [1, 1.0, True, 2.5, "text", None, (2.0, 3)]
    for count, value in enumerate(values, start=1):
        for _ in range(2):
            kernel[1](tl.constexpr(value))
        assert len(compiler.calls) == count
        assert compiler.calls[-1][1] == {"a": value}
        assert type(compiler.calls[-1][1]["a"]) is type(value)


def test_constexprs_in_tuples_are_what_they_stand_for():
    kernel, compiler = make_listener(parameter("a", constexpr=True))
    for pair in ((4.0, 1), (4, 1), (4, True)):
        kernel[1](pair)
        kernel[1](tuple(tl.constexpr(each) for each in pair))
    assert len(compiler.calls) == 3


def test_nan_is_one_constant():
    kernel, compiler = make_listener(parameter("a", constexpr=True))
    kernel[1](float("nan"))
    kernel[1](float("nan"))
    assert len(compiler.calls) == 1


def test_a_list_is_what_it_holds_now():
    kernel, compiler = make_listener(parameter("a", constexpr=True))
    shape = [4, 8]
    kernel[1](shape)
    shape[0] = 2
    kernel[1](shape)
    assert len(compiler.calls) == 2


@pytest.mark.parametrize("value", [{}, np.zeros(3), {1}, ([{}],)])
def test_constants_without_a_hash(value):
    kernel, _ = make_listener(parameter("a", constexpr=True))
    with pytest.raises(
        TypeError, match=r"'a' is a constant .* it has no hash; .* without tl.constexpr"
    ):
        kernel[1](value)


def test_endless_constants():
    kernel, _ = make_listener(parameter("a", constexpr=True), parameter("b"))
    endless = []
    endless.append(endless)
    with pytest.raises(RecursionError):
        kernel[1](endless, 1)
    deep = ()
    for _ in range(100_000):
        deep = (deep,)
    with pytest.raises(RecursionError):
        kernel[1](1, deep)


class Unfriendly:
    """Equal to nothing, with an error."""

    def __hash__(self):
        return 5

    def __eq__(self, other):
        raise RuntimeError("no comparing")


def test_errors_of_comparing_arrive():
    kernel, _ = make_listener(parameter("a", constexpr=True))
    first = Unfriendly()
    kernel[1](first)
    kernel[1](first)
    with pytest.raises(RuntimeError, match="no comparing"):
        kernel[1](Unfriendly())


def test_options_are_part_of_the_key():
    kernel, compiler = make_listener(parameter("a"))
    choices = [{}, {"num_warps": 8}, {"num_stages": 8}, {"num_warps": 8, "num_stages": 2}]
    choices += [{"debug": True}, {"debug": False}, {"target": "sm_90a"}]
    for count, options in enumerate(choices, start=1):
        for _ in range(2):
            kernel[1](X, **options)
        assert compiler.calls[-1][2] == options
        assert len(compiler.calls) == count
    # Names that no place in a program has kept, in another order.
    kernel[1](**dict(reversed([("a", X), ("num_stages", 2), ("num_warps", 8)])))
    kernel[1](
        X, num_warps=None, maxnreg=np.int64(64), enable_fp_fusion=True, launch_pdl=False, num_ctas=1
    )
    assert len(compiler.calls) == len(choices)


def test_the_target_of_the_environment_is_part_of_the_key(monkeypatch):
    kernel, compiler = make_listener(parameter("a"))
    for target in ["sm_80", "sm_90a", "sm_80", ""]:
        monkeypatch.setenv("TILEWRIGHT_TARGET", target)
        kernel[1](X)
        kernel[1](X, target="sm_86")
    assert [call[2] for call in compiler.calls] == [
        {"target": "sm_80"},
        {"target": "sm_86"},
        {"target": "sm_90a"},
        {},
    ]
    assert sorted(each.target for each in kernel.kernels) == ["sm_80", "sm_80", "sm_86", "sm_90a"]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"num_warps": "4"}, TypeError, "listen: num_warps is to be int, not str"),
        ({"num_stages": True}, TypeError, "num_stages is to be int, not bool"),
        ({"debug": 1}, TypeError, "debug is to be bool, not int"),
        ({"target": 90}, TypeError, "target is to be str, not int"),
        ({"num_stages": 3.0}, TypeError, "listen: num_stages is to be int, not float"),
        ({"num_ctas": True}, TypeError, "listen: num_ctas is to be int, not bool"),
        ({"num_ctas": "1"}, TypeError, "listen: num_ctas is to be int, not str"),
        ({"maxnreg": True}, TypeError, "listen: maxnreg is to be int, not bool"),
        ({"maxnreg": 64.0}, TypeError, "listen: maxnreg is to be int, not float"),
        ({"num_ctas": 2**70}, ValueError, "'num_ctas' is .*, which does not fit"),
        ({"launch_cooperative_grid": X}, ValueError, "not supported: blocks need not be"),
        ({"num_ctas": 2}, ValueError, "num_ctas=2 is not supported: a program is one block"),
        ({"launch_cooperative_grid": True}, ValueError, "not supported: blocks need not be"),
        (
            {"num_warp": 4},
            TypeError,
            r"option 'num_warp'; did you mean 'num_warps'\? It is listen\(a\)",
        ),
        ({"instruction_limits": 4}, TypeError, "did you mean 'instruction_limit'"),
        ({"threads": 4}, TypeError, r"no argument or option 'threads'; it is listen\(a\)"),
        ({"grid": 4}, TypeError, "no argument or option 'grid'"),
        ({"device": "gpu"}, ValueError, "listen: device is"),
        ({"stream": "s"}, TypeError, "stream is to be"),
        ({"instruction_limit": True}, TypeError, "listen: instruction_limit is to be int"),
        ({"instruction_limit": 0}, ValueError, "listen: instruction_limit is 1 or more"),
        ({"a": X}, TypeError, "listen: 'a' is given twice"),
    ],
)
def test_options_that_are_wrong(options, error, words):
    kernel, compiler = make_listener(parameter("a"))
    with pytest.raises(error, match=words):
        kernel[1](X, **options)
    assert compiler.calls == []


def test_parameters_are_bound_as_python_does():
    names = [parameter("a"), parameter("b", default=3), parameter("c", constexpr=True, default=4)]
    kernel, compiler = make_listener(*names)
    for arguments, keywords, constants in [
        ((X,), {}, {"c": 4}),
        ((X, 1), {}, {"b": 1, "c": 4}),
        ((X,), {"c": 9}, {"c": 9}),
        ((), {"c": None, "a": X, "b": None}, {"b": None, "c": None}),
        ((1, 1, 1), {}, {"a": 1, "b": 1, "c": 1}),
    ]:
        kernel[1](*arguments, **keywords)
        assert compiler.calls[-1][1] == constants
    # A name that the interpreter has not seen as one.
    kernel[1](X, **{"".join(["", "c"]): 10})
    assert compiler.calls[-1][1] == {"c": 10}
    for arguments, keywords, words in [
        ((), {}, r"'a' is missing; it is listen\(a, b=3, c=4\)"),
        ((X, 2, 3, 4), {}, r"4 arguments in their places are too many; it is listen"),
        ((X,), {"a": X}, "'a' is given twice"),
        ((X,), {"d": X}, "no argument or option 'd'"),
    ]:
        with pytest.raises(TypeError, match=words):
            kernel[1](*arguments, **keywords)


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        ({1, 2}, TypeError, "'a' is to be an array or a number, not set: .* constexpr"),
        ("fp32", TypeError, "'a' is to be an array or a number, not str"),
        (np.float32, TypeError, "'a' is to be an array or a number, not a class"),
        (len, TypeError, "not builtin_function_or_method"),
        (
            2**64,
            ValueError,
            f"'a' is {2**64}; an integer argument is from -{2**63} to {2**64 - 1}",
        ),
        (-(2**63) - 1, ValueError, f"'a' is -{2**63 + 1}; an integer argument is from"),
        (1 << 9999, ValueError, "'a' is an integer of 10000 bits; an integer argument is from"),
        (1e39, ValueError, "'a' is 1e\\+39"),
        (np.zeros(3, np.complex64), TypeError, "'a' has elements of complex64; kernels have i1,"),
        (np.zeros(3, "M8[s]"), TypeError, "'a' has elements of datetime64"),
        (np.zeros(3, np.longdouble), TypeError, "'a' has elements of float128"),
        (np.zeros(3, ">f4"), TypeError, "in the other byte order"),
        (np.ma.masked_array(np.zeros(3), [1, 0, 0]), TypeError, "has a mask"),
        ((X, [{1}]), TypeError, "'a' is to be an array or a number, not set"),
        (1j, TypeError, "'a' is to be an array or a number, not complex"),
        (np.complex64(1), TypeError, "'a' is to be an array or a number, not numpy.complex64"),
        (np.str_("1.5"), TypeError, "'a' is to be an array or a number, not numpy.str_"),
        (np.bytes_(b"1"), TypeError, "'a' is to be an array or a number, not numpy.bytes_"),
        (np.timedelta64(1), TypeError, "'a' is to be an array or a number, not numpy.timedelta"),
    ],
)
def test_objects_that_are_no_arguments(value, error, words):
    with pytest.raises(error, match=words):
        signature_of(value)


def test_numbers_where_the_annotation_says_so():
    for annotation, value, error, words in [
        ("i32", 2**32, ValueError, "'a' is 4294967296"),
        ("i32", 1.5, TypeError, "'a' is to be an integer, not float"),
        ("fp32", "1", TypeError, "'a' is to be a number, not str"),
        ("i8", X, TypeError, "'a' is to be an integer, not numpy.ndarray"),
    ]:
        with pytest.raises(error, match=words):
            signature_of(value, annotation=annotation)


class Marked:
    """What the language says is a constant."""

    __tilewright_constant__ = True


def test_objects_that_are_constants_by_their_class():
    value = Marked()
    assert signature_of(value) == ("constexpr", value)


def test_tuples_are_arguments_in_a_row():
    def body(types, constants):
        assert types["t"] == ("*fp32", ("i32", "constexpr"), "constexpr")
        assert constants["t"] == (None, (None, 1), None)
        return ""

    compiler = Compiler(["t"], body)
    kernel = core.Dispatcher(
        "k",
        [parameter("t")],
        lambda signature, constants, options: (
            compiler.body(dict(zip("t", signature, strict=True)), constants),
            compile_text("tile.kernel @k(%x: !tile.ptr<f32>, %n: i32) { tile.return }"),
        )[1],
    )
    assert isinstance(kernel[1]((X, (5, 1), None)), tilewright.Kernel)
    kernel[1]((X, (7, 1), None))
    assert len(kernel.kernels) == 1
    # Lists are tuples to the kernel.
    kernel[1]([X, [6, 1], None])
    assert len(kernel.kernels) == 1
    with pytest.raises(AssertionError):
        kernel[1]((X, 5, 1, None))


class Apart:
    """An object that stands for several arguments."""

    def __init__(self, *parts):
        self.parts = parts

    def __tilewright_arguments__(self):
        return self.parts


def test_objects_that_stand_for_several_arguments():
    def compile_parts(signature, constants, options):
        assert signature == ((("*fp32", ("i32",)), "constexpr"),)
        assert constants["t"] == (None, 1)
        return compile_text("tile.kernel @k(%x: !tile.ptr<f32>, %n: i32) { tile.return }")

    kernel = core.Dispatcher("k", [parameter("t")], compile_parts)
    kernel[1](Apart(Apart(X, [5]), 1))
    kernel[1](((X, (7,)), 1))
    assert len(kernel.kernels) == 1
    whole = Apart()
    whole.parts = [X]
    with pytest.raises(TypeError, match="__tilewright_arguments__ is to give a tuple, not list"):
        kernel[1](whole)


def test_tuples_keep_their_names():
    def compile_pair(signature, constants, options):
        assert signature == (Pair("*fp32", "constexpr"),)
        assert signature[0].n == "constexpr"
        assert constants["t"].n == 1
        return compile_text("tile.kernel @k(%x: !tile.ptr<f32>) { tile.return }")

    kernel = core.Dispatcher("k", [parameter("t")], compile_pair)
    kernel[1](Pair(X, 1))
    kernel[1](Pair(X, 1))
    assert len(kernel.kernels) == 1
    # Others are other code.
    with pytest.raises(AttributeError):
        kernel[1]((X, 1))


def test_the_kernel_has_to_fit_the_signature():
    for text, words in [
        ("%n: i64", "takes i64 for 'n', not i32"),
        ("%n: !tile.ptr<i32>", "takes i32 arrays for 'n', not i32"),
        ("", "takes 0 arguments, and the call gives 1"),
        ("%n: i32, %m: i32", "takes 2 arguments, and the call gives 1"),
    ]:
        kernel = core.Dispatcher(
            "k",
            [parameter("n")],
            lambda *_, text=text: compile_text(f"tile.kernel @k({text}) {{ tile.return }}"),
        )
        with pytest.raises(
            TypeError, match="k: the kernel that was compiled for this call " + words
        ):
            kernel[1](5)
    clauses = 'tile.kernel @k(%n: i32) grid ["n"] { tile.return }'
    kernel = core.Dispatcher("k", [parameter("n")], lambda *_: compile_text(clauses))
    with pytest.raises(TypeError, match="has clauses"):
        kernel[1](5)
    kernel = core.Dispatcher("k", [parameter("n")], lambda *_: 5)
    with pytest.raises(TypeError, match=r"compile\(\) is to return a tilewright.Kernel, not int"):
        kernel[1](5)


def test_errors_of_the_compiler_arrive_each_time():
    def fail(*_):
        raise tilewright.CompileError("the text", "the message", "kernel.py", 7, 3)

    kernel = core.Dispatcher("k", [parameter("n")], fail)
    for _ in range(2):
        with pytest.raises(tilewright.CompileError, match="the text") as caught:
            kernel[1](5)
        assert caught.value.line == 7


def test_descriptions_of_parameters():
    for wrong in [("a",), "a", ("a", False, False, False, core.REQUIRED), None]:
        with pytest.raises(TypeError, match="a parameter is"):
            core.Dispatcher("k", [wrong], print)


def test_kernels_are_compiled_once_by_many_threads():
    started, calls = threading.Barrier(4), []

    def compile_slowly(signature, constants, options):
        calls.append(constants)
        time.sleep(0.05)
        return compile_text("tile.kernel @k() { tile.return }")

    kernel = core.Dispatcher("k", [parameter("a", constexpr=True)], compile_slowly)
    results = []

    def work():
        started.wait()
        results.append(kernel[1](5))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1
    assert all(result is results[0] for result in results)


def test_a_compiler_may_call_the_kernel_that_it_compiles_for():
    def compile_again(signature, constants, options):
        if constants["a"] > 0:
            kernel[1](constants["a"] - 1)
        return compile_text("tile.kernel @k() { tile.return }")

    kernel = core.Dispatcher("k", [parameter("a", constexpr=True)], compile_again)
    kernel[1](3)
    assert len(kernel.kernels) == 4


def test_classes_of_python_may_extend_it():
    class Function(core.Dispatcher):
        """As tilewright.jit does."""

        def __init__(self, name):
            super().__init__(name, [parameter("n")], self.make)

        def make(self, signature, constants, options):
            return compile_text("tile.kernel @k(%n: i32) { tile.return }")

    class Forgetful(core.Dispatcher):
        """Makes no base."""

        def __init__(self):
            pass

    with pytest.raises(TypeError, match=r"Dispatcher.__init__\(\) was not called"):
        Forgetful()[1]
    function = Function("f")
    function.attribute = 5
    assert isinstance(function[1](7), tilewright.Kernel)
    with pytest.raises(TypeError, match=r"f: a kernel is launched with a grid: f\[grid\]\(...\)"):
        function(7)


def test_scale_is_told_what_it_is():
    scale, compiler = make_scale()
    y = np.zeros(300, np.float32)
    scale[3](X, y, 300, 2.0, BLOCK=128)
    assert compiler.calls == [(("*fp32", "*fp32", "i32", "fp32", "constexpr"), {"BLOCK": 128}, {})]
    assert np.array_equal(y, X * 2)
