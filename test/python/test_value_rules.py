# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The results that docs/language.md states, at the values where LLVM would give others.

Each kernel maps the elements of X to those of Y by a few lines; it runs in the
simulator for every target, optimised and not.
"""

import numpy as np
import package_support
import pytest

tilewright = pytest.importorskip("tilewright")

FLOAT8_TARGETS = package_support.TARGETS[2:]
SIZE = 256

# How elements of a type are held by NumPy.
HOLDERS = {
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "bf16": np.uint16,
    "f32": np.float32,
    "f64": np.float64,
    "f8E4M3FN": np.uint8,
    "f8E5M2": np.uint8,
}


@pytest.fixture(params=[True, False], ids=["optimized", "plain"])
def optimize(request):
    return request.param


def run(target, optimize, inputs, to, body):
    """Y of a kernel whose body makes %r of %a, %b, ...; inputs are (type, values)."""
    names = "abc"[: len(inputs)]
    pointers = "".join(
        f"%{name.upper()}: !tile.ptr<{kind}>, "
        for name, (kind, _) in zip(names, inputs, strict=True)
    )
    loads = "".join(
        f"\n  %v{name} = tile.view %{name.upper()}, shape [%n], strides [1]"
        f" : !tile.ptr<{kind}> -> !tile.view<?x{kind}, [1]>"
        f"\n  %{name} = tile.load_view %v{name}[%i]"
        f" : !tile.view<?x{kind}, [1]> -> tensor<{SIZE}x{kind}>"
        for name, (kind, _) in zip(names, inputs, strict=True)
    )
    lines = "".join(f"\n  {line}" for line in body).replace("<<", f"tensor<{SIZE}x")
    shapes = ", ".join(f'"{name.upper()}[n]"' for name in names)
    source = f"""
