"""The shapes file: which problems, in which types, at which sizes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.problem import Problem
from bench.problems import PROBLEMS
from gputools.tools import ToolError


def _problems_of(entry: Mapping[str, Any]) -> Iterator[Problem]:
    name = entry["problem"]
    if name not in PROBLEMS:
        raise ValueError(f"no problem '{name}'; there are {', '.join(PROBLEMS)}")
    problem = PROBLEMS[name]
    for dtype in entry["dtypes"]:
        if dtype not in problem.dtypes:
            raise ValueError(f"{name} has no type '{dtype}', but {', '.join(problem.dtypes)}")
        for sizes in entry["sizes"]:
            good = all(isinstance(size, int) and size > 0 for size in sizes.values())
            if set(sizes) != set(problem.size_names) or not good:
                wanted = ", ".join(problem.size_names)
                raise ValueError(f"sizes of {name} are positive {wanted}, not {sizes}")
            yield problem(dtype, sizes)


def read_shapes(path: Path) -> list[Problem]:
    """All problems of a shapes file, in its order."""
    try:
        entries = json.loads(path.read_text())["cases"]
        return [problem for entry in entries for problem in _problems_of(entry)]
    except OSError as error:
        raise ToolError(f"cannot read {path}: {error.strerror}") from error
    except KeyError as error:
        raise ToolError(f"{path}: there is no {error}") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise ToolError(f"{path}: {error}") from error
