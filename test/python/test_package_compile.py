"""tilewright.compile: kernels, their reports, and what is wrong with a source."""

import re
import sys
import threading
import time

import numpy as np
import pytest
from package_support import EXAMPLES, SCALE, copy_kernel, import_package

tilewright = import_package()

PRODUCT = EXAMPLES / "gemm_f16_nn.mlir"
TRANSPOSE = EXAMPLES / "transpose_f32.mlir"


@pytest.fixture(scope="module")
def transpose():
    return tilewright.compile_file(TRANSPOSE, target="sm_90a")


def test_a_kernel_knows_what_it_is(transpose):
    assert transpose.name == "transpose_f32"
    assert transpose.target == "sm_90a"
    assert transpose.signature == "transpose_f32(A: f32[M, N], B: f32[N, M], M: i64, N: i64)"
    assert transpose.block == (256, 1, 1)
    assert transpose.shared_bytes == 32768
    assert transpose.grid(M=300, N=200) == (12, 1, 1)
    assert repr(transpose) == f"<tilewright.Kernel {transpose.signature} for sm_90a>"
    assert ".target sm_90a" in transpose.ptx
    assert ".entry transpose_f32(" in transpose.ptx


def test_products_by_warpgroups_can_be_turned_off():
    by_default = tilewright.compile_file(PRODUCT, target="sm_90a")
    assert [product["instruction"] for product in by_default.report["products"]] == ["wgmma"]
    off = tilewright.compile_file(PRODUCT, target="sm_90a", warpgroup_dots=False)
    assert [product["instruction"] for product in off.report["products"]] == ["mma.sync"]


def test_the_report_is_a_dict_and_a_page(transpose):
    report = transpose.report
    assert report["kernel"] == "transpose_f32"
    (tile,) = report["tiles"]
    assert tile["bytes"] == 32768
    assert report["launch"]["threads"] == 256
    text = transpose.report_text
    assert text.startswith("kernel transpose_f32 for sm_90a: 8 warps")
    assert tile["reason"] in text


def test_options_reach_the_compiler():
    plain = tilewright.compile_file(TRANSPOSE, target="sm_80", shared_layout="none", num_warps=4)
    assert plain.target == "sm_80"
    assert plain.block == (128, 1, 1)
    assert plain.report["tiles"][0]["layout"] == "row-major"


def test_the_default_target_is_the_gpus_or_sm_90a():
    assert tilewright.compile(SCALE).target == "sm_90a"


def test_one_of_several_kernels():
    two = copy_kernel("f32", "one") + copy_kernel("f16", "two")
    assert tilewright.compile(two, kernel="two").signature.startswith("two(X: f16[n]")
    with pytest.raises(tilewright.CompileError, match="name one with kernel=: one, two"):
        tilewright.compile(two)
    with pytest.raises(tilewright.CompileError, match="there is no tile\\.kernel @three"):
        tilewright.compile(two, kernel="three")


def test_an_error_knows_its_place():
    source = SCALE.replace("%c256 =", "%bad = tile.iota 0 : tensor<3xi32>\n  %c256 =")
    with pytest.raises(tilewright.CompileError) as caught:
        tilewright.compile(source, name="scale.mlir")
    error = caught.value
    line = next(i for i, text in enumerate(source.splitlines(), 1) if "%bad" in text)
    assert (error.file, error.line) == ("scale.mlir", line)
    assert source.splitlines()[line - 1][error.column - 1 :].startswith("tile.iota")
    assert "tensor<3xi32>" in error.message
    assert error.notes == []
    assert str(error).startswith(f"scale.mlir:{line}:{error.column}: error: {error.message}")
    assert str(error).splitlines()[-1].strip() == "^"


def test_notes_have_places_too():
    with pytest.raises(tilewright.CompileError) as caught:
        tilewright.compile(copy_kernel("f32") + copy_kernel("f32"))
    (note,) = caught.value.notes
    assert isinstance(note, tilewright.Note)
    assert caught.value.file == note.file == "<source>"
    assert caught.value.line > note.line > 0


def test_a_file_is_named_in_errors(tmp_path):
    path = tmp_path / "broken.mlir"
    path.write_text("tile.kernel @k( {\n}\n")
    with pytest.raises(tilewright.CompileError, match=re.escape(f"{path}:1:")):
        tilewright.compile_file(path)
    with pytest.raises(FileNotFoundError):
        tilewright.compile_file(tmp_path / "absent.mlir")


def test_a_file_that_is_no_text_is_an_error(tmp_path):
    path = tmp_path / "binary.mlir"
    path.write_bytes(bytes(range(1, 256)))
    with pytest.raises(tilewright.CompileError, match=re.escape(f"{path}:1:1: error: unexpected")):
        tilewright.compile_file(path)
    # A message may show what is no text.
    path.write_bytes(b"tile.kernel @k() { \xff\xfe }")
    with pytest.raises(tilewright.CompileError, match=re.escape(f"{path}:1:20: error: unexpected")):
        tilewright.compile_file(path)
    # In a comment anything may stand.
    path.write_bytes(b"// \xff\n" + SCALE.encode())
    assert tilewright.compile_file(path).name == "scale"


@pytest.mark.parametrize("source", ["", "\0", "%", "tile.kernel", "module {}", "é" * 999])
def test_nonsense_is_an_error(source):
    with pytest.raises(tilewright.CompileError):
        tilewright.compile(source)


