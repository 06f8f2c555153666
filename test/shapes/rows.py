"""Kernels that go along rows: any number and length of rows, which begin anywhere."""

from __future__ import annotations

from typing import Any

import numpy

import cross_entropy
import cumsum
import layer_norm
import reductions
import rms_norm
import softmax
import tilewright

from . import several_rows
from .arrays import ROUNDING, Case, Drawing, differs, first_complaint

FLOATS = {"bfloat16", "float16", "float32"}


def draw_launch(drawing: Drawing) -> dict[str, Any]:
    return {"num_warps": drawing.pick(1, 2, 4, 4, 8, 16)}


def draw_float(drawing: Drawing) -> str:
    """A type that kernels compute in f32."""
    return drawing.dtype(*(dtype for dtype in drawing.device.types if dtype in FLOATS))


def draw_special(drawing: Drawing, values: numpy.ndarray) -> numpy.ndarray:
    """NaNs and infinities in some of some rows, and rows of -inf."""
    if drawing.pick(True, False):
        for _ in range(3):
            row = drawing.random.randrange(len(values))
            special = drawing.pick(numpy.nan, numpy.inf, -numpy.inf)
            values[row, :: drawing.pick(1, 3, 1000)] = special
    return values


def softmax_forward(drawing: Drawing) -> Case:
    (m, n), dtype, launch = drawing.shape(), draw_float(drawing), draw_launch(drawing)
    log = drawing.pick(True, False)

    def run() -> str:
        x = drawing.matrix(draw_special(drawing, drawing.normal(m, n)), dtype)
        out = drawing.result(m, n, dtype)
        softmax.softmax(x.array, out.array, log, **launch)
        wanted = softmax.reference(x.values(), log)
        return differs(out.values(), wanted, dtype) or out.what_is_beside()

    return Case(f"softmax {dtype} {m} x {n} log={log} {launch}", run)


def softmax_of_several_rows(drawing: Drawing) -> Case:
    (m, n), dtype, launch = drawing.shape(), draw_float(drawing), draw_launch(drawing)
    n = min(n, 4096)
    rows = drawing.pick(*several_rows.find_rows(n, launch["num_warps"]) or [1])

    def run() -> str:
        x = drawing.matrix(draw_special(drawing, drawing.normal(m, n)), dtype)
        out = drawing.result(m, n, dtype)
        several_rows.softmax(x.array, out.array, rows, **launch)
        wanted = softmax.reference(x.values())
        return differs(out.values(), wanted, dtype) or out.what_is_beside()

    return Case(f"softmax of {rows} rows {dtype} {m} x {n} {launch}", run)


def softmax_backward(drawing: Drawing) -> Case:
    (m, n), dtype, launch = drawing.shape(), draw_float(drawing), draw_launch(drawing)
    log = drawing.pick(True, False)

    def run() -> str:
        y = softmax.reference(drawing.normal(m, n), log)
        grad, out = drawing.matrix(drawing.normal(m, n), dtype), drawing.matrix(y, dtype)
        x_grad = drawing.result(m, n, dtype)
        softmax.backward(grad.array, out.array, x_grad.array, log, **launch)
        wanted = softmax.reference_backward(grad.values(), out.values(), log)
        # The sum of the gradient, by which the log has its powers, is of numbers of both signs.
        slack = 1e-5 * (1 + numpy.abs(grad.values()).sum(axis=1, keepdims=True))
        return differs(x_grad.values(), wanted, dtype, slack) or x_grad.what_is_beside()

    return Case(f"gradient of softmax {dtype} {m} x {n} log={log} {launch}", run)


def rms_norm_forward(drawing: Drawing) -> Case:
    (m, n), dtype, launch = drawing.shape(), draw_float(drawing), draw_launch(drawing)
    has_weight, has_residual = drawing.pick(True, False), drawing.pick(True, False)

    def run() -> str:
        x, out = drawing.matrix(drawing.normal(m, n), dtype), drawing.result(m, n, dtype)
        weight = drawing.vector(drawing.normal(n), dtype) if has_weight else None
        residual = drawing.matrix(drawing.normal(m, n), dtype) if has_residual else None
        before = residual.values() if residual else None
        w = None if weight is None else drawing.device.get(weight).astype(numpy.float64)
        rms_norm.rms_norm(
            x.array, out.array, weight, residual.array if residual else None, **launch
        )
        wanted = rms_norm.reference(x.values(), w, before)
        complaints = [("out", differs(out.values(), wanted, dtype) or out.what_is_beside())]
        if residual:
            total = differs(residual.values(), x.values() + before, dtype)
            complaints.append(("residual", total or residual.what_is_beside()))
        return first_complaint(complaints)

    text = f"weight={has_weight} residual={has_residual}"
    return Case(f"RMS norm {dtype} {m} x {n} {text} {launch}", run)


