"""Kernels of examples/python on random shapes, strides, types and options, beside NumPy.

    arrays.py    where arrays are, what they hold, and how results are compared
    rows.py      norms, softmax, cross entropy, reductions: matrices whose rows begin anywhere
    parts.py     rows in parts, and several in a tile
    moves.py     permutations of dimensions
    products.py  matrix products with what may stand behind them, and chains of two
    strided.py   products of matrices that lie anyhow, and of what is computed of them
    loops.py     products whose loops are drawn, as text that NumPy runs too (interpreter.py)
    lists.py     loops that go by numbers which they load, and maybe write
    matrices.py  rows that are drawn: in turn, in parts, backwards, transposed, in place
    stencils.py  neighbours, by loads that have elements in common
    memory.py    loads, stores and atomics in an order that is drawn, by pointers that meet
    totals.py    additions to places that programs share, loops that keep totals and extremes
    words.py     tiles of integers through words that move and combine elements (exact.py)
    mixed.py     tiles of several types, floats among them, through such words (typed.py)

The last eight write kernels (kernel_text.py).

A family is a function that draws one case. `draw` makes a case of a number, so that a wrong one is
made again by that.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "python"))
# Before scripts/, which has a differential.py.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from . import (
    lists,
    loops,
    matrices,
    memory,
    mixed,
    moves,
    parts,
    products,
    rows,
    stencils,
    strided,
    totals,
    words,
)
from .arrays import Case, Device, Drawing

FAMILIES = {
    "rows": rows.FAMILIES,
    "parts": parts.FAMILIES,
    "moves": moves.FAMILIES,
    # Seven, so that each meets each of the six targets.
    "products": (*products.FAMILIES, strided.strided_product),
    "loops": loops.FAMILIES,
    "lists": lists.FAMILIES,
    "matrices": matrices.FAMILIES,
    "stencils": stencils.FAMILIES,
    "memory": memory.FAMILIES,
    "totals": totals.FAMILIES,
    "words": words.FAMILIES,
    "mixed": mixed.FAMILIES,
}


def draw(group: str, seed: int, device: Device) -> Case:
    """Case `seed` of a group of families, which take turns."""
    families = FAMILIES[group]
    family = families[seed % len(families)]
    return family(Drawing(random.Random(f"{group} {seed}"), device))
