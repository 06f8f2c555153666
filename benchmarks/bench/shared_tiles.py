"""Tiles of f16 in shared memory as bulk tensor copies write them and wgmma reads them.

Written from the tables of include/tilewright/Layout/Shared/HardwareSwizzle.h and
Layout/Registers/WarpgroupMma.h once more, so that a measurement checks them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

ATOM, PERIOD, ELEMENT = 16, 8, 2
# The field of a matrix descriptor, by the bytes of a row.
_NUMBERS = {16: 0, 128: 1, 64: 2, 32: 3}
ROW_BYTES = (128, 64, 32, 16)


def swizzled(offsets: Any, row_bytes: int) -> Any:
    """Where the hardware puts a byte that counts so many from a multiple of 1024."""
    return offsets ^ ((offsets >> 7 & (row_bytes // ATOM - 1)) << 4)


@dataclass(frozen=True)
class Tile:
    """`outer` (M or N) by `k` elements. `across`: rows go along M or N, and not along K."""

    outer: int
    k: int
    row_bytes: int
    across: bool = False

    def __post_init__(self) -> None:
        inner = self.outer if self.across else self.k
        if inner * ELEMENT < self.row_bytes:
            raise ValueError(f"rows of {self.row_bytes} bytes; these have {inner * ELEMENT}")

    @property
    def bytes(self) -> int:
        return self.outer * self.k * ELEMENT

    def offset(self, outer: Any, k: Any) -> Any:
        """Of an element, in bytes: a row of a panel, then the rows, then the panels."""
        inner, row, rows = (outer, k, self.k) if self.across else (k, outer, self.outer)
        in_row = self.row_bytes // ELEMENT
        linear = (inner // in_row * rows + row) * self.row_bytes + inner % in_row * ELEMENT
        return swizzled(linear, self.row_bytes)

    def image(self, matrix: Any) -> Any:
        """The bytes of the tile of a matrix of `outer` by `k`."""
        image = np.zeros(self.outer * self.k, np.float16)
        places = self.offset(*np.indices((self.outer, self.k))) // ELEMENT
        image[places] = matrix
        return image

    def descriptor(self, k: int) -> int:
        """Of the part that begins at `k`, of a tile at address 0."""
        stride = PERIOD * self.row_bytes
        leading = self.row_bytes * (self.k if self.across else self.outer)
        if self.across and self.row_bytes == ATOM:
            stride, leading = leading, stride
        start = int(self.offset(0, k))
        return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | _NUMBERS[self.row_bytes] << 62
