"""Requests for tile-run: one kernel by its file, by its text, and for another target in between."""

import json
import sys
from pathlib import Path

EXAMPLES = Path(sys.argv[1])
PRODUCT = EXAMPLES / "gemm_f16_nn.mlir"
ARGUMENTS = ["--args=M=70 N=33 K=40", "--check"]

for request in (
    {"arguments": [str(PRODUCT), *ARGUMENTS]},
    {"arguments": [str(PRODUCT), *ARGUMENTS, "--target=sm_80", "--num-stages=2", "--specials"]},
    {"arguments": ["-", *ARGUMENTS], "source": PRODUCT.read_text()},
    {"arguments": [str(EXAMPLES / "copy_f32.mlir"), "--args=n=0"]},
    {"arguments": [str(PRODUCT), *ARGUMENTS]},
):
    print(json.dumps(request))
