"""All words, by the name of the module in which Triton has those that its compiler makes.

>>> from tilewright.language import core
>>> core.float32
fp32
"""

from __future__ import annotations

from typing import Any

from tilewright import language


def __getattr__(name: str) -> Any:
    return getattr(language, name)
