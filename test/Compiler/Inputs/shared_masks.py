"""A kernel that moves rows of bytes, whose masks are made of the two before again and again."""

STEPS = 64
TILE = "tensor<8x256xi32>"
BYTES = "tensor<8x256x!tile.ptr<i8>>"

ARGUMENTS = "%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %n: i32, %m: i32"

print(f"""tile.kernel @shared_masks({ARGUMENTS}) attributes {{num_warps = 4 : i32}} {{
  %rows = tile.iota 0 : tensor<8xi32>
  %columns = tile.iota 0 : tensor<256xi32>
  %row = tile.expand_dims %rows {{axis = 1 : i32}} : tensor<8xi32> -> tensor<8x1xi32>
  %column = tile.expand_dims %columns {{axis = 0 : i32}} : tensor<256xi32> -> tensor<1x256xi32>
  %r = tile.broadcast %row : tensor<8x1xi32> -> {TILE}
  %c = tile.broadcast %column : tensor<1x256xi32> -> {TILE}
  %length = tile.splat %n : i32 -> {TILE}
  %begin = arith.muli %r, %length : {TILE}
  %place = arith.addi %begin, %c : {TILE}
  %mask0 = arith.cmpi slt, %c, %length : {TILE}
  %end = tile.splat %m : i32 -> {TILE}
  %mask1 = arith.cmpi slt, %c, %end : {TILE}""")
for step in range(STEPS):
    print(f"""  %less{step} = arith.constant -{step + 1} : i32
  %number{step} = arith.subi %less{step}, %n : i32
  %limit{step} = tile.splat %number{step} : i32 -> {TILE}
  %behind{step} = arith.cmpi sgt, %c, %limit{step} : {TILE}
  %both{step} = arith.andi %mask{step + 1}, %behind{step} : tensor<8x256xi1>
  %mask{step + 2} = arith.andi %mask{step}, %both{step} : tensor<8x256xi1>""")
MASK = f"%mask{STEPS + 1}"
print(f"""  %a = tile.splat %A : !tile.ptr<i8> -> {BYTES}
  %from = tile.addptr %a, %place : {BYTES}, {TILE}
  %t = tile.load %from mask {MASK} : {BYTES}
  %b = tile.splat %B : !tile.ptr<i8> -> {BYTES}
  %to = tile.addptr %b, %place : {BYTES}, {TILE}
  tile.store %to, %t mask {MASK} : {BYTES}
  tile.return
}}""")
