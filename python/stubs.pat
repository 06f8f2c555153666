# What the generated _core.pyi cannot know: slots of the C API have no types.

tilewright._core.Dispatcher.__getitem__$:
    \from collections.abc import Callable
    def __getitem__(self, grid: object, /) -> Callable[..., Kernel | None]: ...
