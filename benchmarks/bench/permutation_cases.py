"""What examples/python/permute.py is timed on: transposes, and orders of 3 to 5 dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# Elements that are moved as they are: what they mean does not matter.
TYPES = {"f64": "int64", "f32": "int32", "f16": "int16", "i8": "int8"}

# Aligned, odd, and skinny.
SHAPES = (
    (4096, 4096), (8192, 8192), (16384, 16384), (65536, 1024),
    (8191, 8193), (5003, 7001), (1000, 30001), (1048576, 48),
)  # fmt: skip


@dataclass(frozen=True)
class Permutation:
    """out = x with its dimensions in this order."""

    type: str
    shape: tuple[int, ...]
    order: tuple[int, ...]

    @property
    def name(self) -> str:
        order = "" if self.order == (1, 0) else f" to {', '.join(map(str, self.order))}"
        return f"{self.type} {' x '.join(map(str, self.shape))}{order}"


TRANSPOSES = [Permutation(each, shape, (1, 0)) for each in TYPES for shape in SHAPES]

PERMUTATIONS = [
    # Of batches: transposes, and rows that stay rows.
    Permutation("f16", (64, 1024, 2048), (0, 2, 1)),
    Permutation("f32", (512, 300, 700), (0, 2, 1)),
    Permutation("f32", (1024, 512, 256), (1, 0, 2)),
    Permutation("f16", (1000, 777, 121), (1, 0, 2)),
    # All dimensions elsewhere.
    Permutation("f32", (512, 512, 512), (2, 1, 0)),
    Permutation("f64", (300, 500, 400), (2, 0, 1)),
    Permutation("i8", (640, 480, 640), (1, 2, 0)),
    # Images: channels last and first, with many and with three.
    Permutation("f16", (64, 256, 56, 56), (0, 2, 3, 1)),
    Permutation("f16", (64, 56, 56, 256), (0, 3, 1, 2)),
    Permutation("f32", (128, 3, 512, 512), (0, 2, 3, 1)),
    Permutation("i8", (256, 512, 512, 3), (0, 3, 1, 2)),
    # Heads of attention, there and back; keys that are transposed.
    Permutation("f16", (16, 2048, 32, 128), (0, 2, 1, 3)),
    Permutation("f16", (16, 32, 2048, 64), (0, 2, 1, 3)),
    Permutation("f16", (16, 2048, 32, 64), (0, 2, 3, 1)),
    Permutation("f32", (96, 100, 110, 120), (3, 2, 1, 0)),
    Permutation("f64", (128, 128, 64, 64), (2, 3, 0, 1)),
    # Patches of images, pixels that are shuffled, windows.
    Permutation("f16", (64, 3, 32, 14, 448), (0, 2, 4, 1, 3)),
    Permutation("f32", (32, 64, 2, 128, 256), (0, 1, 3, 4, 2)),
    Permutation("f16", (64, 8, 8, 64, 512), (0, 1, 3, 2, 4)),
    Permutation("f32", (48, 40, 36, 32, 44), (4, 3, 2, 1, 0)),
]

# How many elements are side by side in the result, and in what is read; warps; streams; whether the
# first programs have half of a block.
CONFIGS: dict[str, Sequence[tuple[int, ...]]] = {
    "f64": (
        (32, 32, 4),
        (64, 64, 8),
        (64, 32, 8),
        (128, 64, 16),
        (64, 32, 16),
        (32, 64, 16),
        (32, 32, 8),
        (32, 64, 8),
        (32, 32, 8, 2),
        (64, 32, 16, 2),
    ),
    "f32": (
        (64, 64, 8),
        (128, 64, 8),
        (128, 128, 8),
        (32, 32, 8),
        (32, 128, 8),
        (64, 128, 8),
        (64, 64, 16),
        (256, 64, 8),
        (32, 64, 8),
    ),
    "f16": (
        (128, 128, 8),
        (128, 64, 4),
        (128, 64, 8),
        (128, 8, 4),
        (256, 128, 8),
        (1024, 8, 4),
        (128, 128, 16),
        (128, 64, 16),
        (64, 64, 8),
        (128, 128, 16, 1, True),
    ),
    "i8": (
        (128, 256, 8),
        (128, 128, 8),
        (64, 128, 4),
        (64, 64, 2),
        (512, 128, 16),
        (256, 128, 16),
        (2048, 4, 4),
        (256, 256, 16),
        (256, 64, 16),
        (512, 256, 16),
        (256, 256, 16, 1, True),
        (128, 256, 8, 1, True),
    ),
}
