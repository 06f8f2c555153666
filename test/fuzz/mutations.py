# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Valid files, with a few bytes, words or lines changed."""

import functools
import pathlib
import re

import kernels

ROOT = pathlib.Path(__file__).resolve().parents[2]

WORDS = re.compile(rb"[%#@!]?[\w.]+|\S")

# Words that change a program's meaning rather than its spelling.
SUBSTITUTES = [
    b"0", b"1", b"-1", b"3", b"64", b"4096", b"1048576", b"2147483648", b"9223372036854775807",
    b"18446744073709551616", b"1e400", b"nan", b"true", b"?", b"", b"*", b"[]", b"<>", b"\x00",
    b"f8E4M3FN", b"f8E5M2", b"f16", b"bf16", b"f32", b"f64", b"f80", b"tf32", b"i1", b"i7", b"i8",
    b"i64", b"i128", b"si32", b"index", b"complex<f32>", b"vector<4xf32>", b"tensor<4xf32>",
    b"tensor<*xf32>", b"memref<4xf32>", b"none", b"!tile.ptr<f32>", b"tile.trans", b"tile.reshape",
    b"tile.splat", b"arith.addi", b"arith.remf", b"math.exp", b"scf.if", b"lane", b"warp",
    b"register", b"swizzle<3,2,5>", b"pad 4 every 64",
]  # fmt: skip

PASSES = [
    "--tile-assign-register-layouts", "--tile-lower-conversions", "--tile-pipeline",
    "--tile-assign-shared-layouts", "--tile-check-vector-width", "--tile-allocate-shared",
    "--tile-lower-channels", "--tile-insert-barriers",
    "--convert-tile-to-nvvm", "--convert-math-to-nvvm", "--canonicalize", "--cse",
]  # fmt: skip


@functools.lru_cache(maxsize=1)
def seeds():
    """Every valid or invalid program of the repository."""
    files = sorted((ROOT / "examples").glob("*.mlir")) + sorted((ROOT / "test").rglob("*.mlir"))
    programs = []
    for file in files:
        # A file of tests may hold many.
        programs += re.split(rb"^// -----.*$", file.read_bytes(), flags=re.MULTILINE)
    return [program for program in programs if b"tile." in program]


def change_byte(data, rng):
    at = rng.randrange(len(data) + 1)
    byte = bytes([rng.randrange(256)]) if rng.random() < 0.5 else b""
    return data[:at] + byte + data[at + 1 :]


def change_word(data, rng):
    words = list(WORDS.finditer(data))
    if not words:
        return data
    word = rng.choice(words)
    other = rng.choice(SUBSTITUTES) if rng.random() < 0.6 else rng.choice(words).group()
    return data[: word.start()] + other + data[word.end() :]


def change_number(data, rng):
    numbers = list(re.finditer(rb"\d+", data))
    if not numbers:
        return data
    number = rng.choice(numbers)
    value = int(number.group())
    other = rng.choice([0, 1, value + 1, value - 1, value * 2, value // 2, 2**31, 2**63, -value])
    return data[: number.start()] + str(other).encode() + data[number.end() :]


def change_line(data, rng):
    lines = data.split(b"\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    action = rng.randrange(3)
    if action == 0:
        del lines[at]
    elif action == 1:
        lines.insert(at, lines[other])
    else:
        lines[at], lines[other] = lines[other], lines[at]
    return b"\n".join(lines)


def mutate(rng):
    data = rng.choice(seeds()) if rng.random() < 0.7 else kernels.make_kernel(rng).text.encode()
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        data = rng.choice([change_byte, change_word, change_word, change_number, change_line])(
            data, rng
        )
    return data


def make_options(tool, rng):
    if tool == "tile-opt":
        if rng.random() < 0.5:
            return ["--tile-placement", "--tile-lowering"]
        return rng.sample(PASSES, rng.randrange(1, 5))
    options = [
        f"--target={rng.choice(kernels.TARGETS)}",
        f"--shared-layout={rng.choice(kernels.LAYOUTS)}",
    ]
    if tool == "tile-compile":
        if rng.random() < 0.3:
            options.append(f"--num-warps={2 ** rng.randrange(0, 6)}")
        options.append(f"--emit={rng.choice(['tile', 'placed', 'nvvm', 'llvm', 'ptx'])}")
        return options
    sizes = " ".join(f"{name}={rng.randrange(80)}" for name in rng.choice(["n", "MN"]))
    return [*options, "--device=sim", "--check", "--args", sizes]
