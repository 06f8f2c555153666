"""What the tests of examples/python share: the folder on the path, targets, and numbers."""

import sys
from pathlib import Path

import numpy as np
import package_support
from shapes.arrays import as_on_gpus

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "python"
TARGETS = package_support.TARGETS

package_support.import_package()
sys.path.insert(0, str(EXAMPLES))

import tilewright  # noqa: E402
import tilewright.language as tl  # noqa: E402


def numbers(*shape, dtype=np.float32, seed=0, scale=1.0):
    """Random ones around 0."""
    values = np.random.default_rng(seed).standard_normal(shape) * scale
    return as_on_gpus(values.astype(dtype))


def unset(*shape, dtype=np.float32):
    """An array whose elements all must be written: NaNs, or a strange integer."""
    filler = np.nan if np.issubdtype(dtype, np.floating) else 0x5A
    return as_on_gpus(np.full(shape, filler, dtype))


def place(values, behind):
    """The array, so many elements behind one that begins with a vector, between NaNs."""
    room = np.full(values.size + 64, np.nan, values.dtype)
    first = -room.ctypes.data % 64 // values.itemsize + behind
    part = room[first : first + values.size].reshape(values.shape)
    part[:] = values
    return room, part


def compile_again(monkeypatch, example, name="backward_kernel"):
    """Which has none of what other tests compiled."""
    kernel = tilewright.jit(getattr(example, name).fn)
    monkeypatch.setattr(example, name, kernel)
    return kernel


def assert_close(actual, expected, digits=None):
    """They agree, up to roundings of `actual`'s type, or to `digits`."""
    bound = digits or {np.float16: 2e-3, np.float32: 2e-5, np.float64: 1e-12}[actual.dtype.type]
    np.testing.assert_allclose(actual.astype(np.float64), expected, rtol=bound, atol=bound)


def softmax_of(x):
    """Of each row, in f64."""
    x = x.astype(np.float64)
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


@tilewright.jit
def several_rows_kernel(x, out, m, n, BLOCK: tl.constexpr):
    """Softmax of rows of which a program does every so many."""
    columns = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), m, tl.num_programs(0)):
        place = row * n + columns
        values = tl.load(x + place, mask=columns < n, other=-float("inf"))
        powers = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + place, powers / tl.sum(powers, axis=0), mask=columns < n)
