"""What benchmarks write down: on what they ran, tables, and results in files."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.timing import ORDER_SEED


def describe_run(torch: Any) -> dict[str, Any]:
    """The GPU, the time, the software, and by what orders are drawn."""
    import tilewright

    return {
        "gpu": torch.cuda.get_device_name(0),
        "date": datetime.datetime.now().astimezone().isoformat(timespec="minutes"),
        "software": f"Tilewright {tilewright.__version__}, PyTorch {torch.__version__}, "
        f"CUDA {torch.version.cuda}",
        "order_seed": ORDER_SEED,
    }


def describe_peers(record: Mapping[str, Any]) -> str:
    """On what a run was, beside which versions of others, and when, as a line of a page."""
    versions = ", ".join(f"{name} {text}" for name, text in record["versions"].items())
    return f"{record['gpu']}, driver {record['driver']}, {versions}, {record['date']}."


def write_json(path: Path | None, record: Mapping[str, Any]) -> None:
    """Where somebody asked for it; at no time is there half of it."""
    if path:
        part = path.with_name(path.name + ".part")
        part.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        part.replace(path)


class Record:
    """What a benchmark has measured so far, written after each case: a run that is cut loses none.
    `complete` is false until the end."""

    def __init__(self, path: Path | None, head: Mapping[str, Any], name: str = "cases") -> None:
        self._path = path
        self._name = name
        self.content: dict[str, Any] = {**head, "complete": False, name: []}
        write_json(path, self.content)

    def add(self, case: Mapping[str, Any]) -> None:
        self.content[self._name].append(case)
        write_json(self._path, self.content)

    def finish(self, **more: Any) -> None:
        """`more`: what is known only now."""
        self.content.update({**more, "complete": True})
        write_json(self._path, self.content)


def write_markdown(path: Path | None, text: str) -> None:
    """Prints it, too."""
    if path:
        path.write_text(text)
    print(text)


def geometric_mean(numbers: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of Markdown."""
    return ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]]
