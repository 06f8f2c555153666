"""Random layouts: kernels that write a tile to shared memory in one layout of registers and read
it in another, and the wavefronts that this takes, predicted and counted.

The layouts are any that can be written: bits of registers, lanes and warps that lead to bits of
the tile or to sums of them, some lanes with copies; shared tiles in any order, padded, with the
textbook's swizzle, or in any bijection. Many kernels are profiled in one run of ncu, which counts
each process that this module starts:

    ncu ... python layouts.py FOLDER cuda    runs FOLDER/*.mlir, writes FOLDER/*.json
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from gputools.tools import Run, ToolError, call, find_nvidia, parse_result
from gputools.wavefronts import (
    METRICS,
    Comparison,
    compare,
    counts_of_ncu,
    counts_of_simulator,
    parse_ncu,
    predict,
)

# Bytes of an element.
TYPES = {"i8": 1, "f16": 2, "f32": 4, "f64": 8}
LANE_BITS = 5
# Elements a thread holds at most, and bytes of a tile: so that it fits without padding twice.
MAX_REGISTER_BITS = 6
MAX_TILE_BYTES = 16384
# Processes at a time: ncu lets kernels run one after the other all the same.
JOBS = 4
# Loads and stores; nothing here is copied.
METRIC_NAMES = [name for column, name in METRICS.items() if not column.startswith("copy")]

HERE = Path(__file__).resolve()


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


def _run_file(file: Path, device: str) -> None:
    # A check may launch a kernel twice; only one launch is to be counted.
    check = ["--check"] if device == "sim" else []
    finished = call([*Run(file, "n=2").command(device), *check], timeout=120)
    file.with_suffix(".json").write_text(finished.stdout)
    file.with_suffix(".err").write_text("" if finished.code == 0 else finished.complaint())


def run_folder(folder: Path, device: str) -> None:
    """Runs each kernel of a folder; what tile-run said comes to lie beside it."""
    with ThreadPoolExecutor(JOBS) as pool:
        for _ in pool.map(lambda file: _run_file(file, device), sorted(folder.glob("*.mlir"))):
            pass


def _profile_folder(folder: Path, timeout: float) -> str:
    """Runs a folder under ncu; what ncu said."""
    log = folder / "ncu.csv"
    command: list[str | Path] = [
        find_nvidia("ncu"),
        *("--target-processes", "all"),
        *("--clock-control", "none"),
        "--csv",
        *("--print-units", "base"),
        *("--log-file", log),
        *("--metrics", ",".join(METRIC_NAMES)),
        *("--kernel-name", "regex:^layouts_"),
        *(sys.executable, HERE, folder, "cuda"),
    ]
    finished = call(command, timeout)
    if not log.exists():
        raise ToolError(f"ncu counted nothing: {finished.complaint()}")
    return log.read_text(errors="replace")


def _compare(folder: Path, name: str, counters: str | None) -> Comparison:
    """One kernel's counts with its report's. `counters`: what ncu said, None of the simulator."""
    said = folder / f"{name}.err"
    complaint = said.read_text() if said.exists() else "ncu ended before the kernel was run"
    if complaint:
        raise ToolError(complaint)
    result = parse_result(call(["cat", folder / f"{name}.json"]))
    if counters is None:
        counted = counts_of_simulator(result)
    else:
        counted = counts_of_ncu(parse_ncu(counters, name), name)
    return compare(predict(result), counted)


def check_layouts(
    numbers: Iterable[int], seed: int, device: str, timeout: float
) -> list[dict[str, Any]]:
    """Counts kernels with these numbers, on `cuda` or `sim`. For each: its name, what it is made
    of, both counts, and under `differences` what is wrong; nothing there, where all is well."""
    kernels = [make_kernel(number, seed) for number in numbers]
    results = []
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        for kernel in kernels:
            (folder / f"{kernel.name}.mlir").write_text(kernel.text)
        counters = None
        if device == "sim":
            run_folder(folder, device)
        else:
            counters = _profile_folder(folder, timeout)
        for kernel in kernels:
            record: dict[str, Any] = {"name": kernel.name, "layouts": kernel.shown}
            try:
                record.update(_compare(folder, kernel.name, counters).to_json())
            except ToolError as error:
                record["differences"] = [str(error)]
            if record["differences"]:
                record["kernel"] = kernel.text
            results.append(record)
    return results


if __name__ == "__main__":
    run_folder(Path(sys.argv[1]), sys.argv[2])
