"""What benchmarks write down: on what they ran, tables, and results in files."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any


def describe_run(torch: Any) -> dict[str, Any]:
    """The GPU, the time and the software."""
    import tilewright

    return {
        "gpu": torch.cuda.get_device_name(0),
        "date": datetime.datetime.now().astimezone().isoformat(timespec="minutes"),
        "software": f"Tilewright {tilewright.__version__}, PyTorch {torch.__version__}, "
        f"CUDA {torch.version.cuda}",
    }


def write_json(path: Path | None, record: Mapping[str, Any]) -> None:
    """Where somebody asked for it."""
    if path:
        path.write_text(json.dumps(record, indent=1) + "\n")


def write_markdown(path: Path | None, text: str) -> None:
    """Prints it, too."""
    if path:
        path.write_text(text)
    print(text)


def geometric_mean(numbers: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]]
