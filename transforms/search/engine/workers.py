"""The processes that work on a search: this process, copies of it, or processes that joblib starts, locally or on a
cluster.

The work is any function from a problem and tasks to results. Results are in the order of the tasks.
"""

from __future__ import annotations

import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from tinyml.dialects.errors import InputError, unknown
from tinyml.dialects.package_metadata import install_command
from tinyml.dialects.plugins import attributed
from tinyml.runtime.evaluator.threads import one_thread

if TYPE_CHECKING:
    from concurrent.futures import Future


T = TypeVar("T")
R = TypeVar("R")
P = TypeVar("P")
Work: TypeAlias = "Callable[[P, Sequence[T]], list[R]]"
"""A function from tasks to their results, which any process can run."""

BACKENDS = ("local", "dask", "ray")
"""The places of evaluation: processes on this computer, a Dask cluster, a Ray cluster."""

START_DELAY = 2.0
"""The processor time in s before this process starts others.

Small searches end sooner, and copies of this process then share its earlier results.
"""

SHARES = 3
"""The number of portions per worker of a cluster, so that all finish at nearly the same time."""

SHARES_HERE = 16
"""The number of portions per process on this computer, where sending a portion is cheap."""

QUEUED_PORTIONS = 2
"""The number of portions queued at a copy of this process, so that the next one is ready when one is done."""


