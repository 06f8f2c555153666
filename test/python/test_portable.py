"""The libraries of the package run with an older glibc, and keep to themselves."""

import base64
import ctypes
import errno
import hashlib
import importlib.util
import re
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

import tilewright

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(tilewright._core.__file__).parent
LLVM = Path("/usr/lib/llvm-22/bin")
OLDEST = "2.28"

needs_llvm = pytest.mark.skipif(not (LLVM / "llvm-readelf").exists(), reason="needs LLVM's tools")


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / f"scripts/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def find_faults(library):
    script = load("check-portable")
    return [*script.find_faults(str(LLVM / "llvm-readelf"), Path(library), OLDEST)]


def compile_c(folder, text, *options):
    source = folder / "source.c"
    source.write_text(text)
    library = folder / "library.so"
    command = ["clang-22", "-shared", "-fPIC", source, "-o", library, *options]
    subprocess.run(command, check=True)
    return library


@needs_llvm
def test_libraries_run_with_an_older_glibc():
    libraries = sorted(PACKAGE.glob("*.so"))
    # A wheel has the first of them for several Pythons.
    names = [library.name.split(".")[0] for library in libraries]
    assert sorted(set(names)) == ["_core", "libTilewright", "libTilewrightCompiler"]
    assert [fault for library in libraries for fault in find_faults(library)] == []


@needs_llvm
def test_newer_symbols_are_found(tmp_path):
    text = "int arc4random(void); int f(void) { return arc4random() + nobody_has_this(); }"
    library = compile_c(tmp_path, text, "-Wno-implicit-function-declaration")
    faults = find_faults(library)
    assert any("arc4random of glibc 2.36" in fault for fault in faults)
    assert any("nobody_has_this" in fault for fault in faults)


@pytest.fixture(scope="module")
def glibc(tmp_path_factory):
    """What stands in for functions that an older glibc lacks, with names of their own."""
    if not shutil.which("clang-22"):
        pytest.skip("needs clang-22")
    names = ["stat", "lstat", "fstat", "mallinfo2", "pthread_cond_clockwait", "arc4random"]
    names += ["pthread_mutex_clocklock", "_dl_find_object", "__isoc23_strtol"]
    folder = tmp_path_factory.mktemp("glibc")
    library = folder / "glibc.so"
    text = (ROOT / "cmake/portable/glibc.c").read_text()
    text = text.replace("#pragma GCC visibility push(hidden)", "").replace(
        "#pragma GCC visibility pop", ""
    )
    (folder / "glibc.c").write_text(text)
    command = ["clang-22", "-std=gnu11", "-shared", "-fPIC", "-w", folder / "glibc.c"]
    subprocess.run([*command, "-Wl,-Bsymbolic", "-o", library], check=True)
    library = ctypes.CDLL(str(library))
    assert all(hasattr(library, name) for name in names)
    return library


def test_status_of_files(glibc, tmp_path):
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_bytes(b"123")
    link.symlink_to("file")
    # struct stat of x86-64: the size stands at 48.
    for function, name, size in [
        (glibc.stat, path, 3),
        (glibc.stat, link, 3),
        (glibc.lstat, link, 4),
    ]:
        status = ctypes.create_string_buffer(144)
        assert function(str(name).encode(), status) == 0
        assert int.from_bytes(status[48:56], sys.byteorder) == size
    assert glibc.stat(b"/nowhere/at/all", ctypes.create_string_buffer(144)) == -1


