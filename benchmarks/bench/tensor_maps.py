"""The tensor maps that kernels given as PTX take behind their arguments, from the report."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping, Sequence
from typing import Any

from bench.cuda import Driver

# Of each type of elements CUtensorMapDataType of the CUDA Driver API, and the bytes.
_TYPES = {
    "i1": (0, 1),
    "i8": (0, 1),
    "f8e4m3": (0, 1),
    "f8e5m2": (0, 1),
    "i16": (1, 2),
    "i32": (2, 4),
    "i64": (4, 8),
    "f16": (6, 2),
    "f32": (7, 4),
    "f64": (8, 8),
    "bf16": (9, 2),
}
# CUtensorMapSwizzle, by the bytes of a row.
_SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}

MAP_BYTES = 128


def _aligned_bytes() -> Any:
    """Room for a map where the driver writes one, at a multiple of its size."""
    room = ctypes.create_string_buffer(2 * MAP_BYTES)
    offset = -ctypes.addressof(room) % MAP_BYTES
    return (ctypes.c_char * MAP_BYTES).from_buffer(room, offset)


def make_tensor_map(driver: Driver, described: Mapping[str, Any], arguments: Sequence[Any]) -> Any:
    """A map of a report's `tensor_maps`, for a launch with these arguments."""

    def evaluate(number: Mapping[str, Any]) -> int:
        factors = (int(arguments[index].value) for index in number["arguments"])
        return math.prod(factors, start=int(number["constant"]))

    extents = [evaluate(extent) for extent in described["extents"]]
    box = list(described["box"])
    if described["last"]:
        box[1] = extents[1] % box[1] or box[1]
    kind, element_bytes = _TYPES[described["type"]]
    encoded = _aligned_bytes()
    driver.encode_tensor_map(
        encoded,
        kind,
        arguments[described["pointer"]].value,
        extents,
        [evaluate(stride) * element_bytes for stride in described["strides"]],
        box,
        _SWIZZLES[described["swizzle_bytes"]],
    )
    return encoded
