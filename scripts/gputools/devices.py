"""Compares the GPU with the simulator: the same code and inputs must leave the same bits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gputools.tools import ROOT, ToolError, call, find_tool, parse_result

KERNELS = ROOT / "test" / "gpu" / "kernels"


@dataclass(frozen=True)
class Comparison:
    """One use of tile-diff: a file of PTX, or a kernel in tile IR with its scalars."""

    file: Path
    args: str = ""

    def command(self, device: str) -> list[str | Path]:
        where = "both" if device == "cuda" else device
        return [
            find_tool("tile-diff"),
            self.file,
            *([f"--args={self.args}"] if self.args else []),
            f"--device={where}",
            "--json",
        ]


def kernel_files() -> list[Path]:
    """The suite of one instruction family a file."""
    return sorted(KERNELS.glob("*.ptx"))


def describe_test(test: dict[str, Any]) -> str:
    """Why a kernel's two results are not the same, in a line."""
    if test["message"]:
        return f"{test['kernel']}: {test['message']}"
    for buffer in test["buffers"]:
        if buffer["wrong"]:
            first = buffer["differences"][0]
            return (
                f"{test['kernel']}: {buffer['wrong']} of {buffer['elements']} elements of "
                f"{buffer['name']}, first [{first['index']}]: {first['first']} on the GPU, "
                f"{first['second']} in the simulator"
            )
    return f"{test['kernel']}: {test['status']}"


def compare_devices(
    comparison: Comparison, device: str, timeout: float
) -> tuple[bool, str, dict[str, Any]]:
    """Whether all is the same, what is worth saying, and everything tile-diff said. With device
    `sim` the kernels need only run without a finding."""
    finished = call(comparison.command(device), timeout)
    result = parse_result(finished)
    for test in result["tests"]:  # A record is to name no folders of this machine.
        test["file"] = Path(test["file"]).name
    good = "same" if device == "cuda" else "ran"
    bad = [test for test in result["tests"] if test["status"] != good]
    if bad:
        return False, "\n".join(describe_test(test) for test in bad), result
    if finished.code or not result["tests"]:
        raise ToolError(finished.complaint())
    return True, f"{len(result['tests'])} kernels {good}", result
