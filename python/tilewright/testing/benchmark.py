"""Functions that are measured over a range of sizes, as a table and a plot.

>>> @perf_report(
...     Benchmark(
...         x_names=["n"],
...         x_vals=[2**i for i in range(12, 24)],
...         line_arg="provider",
...         line_vals=["ours", "torch"],
...         line_names=["Tilewright", "PyTorch"],
...         plot_name="vector-add",
...         args={},
...         ylabel="GB/s",
...         x_log=True,
...     )
... )
... def measure(n, provider): ...
>>> measure.run(print_data=True)
"""

from __future__ import annotations

import csv
import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tilewright.tables import Table, format_number
from tilewright.testing.chart import Chart, Line


class Benchmark:
    """What is measured: a line of a plot for each of some values, over a range of sizes.

    Args:
        x_names: Arguments of the function along the axis.
        x_vals: Their values: one for all of them, or a tuple with one for each.
        line_arg: The argument that tells lines apart.
        line_vals: Its values.
        line_names: What the lines are called.
        plot_name: What the plot is called, and its files.
        args: Arguments that stay.
        xlabel, ylabel: What stands at the axes.
        x_log, y_log: Whether they are logarithmic.
        styles: A colour and a style for each line, for matplotlib.
    """

    def __init__(
        self,
        x_names: Sequence[str],
        x_vals: Sequence[Any],
        line_arg: str,
        line_vals: Sequence[Any],
        line_names: Sequence[str],
        plot_name: str,
        args: Mapping[str, Any],
        xlabel: str = "",
        ylabel: str = "",
        x_log: bool = False,
        y_log: bool = False,
        styles: Sequence[tuple[str, str]] | None = None,
    ) -> None:
        if len(line_vals) != len(line_names):
            raise ValueError(
                f"'{plot_name}' has {len(line_vals)} line_vals and {len(line_names)} line_names: "
                "each line has a value and a name"
            )
        self.x_names = list(x_names)
        self.x_vals = [self._read_point(value) for value in x_vals]
        self.line_arg = line_arg
        self.line_vals = list(line_vals)
        self.line_names = list(line_names)
        self.plot_name = plot_name
        self.args = dict(args)
        self.xlabel = xlabel or self.x_names[0]
        self.ylabel = ylabel
        self.x_log, self.y_log = x_log, y_log
        self.styles = styles

    def _read_point(self, value: Any) -> tuple[Any, ...]:
        if not isinstance(value, (tuple, list)):
            return (value,) * len(self.x_names)
        if len(value) != len(self.x_names):
            raise ValueError(
                f"x_vals has {value!r}, which is to have a value for each of the x_names: "
                f"{', '.join(self.x_names)}"
            )
        return tuple(value)


#: What a function measured: a number, with the least and the most where it gives three.
Measured = tuple[float, "float | None", "float | None"]


def _read_measured(result: Any) -> Measured | None:
    """Nothing where the function gives None: it does not measure that one."""
    if result is None:
        return None
    if not isinstance(result, (tuple, list)):
        return float(result), None, None
    if len(result) != 3:
        raise TypeError(
            f"a benchmark gives a number, or (middle, least, most), and not {len(result)} numbers"
        )
    middle, least, most = result
    return float(middle), float(least), float(most)


