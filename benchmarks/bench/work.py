"""A problem that kernels of examples/python solve, and whether they do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any


@dataclass
class Work:
    """One problem on the GPU.

    `launch` takes the example's module and the options of a configuration. `results` pairs what it
    writes with what must stand there; an element may be off by `tolerance` of itself and of the
    mean, or of what `scales` has for that result, where the elements are not alike. `reset` puts
    back what it changes, before it is checked. `peers` solve the same otherwise.
    """

    module: str
    launch: Callable[..., None]
    results: Sequence[tuple[Any, Callable[[], Any]]]
    work: float
    unit: str = "GB/s"
    tolerance: float = 2e-5
    scales: Mapping[int, Callable[[], Any]] = field(default_factory=dict)
    configs: Sequence[Mapping[str, Any]] = ({"num_warps": 4}, {"num_warps": 8})
    reset: Callable[[], None] = lambda: None
    peers: Mapping[str, Callable[[], Any]] = field(default_factory=dict)


def randn(torch: Any, *shape: int, dtype: str = "float16") -> Any:
    return torch.randn(*shape, device="cuda", dtype=getattr(torch, dtype))


def count_bytes(*tensors: Any) -> float:
    return float(sum(tensor.numel() * tensor.element_size() for tensor in tensors))


def describe(options: Mapping[str, Any]) -> str:
    parts = []
    for name, value in options.items():
        text = "x".join(map(str, value)) if isinstance(value, tuple) else str(value)
        parts.append(f"{name.removeprefix('num_')} {text}")
    return ", ".join(parts)


def launches_of(
    work: Any, languages: Mapping[str, Mapping[str, ModuleType]],
    describe: Callable[[Mapping[str, Any]], str] = describe,
) -> dict[str, Callable[[], None]]:  # fmt: skip
    """Of what has a module, a launch and configurations as Work: those of each language in each."""
    launches: dict[str, Callable[[], None]] = {}
    for language, modules in languages.items():
        for options in work.configs:

            def launch(example: ModuleType = modules[work.module], options: Any = options) -> None:
                work.launch(example, **options)

            launches[f"{language}, {describe(options)}"] = launch
    return launches


def find_mistake(torch: Any, work: Work, launch: Callable[[], Any]) -> str:
    """What a launch leaves that is not as expected, or an empty text."""
    for result, _ in work.results:
        if result.is_floating_point():
            result.fill_(float("nan"))
        else:
            result.fill_(0x55)
    work.reset()
    launch()
    torch.cuda.synchronize()
    for number, (result, expected) in enumerate(work.results):
        right = expected().double()
        error = (result.double() - right).abs()
        scale = work.scales[number]() if number in work.scales else right.abs().mean()
        allowed = work.tolerance * (right.abs() + scale)
        if not bool((error <= allowed).all()):
            off = int((~(error <= allowed)).sum())
            return f"result {number}: {off} of {right.numel()} elements are wrong"
    return ""
