"""Values that are made of several tensors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilewright.language.tensor import tensor


class composite(ABC):  # noqa: N801
    """What a name may stand for beside a tensor: loops and branches carry its parts."""

    @property
    @abstractmethod
    def type(self) -> Any:
        """Its type, for messages."""

    @abstractmethod
    def get_parts(self) -> list[tensor]:
        """What of it may be another tensor in each round of a loop."""

    @abstractmethod
    def with_parts(self, parts: Sequence[tensor]) -> composite:
        """The same with these in place of `get_parts()`."""

    @abstractmethod
    def fits(self, other: Any) -> bool:
        """Whether it differs from the other in its parts only."""

    def __repr__(self) -> str:
        return f"a value of type {self.type}"
