"""Constants of kernels that are functions of their arguments.

>>> @tilewright.heuristics({"HAS_BIAS": lambda args: args["bias"] is not None})
... @tilewright.jit
... def kernel(x, bias, n, HAS_BIAS: tl.constexpr): ...
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tilewright.launcher import Launchable, Launcher


class Heuristics(Launcher):
    """A kernel some of whose constants are functions of its arguments."""

    def __init__(
        self, fn: Launchable, values: Mapping[str, Callable[[dict[str, Any]], Any]]
    ) -> None:
        super().__init__(fn)
        if not isinstance(values, Mapping) or not all(callable(each) for each in values.values()):
            raise TypeError(
                "heuristics takes a dict of names and functions of the arguments, such as "
                f'{{"EVEN": lambda args: args["n"] % 2 == 0}}, not {values!r}'
            )
        self.values = dict(values)

    def _fill(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
        filled = dict(keywords)
        named = self.name_arguments(arguments, keywords)
        for name, compute in self.values.items():
            try:
                filled[name] = named[name] = compute(named)
            except KeyError as error:
                raise TypeError(
                    f"the heuristic for '{name}' of '{self.__name__}' asks for {error}, which is "
                    f"no argument of this launch{self._advise(error)}"
                ) from error
        return filled

    def _advise(self, error: KeyError) -> str:
        """What to do where what is missing is chosen behind the heuristic."""
        configs = getattr(self.fn, "configs", ())
        is_chosen = any(error.args[0] in config.kwargs for config in configs)
        return ": autotune chooses it; write @autotune above @heuristics" if is_chosen else ""

    def run(self, *arguments: Any, grid: Any, **keywords: Any) -> Any:
        """Launches with the constants that the functions give."""
        return self.fn.run(*arguments, grid=grid, **self._fill(arguments, keywords))

    def warmup(self, *arguments: Any, grid: Any = None, **keywords: Any) -> Any:
        """Compiles what `run` would launch."""
        return self.fn.warmup(*arguments, grid=grid, **self._fill(arguments, keywords))


def heuristics(
    values: Mapping[str, Callable[[dict[str, Any]], Any]],
) -> Callable[[Launchable], Heuristics]:
    """Computes constants of a launch from its arguments, which come by name in a dictionary."""
    return lambda fn: Heuristics(fn, values)
