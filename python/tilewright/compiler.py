"""From source to kernels."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from tilewright import _core

# Without a GPU: the target whose code exercises the most.
DEFAULT_TARGET = "sm_90a"


def compile(
    source: str,
    target: str | None = None,
    kernel: str | None = None,
    *,
    name: str = "<source>",
    shared_layout: str = "auto",
    num_warps: int = 0,
    num_stages: int = 0,
    warpgroup_dots: bool = True,
    optimize: bool = True,
    divisibility: Mapping[str, int] | None = None,
    specialize: bool = True,
) -> _core.Kernel:
    """Compiles a kernel from text in the ``tile`` dialect.

    >>> kernel = tilewright.compile(text, target="sm_90a")
    >>> print(kernel.report_text)

    Args:
        source: The text. It may have several kernels; then `kernel` names one.
        target: The GPU, such as "sm_90a"; by default that of this machine, or sm_90a.
        kernel: The name of the kernel.
        name: Stands for the text in messages.
        shared_layout: Layouts that shared tiles may have: "auto", "none", "pad", "pad:N" or
            "swizzle".
        num_warps: Warps of a program, a power of two up to 32; 0: what the kernel says.
        num_stages: Stages of pipelined loops, 1 to 8; 0: what the kernel says.
        warpgroup_dots: Products by wgmma, where the target has it.
        optimize: Let MLIR and LLVM simplify the program. Without it, results are the same bits;
            for tests.
        divisibility: What arguments are multiples of (pointers: in bytes), in place of what the
            kernel says. Launches then check it, and are not specialized.
        specialize: Compile variants for what the arguments of launches are multiples of.

    Raises:
        CompileError: The source or an option is wrong; the error knows where.
        ValueError: There is no such target.
    """
    promises = [f"{argument}:{divisor}" for argument, divisor in (divisibility or {}).items()]
    return _core.compile_kernel(
        source=source,
        name=name,
        target=target or _core.get_gpu_target() or DEFAULT_TARGET,
        kernel=kernel or "",
        shared_layout=shared_layout,
        num_warps=num_warps,
        num_stages=num_stages,
        warpgroup_dots=warpgroup_dots,
        optimize=optimize,
        divisibility=promises,
        specialize=specialize and not promises,
    )


def compile_file(
    path: str | os.PathLike[str],
    target: str | None = None,
    kernel: str | None = None,
    *,
    shared_layout: str = "auto",
    num_warps: int = 0,
    num_stages: int = 0,
    warpgroup_dots: bool = True,
    optimize: bool = True,
    divisibility: Mapping[str, int] | None = None,
    specialize: bool = True,
) -> _core.Kernel:
    """Compiles a kernel of a file; messages name the file. See `compile`.

    >>> kernel = tilewright.compile_file("examples/copy_f32.mlir")
    """
    return compile(
        Path(path).read_text(encoding="utf-8"),
        target,
        kernel,
        name=os.fspath(path),
        shared_layout=shared_layout,
        num_warps=num_warps,
        num_stages=num_stages,
        warpgroup_dots=warpgroup_dots,
        optimize=optimize,
        divisibility=divisibility,
        specialize=specialize,
    )
