# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sizes at which tests run the examples, in one table.

A new example needs a line in TABLE, unless one fits its name already:

    "rms_norm_*": Sizes({"M": 4, "N": 4096}, ("M=3 N=5000",)),
    "softmax_*": Sizes(tiles={"M": 4, "N": 1024}, edges=("M=6 N=1000", "M=7 N=1001")),
"""

import fnmatch
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

# Beside those around one tile: small, prime, and of every divisibility up to 16.
SMALL = (1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 23, 24, 31, 32, 33, 61)


@dataclass(frozen=True)
class Sizes:
    """How large an example is run.

    `tiles`: the scalars that are extents, and how many elements of each a tile has. `edges`: a few
    sizes at which tiles stick out on all sides, the narrowest vectors first. `others`: scalars
    that are no extents, with their values, where `edges` does not name them.
    """

    tiles: dict[str, int]
    edges: tuple[str, ...]
    others: str = ""

    def sweep(self) -> Iterator[str]:
        """Arguments of which each extent takes all of its sizes once, the first all ones."""
        columns = [sorted({*SMALL, tile - 1, tile, tile + 1}) for tile in self.tiles.values()]
        yield self._name([1] * len(columns))
        for row in range(max(len(column) for column in columns)):
            # Each scalar begins at another of its sizes.
            yield self._name(
                [column[(row + 5 * at) % len(column)] for at, column in enumerate(columns)]
            )

    def _name(self, extents: list[int]) -> str:
        named = [f"{name}={extent}" for name, extent in zip(self.tiles, extents, strict=True)]
        return " ".join([*named, self.others]).strip()


def _transposes(rows: int, columns: int, *edges: str) -> Sizes:
    return Sizes({"M": rows, "N": columns}, edges or ("M=70 N=131", "M=72 N=136"))


# The first line whose pattern fits the name of an example is its own.
TABLE = {
    "copy_f32": Sizes({"n": 2048}, ("n=2117", "n=2116")),
    "scale_f32": Sizes({"n": 2048}, ("n=2117 alpha=-1.7", "n=2116 alpha=0.3"), "alpha=-1.7"),
    "bank_conflicts": _transposes(32, 32, "M=70 N=131"),
    "transpose_f64": _transposes(64, 32),
    "transpose_f32": _transposes(128, 64, "M=134 N=70", "M=136 N=72"),
    # Nothing is a multiple of a vector, and rows of a block go through shared memory. Of three
    # blocks in a row the one between the others has all of its sectors.
    "transpose_odd_i8": _transposes(256, 128, "M=545 N=67"),
    "transpose_f16": _transposes(128, 128, "M=301 N=67", "M=136 N=136"),
    "transpose_i8": _transposes(128, 128, "M=134 N=131", "M=144 N=144"),
    # Two steps more than stages: each copy and each change of stages matters.
    "gemm_batched_*": Sizes(
        {"batch": 1, "M": 128, "N": 128, "K": 64}, ("batch=2 M=136 N=128 K=264",)
    ),
    # The last step reads the bytes that the bias is written to.
    "gemm_bias_*": Sizes({"M": 128, "N": 128, "K": 64}, ("M=136 N=168 K=392",)),
    "gemm_*": Sizes({"M": 128, "N": 128, "K": 64}, ("M=136 N=168 K=264",)),
    "row_sums_*": Sizes({"M": 4, "N": 4096}, ("M=3 N=5000",)),
    # Two trips of 32 rows go together, and one of 26 follows alone.
    "column_sums_*": Sizes({"M": 32, "N": 128}, ("M=90 N=140",)),
    "rms_norm_*": Sizes({"M": 4, "N": 4096}, ("M=3 N=5000",)),
    # Most of the last vectors are no part of the variance, so that their test matters.
    "layer_norm_*": Sizes({"M": 4, "N": 4096}, ("M=3 N=4104",)),
    "softmax_*": Sizes({"M": 4, "N": 4096}, ("M=3 N=5001", "M=3 N=5000")),
}


def find_sizes(example: str) -> Sizes:
    for pattern, sizes in TABLE.items():
        if fnmatch.fnmatchcase(example, pattern):
            return sizes
    raise LookupError(f"no sizes for the example '{example}': give it a line in {__file__}")


def find_examples() -> list[str]:
    return sorted(path.stem for path in EXAMPLES.glob("*.mlir"))
