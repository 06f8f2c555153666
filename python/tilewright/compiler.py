"""From source to kernels."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from tilewright import _core
from tilewright.cache_key import make_text_key
from tilewright.sizes import take_integer

# Without a GPU: the target whose code exercises the most.
DEFAULT_TARGET = "sm_90a"

# As the compiler's own (Requirement in TileAttrs.td): mistakes are found where they are written.
_REQUIREMENTS = ("wgmma", "tma", "roles", "persistent")

_T = TypeVar("_T")

# As the compiler's own, for pointers and integers.
_MAX_DIVISIBILITY = 2**30


def _take(name: str, value: object, kind: type[_T]) -> _T:
    if not isinstance(value, kind):
        raise TypeError(f"{name} is to be {kind.__name__}, not {type(value).__name__}")
    return value


def _take_count(name: str, value: object) -> int:
    number = take_integer(name, value)
    if not -(2**31) <= number < 2**31:
        raise ValueError(f"{name} is {number}, which is far too large")
    return number


def take_words(value: object) -> list[str]:
    """The words of `require`: a list or tuple of them, or one; each once."""
    if value is None:
        return []
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, (list, tuple)) or not all(isinstance(word, str) for word in words):
        raise TypeError(f'require is to be words such as ["wgmma", "tma"], not {value!r}')
    for word in words:
        if word not in _REQUIREMENTS:
            known = f"{', '.join(_REQUIREMENTS[:-1])} and {_REQUIREMENTS[-1]}"
            raise ValueError(f"nothing can require '{word}': {known} are known")
    return list(dict.fromkeys(words))


def make_promises(divisibility: Mapping[str, int] | None) -> list[tuple[str, int]]:
    """What arguments are multiples of, as the compiler takes it."""
    if divisibility is None:
        return []
    if not isinstance(divisibility, Mapping):
        raise TypeError(
            f'divisibility is to be a dict such as {{"N": 16}}, not {type(divisibility).__name__}'
        )
    promises = []
    for argument, divisor in divisibility.items():
        _take("an argument's name in divisibility", argument, str)
        what = f"the divisibility of '{argument}'"
        number = take_integer(what, divisor)
        if not 0 < number <= _MAX_DIVISIBILITY or number & (number - 1):
            raise ValueError(f"{what} is to be a power of two from 1 to 2^30, not {number}")
        promises.append((argument, number))
    return promises


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
    batch_programs: bool = True,
    optimize: bool = True,
    divisibility: Mapping[str, int] | None = None,
    specialize: bool = True,
    require: Sequence[str] = (),
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
        batch_programs: Several programs a block, where each takes a short row, and several
            blocks a program, where it takes a long one.
        optimize: Let MLIR and LLVM simplify the program. Without it, results are the same bits;
            for tests.
        divisibility: What arguments are multiples of (pointers: in bytes), in place of what the
            kernel says. Launches then check it, and are not specialized.
        specialize: Compile variants for what the arguments of launches are multiples of, and for
            integers that are 1.
        require: What the code must be, beside what the kernel says: "wgmma", "tma", "roles",
            "persistent". Where it is not, the error says which op fell back, and why.

    Raises:
        CompileError: The source or an option is wrong; the error knows where.
        TypeError: An option is of another type.
        ValueError: There is no such target; a divisibility is no power of two.
    """
    promises = make_promises(divisibility)
    options: dict[str, Any] = {
        "name": _take("name", name, str),
        "target": _take("target", target or _core.get_gpu_target() or DEFAULT_TARGET, str),
        "kernel": _take("kernel", kernel or "", str),
        "shared_layout": _take("shared_layout", shared_layout, str),
        "num_warps": _take_count("num_warps", num_warps),
        "num_stages": _take_count("num_stages", num_stages),
        "warpgroup_dots": _take("warpgroup_dots", warpgroup_dots, bool),
        "batch_programs": _take("batch_programs", batch_programs, bool),
        "optimize": _take("optimize", optimize, bool),
        "divisibility": promises,
        "specialize": _take("specialize", specialize, bool) and not promises,
        "require": take_words(require),
    }
    # A file that is no text comes with escapes for its bytes.
    text = _take("source", source, str).encode(errors="surrogateescape")
    key = make_text_key(source, options)
    kept = _core.find_kernel(key, **options) if key else None
    return kept[0] if kept else _core.compile_kernel(text, **options, cache_key=key)


def compile_file(
    path: str | os.PathLike[str],
    target: str | None = None,
    kernel: str | None = None,
    *,
    shared_layout: str = "auto",
    num_warps: int = 0,
    num_stages: int = 0,
    warpgroup_dots: bool = True,
    batch_programs: bool = True,
    optimize: bool = True,
    divisibility: Mapping[str, int] | None = None,
    specialize: bool = True,
    require: Sequence[str] = (),
) -> _core.Kernel:
    """Compiles a kernel of a file; messages name the file. See `compile`.

    >>> kernel = tilewright.compile_file("examples/copy_f32.mlir")
    """
    # Not pathlib, which would take a tenth of the time of importing the package.
    with open(path, encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123
        source = file.read()
    return compile(
        source,
        target,
        kernel,
        name=os.fspath(path),
        shared_layout=shared_layout,
        num_warps=num_warps,
        num_stages=num_stages,
        warpgroup_dots=warpgroup_dots,
        batch_programs=batch_programs,
        optimize=optimize,
        divisibility=divisibility,
        specialize=specialize,
        require=require,
    )
