# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shares programs among processes. One that crashes or hangs is a finding, and another goes on."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from differential.check import Configuration, Configurations, Failure
from differential.worker import Finding, Key, Result, work

# Seconds that one program may take, on all targets, with making it small.
PATIENCE = 300.0


@dataclass
class _Share:
    """The programs that one process has still to do."""

    keys: list[Key]
    process: BaseProcess
    pipe: Connection
    since: float


def run_all(
    keys: Sequence[Key], configurations: Configurations, jobs: int, shrinks: int
) -> Iterator[Result]:
    """Results, as they come."""
    shares = [_start(list(keys[job::jobs]), configurations, shrinks) for job in range(jobs)]
    while shares:
        ready = wait([share.pipe for share in shares], timeout=5)
        for share in list(shares):
            message: object = _TIMEOUT if time.monotonic() - share.since > PATIENCE else _NOTHING
            if share.pipe in ready:
                message = _receive(share)
            if message is _NOTHING:
                continue
            share.since = time.monotonic()
            if isinstance(message, Result):
                share.keys.remove(message.key)
                yield message
            elif message is None:
                shares.remove(share)
                share.process.join()
            else:
                shares.remove(share)
                yield _lost(share, message is _TIMEOUT, configurations.all[0])
                if share.keys:
                    shares.append(_start(share.keys, configurations, shrinks))


_NOTHING, _TIMEOUT, _DEAD = object(), object(), object()


def _start(keys: list[Key], configurations: Configurations, shrinks: int) -> _Share:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(theirs, list(keys), configurations, shrinks))
    process.start()
    theirs.close()
    return _Share(keys, process, ours, time.monotonic())


def _receive(share: _Share) -> object:
    try:
        message = share.pipe.recv()
    except EOFError:
        return _DEAD
    return _NOTHING if isinstance(message, (int, str)) else message


def _lost(share: _Share, hangs: bool, configuration: Configuration) -> Result:
    """The program that a process was at when it ended: the first that it has not done."""
    share.process.kill()
    share.process.join()
    key = share.keys.pop(0)
    what = "hangs" if hangs else f"crashed with exit code {share.process.exitcode}"
    failure = Failure("crash", f"the process that ran {key} {what}")
    return Result(key, findings=[Finding(key, configuration, failure)])
