"""Random layouts: kernels that write a tile to shared memory in one layout of registers and read
it in another, and the wavefronts that this takes, predicted and counted.

The layouts are any that can be written: bits of registers, lanes and warps that lead to bits of
the tile or to sums of them, some lanes with copies; shared tiles in any order, padded, with the
textbook's swizzle, or in any bijection.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gputools.profile import Profile, profile_all
from gputools.tools import Run, ToolError
from gputools.wavefronts import METRICS

# Bytes of an element.
TYPES = {"i8": 1, "f16": 2, "f32": 4, "f64": 8}
LANE_BITS = 5
# Elements a thread holds at most, and bytes of a tile: so that it fits without padding twice.
MAX_REGISTER_BITS = 6
MAX_TILE_BYTES = 16384
# Loads and stores; nothing here is copied.
METRIC_NAMES = [name for column, name in METRICS.items() if not column.startswith("copy")]


@dataclass(frozen=True)
class LayoutKernel:
    """A kernel of one block, and what it is made of."""

    name: str
    text: str
    shown: str


def _random_basis(rng: random.Random, bits: int) -> list[int]:
    """Independent vectors of so many bits: mostly the unit vectors in some order."""
    if rng.random() < 0.6:
        return rng.sample([1 << bit for bit in range(bits)], bits)
    basis: list[int] = []
    span = {0}
    while len(basis) < bits:
        vector = rng.randrange(1, 1 << bits)
        if vector not in span:
            basis.append(vector)
            span |= {vector ^ other for other in span}
    return basis


def _point(vector: int, columns: int) -> list[int]:
    return [vector // columns, vector % columns]


def _register_layout(
    rng: random.Random, shape: tuple[int, int], warp_bits: int, may_copy: bool
) -> str:
    rows, columns = shape
    bits = (rows * columns).bit_length() - 1
    thread_bits = LANE_BITS + warp_bits
    # Bits of threads that lead nowhere are copies; what does not fit into threads is in registers.
    fewest = max(0, thread_bits - bits)
    most = max(fewest, thread_bits - bits + MAX_REGISTER_BITS)
    copies = rng.choice([fewest, fewest, fewest, min(most, thread_bits)]) if may_copy else 0
    basis = _random_basis(rng, bits)
    vectors = basis[: thread_bits - copies] + [0] * copies
    registers = basis[thread_bits - copies :]
    if rng.random() < 0.3:
        rng.shuffle(vectors)
    points = [_point(vector, columns) for vector in vectors]
    text = [f"{rows}x{columns}"]
    if registers:
        text.append(f"register = {[_point(vector, columns) for vector in registers]}")
    text.append(f"lane = {points[:LANE_BITS]}")
    if warp_bits:
        text.append(f"warp = {points[LANE_BITS:]}")
    return ", ".join(text)


def _shared_layout(rng: random.Random, shape: tuple[int, int]) -> str:
    rows, columns = shape
    bits = (rows * columns).bit_length() - 1
    kind = rng.choice(["order", "pad", "swizzle", "general", "general"])
    if kind == "general":
        points = [_point(vector, columns) for vector in _random_basis(rng, bits)]
        return f"{rows}x{columns}, offset = {points}"
    order = rng.choice(["", ", order [0, 1]"])
    if kind == "pad":
        interval = 1 << rng.randint(2, bits)
        return f"{rows}x{columns}{order}, pad {rng.choice([1, 2, 3, 4, 8, 16])} every {interval}"
    if kind == "swizzle":
        count = rng.randint(1, bits // 2)
        base = rng.randint(0, bits - 2 * count)
        shift = rng.randint(count, bits - base - count)
        return f"{rows}x{columns}{order}, swizzle<{count},{base},{shift}>"
    return f"{rows}x{columns}{order}"


def make_kernel(number: int, seed: int) -> LayoutKernel:
    """The same for the same numbers."""
    rng = random.Random(f"layouts {seed}/{number}")
    element = rng.choice(list(TYPES))
    warp_bits = rng.randint(0, 3)
    most = (MAX_TILE_BYTES // TYPES[element]).bit_length() - 1
    thread_bits = LANE_BITS + warp_bits
    bits = rng.randint(max(6, thread_bits), min(most, thread_bits + MAX_REGISTER_BITS))
    column_bits = rng.randint(0, bits)
    shape = (1 << (bits - column_bits), 1 << column_bits)
    write = _register_layout(rng, shape, warp_bits, may_copy=True)
    # Of several threads that read one element, one stores it to Y: ptxas would let only that one
    # read.
    read = _register_layout(rng, shape, warp_bits, may_copy=False)
    shared = _shared_layout(rng, shape)
    name = f"layouts_{number}"
    rows, columns = shape
    tile, view = f"{rows}x{columns}x{element}", f"{rows}x{columns}x{element}, [{columns}, 1]"
    text = f"""