class Time(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


@pytest.mark.parametrize("clock", [0, 1], ids=["wall", "monotonic"])
def test_waits_end_at_their_time(glibc, clock):
    condition, mutex = ctypes.create_string_buffer(48), ctypes.create_string_buffer(40)
    read = {0: time.CLOCK_REALTIME, 1: time.CLOCK_MONOTONIC}[clock]
    deadline = time.clock_gettime(read) + 0.02
    until = Time(int(deadline), int(deadline % 1 * 1e9))
    libc = ctypes.CDLL(None)
    libc.pthread_mutex_lock(mutex)
    waits = [lambda: glibc.pthread_cond_clockwait(condition, mutex, clock, ctypes.byref(until))]
    # Held already, by a mutex that notices nothing.
    waits.append(lambda: glibc.pthread_mutex_clocklock(mutex, clock, ctypes.byref(until)))
    for wait in waits:
        assert wait() == errno.ETIMEDOUT
        assert time.clock_gettime(read) >= deadline - 1e-6


def test_module_of_an_address(glibc):
    result = (ctypes.c_void_p * 12)()
    address = ctypes.cast(glibc.stat, ctypes.c_void_p)
    assert glibc._dl_find_object(address, result) == 0
    _, start, end, _, frames = result[:5]
    assert start <= address.value < end
    assert start <= frames < end
    assert glibc._dl_find_object(ctypes.c_void_p(8), result) == -1


def test_numbers(glibc):
    assert glibc.__getattr__("__isoc23_strtol")(b"-12x", None, 10) == -12
    assert len({glibc.arc4random() for _ in range(4)}) > 1


OTHERS = """
import ctypes, sys
ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
import numpy, tilewright
kernel = tilewright.compile(open(sys.argv[2]).read())
a = numpy.random.rand(70, 131).astype(numpy.float32)
b = numpy.zeros((131, 70), numpy.float32)
kernel(a, b)
assert numpy.array_equal(b, a.T)
try:
    tilewright.compile("no program")
except tilewright.CompileError as error:
    print("refused")
"""


@needs_llvm
def test_another_llvm_for_all_to_see_is_in_no_way(tmp_path):
    """A library with all names that the bindings ask for, where each ends the process."""
    command = [LLVM / "llvm-nm", "-D", "--defined-only", "--format=just-symbols"]
    output = subprocess.run(
        [*command, PACKAGE / "libTilewright.so"], check=True, capture_output=True, text=True
    ).stdout
    names = re.findall(r"^_Z\w*", output, re.MULTILINE)
    assert len(names) > 50 and any("4llvm" in name for name in names)
    text = "".join(f'void f{i}(void) __asm__("{name}");\n' for i, name in enumerate(names))
    text += "".join(f"void f{i}(void) {{ __builtin_trap(); }}\n" for i in range(len(names)))
    (tmp_path / "map").write_text("OTHER_1 { global: *; };\n")
    options = ["-fuse-ld=lld", f"-Wl,--version-script={tmp_path / 'map'}"]
    other = compile_c(tmp_path, text, *options)
    program = [sys.executable, "-c", OTHERS, other, ROOT / "examples/transpose_f32.mlir"]
    done = subprocess.run(program, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "refused\n"), done.stderr


def test_wheels_have_the_same_bytes_and_a_record(tmp_path):
    if sys.version_info < (3, 11):
        pytest.skip("needs tomllib")
    tree = tmp_path / "tree"
    for name, data in [("tilewright/_core.abi3.so", b"code"), ("tilewright/a.py", b"x = 1\n")]:
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    pack = load("pack-wheel")
    tag = "cp310.cp312-cp310.abi3-manylinux_2_28_x86_64"
    for number, wheel in enumerate(["one.whl", "two.whl"]):
        (tree / "tilewright/a.py").touch()
        (tree / "tilewright/a.py").chmod(0o600 + number * 0o44)
        pack.pack(pack.list_files(tree, tag), tmp_path / wheel)
    assert (tmp_path / "one.whl").read_bytes() == (tmp_path / "two.whl").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.whl") as archive:
        info = next(name for name in archive.namelist() if name.endswith("/METADATA"))[:-9]
        record = archive.read(f"{info}/RECORD").decode().splitlines()
        assert [line.split(",")[0] for line in record] == archive.namelist()
        digest = base64.urlsafe_b64encode(hashlib.sha256(b"x = 1\n").digest()).rstrip(b"=").decode()
        assert f"tilewright/a.py,sha256={digest},6" in record
        assert "Tag: cp312-abi3-manylinux_2_28_x86_64\n" in archive.read(f"{info}/WHEEL").decode()
        assert "Requires-Dist: numpy" in archive.read(f"{info}/METADATA").decode()
        assert archive.getinfo("tilewright/a.py").external_attr >> 16 == 0o100644


def test_exports_are_what_bindings_ask_for(tmp_path):
    if not (LLVM / "llvm-nm").exists():
        pytest.skip("needs LLVM's tools")
    source = tmp_path / "bindings.cpp"
    source.write_text(
        "namespace tilewright { int asked(); inline int own() { return 1; } }\n"
        "namespace llvm { void grow(); }\n"
        "namespace other { int asked(); }\n"
        "int use() { return tilewright::asked() + tilewright::own() + other::asked(); }\n"
        "void call() { llvm::grow(); }\n"
    )
    subprocess.run(["clang++-22", "-c", source, "-o", tmp_path / "bindings.o"], check=True)
    command = [sys.executable, ROOT / "python/exports.py", "--nm", LLVM / "llvm-nm"]
    command += ["--version", "T_1", "--map", tmp_path / "map", "--undefined", tmp_path / "rsp"]
    command += [tmp_path / "bindings.o"]
    subprocess.run(command, check=True)
    names = ["_ZN10tilewright5askedEv", "_ZN4llvm4growEv"]
    assert (tmp_path / "rsp").read_text().split() == [f"--undefined={name}" for name in names]
    lines = (tmp_path / "map").read_text().replace("\n", " ").split()
    assert lines == ["T_1", "{", "global:", *(f"{name};" for name in names), "local:", "*;", "};"]
