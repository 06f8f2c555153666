"""Functions that are kernels: @tilewright.jit.

>>> @tilewright.jit
... def add(x, y, out, n, BLOCK: tl.constexpr):
...     i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
...     tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)
>>> add[(tilewright.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

from tilewright import _core
from tilewright.cache_key import KernelKey, make_key
from tilewright.compiler import DEFAULT_TARGET, make_promises, take_words
from tilewright.errors import SizeError
from tilewright.function import KernelFunction
from tilewright.language.context import current
from tilewright.signature import read_entries, read_signature
from tilewright.sizes import take_integer

DEFAULT_NUM_WARPS = 4
DEFAULT_NUM_STAGES = 3


class JITFunction(KernelFunction):
    """A function of Python that is compiled for the GPU, or the simulator.

    ``kernel[grid](...)`` launches it, and ``kernel.warmup(..., grid=grid)`` only compiles: both are
    the dispatcher's, which finds the code for a launch without Python's help. In another kernel it
    is called as it is, and becomes part of it.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        do_not_specialize: Any = None,
        do_not_specialize_on_alignment: Any = None,
        debug: bool | None = None,
        noinline: bool | None = None,
        repr: Any = None,
        launch_metadata: Any = None,
        version: Any = None,
        require: Sequence[str] | None = None,
    ) -> None:
        super().__init__(fn, do_not_specialize, do_not_specialize_on_alignment)
        self.debug = debug
        self.require = tuple(take_words(require))

    def inline(self, *arguments: Any) -> Any:
        """Its body with these arguments, in the kernel that is being compiled."""
        from tilewright.frontend.calls import run_function

        visitor = current().options["visitor"]
        try:
            bound = self.signature.bind(*arguments)
        except TypeError as error:
            raise TypeError(
                f"{error}: it is {self.__name__}{self.signature}, and is called with "
                f"{len(arguments)} values"
            ) from None
        bound.apply_defaults()
        return run_function(self, dict(bound.arguments), visitor)

    # Compiling and launching

    def _compile(
        self,
        signature: Sequence[Any],
        constants: Mapping[str, Any],
        options: Mapping[str, Any],
        promises: Sequence[tuple[str, int]] = (),
    ) -> Any:
        """Makes the kernel for these types and constants. With promises of what arguments are
        multiples of it is that one, else a variant for what launches find."""
        target = options.get("target") or os.environ.get("TILEWRIGHT_TARGET") or ""
        target = target or _core.get_gpu_target() or DEFAULT_TARGET
        num_warps, num_stages = _read_sizes(options)
        batches = options.get("batch_programs") is not False
        written = {
            "num_warps": num_warps,
            "num_stages": num_stages,
            "target": target,
            "debug": self._wants_assertions(options),
            "require": take_words([*self.require, *take_words(options.get("require"))]),
            "batch_programs": batches,
            "divisibility": list(promises),
        }
        compiled = self._get_compile_options(target, batches, promises)
        key = make_key(self, signature, constants, written)
        kept = _core.find_kernel(key.digest, **compiled) if key is not None else None
        if key is not None and kept is not None:
            for variable in key.read_notes(kept[1]):
                self.watch(*variable)
            return kept[0]
        text, notes = self._write_program(signature, constants, written, key)
        return _core.compile_kernel(
            text.encode(),
            **compiled,
            cache_key=key.digest if key is not None and notes is not None else "",
            notes=notes or "",
        )

    def _get_compile_options(
        self, target: str, batch_programs: bool, promises: Sequence[tuple[str, int]]
    ) -> dict[str, Any]:
        return {
            # Not the name of the file: messages are to show its own lines.
            "name": f"<{self.__name__}>",
            "target": target,
            "kernel": self.__name__,
            "shared_layout": "auto",
            "num_warps": 0,
            "num_stages": 0,
            "warpgroup_dots": True,
            "batch_programs": batch_programs,
            "optimize": True,
            "divisibility": list(promises),
            "specialize": not promises,
            "lazy": not promises,
        }

    def _write_program(
        self,
        signature: Sequence[Any],
        constants: Mapping[str, Any],
        options: Mapping[str, Any],
        key: KernelKey | None,
    ) -> tuple[str, str | None]:
        """The tile program, and the notes for its key."""
        from tilewright.frontend.program import compile_function

        watched: list[tuple[Any, str]] = []
        text = compile_function(
            self,
            signature,
            constants,
            num_warps=options["num_warps"],
            num_stages=options["num_stages"],
            target=options["target"],
            require=options["require"],
            options={"debug": options["debug"], "watched": watched},
        )
        return text, None if key is None else key.make_notes(watched)

    def _wants_assertions(self, options: Mapping[str, Any]) -> bool:
        """Assertions of run time cost time: on a GPU they are there where they are asked for,
        in the simulator where nobody says no."""
        asked = options.get("debug", self.debug)
        if asked is not None:
            return bool(asked)
        simulated = os.environ.get("TILEWRIGHT_DEVICE") == "sim" or _core.get_gpu_target() is None
        return simulated or os.environ.get("TILEWRIGHT_DEBUG", "0") != "0"

    def run(self, *arguments: Any, grid: Any, warmup: bool = False, **keywords: Any) -> Any:
        """The same as ``kernel[grid](*arguments, **keywords)``; with `warmup` it only compiles."""
        if warmup:
            return self.warmup(*arguments, grid=grid, **keywords)
        return self[grid](*arguments, **keywords)

    def compile(
        self,
        signature: Mapping[str, str] | str | Sequence[str],
        constants: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Any:
        """Compiles without any data.

        Args:
            signature: The types of the parameters: {"x": "*fp32", "n": "i32"} or "*fp32, i32", with
                those of constants left out or "constexpr"; "tensordesc<fp16[64,32]>" is a
                descriptor with blocks of 64 x 32. "*fp16:16" promises addresses that are multiples
                of 16 bytes, "i32:16" multiples of 16, as those that launches find of themselves do;
                launches of the result check it. "i32:1" is the constant 1.
            constants: Values of the tl.constexpr parameters without a default.
            options: num_warps, num_stages, batch_programs, target, require, and debug: with
                assertions of run time (default: where there is no GPU).
        """
        types = read_signature(self, signature)
        self._check_options(options)
        given = read_entries(self, types, constants or {})
        promises = make_promises(given.promises)
        return self._compile(given.entries, given.constants, options, promises)

    def _check_options(self, options: Mapping[str, Any]) -> None:
        known = {"num_warps", "num_stages", "batch_programs", "target", "debug", "require"}
        unknown = options.keys() - known
        if not unknown:
            return
        name = min(unknown)
        if any(each.name == name for each in self.parameters):
            raise TypeError(
                f"'{name}' is a parameter of '{self.__name__}', not an option: give its value "
                f"in constants={{'{name}': ...}}, or its type in the signature"
            )
        meant = _core.suggest_name(name, sorted(known))
        raise TypeError(f"there is no option '{name}'{meant}")

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        raise RuntimeError(
            f"'{self.__name__}' is a kernel: launch it by {self.__name__}[grid](...); only kernels "
            "call it as a function"
        )

    def __reduce__(self) -> str:
        # As functions are: pickled by module and name, and never copied.
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<tilewright.jit {self.__name__}{self.signature}>"


def _read_sizes(options: Mapping[str, Any]) -> tuple[int, int]:
    """The number of warps and of stages.

    Raises:
        SizeError: No kernel has so many.
        TypeError: One is no integer.
    """
    num_warps, num_stages = options.get("num_warps"), options.get("num_stages")
    num_warps = DEFAULT_NUM_WARPS if num_warps is None else num_warps
    num_stages = DEFAULT_NUM_STAGES if num_stages is None else num_stages
    num_warps = take_integer("num_warps", num_warps)
    num_stages = take_integer("num_stages", num_stages)
    if not 1 <= num_warps <= 32 or num_warps & (num_warps - 1):
        raise SizeError(f"num_warps is a power of two from 1 to 32, not {num_warps}")
    if not 0 <= num_stages <= 8:
        raise SizeError(f"num_stages is a number from 0 to 8, not {num_stages}")
    # With one stage nothing runs ahead; Triton has 0 for that too.
    return num_warps, max(num_stages, 1)


@overload
def jit(fn: Callable[..., Any]) -> JITFunction: ...


@overload
def jit(
    fn: None = None,
    *,
    do_not_specialize: Any = None,
    do_not_specialize_on_alignment: Any = None,
    debug: bool | None = None,
    noinline: bool | None = None,
    repr: Any = None,
    launch_metadata: Any = None,
    version: Any = None,
    require: Sequence[str] | None = None,
) -> Callable[[Callable[..., Any]], JITFunction]: ...


def jit(fn: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Makes a function a kernel, or a helper of kernels.

    Args:
        do_not_specialize: Parameters, by name or number, for whose values no code of its own is
            made: neither for 1 nor for multiples of 16.
        do_not_specialize_on_alignment: The same for multiples of 16 only.
        require: What the code of all launches must be: "wgmma", "tma", "roles", "persistent". A
            launch for which the compiler falls back to something slower is an error that says why.
        debug: With assertions of run time, or without. By default the simulator has them.
        noinline, repr, launch_metadata, version: Taken as Triton has them; they change nothing
            here.
    """
    known = inspect.signature(JITFunction.__init__).parameters.keys()
    unknown = options.keys() - known
    if unknown:
        name = min(unknown)
        meant = _core.suggest_name(name, list(known))
        raise TypeError(f"@tilewright.jit has no option '{name}'{meant}")
    if fn is not None:
        return JITFunction(fn, **options)
    return lambda function: JITFunction(function, **options)