def rms_norm_backward(drawing: Drawing) -> Case:
    (m, n), dtype = drawing.shape(), draw_float(drawing)
    n = min(n, 16384)
    launch = {"num_warps": drawing.pick(4, 8, 16), "programs": drawing.pick(3, 132)}

    def run() -> str:
        grad, x = (drawing.matrix(drawing.normal(m, n), dtype) for _ in range(2))
        weight, x_grad = drawing.vector(drawing.normal(n), dtype), drawing.result(m, n, dtype)
        sums = drawing.device.put(numpy.zeros(n), "float32")
        rms_norm.backward(grad.array, x.array, x_grad.array, weight, sums, **launch)
        w = drawing.device.get(weight).astype(numpy.float64)
        of_x, of_weight = rms_norm.reference_backward(grad.values(), x.values(), w)
        # Of a row of one, or a few, nothing is left of numbers as large as 1 by the mean.
        deviation = 1 / numpy.sqrt((x.values() ** 2).mean(axis=1, keepdims=True))
        slack = ROUNDING[dtype] * numpy.abs(of_x).max(axis=1, keepdims=True) + 1e-5 * deviation
        return first_complaint(
            [
                ("of x", differs(x_grad.values(), of_x, dtype, slack) or x_grad.what_is_beside()),
                ("of the weight", differs(drawing.device.get(sums), of_weight, "float32", 2e-4)),
            ]
        )

    return Case(f"gradient of RMS norm {dtype} {m} x {n} {launch}", run)


def layer_norm_forward(drawing: Drawing) -> Case:
    (m, n), dtype, launch = drawing.shape(), draw_float(drawing), draw_launch(drawing)
    # Whole rows, or parts of them.
    block = drawing.pick(tilewright.next_power_of_2(n), 1024)

    def run() -> str:
        x, out = drawing.matrix(drawing.normal(m, n), dtype), drawing.result(m, n, dtype)
        weight, bias = (drawing.vector(drawing.normal(n), dtype) for _ in range(2))
        mean, rstd = (drawing.device.put(numpy.zeros(m), "float32") for _ in range(2))
        layer_norm.forward(x.array, out.array, weight, bias, mean, rstd, block=block, **launch)
        w, b = (drawing.device.get(each).astype(numpy.float64) for each in (weight, bias))
        wanted = layer_norm.reference(x.values(), w, b)
        return first_complaint(
            [
                ("out", differs(out.values(), wanted[0], dtype) or out.what_is_beside()),
                ("mean", differs(drawing.device.get(mean), wanted[1], "float32", 1e-5)),
                ("rstd", differs(drawing.device.get(rstd), wanted[2], "float32", 1e-4 * wanted[2])),
            ]
        )

    return Case(f"layer norm {dtype} {m} x {n} block={block} {launch}", run)


def layer_norm_backward(drawing: Drawing) -> Case:
    (m, n), dtype = drawing.shape(), draw_float(drawing)
    n = min(n, 16384)
    launch = {"num_warps": drawing.pick(4, 8, 16), "programs": drawing.pick(3, 132)}
    atomic = drawing.pick(True, False, False)

    def run() -> str:
        grad, x = (drawing.matrix(drawing.normal(m, n), dtype) for _ in range(2))
        weight, x_grad = drawing.vector(drawing.normal(n), dtype), drawing.result(m, n, dtype)
        w = drawing.device.get(weight).astype(numpy.float64)
        _, average, deviation = layer_norm.reference(x.values(), None, None)
        mean, rstd = (drawing.device.put(each, "float32") for each in (average, deviation))
        of_weight, of_bias = (drawing.device.put(numpy.zeros(n), "float32") for _ in range(2))
        layer_norm.backward(
            grad.array, x.array, weight, mean, rstd, x_grad.array, of_weight, of_bias,
            atomic=atomic, **launch,
        )  # fmt: skip
        wanted = layer_norm.reference_backward(grad.values(), x.values(), w)
        # The bound for x grows with the inverse deviation, which is large for short rows.
        slack = 1e-4 * (1 + deviation[:, None]) + ROUNDING[dtype] * numpy.abs(wanted[0]).max(
            axis=1, keepdims=True
        )
        sums = 2e-4 * (1 + numpy.abs(grad.values()).sum(axis=0) * (1 + deviation.max()))
        found = [drawing.device.get(each) for each in (of_weight, of_bias)]
        return first_complaint(
            [
                ("of x", differs(x_grad.values(), wanted[0], dtype, slack)),
                ("of x", x_grad.what_is_beside()),
                ("of the weight", differs(found[0], wanted[1], "float32", sums)),
                ("of the bias", differs(found[1], wanted[2], "float32", sums)),
            ]
        )

    return Case(f"gradient of layer norm {dtype} {m} x {n} atomic={atomic} {launch}", run)


