"""Launches of the kernels of shared_ptx, whose results are compared with NumPy's."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.cuda import Driver, Function
from bench.shared_ptx import (
    CLOCK_WORDS,
    K_STEPS,
    PRODUCT_SHARED_BYTES,
    READ_SHARED_BYTES,
    READ_WARPS,
    REPEATS,
    SLOT_BYTES,
    SLOT_ROWS,
    SLOTS,
    product_ptx,
    read_ptx,
)
from bench.shared_tiles import ELEMENT, Tile
from bench.tensor_maps import make_tensor_map
from gputools.tools import ToolError

K, GROUP_ROWS, COLUMNS, READ_ROWS = 64, 64, 64, 64
MAJORS = {"A and B by K": (False, False), "B by N": (False, True), "A by M": (True, False)}
# Plain rows of 128 bytes, which bulk copies write too, and wgmma does not read.
PLAIN = "plain"
_COLUMNS = {"none": 8, "32B": 16, "64B": 32, "128B": 64, PLAIN: 64}
MODES = ("128B", "64B", "32B", "none")


def pointer(array: Any) -> ctypes.c_uint64:
    return ctypes.c_uint64(0 if array is None else array.data_ptr())


def row_bytes(mode: str) -> int:
    return _COLUMNS[mode] * ELEMENT


class Bench:
    """The GPU, what is copied there, and the kernels, each of which is compiled once."""

    def __init__(self, torch: Any, driver: Driver) -> None:
        self.torch, self.driver = torch, driver
        self.blocks = torch.cuda.get_device_properties(0).multi_processor_count
        self.random = np.random.default_rng(16)
        rows = self.blocks * SLOTS * SLOT_ROWS
        self.source = self.random.integers(-8, 9, (rows, COLUMNS)).astype(np.float16)
        self._source = self.upload(self.source)
        self._functions: dict[tuple[Any, ...], Function] = {}
        self._maps: dict[str, Any] = {}

    def upload(self, array: Any) -> Any:
        return self.torch.from_numpy(np.ascontiguousarray(array)).cuda()

    def product(self, n: int, major: str) -> Function:
        if (n, major) not in self._functions:
            text = product_ptx(n, *MAJORS[major])
            self._functions[n, major] = self.driver.load(text, "products", PRODUCT_SHARED_BYTES)
        return self._functions[n, major]

    def reads(self) -> Function:
        if () not in self._functions:
            self._functions[()] = self.driver.load(read_ptx(), "reads", READ_SHARED_BYTES)
        return self._functions[()]

    def clocks(self, function: Function, grid: int, threads: int, arguments: Sequence[Any]) -> Any:
        """Launches it, with the clocks of its blocks in place of the None of the arguments."""
        clocks = self.upload(np.zeros((grid, CLOCK_WORDS), np.int64))
        arguments = [pointer(clocks) if each is None else each for each in arguments]
        function.bind((grid, 1, 1), threads, arguments, 0)()
        self.torch.cuda.synchronize()
        return clocks.cpu().numpy()

    def map_of(self, mode: str) -> Any:
        """Of what is copied, in boxes as high as a slot."""
        if mode not in self._maps:
            extents = [{"arguments": [], "constant": n} for n in (COLUMNS, len(self.source))]
            described = {
                "type": "f16",
                "pointer": 0,
                "extents": extents,
                "strides": extents[:1],
                "box": [_COLUMNS[mode], SLOT_ROWS],
                "swizzle_bytes": 0 if mode in ("none", PLAIN) else row_bytes(mode),
            }
            self._maps[mode] = make_tensor_map(self.driver, described, [pointer(self._source)])
        return self._maps[mode]


@dataclass(frozen=True)
class Copies:
    """What the copying warp is told: how many, in which mode, and the least clocks for each. With
    products beside them they end when these do."""

    count: int = 0
    mode: str = "128B"
    pace: int = 0

    def arguments(self, bench: Bench, dump: Any = None) -> list[Any]:
        columns = _COLUMNS[self.mode]
        numbers = (self.count, COLUMNS // columns, columns, SLOT_ROWS * row_bytes(self.mode))
        counts = [ctypes.c_uint32(number) for number in (*numbers, self.pace)]
        return [*counts, pointer(dump), bench.map_of(self.mode)]

    def clocks(self, bench: Bench, grid: int, dump: Any = None) -> Any:
        """Of copies and nothing else."""
        nothing = [ctypes.c_uint64(0)] * 2 * K_STEPS + [ctypes.c_uint32(0)] * 2
        arguments = [
            pointer(None), ctypes.c_uint32(0), pointer(None), None, *nothing,
            *self.arguments(bench, dump),
        ]  # fmt: skip
        return bench.clocks(bench.product(32, "A and B by K"), grid, 32, arguments)

    def check(self, bench: Bench) -> None:
        """What is in block 0's slots in the end."""
        dump = bench.upload(np.zeros((SLOTS, SLOT_BYTES // ELEMENT), np.float16))
        self.clocks(bench, 1, dump)
        slots = bench.source[: SLOTS * SLOT_ROWS].reshape(SLOTS, SLOT_ROWS, COLUMNS)
        if self.mode != PLAIN:
            tile = Tile(SLOT_ROWS, COLUMNS, row_bytes(self.mode))
            slots = np.stack([tile.image(slot) for slot in slots])
        if not np.array_equal(dump.cpu().numpy(), slots.reshape(SLOTS, -1)):
            raise ToolError(f"copies of mode {self.mode} are wrong")


class Product:
    """Operands of warpgroups in one mode, and the kernel that multiplies them."""

    def __init__(self, bench: Bench, n: int, mode: str, major: str, groups: int) -> None:
        a_across, b_across = MAJORS[major]
        a = Tile(GROUP_ROWS * groups, K, row_bytes(mode), a_across)
        b = Tile(n, K, row_bytes(mode), b_across)
        self.bench, self.n, self.groups = bench, n, groups
        self.function = bench.product(n, major)
        self.a = bench.random.integers(-2, 3, (a.outer, K)).astype(np.float16)
        self.b = bench.random.integers(-2, 3, (n, K)).astype(np.float16)
        image = np.concatenate([a.image(self.a), b.image(self.b)])
        self.image, self.bytes = bench.upload(image), image.nbytes
        self.out = bench.upload(np.zeros((n // 2, 128 * groups), np.float32))
        steps = range(0, K, K // K_STEPS)
        starts = [a.descriptor(k) for k in steps]
        starts += [b.descriptor(k) + (a.bytes >> 4) for k in steps]
        group = int(a.offset(GROUP_ROWS, 0)) >> 4 if groups > 1 else 0
        self.operands = [*map(ctypes.c_uint64, starts), ctypes.c_uint32(group)]

    def clocks(self, grid: int, iterations: int, copies: Copies) -> Any:
        """Of all blocks. The sums of one of them are compared with NumPy's."""
        arguments = [
            pointer(self.image), ctypes.c_uint32(self.bytes), pointer(self.out), None,
            *self.operands, ctypes.c_uint32(iterations), *copies.arguments(self.bench),
        ]  # fmt: skip
        clocks = self.bench.clocks(self.function, grid, 128 * self.groups + 32, arguments)
        sums = iterations * REPEATS * (self.a.astype(np.float32) @ self.b.astype(np.float32).T)
        if not np.array_equal(self._sums(), sums):
            raise ToolError(f"wrong sums of m64n{self.n}k16, {self.groups} warpgroups")
        return clocks

    def _sums(self) -> Any:
        """From the order of registers (PTX ISA, "Register Fragments for wgmma")."""
        # Columns by 8, rows by 8, a pair; warpgroup, warp, row, columns by 2.
        parts = self.out.cpu().numpy().reshape(self.n // 8, 2, 2, self.groups, 4, 8, 4)
        return parts.transpose(3, 4, 1, 5, 0, 6, 2).reshape(GROUP_ROWS * self.groups, self.n)


class Reads:
    """Four 8 x 8 matrices beside each other in a tile, which warps read by ldmatrix."""

    def __init__(self, bench: Bench, mode: str) -> None:
        self.bench, self.mode = bench, mode
        numbers = np.arange(READ_ROWS * COLUMNS, dtype=np.int16).reshape(READ_ROWS, COLUMNS)
        self.numbers = numbers
        matrix, row = np.divmod(np.arange(32), 8)
        if mode == PLAIN:
            image, offsets = numbers, row * row_bytes(mode) + matrix * 16
        else:
            tile = Tile(READ_ROWS, COLUMNS, row_bytes(mode))
            image, offsets = tile.image(numbers.view(np.float16)), tile.offset(row, matrix * 8)
        self.image = bench.upload(image.view(np.int16))
        self.offsets = bench.upload(offsets.astype(np.int32))
        self.out = bench.upload(np.zeros((READ_WARPS, 32, 4), np.int32))

    def clocks(self, grid: int, iterations: int) -> Any:
        """Of all blocks. What one of them reads is compared with NumPy's."""
        arguments = [
            pointer(self.image), ctypes.c_uint32(READ_SHARED_BYTES), pointer(self.out), None,
            pointer(self.offsets), ctypes.c_uint32(0), ctypes.c_uint32(iterations),
        ]  # fmt: skip
        clocks = self.bench.clocks(self.bench.reads(), grid, 32 * READ_WARPS, arguments)
        # A lane has a pair of a row of each matrix.
        pairs = self.numbers[:8, :32].copy().view(np.int32).reshape(8, 4, 4)
        expected = pairs.transpose(0, 2, 1).reshape(32, 4)
        if not (self.out.cpu().numpy() == expected).all():
            raise ToolError(f"ldmatrix reads something else in mode {self.mode}")
        return clocks
