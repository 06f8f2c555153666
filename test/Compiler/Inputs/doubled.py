"""Kernels that add a tile to itself again and again, so that there are many ways through the sums:
places of bytes, a mask beside another number than zero, offsets of weights in groups."""

import sys

STEPS = 64


def double(name, tile):
    steps = (f"  %{name}{i + 1} = arith.addi %{name}{i}, %{name}{i} : {tile}" for i in range(STEPS))
    return "\n".join(steps)


COUNTS = """
  %rows = tile.iota 0 : tensor<ROWSxi32>
  %columns = tile.iota 0 : tensor<COLUMNSxi32>
  %re = tile.expand_dims %rows {axis = 1 : i32} : tensor<ROWSxi32> -> tensor<ROWSx1xi32>
  %ce = tile.expand_dims %columns {axis = 0 : i32} : tensor<COLUMNSxi32> -> tensor<1xCOLUMNSxi32>
  %r = tile.broadcast %re : tensor<ROWSx1xi32> -> tensor<TILExi32>
  %c = tile.broadcast %ce : tensor<1xCOLUMNSxi32> -> tensor<TILExi32>
  %length = tile.splat %n : i32 -> tensor<TILExi32>
  %begin = arith.muli %r, %length : tensor<TILExi32>
  %x0 = arith.addi %begin, %c : tensor<TILExi32>"""

PLACES = """
  %a = tile.splat %A : !tile.ptr<i8> -> tensor<TILEx!tile.ptr<i8>>
  %from = tile.addptr %a, %xLAST : tensor<TILEx!tile.ptr<i8>>, tensor<TILExi32>
  %t = tile.load %from : tensor<TILEx!tile.ptr<i8>>
  %b = tile.splat %B : !tile.ptr<i8> -> tensor<TILEx!tile.ptr<i8>>
  %to = tile.addptr %b, %x0 : tensor<TILEx!tile.ptr<i8>>, tensor<TILExi32>
  tile.store %to, %t : tensor<TILEx!tile.ptr<i8>>"""

PRODUCTS = """
  %ones = arith.constant dense<1.0> : tensor<TILExf16>
  %zeros = arith.constant dense<0.0> : tensor<TILExf32>
  %zero = arith.constant 0 : i32
  %step = arith.constant COLUMNS : i32
  %a = tile.splat %A : !tile.ptr<f16> -> tensor<TILEx!tile.ptr<f16>>
  %sum = scf.for %k = %zero to %n step %step iter_args(%s = %zeros) -> (tensor<TILExf32>) : i32 {
    %ks = tile.splat %k : i32 -> tensor<TILExi32>
LOAD
    %d = tile.dot %ones, %t, %s : tensor<TILExf16>, tensor<TILExf16>, tensor<TILExf32>
    scf.yield %d : tensor<TILExf32>
  }
  %b = tile.splat %B : !tile.ptr<f32> -> tensor<TILEx!tile.ptr<f32>>
  %to = tile.addptr %b, %x0 : tensor<TILEx!tile.ptr<f32>>, tensor<TILExi32>
  tile.store %to, %sum : tensor<TILEx!tile.ptr<f32>>"""

MASKED = """    %from = tile.addptr %a, %x0 : tensor<TILEx!tile.ptr<f16>>, tensor<TILExi32>
    %ps = tile.addptr %from, %ks : tensor<TILEx!tile.ptr<f16>>, tensor<TILExi32>
    %left = arith.subi %xLAST, %ks : tensor<TILExi32>
    %in = arith.cmpi slt, %left, %length : tensor<TILExi32>
    %t = tile.load %ps mask %in else %ones : tensor<TILEx!tile.ptr<f16>>"""

GROUPED = """    %from = tile.addptr %a, %ks : tensor<TILEx!tile.ptr<f16>>, tensor<TILExi32>
    %group = tile.assume %xLAST constancy [16, 1] : tensor<TILExi32>
    %ps = tile.addptr %from, %group : tensor<TILEx!tile.ptr<f16>>, tensor<TILExi32>
    %w = tile.load %ps : tensor<TILEx!tile.ptr<f16>>
    %t = arith.addf %w, %ones : tensor<TILExf16>"""

# The type of elements that are loaded, the tile's shape, and what is done with the sums.
KERNELS = {
    "places": ("i8", "i8", 8, 256, PLACES),
    "masked": ("f16", "f32", 32, 32, PRODUCTS.replace("LOAD", MASKED)),
    "grouped": ("f16", "f32", 64, 64, PRODUCTS.replace("LOAD", GROUPED)),
}
name = sys.argv[1]
loaded, stored, rows, columns, body = KERNELS[name]
tile = f"{rows}x{columns}"
arguments = f"%A: !tile.ptr<{loaded}>, %B: !tile.ptr<{stored}>, %n: i32"
text = f"{COUNTS}\n{double('x', 'tensor<TILExi32>')}{body}".replace("LAST", str(STEPS))
text = text.replace("TILE", tile).replace("ROWS", str(rows)).replace("COLUMNS", str(columns))
print(f"tile.kernel @{name}({arguments}) attributes {{num_warps = 4 : i32}} {{{text}")
print("  tile.return\n}")
