"""The command `tilewright`: kernels compiled from a shell.

tilewright compile kernel.py:add --signature '*fp32,*fp32,*fp32,i32' --constant BLOCK=1024
tilewright cache --clear
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from tilewright import _core
from tilewright.errors import CompileError
from tilewright.function import find_helper
from tilewright.jit_function import JITFunction
from tilewright.launcher import Launcher
from tilewright.tuning.store import count_stored, describe_stored

_LEVELS = ("tile", "placed", "nvvm", "llvm", "ptx")


class _UsageError(Exception):
    """What the user wrote is wrong."""


def _load_module(path: str) -> ModuleType:
    file = Path(path)
    if not file.is_file():
        raise _UsageError(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise _UsageError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    sys.path.insert(0, str(file.parent))
    spec.loader.exec_module(module)
    return module


def _find_kernel(place: str) -> JITFunction:
    path, _, name = place.rpartition(":")
    if not path:
        raise _UsageError(f"a kernel is FILE.py:NAME, not {place}")
    module = _load_module(path)
    found = getattr(module, name, None)
    if isinstance(found, Launcher):
        found = found.kernel
    if not isinstance(found, JITFunction):
        kernels = [key for key, value in vars(module).items() if find_helper(value)]
        meant = _core.suggest_name(name, kernels)
        raise _UsageError(f"{path} has no kernel '{name}' with @tilewright.jit{meant}")
    return found


def _read_constant(text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not separator:
        raise _UsageError(f"a constant is NAME=VALUE, not {text}")
    if value.startswith("tl."):
        from tilewright import language

        kind = getattr(language, value[3:], None)
        if kind is None:
            raise _UsageError(f"there is no {value}")
        return name, kind
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def _compile(options: argparse.Namespace) -> None:
    function = _find_kernel(options.kernel)
    constants = dict(_read_constant(each) for each in options.constant)
    kernel = function.compile(
        options.signature,
        constants,
        num_warps=options.num_warps,
        num_stages=options.num_stages,
        target=options.target,
        require=options.require,
        debug=options.debug,
    )
    text = kernel.report_text if options.report else kernel.ir(options.emit)
    if options.output:
        Path(options.output).write_text(text, encoding="utf-8")
    else:
        print(text, end="" if text.endswith("\n") else "\n")


def _show_cache(options: argparse.Namespace) -> None:
    if options.clear:
        _core.clear_cache()
    if options.tunings:
        _show_tunings()
        return
    cache = _core.describe_cache()
    if cache is None:
        print("There is no cache: TILEWRIGHT_CACHE_DIR is empty, or there is no home folder.")
        return
    print(cache["directory"])
    megabytes = cache["bytes"] / 2**20
    tunings = count_stored()
    what = f", {tunings} of them results of tuning" if tunings else ""
    print(f"{cache['entries']} entries{what}, {megabytes:.1f} of {cache['most_bytes'] >> 20} MB")
    if cache["failure"]:
        print(
            f"Nothing can be added ({cache['failure']}), so that each process compiles what is "
            "not there: TILEWRIGHT_CACHE_DIR names another folder."
        )


def _show_tunings() -> None:
    for line in describe_stored():
        print(line)


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tilewright", description="Kernels that are written on tiles."
    )
    parser.add_argument("--version", action="version", version=f"tilewright {_core.version}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("compile", help="compile a kernel of a Python file")
    command.add_argument("kernel", metavar="FILE.py:NAME")
    command.add_argument(
        "--signature",
        required=True,
        help="the types of the parameters that are no constants: '*fp32,*fp32,i32'",
    )
    command.add_argument(
        "--constant", action="append", default=[], metavar="NAME=VALUE", help="a tl.constexpr"
    )
    command.add_argument("--target", default=None, help="the GPU, such as sm_90a")
    command.add_argument("--num-warps", type=int, default=None)
    command.add_argument("--num-stages", type=int, default=None)
    command.add_argument(
        "--require",
        action="append",
        default=[],
        metavar="WORD",
        help="what the code must be: wgmma, tma, roles, persistent",
    )
    command.add_argument(
        "--debug", action="store_true", help="with device_assert and checks of tl.assume"
    )
    command.add_argument("--emit", choices=_LEVELS, default="tile", help="what to write")
    command.add_argument("--report", action="store_true", help="write what the compiler decided")
    command.add_argument(
        "-o", "--output", metavar="FILE", help="where to, in place of the terminal"
    )
    command.set_defaults(run=_compile)
    command = commands.add_parser("cache", help="show what is kept of compiled kernels and tunings")
    command.add_argument("--clear", action="store_true", help="remove all of it")
    command.add_argument(
        "--tunings", action="store_true", help="list the results of autotune(cache_results=True)"
    )
    command.set_defaults(run=_show_cache)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; gives its exit status."""
    options = _make_parser().parse_args(arguments)
    try:
        options.run(options)
    except (CompileError, _UsageError, OSError, TypeError, ValueError) as error:
        print(error if isinstance(error, CompileError) else f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
