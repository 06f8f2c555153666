"""Whether results are what they should be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

#: A number, or what gives one for a type of elements.
Tolerance: TypeAlias = "float | Callable[[Any], float] | None"


def _to_numpy(array: Any) -> Any:
    """An array of any library on the host, in a type that NumPy has."""
    import numpy

    if hasattr(array, "detach"):
        array = array.detach().cpu()
        try:
            return array.numpy()
        except TypeError:  # bfloat16 and floats of 8 bits
            return array.float().numpy()
    if hasattr(array, "get") and hasattr(array, "__cuda_array_interface__"):
        return array.get()
    return numpy.asarray(array)


def _is_exact(array: Any) -> bool:
    return bool(array.dtype.kind in "biu")


def _widen(array: Any) -> Any:
    import numpy

    return array.astype(numpy.complex128 if array.dtype.kind == "c" else numpy.float64)


def _get_differences(x: Any, y: Any) -> Any:
    """How far apart elements are, as floats; 0 where they are the same, NaN or infinite."""
    import numpy

    if _is_exact(x) and _is_exact(y):
        # NumPy has no integer that has room for those of int64 and of uint64.
        common = numpy.result_type(x, y)
        if common.kind in "biu":
            wide = numpy.uint8 if common.kind == "b" else common
            x, y = x.astype(wide), y.astype(wide)
            with numpy.errstate(over="ignore"):
                # The difference of two of int64 may need all bits of uint64.
                apart = numpy.where(x > y, x, y).astype(numpy.uint64) - numpy.where(
                    x > y, y, x
                ).astype(numpy.uint64)
            return apart.astype(numpy.float64)
    x, y = _widen(x), _widen(y)
    with numpy.errstate(invalid="ignore", over="ignore"):
        same = (x == y) | (numpy.isnan(x) & numpy.isnan(y))
        return numpy.where(same, 0.0, numpy.abs(x - y))


def _read_tolerance(tolerance: Tolerance, default: float, array: Any) -> float:
    if tolerance is None:
        return default
    return float(tolerance(array.dtype) if callable(tolerance) else tolerance)


def assert_close(
    x: Any, y: Any, atol: Tolerance = None, rtol: Tolerance = None, err_msg: str = ""
) -> None:
    """Raises an AssertionError unless the elements of `x` are those of `y`, or close to them.

    That is ``abs(x - y) <= atol + rtol * abs(y)``; NaN is close to NaN, and an infinity to itself.
    The error says how many are wrong, and which one most.

    Args:
        x: What was computed: an array of PyTorch, CuPy or NumPy, or a number.
        y: What it should be, of the same shape, or a number.
        atol: 0.01 unless told; it may be a function of the type of the elements of `x`.
        rtol: 0 unless told.
        err_msg: What the error begins with.
    """
    import numpy

    absolute, relative = _read_tolerance(atol, 1e-2, x), _read_tolerance(rtol, 0.0, x)
    x, y = _to_numpy(x), _to_numpy(y)
    head = f"{err_msg}: " if err_msg else ""
    if x.shape != y.shape and x.ndim != 0 and y.ndim != 0:
        raise AssertionError(f"{head}the shapes are {x.shape} and {y.shape}")
    x, y = numpy.broadcast_arrays(x, y)
    apart = _get_differences(x, y)
    with numpy.errstate(invalid="ignore", over="ignore"):
        # Beside an infinity or NaN, nothing else is close.
        size = numpy.where(numpy.isfinite(_widen(y)), numpy.abs(_widen(y)), 0.0)
        allowed = absolute + relative * size
        is_wrong = ~(apart <= allowed)
    count = int(is_wrong.sum())
    if count == 0:
        return
    # What is no number is as wrong as can be.
    excess = numpy.where(is_wrong, apart - allowed, -numpy.inf)
    excess = numpy.where(is_wrong & numpy.isnan(excess), numpy.inf, excess)
    worst = numpy.unravel_index(int(numpy.argmax(excess)), x.shape)
    place = f" at [{', '.join(str(int(index)) for index in worst)}]" if x.ndim else ""
    raise AssertionError(
        f"{head}{count} of {x.size} elements {'is' if count == 1 else 'are'} not close; the worst"
        f"{place} is {x[worst]}, not {y[worst]}: apart by {apart[worst]:.4g}, where "
        f"{allowed[worst]:.4g} is allowed "
        f"(atol={absolute:g}, rtol={relative:g})"
    )
