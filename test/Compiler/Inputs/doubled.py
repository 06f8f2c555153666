"""A kernel that moves rows of bytes, whose places are added to themselves again and again."""

STEPS = 64
TILE = "tensor<8x256xi32>"

ARGUMENTS = "%A: !tile.ptr<i8>, %B: !tile.ptr<i8>, %n: i32"

print(f"""tile.kernel @doubled({ARGUMENTS}) attributes {{num_warps = 4 : i32}} {{
  %rows = tile.iota 0 : tensor<8xi32>
  %columns = tile.iota 0 : tensor<256xi32>
  %row = tile.expand_dims %rows {{axis = 1 : i32}} : tensor<8xi32> -> tensor<8x1xi32>
  %column = tile.expand_dims %columns {{axis = 0 : i32}} : tensor<256xi32> -> tensor<1x256xi32>
  %r = tile.broadcast %row : tensor<8x1xi32> -> {TILE}
  %c = tile.broadcast %column : tensor<1x256xi32> -> {TILE}
  %length = tile.splat %n : i32 -> {TILE}
  %begin = arith.muli %r, %length : {TILE}
  %place0 = arith.addi %begin, %c : {TILE}""")
for step in range(STEPS):
    print(f"  %place{step + 1} = arith.addi %place{step}, %place{step} : {TILE}")
print(f"""  %a = tile.splat %A : !tile.ptr<i8> -> tensor<8x256x!tile.ptr<i8>>
  %from = tile.addptr %a, %place{STEPS} : tensor<8x256x!tile.ptr<i8>>, {TILE}
  %t = tile.load %from : tensor<8x256x!tile.ptr<i8>>
  %b = tile.splat %B : !tile.ptr<i8> -> tensor<8x256x!tile.ptr<i8>>
  %to = tile.addptr %b, %place0 : tensor<8x256x!tile.ptr<i8>>, {TILE}
  tile.store %to, %t : tensor<8x256x!tile.ptr<i8>>
  tile.return
}}""")
