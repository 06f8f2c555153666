"""Programs of very many ops: one behind the other, or side by side.

long_programs.py WAY COUNT
"""

import sys

HEAD = """\
!tile = tensor<128xf32>
tile.kernel @long(%X: !tile.ptr<f32>, %Y: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %start = arith.addi %n, %c1 : i32
  %each = tile.iota 0 : tensor<128xi32>
  %xs = tile.splat %X : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %at = tile.addptr %xs, %each : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %x0 = tile.load %at : tensor<128x!tile.ptr<f32>>"""
CHAIN = "  %t{0} = arith.{2} %{1}, %n : i32"
LOOP = """\
  %t{0} = scf.for %i{0} = %c0 to %n step %c1 iter_args(%a{0} = %{1}) -> (i32) : i32 {{
    %b{0} = arith.xori %a{0}, %i{0} : i32
    %d{0} = arith.muli %b{0}, %b{0} : i32
    scf.yield %d{0} : i32
  }}"""
SUM = """\
  %s{0} = tile.reduce %x{0} axis 0 : !tile -> f32 {{
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }}
  %u{0} = tile.splat %s{0} : f32 -> !tile
  %x{1} = arith.mulf %x{0}, %u{0} : !tile"""
BRANCH = """\
  %q{0} = arith.constant {0} : i32
  %z{0} = arith.cmpi sgt, %n, %q{0} : i32
  %t{0} = scf.if %z{0} -> (i32) {{
    %b{0} = arith.muli %{1}, %n : i32
    scf.yield %b{0} : i32
  }} else {{
    scf.yield %{1} : i32
  }}"""
PLACE = """\
  %o{0} = arith.constant dense<{1}> : tensor<128xi32>
  %p{0} = tile.addptr %at, %o{0} : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %l{0} = tile.load %p{0} : tensor<128x!tile.ptr<f32>>
  tile.store %p{0}, %l{0} : tensor<128x!tile.ptr<f32>>"""


def main() -> None:
    way, count = sys.argv[1], int(sys.argv[2])
    print(HEAD)
    last = "start"
    for number in range(count):
        if way == "sums":
            print(SUM.format(number, number + 1))
        elif way == "branches":
            print(BRANCH.format(number, last))
            last = f"t{number}"
        elif way == "places":
            print(PLACE.format(number, 128 * number))
        else:
            word = ("muli", "addi", "xori")[number % 3]
            print((LOOP if way == "loops" else CHAIN).format(number, last, word))
            last = f"t{number}"
    print(f"  tile.store %Y, %{last} : !tile.ptr<i32>")
    print(f"  tile.store %at, %x{count if way == 'sums' else 0} : tensor<128x!tile.ptr<f32>>")
    print("  tile.return\n}")


if __name__ == "__main__":
    main()
