"""The word that has a function of scalars work on each element of tiles."""

from __future__ import annotations

from typing import Any

from tilewright.language.context import Purity, current, word
from tilewright.language.reductions import as_word
from tilewright.language.shapes import broadcast_to_shape, broadcast_together
from tilewright.language.tensor import read_constant, to_tensor


@word
def map_elementwise(scalar_fn: Any, *args: Any, pack: Any = 1) -> Any:
    """What a function with @tilewright.jit makes of each element, or of those of several tiles.

    The tiles are broadcast to one shape. The function is arithmetic, and may choose by `if`: both
    branches are computed, and each element takes the values of its own. It gives one value, or a
    tuple of several.
    """
    if read_constant(pack, "pack") != 1:
        raise ValueError("map_elementwise takes one element at a time: pack is 1")
    tiles = broadcast_together(*(to_tensor(each) for each in args))
    if not tiles:
        raise TypeError("map_elementwise takes one tile or more")
    with current().restrict(Purity.MAPS):
        made = as_word(scalar_fn, "scalar_fn")(*tiles)
    is_single = not isinstance(made, (tuple, list))
    shape = tiles[0].type.shape
    values = [
        broadcast_to_shape(to_tensor(each, "what the function of map_elementwise gives"), shape)
        for each in ([made] if is_single else made)
    ]
    return values[0] if is_single else tuple(values)