@dataclass(frozen=True, repr=False)
class Measurements:
    """What a benchmark gave: a table in a terminal, and in a notebook with the plot."""

    benchmark: Benchmark
    #: For each point of the axis, one for each line.
    rows: list[list[Measured | None]] = field(default_factory=list)

    def _make_table(self) -> Table:
        bench = self.benchmark
        rows = [
            [
                *map(str, point),
                *(format_number(each[0]) if each else "" for each in measured),
            ]
            for point, measured in zip(bench.x_vals, self.rows, strict=False)
        ]
        title = bench.plot_name + (f" ({bench.ylabel})" if bench.ylabel else "")
        return Table(title, [*bench.x_names, *bench.line_names], rows)

    def make_chart(self) -> Chart:
        """The plot."""
        bench = self.benchmark
        numbers = [point[0] for point in bench.x_vals]
        # What is no number stands in its order.
        if not all(isinstance(number, (int, float)) for number in numbers):
            numbers = list(range(len(numbers)))
        lines = []
        for index, name in enumerate(bench.line_names):
            column = [row[index] for row in self.rows]
            points = [(x, each[0] if each else None) for x, each in zip(numbers, column)]  # noqa: B905
            ranges = [
                (each[1], each[2]) if each and each[1] is not None and each[2] is not None else None
                for each in column
            ]
            lines.append(Line(name, points, ranges))
        return Chart(bench.plot_name, bench.xlabel, bench.ylabel, lines, bench.x_log, bench.y_log)

    def __repr__(self) -> str:
        return str(self._make_table())

    def _repr_html_(self) -> str:
        return self._make_table().to_html() + self.make_chart().to_svg()

    def save(self, folder: str | Path) -> None:
        """Writes the numbers as PLOT.csv, the plot as PLOT.svg, and both as PLOT.html."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        bench = self.benchmark
        with (folder / f"{bench.plot_name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([*bench.x_names, *bench.line_names])
            for point, measured in zip(bench.x_vals, self.rows, strict=True):
                writer.writerow([*point, *(each[0] if each else "" for each in measured)])
        (folder / f"{bench.plot_name}.svg").write_text(self.make_chart().to_svg(), encoding="utf-8")
        page = (
            f'<!DOCTYPE html><meta charset="utf-8"><title>{html.escape(bench.plot_name)}</title>'
            f"{self._repr_html_()}\n"
        )
        (folder / f"{bench.plot_name}.html").write_text(page, encoding="utf-8")

    def to_frame(self) -> Any:
        """The numbers as a DataFrame of pandas."""
        try:
            import pandas
        except ImportError:
            raise ImportError(
                "return_df= gives a DataFrame of pandas, which is not installed: what run() gives "
                "without it has the numbers in .rows"
            ) from None
        bench = self.benchmark
        frame: dict[str, list[Any]] = {
            name: [point[index] for point in bench.x_vals]
            for index, name in enumerate(bench.x_names)
        }
        for index, name in enumerate(bench.line_names):
            frame[name] = [row[index][0] if row[index] else None for row in self.rows]  # type: ignore[index]
        return pandas.DataFrame(frame)

    def show(self) -> None:
        """Opens a window with the plot, by matplotlib."""
        try:
            from matplotlib import pyplot
        except ImportError:
            raise ImportError(
                "show_plots= opens a window by matplotlib, which is not installed: save_path= "
                "writes the plot as SVG"
            ) from None
        bench, chart = self.benchmark, self.make_chart()
        _, axes = pyplot.subplots()
        for index, line in enumerate(chart.lines):
            style = bench.styles[index] if bench.styles else (None, None)
            x, y = [point[0] for point in line.points], [point[1] for point in line.points]
            axes.plot(x, y, label=line.name, color=style[0], linestyle=style[1] or None)
        axes.set(title=bench.plot_name, xlabel=bench.xlabel, ylabel=bench.ylabel)
        axes.set_xscale("log" if bench.x_log else "linear")
        axes.set_yscale("log" if bench.y_log else "linear")
        axes.legend()
        pyplot.show()


class Mark:
    """A function with what it is measured over."""

    def __init__(self, fn: Callable[..., Any], benchmarks: Benchmark | Sequence[Benchmark]) -> None:
        self.fn = fn
        self.benchmarks = benchmarks

    def _measure(self, benchmark: Benchmark, keywords: Mapping[str, Any]) -> Measurements:
        made = Measurements(benchmark)
        for point in benchmark.x_vals:
            sizes = dict(zip(benchmark.x_names, point, strict=True))
            made.rows.append(
                [
                    _read_measured(
                        self.fn(**sizes, **{benchmark.line_arg: line}, **benchmark.args, **keywords)
                    )
                    for line in benchmark.line_vals
                ]
            )
        return made

    def run(
        self,
        show_plots: bool = False,
        print_data: bool = False,
        save_path: str | Path = "",
        return_df: bool = False,
        **keywords: Any,
    ) -> Any:
        """Measures; gives the `Measurements`, or a list of them where there are several benchmarks.

        Args:
            show_plots: Open a window for each plot; that needs matplotlib.
            print_data: Print the tables.
            save_path: A folder for tables (CSV), plots (SVG) and pages of both.
            return_df: Give DataFrames of pandas in place of measurements.
            keywords: Passed to the function.
        """
        has_one = isinstance(self.benchmarks, Benchmark)
        benchmarks = (
            [self.benchmarks] if isinstance(self.benchmarks, Benchmark) else self.benchmarks
        )
        results: list[Any] = []
        for benchmark in benchmarks:
            made = self._measure(benchmark, keywords)
            if print_data:
                print(made)
            if save_path:
                made.save(save_path)
            if show_plots:
                made.show()
            results.append(made.to_frame() if return_df else made)
        return results[0] if has_one else results


def perf_report(
    benchmarks: Benchmark | Sequence[Benchmark],
) -> Callable[[Callable[..., Any]], Mark]:
    """Measures a function over what benchmarks say: ``function.run(print_data=True)``.

    The function gets the names of the axis, that of the line and what stays, and gives a number, or
    (middle, least, most).
    """
    return lambda fn: Mark(fn, benchmarks)