tile.kernel @rule({pointers}%Y: !tile.ptr<{to}>, %n: index)
    shapes [{shapes}, "Y[n]"] grid ["ceildiv(n, {SIZE})"] attributes {{num_warps = 1 : i32}} {{
  %p = tile.program_id 0
  %size = arith.constant {SIZE} : index
  %i = arith.muli %p, %size : index{loads}{lines}
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<{to}> -> !tile.view<?x{to}, [1]>
  tile.store_view %r, %y[%i] : tensor<{SIZE}x{to}>, !tile.view<?x{to}, [1]>
  tile.return
}}"""
    arrays = [np.ascontiguousarray(values, HOLDERS[kind]) for kind, values in inputs]
    result = np.zeros(len(arrays[0]), HOLDERS[to])
    tilewright.compile(source, target=target, optimize=optimize)(*arrays, result)
    return result


def check(target, optimize, inputs, to, body, want):
    want = np.asarray(want)
    got = run(target, optimize, inputs, to, body)
    if got.dtype != want.dtype:
        want = want.astype(got.dtype)
    np.testing.assert_array_equal(got, want)


def bf16(values):
    """The bits of numbers that are bf16, given as f32."""
    return (np.asarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)


@pytest.mark.parametrize(
    ("kind", "bits"), [("i32", 0x01010001), ("i64", 0x01010001), ("i64", 2**62 + 2**54 + 1)]
)
@pytest.mark.parametrize("op", ["sitofp", "uitofp"])
def test_integers_to_bf16_round_once(target, optimize, kind, bits, op):
    body = [f"%r = arith.{op} %a : <<{kind}> to <<bf16>"]
    up = bf16([0x01020000 if bits < 2**40 else 2**62 + 2**55])
    check(target, optimize, [(kind, [bits])], "bf16", body, up)


def test_one_bit_is_minus_one(target, optimize):
    body = [
        "%z = arith.constant dense<0> : <<i32>",
        "%c = arith.cmpi ne, %a, %z : <<i32>",
        "%r = arith.sitofp %c : <<i1> to <<bf16>",
    ]
    check(target, optimize, [("i32", [0, 5])], "bf16", body, bf16([0, -1]))


@pytest.mark.parametrize("to", ["f16", "f32"])
def test_extended_integers_keep_their_sign(target, optimize, to):
    x = np.arange(-128, 128, dtype=np.int8)
    body = [
        "%w = arith.extsi %a : <<i8> to <<i32>",
        f"%r = arith.uitofp %w : <<i32> to <<{to}>",
    ]
    want = x.astype(np.int32).view(np.uint32).astype(np.float64)
    with np.errstate(over="ignore"):
        check(target, optimize, [("i8", x)], to, body, want.astype(HOLDERS[to]))


def test_two_conversions_round_twice(target, optimize):
    body = [
        "%w = arith.sitofp %a : <<i32> to <<f32>",
        "%r = arith.truncf %w : <<f32> to <<bf16>",
    ]
    # To f32 it is 0x01010000, in the middle between two bf16, and so to the even one.
    check(target, optimize, [("i32", [0x01010001])], "bf16", body, bf16([0x01000000]))


def test_too_large_for_f16_is_infinity(target, optimize):
    body = [
        "%w = arith.fptoui %a : <<bf16> to <<i64>",
        "%h = arith.sitofp %w : <<i64> to <<f16>",
        "%r = arith.extf %h : <<f16> to <<f32>",
    ]
    check(target, optimize, [("bf16", bf16([65536, 1024]))], "f32", body, [np.inf, 1024])


@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("op", ["fptosi", "fptoui"])
@pytest.mark.parametrize("to", ["i8", "i16", "i32", "i64"])
def test_floats_saturate_and_nan_is_zero(target, optimize, kind, op, to):
    x = np.array([np.inf, -np.inf, np.nan, 300, -300, 1.75, -1.75, -0.0, 127, 128, -128, 0, 255])
    sign = "" if op == "fptosi" else "u"
    limits = np.iinfo(sign + np.dtype(HOLDERS[to]).name)
    want = [0 if np.isnan(v) else min(max(v, limits.min), limits.max) for v in x]
    want = np.array([limits.max if v >= limits.max else int(v) for v in want], limits.dtype)
    given = bf16(x) if kind == "bf16" else x.astype(HOLDERS[kind])
    body = [f"%r = arith.{op} %a : <<{kind}> to <<{to}>"]
    check(target, optimize, [(kind, given)], to, body, want.view(HOLDERS[to]))


@pytest.mark.parametrize("target", FLOAT8_TARGETS)
@pytest.mark.parametrize(("to", "want"), [("f8E4M3FN", 0x39), ("f8E5M2", 0x3D)])
def test_f64_to_fp8_rounds_once(target, optimize, to, want):
    middle = 1.0625 if to == "f8E4M3FN" else 1.125
    body = [f"%r = arith.truncf %a : <<f64> to <<{to}>"]
    x = [middle + 2.0**-40, middle, -middle - 2.0**-40, np.inf, 1e300, -0.0]
    largest = 0x7E if to == "f8E4M3FN" else 0x7B
    even = 0x38 if to == "f8E4M3FN" else 0x3C
    check(
        target, optimize, [("f64", x)], to, body, [want, even, want | 0x80, largest, largest, 0x80]
    )


@pytest.mark.parametrize("target", FLOAT8_TARGETS)
def test_integers_to_fp8(target, optimize):
    body = [
        "%w = arith.sitofp %a : <<i32> to <<f32>",
        "%r = arith.truncf %w : <<f32> to <<f8E4M3FN>",
    ]
    check(target, optimize, [("i32", [3, -3])], "f8E4M3FN", body, [0x44, 0xC4])
    body = ["%r = arith.sitofp %a : <<i32> to <<f8E4M3FN>"]
    check(target, optimize, [("i32", [3, -3, 2**30])], "f8E4M3FN", body, [0x44, 0xC4, 0x7E])


@pytest.mark.parametrize("width", [8, 16, 32])
@pytest.mark.parametrize("suffix", ["", "ui"])
def test_index_is_cut(target, optimize, width, suffix):
    x = np.array([0, 300, 200, 70000, -70000, 2**31, 2**40 + 129], np.int64)
    body = [
        "%w = arith.index_cast %a : <<i64> to <<index>",
        f"%c = arith.index_cast{suffix} %w : <<index> to <<i{width}>",
        f"%d = arith.index_cast{suffix} %c : <<i{width}> to <<index>",
        "%r = arith.index_cast %d : <<index> to <<i64>",
    ]
    cut = x.astype(f"{'u' if suffix else ''}int{width}").astype(np.int64)
    check(target, optimize, [("i64", x)], "i64", body, cut)


@pytest.mark.parametrize("kind", ["i8", "i16", "i32", "i64"])
def test_divisions_by_anything(target, optimize, kind):
    least = int(np.iinfo(HOLDERS[kind]).min)
    special = [least, least + 1, -7, -1, 0, 1, 2, 7, -least - 1]
    x = [a for a in special for _ in special]
    y = special * len(special)
    inputs = [(kind, x), (kind, y)]
    bits = 2 ** np.iinfo(HOLDERS[kind]).bits

    def wrapped(values):
        return np.array([(v + bits // 2) % bits - bits // 2 for v in values], HOLDERS[kind])

    def toward_zero(a, b):
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)

    pairs = [(a, b or 1) for a, b in zip(x, y, strict=True)]
    unsigned = [(a % bits, b % bits or 1) for a, b in zip(x, y, strict=True)]
    wants = {
        "divsi": [toward_zero(a, b) for a, b in pairs],
        "remsi": [a - b * toward_zero(a, b) for a, b in pairs],
        "floordivsi": [a // b for a, b in pairs],
        "ceildivsi": [-(-a // b) for a, b in pairs],
        "divui": [a // b for a, b in unsigned],
        "remui": [a % b for a, b in unsigned],
        "ceildivui": [-(-a // b) for a, b in unsigned],
    }
    for op, want in wants.items():
        body = [f"%r = arith.{op} %a, %b : <<{kind}>"]
        check(target, optimize, inputs, kind, body, wrapped(want))


@pytest.mark.parametrize("kind", ["i8", "i16", "i32", "i64"])
def test_shifts_by_anything(target, optimize, kind):
    width = np.iinfo(HOLDERS[kind]).bits
    values = [1, -1, 77, int(np.iinfo(HOLDERS[kind]).min)]
    amounts = [0, 1, width - 1, width, width + 1, -1, 2 * width % 128, 100]
    x = [a for a in values for _ in amounts]
    y = amounts * len(values)
    inputs = [(kind, x), (kind, y)]
    steps = [min(b % 2**width, width) for b in y]

    def wrapped(numbers):
        return np.array(
            [(v + 2 ** (width - 1)) % 2**width - 2 ** (width - 1) for v in numbers], HOLDERS[kind]
        )

    wants = {
        "shli": [a << s for a, s in zip(x, steps, strict=True)],
        "shrui": [a % 2**width >> s for a, s in zip(x, steps, strict=True)],
        "shrsi": [a >> s for a, s in zip(x, steps, strict=True)],
    }
    for op, want in wants.items():
        body = [f"%r = arith.{op} %a, %b : <<{kind}>"]
        check(target, optimize, inputs, kind, body, wrapped(want))


@pytest.mark.parametrize("width", [8, 16])
@pytest.mark.parametrize("shift", [25, -25, 127])
def test_narrow_offsets_wrap(target, optimize, width, shift):
    reach = 2**width
    source = f"""
