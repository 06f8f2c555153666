"""The example that calls functions of CUDA's library: in the simulator, beside NumPy."""

import numpy as np
import pytest
from examples_support import assert_close, unset

import great_circle

HERE = (0.3, 1.2)


def places(n):
    random = np.random.default_rng(0)
    latitudes = random.uniform(-np.pi / 2, np.pi / 2, n).astype(np.float32)
    return latitudes, random.uniform(-7, 7, n).astype(np.float32)


@pytest.mark.parametrize("n", [1, 255, 1024, 3001])
def test_distances(n):
    latitudes, longitudes = places(n)
    out = unset(n)
    great_circle.great_circle(latitudes, longitudes, out, HERE, radius=6371.0, block=256)
    assert_close(out / 6371, great_circle.reference(latitudes, longitudes, HERE), digits=2e-5)


def test_distances_of_special_places():
    # Here, the other side, a pole, and what is no place.
    latitudes = np.array([0, 0, np.pi / 2, np.nan, np.inf], np.float32)
    longitudes = np.array([0, np.pi, 3, 0, 0], np.float32)
    out = unset(5)
    great_circle.great_circle(latitudes, longitudes, out, (0.0, 0.0), block=16)
    np.testing.assert_allclose(out, [0, np.pi, np.pi / 2, np.nan, np.nan], atol=1e-3)


def test_distances_on(target):
    latitudes, longitudes = places(300)
    out = unset(300)
    great_circle.great_circle(latitudes, longitudes, out, HERE, block=128, target=target)
    assert_close(out, great_circle.reference(latitudes, longitudes, HERE), digits=2e-5)
