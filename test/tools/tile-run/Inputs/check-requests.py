"""The results of make-requests.py's requests beside that of a process of its own."""

import json
import sys
from pathlib import Path

results = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
alone = json.loads(Path(sys.argv[2]).read_text())
assert [result["kernel"] for result in results] == ["gemm_f16_nn"] * 3 + ["copy_f32", "gemm_f16_nn"]
assert all(result["passed"] for result in results)
assert [result["launched"] for result in results] == [True, True, True, False, True]
# The same kernel, inputs and code; but where it was written.
same, other, text, nothing, last = results
assert same == alone == last
assert other["simulator"] != alone["simulator"]
assert text["simulator"] == alone["simulator"]
assert nothing["outputs"] == []
