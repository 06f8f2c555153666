"""Loops and branches in each other, each of which multiplies what it loads.

nested_products.py DEPTH
"""

import sys

BEGIN = """\
!view = !tile.view<?x?xf16, [?, 1]>
!sums = tensor<64x64xf32>
tile.kernel @nested(%A: !tile.ptr<f16> {tile.divisibility = 16}, %C: !tile.ptr<f32>,
                    %n: index {tile.divisibility = 64}, %which: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.view %A, shape [%n, %n], strides [%n, 1] : !tile.ptr<f16> -> !view
  %c = tile.view %C, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %sum = arith.constant dense<0.0> : !sums"""
PRODUCT = """\
%x{0} = tile.load_view %a[%{2}, %c0] : !view -> tensor<64x32xf16>
%y{0} = tile.load_view %a[%c0, %{2}] : !view -> tensor<32x64xf16>
%p{0} = tile.dot %x{0}, %y{0}, %{1} : tensor<64x32xf16>, tensor<32x64xf16>, !sums"""
LOOP = """\
%s{0} = scf.for %i{0} = %c0 to %n step %c1 iter_args(%b{0} = %p{0}) -> (!sums) {{"""
BRANCH = """\
%is{0} = arith.cmpi slt, %{1}, %which : index
%s{0} = scf.if %is{0} -> (!sums) {{
  scf.yield %p{0} : !sums
}} else {{"""
END = """\
tile.store_view %{0}, %c[%c0, %c0] : !sums, !tile.view<?x?xf32, [?, 1]>
tile.return }}"""


def main(depth: int) -> None:
    print(BEGIN)
    total, counter = "sum", "c0"
    for level in range(depth):
        print(PRODUCT.format(level, total, counter))
        is_loop = level % 4 != 3
        print((LOOP if is_loop else BRANCH).format(level, counter))
        total = f"b{level}" if is_loop else f"p{level}"
        counter = f"i{level}" if is_loop else counter
    for level in reversed(range(depth)):
        print(f"scf.yield %{total} : !sums }}")
        total = f"s{level}"
    print(END.format(total))


main(int(sys.argv[1]))
