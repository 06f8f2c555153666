"""What problems share: types, random tensors, and the copy that bounds them."""

from __future__ import annotations

from typing import Any

from bench.cuda import Driver
from bench.problem import Contender


def torch_dtype(torch: Any, dtype: str) -> Any:
    names = {
        "f64": "float64",
        "f32": "float32",
        "tf32": "float32",
        "f16": "float16",
        "bf16": "bfloat16",
        "i8": "int8",
    }
    return getattr(torch, names[dtype])


def random_tensor(torch: Any, dtype: str, *extents: int) -> Any:
    """The same numbers at every call: normal ones, or all integers alike."""
    generator = torch.Generator(device="cuda").manual_seed(0)
    kind = torch_dtype(torch, dtype)
    if dtype == "i8":
        return torch.randint(-128, 128, extents, dtype=kind, device="cuda", generator=generator)
    return torch.randn(extents, dtype=kind, device="cuda", generator=generator)


def device_copy(torch: Any, source: Any, target: Any) -> Contender:
    """The driver's own copy of the same bytes, which a kernel that moves them is measured by."""
    driver = Driver()
    count = source.numel() * source.element_size()
    stream = torch.cuda.current_stream().cuda_stream

    def launch() -> None:
        driver.copy(target.data_ptr(), source.data_ptr(), count, stream)

    return Contender("copy", "device to device", launch, is_solution=False)
