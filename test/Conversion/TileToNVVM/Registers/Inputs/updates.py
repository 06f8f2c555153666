#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a thread that reads places of shared memory, adds to each, and writes them.

updates.py --places=40 --between=nvvm.barrier0 --bytes=2
"""

import argparse


def address(number, bytes_apart):
    """Eight places that differ in bits of the element, then the next rows of them."""
    turn, row = number % 8 * 8, number // 8
    return [
        f"%t{number} = arith.constant {turn} : i32",
        f"%x{number} = arith.xori %e, %t{number} : i32",
        f"%b{number} = arith.muli %x{number}, %two : i32",
        f"%q{number} = llvm.getelementptr %base[%b{number}]"
        " : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8",
        f"%p{number} = llvm.getelementptr %q{number}[{row * bytes_apart}]"
        " : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8",
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--places", type=int, default=40)
    parser.add_argument("--bytes", type=int, default=1024, help="from a row to the next")
    parser.add_argument("--between", default="", help="an op in front of the first write")
    parser.add_argument("--ops", type=int, default=1, help="of each place")
    parser.add_argument("--last", default="p", help="base, p38: the last write goes there")
    options = parser.parse_args()
    places = range(options.places)
    body = ["%two = arith.constant 2 : i32", "%one = arith.constant 1.0 : f32"]
    for number in places:
        body += address(number, options.bytes)
    body += [f"%r{n} = llvm.load %p{n} : !llvm.ptr<3> -> f32" for n in places]
    body += [options.between]
    for op in range(options.ops):
        body += [
            f"%s{op}_{n} = arith.addf %{f's{op - 1}_' if op else 'r'}{n}, %one : f32"
            for n in places
        ]
    to = [f"%p{n}" for n in places]
    if options.last != "p":
        to[-1] = f"%{options.last}"
    body += [f"llvm.store %s{options.ops - 1}_{n}, {to[n]} : f32, !llvm.ptr<3>" for n in places]
    text = "\n  ".join(each for each in body if each)
    print(f"llvm.func @update(%base: !llvm.ptr<3>, %e: i32) {{\n  {text}\n  llvm.return\n}}")


if __name__ == "__main__":
    main()
