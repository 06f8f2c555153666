"""The GPU that kernels run on, under the names by which Triton's programs ask for it.

>>> from tilewright.runtime import driver
>>> driver.active.get_current_target().backend
'cuda'
"""

from tilewright.errors import OutOfResources
from tilewright.heuristics import heuristics
from tilewright.jit_function import JITFunction
from tilewright.runtime.driver import driver
from tilewright.tuning import Config, autotune

__all__ = ["Config", "JITFunction", "OutOfResources", "autotune", "driver", "heuristics"]
