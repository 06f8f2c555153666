"""Arrays that are too large to be simulated."""

import os

import numpy as np
import pytest
from package_support import EXAMPLES, import_package

tilewright = import_package()


def test_more_than_the_machine_has():
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        x = np.zeros(memory // 5 * 3 // 4, np.float32)  # nothing touches it
    except MemoryError:
        pytest.skip("the system hands out no memory beforehand")
    kernel = tilewright.compile_file(EXAMPLES / "copy_f32.mlir", target="sm_80")
    with pytest.raises(
        tilewright.LaunchError,
        match=rf"'PTX simulator' need {2 * x.nbytes} bytes of host memory; this machine has ",
    ):
        kernel(x, x)
