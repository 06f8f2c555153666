"""Line charts as SVG, for machines without a library that draws them."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from tilewright.tables import format_number

_WIDTH, _HEIGHT = 640, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 20, 40, 50
#: Colours that people who see few of them tell apart.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_TICKS = 5


@dataclass(frozen=True)
class Axis:
    """Numbers, and where they stand between two places of the page."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def place(self, value: float) -> float:
        low, high = self._scale(self.low), self._scale(self.high)
        share = (self._scale(value) - low) / (high - low)
        return self.start + share * (self.end - self.start)

    def _scale(self, value: float) -> float:
        return math.log2(value) if self.is_log else value

    def get_ticks(self) -> list[float]:
        """Round numbers within it, about as many as there is room for."""
        if self.is_log:
            first, last = math.ceil(math.log2(self.low)), math.floor(math.log2(self.high))
            stride = max(1, round((last - first) / _TICKS))
            return [2.0**power for power in range(first, last + 1, stride)]
        rough = (self.high - self.low) / _TICKS
        power = 10.0 ** math.floor(math.log10(rough))
        steps = [factor * power for factor in (1, 2, 5, 10)]
        step = min(steps, key=lambda each: abs(each - rough))
        first = math.ceil(self.low / step - 1e-9)
        return [count * step for count in range(first, math.floor(self.high / step + 1e-9) + 1)]


def make_axis(
    values: Sequence[float], start: float, end: float, is_log: bool, has_zero: bool = False
) -> Axis:
    """One that has room for all values, and for 0 where that is asked for."""
    if is_log and min(values) <= 0:
        is_log = False
    low, high = min(values), max(values)
    if has_zero and not is_log:
        low, high = min(low, 0.0), max(high, 0.0)
    if low == high:
        low, high = (low / 2, high * 2) if is_log else (low - 1, high + 1)
    return Axis(low, high, start, end, is_log)


@dataclass(frozen=True)
class Line:
    """Points in the order of x; where a y is missing, it is broken."""

    name: str
    points: Sequence[tuple[float, float | None]]
    #: From where to where each point was measured.
    ranges: Sequence[tuple[float, float] | None] = ()


@dataclass
class Chart:
    """Lines over one axis."""

    title: str
    xlabel: str
    ylabel: str
    lines: Sequence[Line]
    x_log: bool = False
    y_log: bool = False
    _parts: list[str] = field(default_factory=list, init=False, repr=False)

    def to_svg(self) -> str:
        """The picture; it needs no other file."""
        xs = [x for line in self.lines for x, _ in line.points]
        ys = [y for line in self.lines for _, y in line.points if y is not None]
        ys += [y for line in self.lines for each in line.ranges if each for y in each]
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
            f'width="{_WIDTH}" height="{_HEIGHT}" font-family="sans-serif" font-size="12">',
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        ]
        self._text(_WIDTH / 2, 20, self.title, "middle", 'font-size="14"')
        if ys:
            x_axis = make_axis(xs, _LEFT, _WIDTH - _RIGHT, self.x_log)
            y_axis = make_axis(ys, _HEIGHT - _BOTTOM, _TOP, self.y_log, has_zero=True)
            self._draw_axes(x_axis, y_axis)
            for number, line in enumerate(self.lines):
                self._draw_line(line, x_axis, y_axis, _COLOURS[number % len(_COLOURS)])
            self._draw_legend()
        self._parts.append("</svg>")
        return "\n".join(self._parts)

    def _text(self, x: float, y: float, text: str, anchor: str, more: str = "") -> None:
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>'
            f"{html.escape(text)}</text>"
        )

    def _segment(self, x0: float, y0: float, x1: float, y1: float, colour: str) -> None:
        self._parts.append(
            f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{colour}"/>'
        )

    def _draw_axes(self, x_axis: Axis, y_axis: Axis) -> None:
        bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
        for value in y_axis.get_ticks():
            y = y_axis.place(value)
            self._segment(_LEFT, y, right, y, "#ddd")
            self._text(_LEFT - 6, y + 4, format_number(float(value)), "end")
        for value in x_axis.get_ticks():
            x = x_axis.place(value)
            self._segment(x, bottom, x, bottom + 5, "#333")
            self._text(x, bottom + 18, format_number(float(value), digits=6), "middle")
        self._segment(_LEFT, bottom, right, bottom, "#333")
        self._segment(_LEFT, _TOP, _LEFT, bottom, "#333")
        self._text((_LEFT + right) / 2, _HEIGHT - 12, self.xlabel, "middle")
        middle = (_TOP + bottom) / 2
        self._text(16, middle, self.ylabel, "middle", f'transform="rotate(-90 16 {middle:.1f})"')

    def _draw_line(self, line: Line, x_axis: Axis, y_axis: Axis, colour: str) -> None:
        for (x, _), measured in zip(line.points, line.ranges, strict=False):
            if measured:
                place = x_axis.place(x)
                self._segment(
                    place, y_axis.place(measured[0]), place, y_axis.place(measured[1]), colour
                )
        runs: list[list[str]] = [[]]
        for x, y in line.points:
            if y is None:
                runs.append([])
            else:
                runs[-1].append(f"{x_axis.place(x):.1f},{y_axis.place(y):.1f}")
        for run in runs:
            if run:
                self._parts.append(
                    f'<polyline points="{" ".join(run)}" fill="none" stroke="{colour}" '
                    'stroke-width="2"/>'
                )
            for point in run:
                x_text, y_text = point.split(",")
                self._parts.append(f'<circle cx="{x_text}" cy="{y_text}" r="3" fill="{colour}"/>')

    def _draw_legend(self) -> None:
        for number, line in enumerate(self.lines):
            y = _TOP + 8 + 16 * number
            colour = _COLOURS[number % len(_COLOURS)]
            self._parts.append(
                f'<rect x="{_LEFT + 10}" y="{y - 5}" width="14" height="4" fill="{colour}"/>'
            )
            self._text(_LEFT + 30, y, line.name, "start")
