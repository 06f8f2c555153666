# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one kernel after the other by the tile-run of the PATH, in the simulator. It stays: to start
takes it longer than to compile and run a small kernel."""

import atexit
import functools
import json
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

from gputools.server import Servers
from gputools.tools import Run, ToolError, parse_result


@functools.cache
def open_servers():
    if tool := shutil.which("tile-run"):
        os.environ["TILEWRIGHT_BIN"] = str(Path(tool).parent)
    servers = Servers("sim")
    atexit.register(servers.__exit__, None, None, None)
    return servers


def find_mistake(kernel, arguments, *options):
    """What is wrong with the results of a kernel, given as text; empty where nothing is."""
    run = Run(Path("-"), arguments, options=options, text=kernel)
    finished = open_servers().ask(run, ["--check"], timeout=600)
    try:
        result = parse_result(finished)
    except ToolError as error:
        return str(error)
    outputs = result["outputs"]
    # Silence of the tool is no success either.
    is_checked = outputs and all(each["checked"] or not each["elements"] for each in outputs)
    if finished.code == 0 and result["passed"] and is_checked:
        return ""
    return json.dumps({"outputs": outputs, "violations": result["violations"]})
