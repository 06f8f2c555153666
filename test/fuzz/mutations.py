# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Valid files, with a few bytes, words or lines changed."""

import collections
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
    b"tile.splat", b"arith.addi", b"arith.remf", b"math.exp", b"scf.if", b"scf.while",
    b"scf.condition", b"lane", b"warp", b"register", b"swizzle<3,2,5>", b"pad 4 every 64",
]  # fmt: skip

# Of MLIR's passes, those that the pipelines have.
UPSTREAM_PASSES = ["canonicalize", "cse", "mem2reg", "reconcile-unrealized-casts"]

# An option of a pass that has no dashes in its value, as RUN lines have it.
RUN_OPTION = re.compile(r"""--([a-z0-9-]+)(?:="([^"]*)"|=(\S+))?""")


# MLIR's parser makes room for as many results, of which no machine has as much.
LARGE_RESULT = re.compile(rb"#\d{9,}")


@functools.lru_cache(maxsize=1)
def passes():
    """Every pass that is declared, and MLIR's."""
    files = sorted((ROOT / "include").rglob("*.td"))
    declared = re.findall(r'Pass<"([^"]+)"', "".join(file.read_text() for file in files))
    return [*declared, *UPSTREAM_PASSES]


def find_runs(text):
    """The options of passes in each RUN line."""
    runs = []
    for line in re.findall(r"^//.*(?:RUN:|\|) *(tile-opt .*)$", text, flags=re.MULTILINE):
        options = [
            f"--{name}" + (f"={quoted or plain}" if quoted or plain else "")
            for name, quoted, plain in RUN_OPTION.findall(line)
            if name in passes()
        ]
        if options and options not in runs:
            runs.append(options)
    return runs


@functools.lru_cache(maxsize=1)
def seeds():
    """Every valid or invalid program of the repository, with what its file's RUN lines do to it."""
    files = sorted((ROOT / "examples").rglob("*.mlir")) + sorted((ROOT / "test").rglob("*.mlir"))
    programs = []
    for file in files:
        text = file.read_bytes()
        runs = find_runs(text.decode(errors="replace"))
        # A file of tests may hold many.
        parts = re.split(rb"^// -----.*$|^//--- .*$", text, flags=re.MULTILINE)
        programs += [(part, runs) for part in parts if b"tile." in part or (runs and part.strip())]
    return programs


@functools.lru_cache(maxsize=1)
def seeds_of_passes():
    """The programs that each pass has in its tests."""
    found = collections.defaultdict(list)
    for program, runs in seeds():
        for run in runs:
            for option in run:
                found[option.split("=")[0]].append((program, [run]))
    return found


def choose_seed(rng):
    """A program, and what it may be run through, where that is known."""
    chance = rng.random()
    if chance < 0.2:
        return kernels.make_kernel(rng).text.encode(), []
    if chance < 0.6:
        of_passes = seeds_of_passes()
        return rng.choice(of_passes[rng.choice(sorted(of_passes))])
    return rng.choice(seeds())


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
    """A changed program, and what it may be run through."""
    data, runs = choose_seed(rng)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        data = rng.choice([change_byte, change_word, change_word, change_number, change_line])(
            data, rng
        )
    return LARGE_RESULT.sub(b"", data), runs


def choose_passes(rng, runs):
    """Most passes do something only to programs like those of their own tests."""
    chance = rng.random()
    if runs and chance < 0.6:
        return rng.choice(runs)
    if chance < 0.8:
        return [f"--tile-set-target=target={rng.choice(kernels.TARGETS)}", "--tile-placement"]
    return [f"--{name}" for name in rng.sample(passes(), rng.randrange(1, 5))]


def make_options(tool, rng, runs):
    if tool == "tile-opt":
        chosen = choose_passes(rng, runs)
        return [*chosen, "--tile-lowering"] if rng.random() < 0.2 else chosen
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
