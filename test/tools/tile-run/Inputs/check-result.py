# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks tile-run's JSON of transpose_f32 with M=70 N=131 in the simulator."""

import json
import sys

result = json.load(sys.stdin)
assert result["kernel"] == "transpose_f32" and result["passed"] is True
assert result["scalars"] == {"M": "70", "N": "131"}
assert result["launched"] is True and result["grid"] == [3, 1, 1]
assert result["threads_per_block"] == 256
assert result["bytes_moved"] == 2 * 70 * 131 * 4
assert result["device"]["name"] == "PTX simulator"
assert result["resources"]["static_shared_bytes"] == result["report"]["shared_bytes"] > 0
assert "timing" not in result or result["timing"] is None

(output,) = result["outputs"]
assert output["name"] == "B" and output["wrong"] == 0 and output["unwritten"] == 0
assert output["checked"] == output["elements"] == 70 * 131

tensors = {tensor["name"]: tensor for tensor in result["tensors"]}
assert tensors["A"]["extents"] == [70, 131] and tensors["B"]["extents"] == [131, 70]

# Three blocks of one tile each: what the simulator counts is what was predicted.
report, simulator = result["report"], result["simulator"]
assert simulator["completed"] is True and simulator["findings"] == []
counted = sum(access["shared_wavefronts"] for access in simulator["counts"]["accesses"])
predicted = report["shared_load_wavefronts"] + report["shared_store_wavefronts"]
assert counted == 3 * predicted, (counted, predicted)
