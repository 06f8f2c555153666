# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What words do not take, and what they say then."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.case import Case
from conformance.values import Values, draw

_DOT = "tl.dot(tl.zeros([16, 16], tl.float16), tl.zeros([16, 16], tl.float16), {})"

#: The words, the types of x and y, the message, the row of docs/words.md.
REFUSALS: tuple[tuple[str, str, str, str], ...] = (
    (
        "tl.exp(x)",
        "fp16",
        "exp takes fp32 and fp64, not fp16: cast it by .to(tl.float32)",
        "functions",
    ),
    ("tl.log(x)", "int32", "log takes fp32 and fp64, not int32", "functions"),
    ("tl.sqrt(x)", "bf16", "sqrt takes fp32 and fp64, not bf16", "functions"),
    ("libdevice.tanh(x)", "fp16", "tanh takes fp32 and fp64, not fp16", "functions"),
    ("tl.sigmoid(x)", "fp16", "sigmoid takes fp32 and fp64, not fp16", "functions"),
    ("x // y", "fp32 fp32", "// takes integers, not fp32", ""),
    (
        "x // y",
        "int32 uint32",
        "one has a sign, the other has not",
        "integers with and without sign",
    ),
    ("x % y", "int8 uint64", "one has a sign, the other has not", "integers with and without sign"),
    ("x / y", "int8 uint8", "one has a sign, the other has not", "integers with and without sign"),
    ("x & y", "fp32 fp32", "& takes integers and booleans, not fp32", ""),
    ("x << y", "fp16 int32", "<< takes integers and booleans, not fp16", ""),
    ("~x", "fp32", "~ takes integers and booleans, not fp32", ""),
    ("-x", "int1", "- takes numbers", ""),
    ("x + 1000", "int8", "1000 does not fit into int8", "a Python number"),
    ("x - 1 + -1", "uint8", "-1 does not fit into uint8, which has no sign", "a Python number"),
    ("x * 2**64", "int64", "18446744073709551616 does not fit into 64 bits", ""),
    ("x + y", "fp8e5 fp8e5", "no GPU computes + of fp8e5: cast it by .to(tl.float16)", ""),
    ("x < y", "fp8e4nv fp8e4nv", "no GPU computes < of fp8e4nv", ""),
    ("-x", "fp8e5", "no GPU computes - of fp8e5", ""),
    ("tl.abs(x)", "fp8e4nv", "no GPU computes abs of fp8e4nv", ""),
    ("x * 2", "fp8e5", "no GPU computes * of fp8e5", ""),
    ("x.to(3)", "int8", "a cast goes to a type such as tl.float16, not to 3", ""),
    ("x.to(tl.int16, bitcast=True)", "int8", "a bitcast of int8, of 8 bits, to int16, of 16", ""),
    ('x.to(tl.int8, fp_downcast_rounding="rtz")', "fp32", "fp_downcast_rounding is for casts", ""),
    ('x.to(tl.float16, fp_downcast_rounding="up")', "fp32", "'rtne'", ""),
    ("tl.topk(x, 3)", "int32", "k of topk is a power of two, not 3", ""),
    ("tl.topk(x, 1024)", "int32", "topk is to give 1024 of ", ""),
    ("tl.topk(x, 4)", "fp8e5", "no GPU compares fp8e5", ""),
    ("tl.flip(tl.sum(x, 0))", "int32", "flip takes a tile of numbers", ""),
    ("tl.flip(x, 1)", "int32", "axis 1 is none of a tile of 1 dimensions", ""),
    ("tl.cat(x, x[:, None])", "int32", "cat takes tiles of one shape", ""),
    ("tl.gather(x, y, 0)", "int32 fp32", "the index of gather takes integers, not fp32", ""),
    ("tl.gather(x, y[:, None], 0)", "fp32 int32", "as many dimensions as the tile has", ""),
    ("tl.histogram(x, 10)", "int32", "an extent of a histogram is 10", ""),
    ("tl.histogram(x, 8)", "fp32", "histogram takes integers, not fp32", ""),
    (
        'tl.dot_scaled(x, None, "e4m3", y, None, "bf16")',
        "uint8 bf16",
        "lhs is a tile of two dimensions, or of three",
        "",
    ),
    (
        'tl.dot_scaled(x[:, None], None, "e3m2", y[None, :], None, "bf16")',
        "uint8 bf16",
        "lhs_format is one of e2m1, e4m3, e5m2, bf16, fp16, not 'e3m2'",
        "",
    ),
    (
        'tl.dot_scaled(x[:, None], None, "e4m3", y[None, :], None, "bf16")',
        "uint8 fp16",
        "rhs in the format bf16 is a tile of bf16, not of fp16",
        "",
    ),
    (
        'tl.dot_scaled(x[None, :], x[None, :], "e4m3", y[:, None], None, "bf16")',
        "uint8 bf16",
        "a scale for each 32 of ",
        "",
    ),
    ("tl.clamp(x, 1, 2)", "int32", "clamp takes floats, not int32", ""),
    ("tl.maximum(x, y, propagate_nan=True)", "fp32 fp32", "tl.PropagateNan.NONE or", ""),
    ("tl.sum(x, 1)", "int32", "axis 1 is none of a tile of 1 dimensions", ""),
    ("tl.xor_sum(x, 0)", "fp32", "xor_sum takes integers, not fp32", ""),
    ("tl.max(tl.sum(x, 0))", "int32", "max takes tiles", ""),
    ("tl.arange(0, 48)", "", "arange(0, 48) has 48 numbers; it is to be a power of two", ""),
    ("tl.arange(8, 8)", "", "arange(8, 8) is empty", ""),
    ("tl.arange(0, tl.program_id(0))", "", "the end of arange is a value of run time", ""),
    ("tl.zeros([24], tl.int8)", "", "an extent of a shape is 24; extents of tiles are powers", ""),
    ("tl.zeros([16], 5)", "", "zeros takes a type such as tl.float32, not 5", ""),
    ("tl.full([16], 300, tl.int8)", "", "300 does not fit into int8", ""),
    ("tl.full([16], 1.5, tl.int8)", "", "full of int8 takes an integer, not 1.5", ""),
    ("tl.reshape(x, 8, 4)", "int32", "a tile of shape [64] has 64 elements, and [8, 4] 32", ""),
    ("tl.trans(x)", "int32", "a tile of 1 dimensions has no two to exchange", ""),
    ("tl.permute(x, 0, 0)", "int32", "[0, 0] is no order of 1 dimensions", ""),
    ("tl.broadcast_to(x, 32)", "int32", "a tile of shape [64] cannot be broadcast to [32]", ""),
    ("x + tl.arange(0, 16)", "int32", "tiles of shapes [64] and [16] do not fit together", ""),
    ("x[3]", "int32", "the index of a tile is made of : and None", ""),
    ("x[:, :]", "int32", "a tile of 1 dimensions is indexed by as many colons, not by 2", ""),
    ("tl.dot(x, x)", "fp16", "dot takes two tiles of two dimensions", ""),
    (
        "tl.dot(x.reshape(8, 8), x.reshape(8, 8))",
        "fp16",
        "the last extent of the first, is 16 or more",
        "",
    ),
    ("tl.full([4], x, tl.float32)", "fp32", "full takes one number, not a tile of type", ""),
    ("libdevice.fmod(x, y)", "int32 int32", "fmod takes floats, not int32", ""),
    ("libdevice.ldexp(x, y)", "fp32 fp32", "ldexp takes an integer as exponent, not fp32", ""),
    (
        "libdevice.mulhi(x, y)",
        "uint32 uint32",
        "mulhi takes int32, not uint32; umulhi takes those without",
        "",
    ),
    ("libdevice.clz(x)", "int16", "clz takes integers of 32 and 64 bits, not int16", ""),
    ("libdevice.ffs(x)", "int16", "ffs takes integers of 32 and 64 bits, not int16", ""),
    ("tl.umulhi(x, y)", "int16 int16", "umulhi takes integers of 32 and 64 bits, not int16", ""),
    ("tl.fdiv(x, y)", "int32 int32", "fdiv takes floats, not int32", ""),
    ("x ** 5", "int32", "** takes floats, or an exponent from 1 to 4, not int32", ""),
    ("tl.split(x)", "int32", "split takes a tile whose last extent is 2, not", ""),
    ("tl.histogram(x, 8.0)", "int32", "num_bins is an integer, not 8.0", ""),
    ("tl.expand_dims(x, (0, 0))", "int32", "expand_dims takes different axes, not", ""),
    (
        "tl.reshape(x, -1, 5)",
        "int32",
        "no extent in place of the -1 in [-1, 5] makes 64 elements",
        "",
    ),
    ("tl.sum(x, 0.5)", "int32", "an axis is a constant integer, not 0.5", ""),
    (
        "tl.uint_to_uniform_float(x)",
        "int8",
        "32 or 64 random bits become a float, not those of int8",
        "",
    ),
    (
        _DOT.format('input_precision="ieee", allow_tf32=True'),
        "",
        "dot takes input_precision or allow_tf32, not both",
        "",
    ),
    (_DOT.format('input_precision="most"'), "", "input_precision is one of ", ""),
    (
        _DOT.format("out_dtype=tl.float64"),
        "",
        "out_dtype of a dot of fp16 is tl.float32 or tl.float16, not",
        "",
    ),
    (
        _DOT.format("acc=tl.zeros([32, 16], tl.float32)"),
        "",
        "acc of this dot has the shape [16, 16], not a value of type <[32, 16], fp32>",
        "",
    ),
    ("tl.load(x)", "int32", "load takes a pointer or a tile of pointers", ""),
    ("tl.program_id(3)", "", "program_id takes the axis 0, 1 or 2, not 3", ""),
    (
        "tl.inline_asm_elementwise('mov.b32 $0, $1;', '=r', [x], tl.int32, True, 1)",
        "int32",
        "the constraints have 0 registers of operands, and with a pack of 1 there is 1",
        "",
    ),
    (
        "tl.inline_asm_elementwise('mov.b32 $0, $1;', '=r,r,r', [x], tl.int32, True, 1)",
        "int32",
        "with a pack of 1 there is 1: 1 for 1 x i32",
        "",
    ),
    (
        "tl.inline_asm_elementwise('mov.b32 $0, $1;', '=r,r', [x], tl.int32, True, 2)",
        "int32",
        "the constraints have 1 register of results, and with a pack of 2 there are 2",
        "",
    ),
    (
        "tl.inline_asm_elementwise('mov.b32 $0, $1;', '=h,r', [x], tl.int32, True, 1)",
        "int32",
        "constraint 0 is 'h', a register of 16 bits, and 1 x 'i32' has 32",
        "",
    ),
    (
        "tl.inline_asm_elementwise('mov.b32 $0, $1;', '=r,f', [x], tl.int32, True, 1)",
        "int8",
        "constraint 1 is 'f', a register of 32 bits, and 1 x 'i8' has 8",
        "",
    ),
    (
        "tl.inline_asm_elementwise('mov.b32 $0, $1;', '=q,r', [x], tl.int32, True, 1)",
        "int32",
        "constraint 0 is 'q': registers are h, r, l, f and d",
        "",
    ),
    (
        "tl.inline_asm_elementwise('mov.b32 $0, $1;', 'r,=r', [x], tl.int32, True, 1)",
        "int32",
        "the constraints are those of results, then of operands",
        "",
    ),
    (
        "tl.inline_asm_elementwise('mov.b32 $0, $1;', '=r,5', [x], tl.int32, True, 1)",
        "int32",
        "the constraints cannot be read",
        "",
    ),
    (
        "tl.inline_asm_elementwise('mov.b32 $0, $2;', '=r,r', [x], tl.int32, True, 1)",
        "int32",
        "the text refers to $2, and the constraints have 2 registers, from $0 on",
        "",
    ),
    (
        "tl.inline_asm_elementwise('mov.b32 $0, $x;', '=r,r', [x], tl.int32, True, 1)",
        "int32",
        "a dollar itself is '$$'",
        "",
    ),
    (
        "tl.inline_asm_elementwise('mov.b32 $0, $1;', '=r,r', [x], tl.int32, True, 3)",
        "int32",
        "'pack' is a power of two up to 64, not 3",
        "",
    ),
    (
        "tl.inline_asm_elementwise('mov.b32 $0, $1;', '=r,r', [x], tl.int32, True, 1)",
        "int1",
        "inline assembly takes no int1: cast it by .to(tl.int8)",
        "",
    ),
    (
        "tl.inline_asm_elementwise('mov.b32 $0, $1;', '=r,r', [x], 5, True, 1)",
        "int32",
        "dtype is the type of the result, or a tuple of types, not 5",
        "",
    ),
    (
        "tl.make_tensor_descriptor(1, [8], [1], [8])",
        "",
        "make_tensor_descriptor takes a pointer, not 1",
        "",
    ),
    ("tl.device_print(x)", "int32", "device_print begins with a constant text of ASCII", ""),
    (
        "tl.dot(x.reshape(1, 8, 8), x.reshape(1, 8, 8))",
        "fp16",
        "the last extent of the first, is 16 or more",
        "",
    ),
)


def make_cases() -> Iterator[Case]:
    for code, types, message, row in REFUSALS:
        inputs: dict[str, Values] = {
            name: draw(dtype, 64) for name, dtype in zip("xy", types.split(), strict=False)
        }
        yield Case(
            f"refused: {code}, {types}",
            code,
            inputs,
            [],
            shows="functions take fp32 and fp64" if row == "functions" else row,
            refused=message,
        )
