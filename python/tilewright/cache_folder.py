"""Where on disk results are kept for later processes."""

from __future__ import annotations

import os
from pathlib import Path


def get_cache_folder() -> Path | None:
    """The folder that TILEWRIGHT_CACHE_DIR names, or one in the user's folder for caches.

    None where the variable is empty, which keeps nothing, or nobody knows the user's home.
    """
    named = os.environ.get("TILEWRIGHT_CACHE_DIR")
    if named is not None:
        return Path(named).absolute() if named else None
    user = os.environ.get("XDG_CACHE_HOME")
    if user and Path(user).is_absolute():
        return Path(user) / "tilewright"
    try:
        return Path.home() / ".cache" / "tilewright"
    except RuntimeError:
        return None
