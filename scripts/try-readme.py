#!/usr/bin/env python3
"""Runs the first kernel of README.md with the package that this Python has, and checks its result.

    try-readme.py README.md

NumPy's arrays stand where the page has PyTorch's, which takes longer to install than all the rest.
"""

import re
import runpy
import sys
import tempfile
from pathlib import Path


def take_kernel(page: str) -> str:
    block = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert block, "the page has no program"
    program = re.sub(r"\s+#.*", "", block[1])
    program = program.replace("import torch\n", "import numpy as np\n")
    program = re.sub(r"torch\.rand\((\w+)\)", r"np.random.rand(\1).astype(np.float32)", program)
    program = re.sub(r"torch\.empty\((\w+)\)", r"np.empty(\1, np.float32)", program)
    assert "torch" not in program, f"this script knows not all of PyTorch that is in\n{program}"
    return program


def main() -> None:
    program = take_kernel(Path(sys.argv[1]).read_text())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "readme.py")
        path.write_text(program)
        names = runpy.run_path(str(path))
    assert (names["out"] == names["x"] + names["y"]).all(), "the kernel's result is wrong"
    import tilewright

    print(f"Python {sys.version.split()[0]}: {tilewright.__file__} computes what the page says")


if __name__ == "__main__":
    main()