#write = #tile.register_layout<{write}>
#read = #tile.register_layout<{read}>
!shared = !tile.shared<{tile}, #tile.shared_layout<{shared}>>
tile.kernel @{name}(%X: !tile.ptr<{element}>, %Y: !tile.ptr<{element}>, %n: index)
    shapes ["X[n, {rows}, {columns}]", "Y[n, {rows}, {columns}]"] grid ["n"]
    reference ["Y[p, i, j] = X[p, i, j]"]
    attributes {{num_warps = {1 << warp_bits} : i32}} {{
  %c0 = arith.constant 0 : index
  %size = arith.constant {rows * columns} : index
  %p = tile.program_id 0
  %offset = arith.muli %p, %size : index
  %xp = tile.addptr %X, %offset : !tile.ptr<{element}>, index
  %yp = tile.addptr %Y, %offset : !tile.ptr<{element}>, index
  %x = tile.view %xp, shape [{rows}, {columns}], strides [{columns}, 1] :
    !tile.ptr<{element}> -> !tile.view<{view}>
  %y = tile.view %yp, shape [{rows}, {columns}], strides [{columns}, 1] :
    !tile.ptr<{element}> -> !tile.view<{view}>
  %t = tile.load_view %x[%c0, %c0] : !tile.view<{view}> -> tensor<{tile}, #write>
  %s = tile.alloc_shared : !shared
  tile.local_store %t, %s : tensor<{tile}, #write>, !shared
  %u = tile.local_load %s : !shared -> tensor<{tile}, #read>
  tile.store_view %u, %y[%c0, %c0] : tensor<{tile}, #read>, !tile.view<{view}>
  tile.return
}}
"""
    return LayoutKernel(name, text, f"{tile}: {write} | {shared} | {read}")


def _record(kernel: LayoutKernel, profiled: Profile | ToolError) -> dict[str, Any]:
    record: dict[str, Any] = {"name": kernel.name, "layouts": kernel.shown}
    if isinstance(profiled, ToolError):
        record.update(differences=[str(profiled)], seconds=0)
    else:
        record.update(profiled.comparison.to_json(), seconds=profiled.seconds)
    if record["differences"]:
        record["kernel"] = kernel.text
    return record


def check_layouts(
    numbers: Iterable[int], seed: int, device: str, timeout: float
) -> list[dict[str, Any]]:
    """Counts kernels with these numbers, on `cuda` or `sim`. For each: its name, what it is made
    of, both counts, and under `differences` what is wrong; nothing there, where all is well."""
    kernels = [make_kernel(number, seed) for number in numbers]
    # A check may launch a kernel twice; of a GPU's launches, only one is to be counted.
    options = ("--check",) if device == "sim" else ()
    runs = [Run(Path(each.name), "n=2", options=options, text=each.text) for each in kernels]
    profiled = profile_all(runs, device, timeout, METRIC_NAMES)
    return [_record(kernel, each) for kernel, each in zip(kernels, profiled, strict=True)]
