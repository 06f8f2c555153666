"""A linear recurrence along time, h[t] = a[t] * h[t - 1] + b[t], as models with a state have one:
parts of a sequence one after the other, and in each a scan of pairs."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl


@tilewright.jit
def follow(factor, term, next_factor, next_term):
    """A step and the next one, as one step."""
    return factor * next_factor, term * next_factor + next_term


@tilewright.jit
def recurrence_kernel(
    a, b, state, out, n_times, n_channels, TIMES: tl.constexpr, CHANNELS: tl.constexpr
):
    batch = tl.program_id(1).to(tl.int64)
    channels = tl.program_id(0) * CHANNELS + tl.arange(0, CHANNELS)
    steps = tl.arange(0, TIMES)
    there = channels < n_channels
    h = tl.load(state + batch * n_channels + channels, mask=there, other=0.0)
    for start in range(0, n_times, TIMES):
        times = start + steps
        inside = (times[:, None] < n_times) & there[None, :]
        places = (batch * n_times + times[:, None]) * n_channels + channels[None, :]
        # Behind the end h stays what it is.
        factors = tl.load(a + places, mask=inside, other=1.0).to(tl.float32)
        terms = tl.load(b + places, mask=inside, other=0.0).to(tl.float32)
        # From the start of the part up to each time.
        factors, terms = tl.associative_scan((factors, terms), 0, follow)
        values = factors * h[None, :] + terms
        tl.store(out + places, values.to(out.dtype.element_ty), mask=inside)
        h = tl.sum(tl.where(steps[:, None] == TIMES - 1, values, 0.0), axis=0)
    tl.store(state + batch * n_channels + channels, h, mask=there)


def recurrence(
    a: Any, b: Any, state: Any, out: Any, times: int = 64, channels: int = 32, **launch: Any
) -> None:
    """out[:, t] = a[:, t] * out[:, t - 1] + b[:, t], of arrays [batch, time, channel] without gaps.
    `state`, of f32, is what comes before, and becomes the last of out."""
    batches, n_times, n_channels = a.shape
    recurrence_kernel[(tilewright.cdiv(n_channels, channels), batches)](
        a, b, state, out, n_times, n_channels, TIMES=times, CHANNELS=channels, **launch
    )


def reference(a: numpy.ndarray, b: numpy.ndarray, state: numpy.ndarray) -> numpy.ndarray:
    h, result = state.astype(numpy.float64), numpy.empty(a.shape)
    for time in range(a.shape[1]):
        h = a[:, time].astype(numpy.float64) * h + b[:, time]
        result[:, time] = h
    return result
