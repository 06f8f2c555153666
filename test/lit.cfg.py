# Tests of the tools: each file under test/ that mirrors a folder of lib/ holds
# its own commands in RUN lines, checked by FileCheck.
#
# The build writes lit.site.cfg.py, which sets these paths and loads this file:
#
#   tilewright_src_root   the repository
#   tilewright_obj_root   the build folder
#   tilewright_tools_dir  the build's bin/
#   llvm_tools_dir        FileCheck, not, split-file
#
# A test that needs ptxas says `REQUIRES: ptxas`, one that needs Chromium (Debian's package
# chromium) `REQUIRES: browser`; without it lit lists the test as unsupported.
# `%examples` is the folder of the example kernels; `%elementwise` runs a computation on random
# tiles, `%reduce` reduces them, `%scan` scans them, `%ranks` has those of many dimensions,
# `%convert` changes their layout, see Execution/Inputs; `%{python}`
# is the Python that runs lit.

import os
import shlex
import shutil
import sys

import lit.formats

config.name = "Tilewright"
# lit's own shell: no test depends on which /bin/sh there is.
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
# unit/, python/ and differential/ have their own runners; gpu/ needs a device.
config.excludes = ["Inputs", "unit", "python", "differential", "gpu", "data"]
config.test_source_root = os.path.join(config.tilewright_src_root, "test")
config.test_exec_root = os.path.join(config.tilewright_obj_root, "test")

config.environment["PATH"] = os.pathsep.join(
    [config.tilewright_tools_dir, config.llvm_tools_dir, config.environment["PATH"]]
)
config.environment["TILEWRIGHT_CACHE_DIR"] = ""
config.substitutions.append(("%examples", os.path.join(config.tilewright_src_root, "examples")))
config.substitutions.append(("%{python}", shlex.quote(sys.executable)))
reduce = os.path.join(config.test_source_root, "Execution", "Inputs", "reduce.py")
config.substitutions.append(("%reduce", f"%{{python}} {shlex.quote(reduce)}"))
ranks = os.path.join(config.test_source_root, "Execution", "Inputs", "ranks.py")
config.substitutions.append(("%ranks", f"%{{python}} {shlex.quote(ranks)}"))
scan = os.path.join(config.test_source_root, "Execution", "Inputs", "scan.py")
config.substitutions.append(("%scan", f"%{{python}} {shlex.quote(scan)}"))
elementwise = os.path.join(config.test_source_root, "Execution", "Inputs", "elementwise.py")
config.substitutions.append(("%elementwise", f"%{{python}} {shlex.quote(elementwise)}"))
convert = os.path.join(config.test_source_root, "Execution", "Inputs", "convert_layout.py")
config.substitutions.append(("%convert", f"%{{python}} {shlex.quote(convert)}"))
# Substitutions may name others, in any order.
config.recursiveExpansionLimit = 4

ptxas = (
    os.environ.get("TILEWRIGHT_PTXAS")
    or shutil.which("ptxas")
    or shutil.which("ptxas", path="/usr/local/cuda/bin")
)
if ptxas:
    config.available_features.add("ptxas")
    config.environment["TILEWRIGHT_PTXAS"] = ptxas

names = ["chromium", "chromium-browser", "google-chrome"]
browser = next(filter(None, map(shutil.which, names)), None)
if browser:
    config.available_features.add("browser")
    config.substitutions.append(("%{browser}", shlex.quote(browser)))
