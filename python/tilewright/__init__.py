"""GPU kernels that are written on tiles.

>>> import numpy, tilewright
>>> kernel = tilewright.compile_file("examples/transpose_f32.mlir")
>>> a = numpy.random.rand(300, 200).astype(numpy.float32)
>>> b = numpy.empty((200, 300), numpy.float32)
>>> kernel(a, b)  # in the simulator; arrays of a GPU run there
>>> numpy.array_equal(b, a.T)
True
"""

from tilewright._core import Kernel
from tilewright._core import version as __version__
from tilewright.compiler import compile, compile_file
from tilewright.errors import CompileError, LaunchError, Note, OutOfResources, SimulatorError
from tilewright.heuristics import heuristics
from tilewright.jit_function import JITFunction, jit
from tilewright.sizes import cdiv, next_power_of_2
from tilewright.tuning import Config, autotune
from tilewright.unneeded import constexpr_function, set_allocator

# Triton's name.
CompilationError = CompileError

__all__ = [
    "CompileError",
    "Config",
    "JITFunction",
    "Kernel",
    "LaunchError",
    "Note",
    "OutOfResources",
    "SimulatorError",
    "__version__",
    "autotune",
    "cdiv",
    "compile",
    "compile_file",
    "constexpr_function",
    "heuristics",
    "jit",
    "next_power_of_2",
    "set_allocator",
]


def __getattr__(name: str) -> object:
    # Few programs need them, and they take time to load.
    if name in ("runtime", "testing", "tools"):
        import importlib

        return importlib.import_module(f"tilewright.{name}")
    instead = f": {_INSTEAD[name]}" if name in _INSTEAD else ""
    raise AttributeError(f"module 'tilewright' has no attribute '{name}'{instead}")


# What Triton has, and what to write in its place.
_INSTEAD = {
    "InterpreterError": "what the simulator finds is a tilewright.SimulatorError",
    "knobs": "settings are options of launches and variables of the environment, TILEWRIGHT_...",
    "reinterpret": "view the array as another type, as by x.view(torch.float8_e5m2)",
}