tile.kernel @offsets(%X: !tile.ptr<i32>, %Y: !tile.ptr<i32>, %c: i{width}, %N: index)
    shapes ["X[{reach}]", "Y[N]"] grid ["ceildiv(N, 256)"] attributes {{num_warps = 1 : i32}} {{
  %p = tile.program_id 0
  %c256 = arith.constant 256 : index
  %start = arith.muli %p, %c256 : index
  %iota = tile.iota 0 : tensor<256xindex>
  %starts = tile.splat %start : index -> tensor<256xindex>
  %at = arith.addi %iota, %starts : tensor<256xindex>
  %i = arith.index_cast %at : tensor<256xindex> to tensor<256xi{width}>
  %cs = tile.splat %c : i{width} -> tensor<256xi{width}>
  %narrow = arith.addi %i, %cs : tensor<256xi{width}>
  %wide = arith.extsi %narrow : tensor<256xi{width}> to tensor<256xi64>
  %bias = arith.constant dense<{reach // 2}> : tensor<256xi64>
  %offset = arith.addi %wide, %bias : tensor<256xi64>
  %base = tile.splat %X : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %ptr = tile.addptr %base, %offset : tensor<256x!tile.ptr<i32>>, tensor<256xi64>
  %v = tile.load %ptr : tensor<256x!tile.ptr<i32>>
  %y = tile.view %Y, shape [%N], strides [1] : !tile.ptr<i32> -> !tile.view<?xi32, [1]>
  tile.store_view %v, %y[%start] : tensor<256xi32>, !tile.view<?xi32, [1]>
  tile.return
}}"""
    x = np.arange(reach, dtype=np.int32)
    y = np.zeros(1024, np.int32)
    tilewright.compile(source, target=target, optimize=optimize)(x, y, shift)
    wide = (np.arange(1024) + shift).astype(f"int{width}").astype(np.int64)
    np.testing.assert_array_equal(y, x[wide + reach // 2])
