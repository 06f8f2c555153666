# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All cases: each module makes those of a family."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from functools import cache

from conformance.case import Case


@cache
def get_families() -> dict[str, tuple[Case, ...]]:
    """The cases of each module."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    modules = {name: importlib.import_module(f"{__name__}.{name}") for name in names}
    return {name: tuple(module.make_cases()) for name, module in modules.items()}


@cache
def collect() -> tuple[Case, ...]:
    """Every case; their names differ."""
    cases = [case for family in get_families().values() for case in family]
    count = Counter(case.name for case in cases)
    twice = sorted(name for name, times in count.items() if times > 1)
    if twice:
        raise ValueError(f"several cases have one name: {', '.join(twice)}")
    return tuple(cases)