class Workers:
    """The processes that work on a search. This object is a context manager, which ends the processes that it started.

    On Linux, local processes are copies of this process, which also works. On other systems, and on a cluster, joblib
    starts them.

    Inside the context, the numeric libraries of each process use one thread. Arrays are too small for several threads,
    and sums of reals have the same last bits in every process.

    jobs: the number of processes, by default the number of processors.
    backend: one of `BACKENDS`: `local` for processes on this computer, or the kind of cluster.
    cluster: the address of a Dask or Ray cluster; by default one is started on this computer.

    Raises `InputError` for less than one job, for an unknown backend, for a backend that is not installed, and for the
    address of a cluster with the backend `local`. `run` raises it for a cluster that cannot be used, and if a process
    ended without a result.
    """

    def __init__(self, jobs: int | None = None, backend: str = "local", cluster: str | None = None):
        if backend not in BACKENDS:
            raise unknown("backend", backend, BACKENDS)
        if jobs is not None and jobs < 1:
            raise InputError(f"jobs must be positive, got {jobs}")
        if cluster is not None and backend == "local":
            raise InputError("a cluster needs the backend dask or ray")
        self.jobs = jobs
        self.backend = backend
        self.cluster = cluster
        self.alone = 0.0
        self._copies: _Copies | None = None
        self._parallel: Any = None
        self._client: Any = None
        self._limit: Any = None

    @property
    def size(self) -> int:
        return self.jobs or import_module("joblib").cpu_count()

    @property
    def _works_alone(self) -> bool:
        """Whether no other processes have been started yet, so that this process does all work.

        False for a running cluster, because the cluster needs no start and a wrong address must be reported.
        """
        started = self._copies is not None or self._parallel is not None
        return self.cluster is None and (self.size == 1 or (not started and self.alone < START_DELAY))

    def run(self, problem: P, tasks: Sequence[T], work: Work[P, T, R]) -> Iterator[tuple[T, R]]:
        """Yield each task with its result, in the order of the tasks.

        work: computes the results of tasks of a problem.
        """
        waiting = list(tasks)
        while waiting and self._works_alone:
            start = time.process_time()
            task = waiting.pop(0)
            [result] = work(problem, [task])
            self.alone += time.process_time() - start
            yield task, result
        if waiting:
            copies = self.backend == "local" and sys.platform == "linux"
            size = max(-(-len(waiting) // ((SHARES_HERE if copies else SHARES) * self.size)), 1)
            portions = [waiting[i : i + size] for i in range(0, len(waiting), size)]
            results = self._copied(problem).run(portions, work) if copies else self._sent(problem, portions, work)
            for portion, found in zip(portions, results, strict=True):
                yield from zip(portion, found, strict=True)

    def _copied(self, problem: object) -> _Copies:
        """The copies of this process that work on a problem. Copies that work on an earlier problem are ended first."""
        if self._copies is not None and self._copies.problem is not problem:
            self._end_copies()
        if self._copies is None:
            self._copies = _Copies(problem, self.size - 1)
        return self._copies

    def _end_copies(self) -> None:
        if self._copies is not None:
            self._copies.end()
            self._copies = None

    def _sent(self, problem: P, portions: Sequence[Sequence[T]], work: Work[P, T, R]) -> Iterator[list[R]]:
        delayed = import_module("joblib").delayed(_by_one_thread)
        return self._started()(delayed(work, problem, portion) for portion in portions)

    def _started(self) -> Any:
        if self._parallel is None:
            try:
                self._connect()
                backend, jobs = ("loky", self.size) if self.backend == "local" else (self.backend, self.jobs or -1)
                joblib: Any = import_module("joblib")
                with joblib.parallel_config(backend=backend, n_jobs=jobs):
                    self._parallel = joblib.Parallel().__enter__()
            except ImportError as error:
                raise InputError(
                    f"the backend '{self.backend}' is not installed: {install_command('cluster')}"
                ) from error
            except (OSError, RuntimeError, ValueError) as error:
                if self.cluster is None:
                    raise
                reason = " ".join(str(error).split())
                raise InputError(f"cannot work on the cluster '{self.cluster}': {reason}") from error
        return self._parallel

    def _connect(self) -> None:
        if self.backend == "dask":
            client = import_module("distributed").Client
            self._client = client(n_workers=self.jobs) if self.cluster is None else client(self.cluster)
        if self.backend == "ray":
            ray: Any = import_module("ray")
            ray.init(num_cpus=self.jobs) if self.cluster is None else ray.init(address=self.cluster)
            import_module("ray.util.joblib").register_ray()

    def __enter__(self) -> Workers:
        self._limit = one_thread()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._end_copies()
        if self._parallel is not None:
            self._parallel.__exit__(None, None, None)
            if self.backend == "local":
                import_module("joblib.externals.loky").get_reusable_executor().shutdown(wait=True, kill_workers=True)
            if self.backend == "ray":
                import_module("ray").shutdown()
            self._parallel = None
        if self._client is not None:
            self._client.shutdown() if self.cluster is None else self._client.close()
            self._client = None
        self._limit.restore_original_limits()


class _Copies:
    """Copies of this process that share the work on one problem with it. They are created when the first portion of
    tasks is sent to them.
    """

    def __init__(self, problem: object, count: int):
        # Imported here because most searches need no further process.
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        self.problem = problem
        self._count = count
        self._executor = ProcessPoolExecutor(count, get_context("fork"), _begin, (problem,))

    def run(self, portions: Sequence[Sequence[T]], work: Work[Any, T, R]) -> Iterator[list[R]]:
        """Yield the results of portions, in order. Copies begin with the first portions, and this process
        begins with the last portion.

        Raises `InputError` if a copy ended without a result.
        """
        from concurrent.futures.process import BrokenProcessPool

        sent: list[Future[list[R]]] = []
        own: list[list[R]] = []
        try:
            with warnings.catch_warnings():
                # Forking with threads is safe here: those of the numeric libraries are idle, and support forks.
                warnings.simplefilter("ignore", DeprecationWarning)
                while waiting := len(portions) - len(sent) - len(own):
                    # Portions that this process may take back are not sent: a pool whose process ends would wait for
                    # them.
                    if waiting > 1 and sum(not future.done() for future in sent) < QUEUED_PORTIONS * self._count:
                        sent.append(self._executor.submit(_by_copy, work, portions[len(sent)]))
                    else:
                        own.append(work(self.problem, portions[-1 - len(own)]))
            yield from (future.result() for future in sent)
        except BrokenProcessPool as error:
            raise InputError(
                "a process that evaluates candidates ended, perhaps for lack of memory; one needs the least (jobs=1)"
            ) from error
        yield from reversed(own)

    def end(self) -> None:
        self._executor.shutdown(cancel_futures=True)


_problem: Any = None


def _begin(problem: object) -> None:
    """Prepare a copy for its work. The copy ignores interrupts, because the original process handles them and ends
    the copies.
    """
    global _problem
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _problem = problem


def _by_copy(work: Work[Any, T, R], tasks: Sequence[T]) -> list[R]:
    with attributed():
        return work(_problem, tasks)


def _by_one_thread(work: Work[P, T, R], problem: P, tasks: Sequence[T]) -> list[R]:
    # An exit would end the worker, and a traceback stays in it.
    with one_thread(), attributed():
        return work(problem, tasks)