@pytest.mark.parametrize(
    ("target", "words"), [("sm_90", "did you mean 'sm_90a'"), ("H200", "sm_90a")]
)
def test_unknown_targets_are_value_errors(target, words):
    with pytest.raises(ValueError, match=words):
        tilewright.compile(SCALE, target=target)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"shared_layout": "padd"}, "unknown shared layout policy 'padd'"),
        ({"num_warps": 3}, "num-warps is a power of two from 1 to 32, not 3"),
        ({"num_warps": -4}, "num-warps is a power of two from 1 to 32, not -4"),
        ({"num_stages": 9}, "num-stages is a number from 1 to 8, not 9"),
    ],
)
def test_wrong_options_are_errors_of_the_compiler(options, words):
    with pytest.raises(tilewright.CompileError, match=words):
        tilewright.compile(SCALE, **options)


@pytest.mark.parametrize("value", [0, 3, -4, 2**31, 10**30])
def test_a_divisibility_is_a_power_of_two(value):
    words = f"the divisibility of 'n' is to be a power of two from 1 to 2\\^30, not {value}"
    with pytest.raises(ValueError, match=words):
        tilewright.compile(SCALE, divisibility={"n": value})


@pytest.mark.parametrize(
    ("divisibility", "words"),
    [
        ({"n": 4.0}, "the divisibility of 'n' is to be int, not float"),
        ({"n": "4"}, "the divisibility of 'n' is to be int, not str"),
        ({"n": None}, "the divisibility of 'n' is to be int, not NoneType"),
        ({3: 4}, "an argument's name in divisibility is to be str, not int"),
        ("n", "divisibility is to be a dict such as .*, not str"),
        ([("n", 4)], "divisibility is to be a dict such as .*, not list"),
    ],
)
def test_divisibilities_are_a_dictionary(divisibility, words):
    with pytest.raises(TypeError, match=words):
        tilewright.compile(SCALE, divisibility=divisibility)


def test_divisibilities_are_of_pointers_and_integers():
    with pytest.raises(
        tilewright.CompileError, match=r"'Q', .* is no argument of 'scale'; it has: X, Y, n, factor"
    ):
        tilewright.compile(SCALE, divisibility={"Q": 16})
    with pytest.raises(tilewright.CompileError, match="'factor' is a float: only integers and"):
        tilewright.compile(SCALE, divisibility={"factor": 4})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"source": None}, "source is to be str, not NoneType"),
        ({"source": b"tile.kernel"}, "source is to be str, not bytes"),
        ({"source": ["tile.kernel"]}, "source is to be str, not list"),
        ({"target": 90}, "target is to be str, not int"),
        ({"kernel": 3}, "kernel is to be str, not int"),
        ({"shared_layout": None}, "shared_layout is to be str, not NoneType"),
        ({"num_warps": "4"}, "num_warps is to be int, not str"),
        ({"num_stages": 2.5}, "num_stages is to be int, not float"),
        ({"warpgroup_dots": "no"}, "warpgroup_dots is to be bool, not str"),
        ({"batch_programs": 0}, "batch_programs is to be bool, not int"),
        ({"specialize": None}, "specialize is to be bool, not NoneType"),
    ],
)
def test_options_have_their_types(options, words):
    with pytest.raises(TypeError, match=words):
        tilewright.compile(**{"source": SCALE, **options})


def test_numbers_are_not_cut():
    with pytest.raises(ValueError, match="num_warps is 4294967300, which is far too large"):
        tilewright.compile(SCALE, num_warps=2**32 + 4)
    assert tilewright.compile(SCALE, num_warps=np.int64(2)).block == (64, 1, 1)


def test_arguments_have_room():
    def compile_with(count):
        arguments = ", ".join(f"%a{number}: f64" for number in range(count))
        return tilewright.compile(f"tile.kernel @k({arguments}) {{ tile.return }}")

    assert len(compile_with(4095).ptx) > 0
    words = "has arguments of 32768 bytes, and a GPU takes 32764: pass some of them in an array"
    with pytest.raises(tilewright.CompileError, match=words):
        compile_with(4096)


def test_threads_compile_at_once():
    """Four compilations, while this thread runs on: the lock of Python is free. Nobody is made to
    give it away meanwhile: this thread has it only where a compilation does not."""
    results, started, advanced = {}, threading.Barrier(5), threading.Event()
    turns = 0

    def work(number):
        started.wait()
        # On a machine that is busy this thread may not come to its turn at once.
        for _ in range(100):
            before = turns
            results[number] = tilewright.compile(
                copy_kernel("f32", f"copy_{number}"), target="sm_80"
            ).ptx
            if turns != before:
                advanced.set()
            if advanced.is_set():
                return

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(60)
    try:
        for thread in threads:
            thread.start()
        started.wait()
        while any(thread.is_alive() for thread in threads):
            turns += 1
            time.sleep(0.001)
    finally:
        sys.setswitchinterval(interval)
    assert advanced.is_set()
    for number in range(4):
        assert f".entry copy_{number}(" in results[number]


def test_errors_in_threads_are_their_own():
    messages = {}

    def work(number):
        try:
            tilewright.compile(f"tile.kernel @k{number}(", name=f"{number}.mlir")
        except tilewright.CompileError as error:
            messages[number] = error.file

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert messages == {number: f"{number}.mlir" for number in range(4)}


def test_the_version_is_the_projects():
    cmake = (EXAMPLES.parent / "CMakeLists.txt").read_text()
    assert f"project(Tilewright VERSION {tilewright.__version__} " in cmake
