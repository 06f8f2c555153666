"""The distances on a sphere from one place to many, in functions of CUDA's library. The names of
`libdevice` are those of that library; they take and give tiles."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from tilewright.language.extra import libdevice


@tilewright.jit
def squared_half_sine(angle):
    half = libdevice.sin(angle / 2)
    return half * half


@tilewright.jit
def great_circle_kernel(latitudes, longitudes, out, latitude, longitude, radius, n,
                        BLOCK: tl.constexpr):  # fmt: skip
    i = tl.program_id(0).to(n.dtype) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    there = tl.load(latitudes + i, mask=inside)
    turned = tl.load(longitudes + i, mask=inside) - longitude
    # That of the angle between both; roundings may bring it above 1.
    shrink = libdevice.cos(there) * libdevice.cos(latitude)
    haversine = squared_half_sine(there - latitude) + shrink * squared_half_sine(turned)
    rest = tl.maximum(1 - haversine, 0.0)
    angle = 2 * libdevice.atan2(libdevice.sqrt(haversine), libdevice.sqrt(rest))
    tl.store(out + i, radius * angle, mask=inside)


def great_circle(
    latitudes: Any, longitudes: Any, out: Any, place: tuple[float, float], radius: float = 1.0,
    block: int = 1024, **launch: Any,
) -> None:  # fmt: skip
    """The distance of each place from `place`: angles in radians, all of f32."""
    n = out.shape[0]
    great_circle_kernel[(tilewright.cdiv(n, block),)](
        latitudes, longitudes, out, *place, radius, n, BLOCK=block, **launch
    )


def reference(
    latitudes: numpy.ndarray, longitudes: numpy.ndarray, place: tuple[float, float],
    radius: float = 1.0,
) -> numpy.ndarray:  # fmt: skip
    """By the angle between vectors, in another formula."""

    def vector(latitude: numpy.ndarray, longitude: numpy.ndarray) -> numpy.ndarray:
        flat = numpy.cos(latitude)
        return numpy.array(
            [flat * numpy.cos(longitude), flat * numpy.sin(longitude), numpy.sin(latitude)]
        )

    here = vector(*numpy.float64(place))[:, None]
    there = vector(latitudes.astype(numpy.float64), longitudes.astype(numpy.float64))
    across = numpy.linalg.norm(numpy.cross(here, there, axis=0), axis=0)
    return radius * numpy.arctan2(across, (here * there).sum(axis=0))
