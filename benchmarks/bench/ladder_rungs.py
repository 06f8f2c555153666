"""The rungs of examples/ladder: what each is about, and what it takes of shared memory, as the
compiler predicts and as the simulator counts it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy

from gputools.tools import EXAMPLES
from gputools.wavefronts import find_copies

# Steps of a loop whose length is not known: what reports suppose.
TRIPS = 16


@dataclass(frozen=True)
class Rung:
    """A file with one idea more than the one before; elements of C along each side of a program's
    tile, and of K in a step."""

    path: str
    idea: str
    side: int
    step: int

    @property
    def file(self) -> Path:
        return EXAMPLES / self.path


RUNGS = (
    Rung("ladder/01_naive.mlir", "a thread for each element", 32, 1),
    Rung("ladder/02_coalescing.mlir", "coalescing", 32, 1),
    Rung("ladder/03_shared_tiles.mlir", "shared tiles", 32, 32),
    Rung("ladder/04_rows_in_registers.mlir", "8 elements a thread", 64, 16),
    Rung("ladder/05_tiles_in_registers.mlir", "8 x 8 elements a thread", 128, 16),
    Rung("ladder/06_vectors.mlir", "vectors", 128, 16),
    Rung("ladder/07_padding.mlir", "padding", 128, 16),
    Rung("ladder/08_swizzle.mlir", "swizzles", 128, 16),
    Rung("ladder/09_warp_tiles.mlir", "warp tiles", 128, 16),
    Rung("ladder/10_async_stages.mlir", "copies run ahead", 128, 16),
    Rung("gemm_f32_nn.mlir", "the compiler's own", 128, 32),
)


def predict(report: Mapping[str, Any]) -> dict[str, int]:
    """Wavefronts of shared memory of one block, by loads and stores and by asynchronous copies, and
    how many of both are conflicts."""
    accesses = [access for access in report["accesses"] if "wavefronts" in access]
    copies = find_copies(accesses)
    others = [access for access in accesses if access["op"] != "tile.copy_async"]

    def total(of: Sequence[Mapping[str, Any]], field: str) -> int:
        return sum(access[field] * access["trips"] for access in of)

    return {
        "wavefronts": total(others, "wavefronts"),
        "copies": total(copies, "wavefronts"),
        "conflicts": sum(
            total(of, "wavefronts") - total(of, "ideal_wavefronts") for of in (others, copies)
        ),
    }


def count(rung: Rung) -> dict[str, Any]:
    """The same of a block that the simulator runs, and what else it counts there."""
    import tilewright

    random = numpy.random.default_rng(0)
    length = TRIPS * rung.step
    a = random.standard_normal((rung.side, length)).astype(numpy.float32)
    b = random.standard_normal((length, rung.side)).astype(numpy.float32)
    c = aligned(numpy.empty((rung.side, rung.side), numpy.float32))
    promises = dict.fromkeys(("A", "B", "C", "M", "N", "K"), 16)
    kernel = tilewright.compile_file(rung.file, divisibility=promises)
    kernel(aligned(a), aligned(b), c)
    error = numpy.abs(c - a.astype(numpy.float64) @ b).max()
    if not error < 1e-4 * length:
        raise ValueError(f"{rung.path} is wrong by {error}")
    simulation = kernel.simulation
    assert simulation is not None
    counts = simulation["counts"]
    return {
        "predicted": predict(kernel.report),
        "counted": {
            "wavefronts": counts["shared_load_wavefronts"] + counts["shared_store_wavefronts"],
            "copies": counts["shared_copy_wavefronts"],
            "multiply_adds": rung.side * rung.side * length,
            "global_load_sectors": counts["global_load_sectors"],
        },
    }


def aligned(array: numpy.ndarray) -> numpy.ndarray:
    """The same at a multiple of 256 bytes, as on a GPU."""
    memory = numpy.empty(array.nbytes + 256, numpy.uint8)
    begin = -memory.ctypes.data % 256
    result = memory[begin : begin + array.nbytes].view(array.dtype).reshape(array.shape)
    result[...] = array
    return result