def cross_entropy_both(drawing: Drawing) -> Case:
    (m, n), dtype, launch = drawing.shape(), draw_float(drawing), draw_launch(drawing)
    launch["block"] = drawing.pick(1024, 4096, 16384)
    smoothing = drawing.pick(0.0, 0.0, 0.1)

    def run() -> str:
        logits = drawing.matrix(drawing.normal(m, n), dtype)
        # Some are to be ignored, some no class.
        names = drawing.numbers.choice([-100, -1, n, *range(min(n, 50)), n - 1], m)
        labels = drawing.device.put(names, "int64")
        loss, lse = (drawing.device.put(numpy.zeros(m), "float32") for _ in range(2))
        cross_entropy.forward(logits.array, labels, loss, lse, smoothing=smoothing, **launch)
        wanted = cross_entropy.reference(logits.values(), names, smoothing=smoothing)
        grad, x_grad = drawing.device.put(numpy.ones(m), "float32"), drawing.result(m, n, dtype)
        cross_entropy.backward(
            grad, logits.array, labels, lse, x_grad.array, smoothing=smoothing, **launch
        )
        of_logits = cross_entropy.reference_backward(
            numpy.ones(m), logits.values(), names, smoothing=smoothing
        )
        return first_complaint(
            [
                ("loss", differs(drawing.device.get(loss), wanted[0], "float32", 2e-5)),
                ("lse", differs(drawing.device.get(lse), wanted[1], "float32", 2e-5)),
                ("gradient", differs(x_grad.values(), of_logits, dtype) or x_grad.what_is_beside()),
            ]
        )

    return Case(f"cross entropy {dtype} {m} x {n} smoothing={smoothing} {launch}", run)


def reduction(drawing: Drawing) -> Case:
    (m, n), dtype = drawing.shape(), draw_float(drawing)
    axis, largest = drawing.pick(0, 1, None), drawing.pick(True, False)

    def run() -> str:
        values = drawing.device.put(drawing.normal(m, n), dtype)
        length = {0: m, 1: n, None: m * n}[axis]
        out = drawing.device.put(numpy.zeros(m * n // length), "float32")
        function = reductions.maxima if largest else reductions.sums
        function(values, out, axis)
        x = drawing.device.get(values).astype(numpy.float64)
        wanted = reductions.reference(x, axis, numpy.max if largest else numpy.sum)
        # A bound of sums in f32 in any order: an ulp of the sum of sizes for each level of a tree.
        sizes = numpy.atleast_1d(numpy.abs(x).sum(axis=axis))
        slack = 0.0 if largest else sizes * 2.0**-24 * 32
        return differs(drawing.device.get(out), numpy.atleast_1d(wanted), "float32", slack)

    return Case(f"reduction {dtype} {m} x {n} axis={axis} largest={largest}", run)


def cumulative_sum(drawing: Drawing) -> Case:
    (m, n), dtype = drawing.shape(), draw_float(drawing)
    n, reverse = min(n, 20000), drawing.pick(True, False)

    def run() -> str:
        x, out = drawing.matrix(drawing.normal(m, n), dtype), drawing.result(m, n, "float32")
        cumsum.cumsum(x.array, out.array, reverse, block=drawing.pick(256, 1024))
        wanted = cumsum.reference(x.values(), reverse)
        slack = 2.0**-22 * numpy.abs(x.values()).sum(axis=1, keepdims=True)
        return differs(out.values(), wanted, "float32", slack) or out.what_is_beside()

    return Case(f"cumulative sum {dtype} {m} x {n} reverse={reverse}", run)


FAMILIES = (
    softmax_forward,
    rms_norm_forward,
    layer_norm_forward,
    cross_entropy_both,
    softmax_backward,
    rms_norm_backward,
    layer_norm_backward,
    reduction,
    cumulative_sum,
    softmax_of_several_rows,
)
