"""What stands around a kernel, and launches it in its own way."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tilewright.jit_function import JITFunction

#: What a decorator may stand before.
Launchable = Any


class Launcher:
    """A kernel with something around its launches."""

    #: Helpers of kernels are found through it.
    is_launcher = True

    def __init__(self, fn: Launchable) -> None:
        if not isinstance(fn, (JITFunction, Launcher)):
            raise TypeError(f"this decorator stands before @tilewright.jit, not before {fn!r}")
        self.fn: Launchable = fn
        self.__name__: str = fn.__name__
        self.__qualname__: str = fn.__qualname__
        self.__module__ = fn.__module__
        self.__doc__ = fn.__doc__

    @property
    def kernel(self) -> JITFunction:
        """The kernel itself."""
        fn = self.fn
        while isinstance(fn, Launcher):
            fn = fn.fn
        assert isinstance(fn, JITFunction)
        return fn

    @property
    def arg_names(self) -> list[str]:
        """The names of the kernel's parameters, in order."""
        return self.kernel.arg_names

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        """``kernel[grid]``: what launches that many programs."""
        return lambda *arguments, **keywords: self.run(*arguments, grid=grid, **keywords)

    def run(self, *arguments: Any, grid: Any, **keywords: Any) -> Any:
        """Launches; see `JITFunction.run`."""
        raise NotImplementedError

    def name_arguments(
        self, arguments: Sequence[Any], keywords: Mapping[str, Any]
    ) -> dict[str, Any]:
        """All arguments of a launch by name, with defaults."""
        named = {
            each.name: each.default
            for each in self.kernel.parameters
            if each.default is not inspect.Parameter.empty
        }
        named.update(zip((each.name for each in self.kernel.parameters), arguments, strict=False))
        return {**named, **keywords}

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.fn(*arguments, **keywords)

    def __reduce__(self) -> str:
        # As functions are: pickled by module and name, and never copied.
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.fn!r}>"
