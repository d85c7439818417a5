"""Worker processes that run fuzz cases under limits on time and memory, and that are replaced if they hang or crash."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from random import Random

from fuzz.verdicts import Harm, described

EXPECTED = 0.05
"""Seconds that a case is taken to last until it has ended."""

IDLE = 10
"""The multiple of its time after which a case hangs even if it has hardly used the processor."""

Run = Callable[[int, Random, Path], str]
"""A case: its number, random numbers made from it, and an empty folder give the verdict."""


@dataclass(frozen=True)
class Kind:
    """A kind of random case, and its limits.

    run: runs the case with a number, using a random generator and an empty folder, and returns the verdict.
    seconds: the CPU time after which a case counts as hanging; it does not depend on the load of the machine.
    weight: the time for cases of this kind, relative to the weights of the other kinds.
    memory: the bytes that a case may map in addition to those of its process at the start; None for no limit, which the
        address sanitizer needs.
    """

    name: str
    run: Run
    seconds: float = 10
    weight: int = 1
    memory: int | None = 2 << 30


@dataclass(frozen=True)
class Result:
    """The verdict on a case, its detail if there is one, and its duration in seconds.

    kind, number: the kind of the case, and its number.
    """

    kind: str
    number: int
    verdict: str
    detail: str = ""
    seconds: float = 0.0


def run_case(kind: Kind, number: int) -> Result:
    """Run a case in this process, in a separate temporary folder."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    try:
        return Result(kind.name, number, kind.run(number, Random(f"{kind.name}:{number}"), folder))
    except Harm as harm:
        return Result(kind.name, number, harm.verdict, harm.detail)
    except MemoryError:
        return Result(kind.name, number, "memory", "MemoryError")
    except Exception as error:
        return Result(kind.name, number, "traceback", described(error))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Worker:
    """A process that runs cases one after another."""

    def __init__(self, kinds: dict[str, Kind]):
        self.kinds = kinds
        self.case: tuple[str, int] | None = None
        self.began = 0.0
        self._start()

    def _start(self) -> None:
        forking = get_context("fork")
        self.pipe, theirs = forking.Pipe()
        self.process = forking.Process(target=_serve, args=(theirs, self.kinds), daemon=True)
        self.process.start()
        theirs.close()

    def give(self, kind: str, number: int) -> None:
        """Send a case to the worker, which must not be running another case."""
        self.case = kind, number
        self.began = time.monotonic()
        self.used = self._processor_seconds()
        self.pipe.send(self.case)

    def result(self) -> Result:
        """Return the result that the worker has sent, or a crash if its process has ended."""
        assert self.case is not None
        try:
            result = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            self.process.join()
            result = Result(*self.case, "crash", f"exit code {self.process.exitcode}")
            self._start()
        return self._done(result)

    @property
    def is_late(self) -> bool:
        """Whether the current case has used more CPU time than its kind permits, or has run for more than `IDLE` times
        as long by the clock. False if the worker runs no case.
        """
        if self.case is None:
            return False
        limit, passed = self.kinds[self.case[0]].seconds, time.monotonic() - self.began
        return passed > IDLE * limit or (passed > limit and self._processor_seconds() - self.used > limit)

    def _processor_seconds(self) -> float:
        """The CPU seconds that the process and its child processes have used, including child processes that have
        ended.
        """
        ticks = 0
        # Processes may end between any two steps, also while `glob` would look at them.
        for number in filter(str.isdecimal, os.listdir("/proc")):
            try:
                # The name of the program, in parentheses, may hold spaces.
                fields = Path("/proc", number, "stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(fields[3]) == self.process.pid:
                ticks += sum(map(int, fields[11:15]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def late(self) -> Result:
        """Kill the process because its case hangs, and return the result that states this."""
        assert self.case is not None
        self.stop()
        result = Result(*self.case, "hang", f"no end within {self.kinds[self.case[0]].seconds:g} s")
        self._start()
        return self._done(result)

    def _done(self, result: Result) -> Result:
        self.case = None
        return replace(result, seconds=time.monotonic() - self.began)

    def stop(self) -> None:
        """Kill the process and all processes that it has started."""
        assert self.process.pid is not None
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            # It has not begun a process group yet.
            self.process.kill()
        self.process.join()


def results(
    kinds: dict[str, Kind], first: int, jobs: int, seconds: float, cases: int | None = None
) -> Iterator[Result]:
    """Run cases of all kinds, and yield their results. No case starts after `seconds`.

    first: the number of the first case of each kind.
    jobs: the number of worker processes.
    seconds: the wall-clock time, which is distributed to the kinds by their weights.
    cases: the maximum number of cases of each kind; None without a limit.
    """
    end = time.monotonic() + seconds
    workers = [Worker(kinds) for _ in range(jobs)]
    numbers = dict.fromkeys(kinds, first)
    spent = dict.fromkeys(kinds, 0.0)
    try:
        while True:
            for worker in workers:
                waiting = [name for name in kinds if cases is None or numbers[name] < first + cases]
                if worker.case is None and waiting and time.monotonic() < end:
                    kind = min(waiting, key=lambda name: (spent[name] / kinds[name].weight, numbers[name]))
                    worker.give(kind, numbers[kind])
                    numbers[kind] += 1
                    # Until the result is there, so that another worker takes another kind.
                    spent[kind] += EXPECTED
            busy = {worker.pipe: worker for worker in workers if worker.case is not None}
            if not busy:
                return
            for pipe in wait([*busy], timeout=0.2):
                assert isinstance(pipe, Connection)
                result = busy[pipe].result()
                spent[result.kind] += result.seconds - EXPECTED
                yield result
            for worker in workers:
                if worker.is_late:
                    result = worker.late()
                    spent[result.kind] += result.seconds - EXPECTED
                    yield result
    finally:
        for worker in workers:
            worker.stop()


def _serve(pipe: Connection, kinds: dict[str, Kind]) -> None:
    os.setsid()
    while True:
        kind, number = pipe.recv()
        _limit_memory(kinds[kind].memory)
        pipe.send(run_case(kinds[kind], number))


def _limit_memory(bytes: int | None) -> None:
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limit = resource.RLIM_INFINITY if bytes is None else used + bytes
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
