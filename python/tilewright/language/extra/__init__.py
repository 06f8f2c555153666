"""Words beyond the language proper."""

from tilewright.language.extra import cuda, libdevice

__all__ = ["cuda", "libdevice"]
