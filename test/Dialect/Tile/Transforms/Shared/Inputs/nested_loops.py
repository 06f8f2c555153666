"""A placed program of loops in loops, each of which reads a tile and stores it.

nested_loops.py DEPTH KIND

KIND is `for`, `while`, or `turns`: both in turn.
"""

import sys

BEGIN = """\
#l = #tile.register_layout<register[8] lane[32] warp[4]>
#m = #tile.register_layout<warp[4] lane[32] register[8]>
#s = #tile.shared_layout<1024>
!shared = !tile.shared<1024xf32, #s>
tile.kernel @nested(%x: f32, %n: index, %p: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.splat %x : f32 -> tensor<1024xf32, #l>
  %s = tile.alloc_shared {offset = 0 : i64} : !shared"""
STORE = "tile.local_store %t, %s : tensor<1024xf32, #l>, !shared"
LOAD = "%tile{0} = tile.local_load %s : !shared -> tensor<1024xf32, #m>"
WHILE = f"""\
scf.while : () -> () {{{{
  {LOAD}
  %flag{{0}} = tile.load %p : !tile.ptr<i32>
  %goesOn{{0}} = arith.trunci %flag{{0}} : i32 to i1
  scf.condition(%goesOn{{0}})
}}}} do {{{{"""
FOR = f"""\
scf.for %i{{0}} = %c0 to %n step %c1 {{{{
  {LOAD}"""


def main(depth: int, kind: str) -> None:
    print(BEGIN)
    are_whiles = [kind == "while" or (kind == "turns" and level % 2 == 1) for level in range(depth)]
    for level, is_while in enumerate(are_whiles):
        print(STORE)
        print((WHILE if is_while else FOR).format(level))
    print(STORE)
    for is_while in reversed(are_whiles):
        print("scf.yield }" if is_while else "}")
    print("tile.return }")


main(int(sys.argv[1]), sys.argv[2])
