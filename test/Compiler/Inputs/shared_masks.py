"""A kernel that moves rows of bytes, or a block of floats, whose masks are made of the two before
again and again."""

import sys

STEPS = 64


def double_masks(column, tile, mask_tile):
    for step in range(STEPS):
        print(f"""  %less{step} = arith.constant -{step + 1} : i32
  %number{step} = arith.subi %less{step}, %n : i32
  %limit{step} = tile.splat %number{step} : i32 -> {tile}
  %behind{step} = arith.cmpi sgt, {column}, %limit{step} : {tile}
  %both{step} = arith.andi %mask{step + 1}, %behind{step} : {mask_tile}
  %mask{step + 2} = arith.andi %mask{step}, %both{step} : {mask_tile}""")


def print_copy(element, tile, places):
    """Copies what the last mask leaves."""
    print(f"""  %a = tile.splat %A : !tile.ptr<{element}> -> {places}
  %from = tile.addptr %a, %place : {places}, {tile}
  %t = tile.load %from mask %mask{STEPS + 1} : {places}
  %b = tile.splat %B : !tile.ptr<{element}> -> {places}
  %to = tile.addptr %b, %place : {places}, {tile}
  tile.store %to, %t mask %mask{STEPS + 1} : {places}
  tile.return
}}""")


def print_block():
    tile, places = "tensor<1024xi32>", "tensor<1024x!tile.ptr<f32>>"
    arguments = "%A: !tile.ptr<f32>, %B: !tile.ptr<f32>, %n: i32, %m: i32"
    print(f"""tile.kernel @shared_masks({arguments}) attributes {{num_warps = 4 : i32}} {{
  %place = tile.iota 0 : {tile}
  %length = tile.splat %n : i32 -> {tile}
  %mask0 = arith.cmpi slt, %place, %length : {tile}
  %end = tile.splat %m : i32 -> {tile}
  %mask1 = arith.cmpi slt, %place, %end : {tile}""")
    double_masks("%place", tile, "tensor<1024xi1>")
    print_copy("f32", tile, places)


def print_rows():
    tile, places = "tensor<8x256xi32>", "tensor<8x256x!tile.ptr<i8>>"
    arguments = "%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %n: i32, %m: i32"
    print(f"""tile.kernel @shared_masks({arguments}) attributes {{num_warps = 4 : i32}} {{
  %rows = tile.iota 0 : tensor<8xi32>
  %columns = tile.iota 0 : tensor<256xi32>
  %row = tile.expand_dims %rows {{axis = 1 : i32}} : tensor<8xi32> -> tensor<8x1xi32>
  %column = tile.expand_dims %columns {{axis = 0 : i32}} : tensor<256xi32> -> tensor<1x256xi32>
  %r = tile.broadcast %row : tensor<8x1xi32> -> {tile}
  %c = tile.broadcast %column : tensor<1x256xi32> -> {tile}
  %length = tile.splat %n : i32 -> {tile}
  %begin = arith.muli %r, %length : {tile}
  %place = arith.addi %begin, %c : {tile}
  %mask0 = arith.cmpi slt, %c, %length : {tile}
  %end = tile.splat %m : i32 -> {tile}
  %mask1 = arith.cmpi slt, %c, %end : {tile}""")
    double_masks("%c", tile, "tensor<8x256xi1>")
    print_copy("i8", tile, places)


{"block": print_block, "rows": print_rows}[sys.argv[1]]()
