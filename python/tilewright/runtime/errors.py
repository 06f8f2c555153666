"""What goes wrong, where Triton's programs import it from."""

from tilewright.errors import OutOfResources

__all__ = ["OutOfResources"]
