"""What stands beside kernels on the host."""

from tilewright.tools import tensor_descriptor

__all__ = ["tensor_descriptor"]
