"""What benchmarks of memory share: a copy as the measure, and times as parts of its speed."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.both_languages import OURS, load_languages
from bench.record import Record, describe_run, geometric_mean, write_markdown
from bench.timing import TorchTimer, measure


def make_parser(description: str | None) -> argparse.ArgumentParser:
    """Of what all of them can be asked."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", metavar="TEXT,...", help="cases whose names have one of these")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--without-triton", action="store_true")
    parser.add_argument("--json", type=Path, metavar="PATH")
    parser.add_argument("--markdown", type=Path, metavar="PATH")
    return parser


def is_wanted(name: str, options: argparse.Namespace) -> bool:
    return not options.only or any(text in name for text in options.only.split(","))


def time_all(
    options: argparse.Namespace,
    time_case: Callable[..., dict[str, Any]],
    markdown: Callable[[dict[str, Any]], str],
) -> int:
    """Times `options.cases` one after the other, and writes down each when it is done. The exit
    status is 1 where ours could not run, or anybody was wrong."""
    import torch

    timer = TorchTimer(torch)
    record = Record(options.json, describe_run(torch))
    with load_languages(not options.without_triton) as languages:
        for case in options.cases:
            torch.manual_seed(0)
            timed = time_case(torch, timer, case, languages, options)
            record.add(timed)
            print(json.dumps(timed), flush=True)
            torch.cuda.empty_cache()
    record.finish()
    write_markdown(options.markdown, markdown(record.content))
    return 0 if all(map(is_good, record.content["cases"])) else 1


def make_copy(torch: Any, count: int) -> Callable[[], None]:
    """That reads half of so many bytes, and writes half."""
    source = torch.zeros(count // 2, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    return lambda: target.copy_(source)


def time_beside_copy(
    torch: Any, timer: TorchTimer, count: int, contenders: Mapping[str, Callable[[], Any]],
    languages: Iterable[str], rounds: int,
) -> dict[str, Any]:  # fmt: skip
    """What a case has of times. A contender is called "who, configuration"; the fastest of a
    language, or of torch, stands for it. `count` bytes are read and written, each once."""
    all_of_them = {"copy": make_copy(torch, count), **contenders}
    times = measure(timer, list(all_of_them.values()), rounds)
    microseconds = {
        name: round(each.median, 2) for name, each in zip(all_of_them, times, strict=True)
    }
    best, of_copy = {}, {}
    for who in ["torch", *languages]:
        if named := {n: t for n, t in microseconds.items() if n.split(",")[0] == who}:
            best[who] = min(named, key=named.__getitem__)
            of_copy[who] = round(microseconds["copy"] / named[best[who]], 5)
    return {
        "bytes": count,
        "spread": round(max(each.spread for each in times), 3),
        "microseconds": microseconds,
        "of_copy": of_copy,
        "best": best,
    }


def summary(ratios: Sequence[float]) -> str:
    return f"{geometric_mean(ratios):.3f} of a copy in geometric mean, least {min(ratios):.3f}."


def ratios_of(case: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    ratios = [case["of_copy"].get(who) for who in names]
    return [f"{ratio:.3f}" if ratio else "-" for ratio in ratios]


def is_good(case: Mapping[str, Any]) -> bool:
    """Whether we could run, and nobody was wrong."""
    wrong = any(fault.startswith("wrong") for fault in case["faults"].values())
    return OURS in case["best"] and not wrong
