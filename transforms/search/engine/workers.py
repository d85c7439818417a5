"""Workers for candidates: this process, others on this computer, or a cluster, through joblib."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from tinyml.dialects.distribution import install_command
from tinyml.dialects.errors import InputError, unknown
from tinyml.dialects.plugins import attributed

if TYPE_CHECKING:
    from tinyml.transforms.formats.evaluation.candidates import SearchProblem

T = TypeVar("T")
R = TypeVar("R")
Work: TypeAlias = "Callable[[SearchProblem, Sequence[T]], list[R]]"
"""A function from tasks to their results, which any process can run."""

BACKENDS = ("loky", "dask", "ray")
"""The backends of joblib: processes on this computer, a Dask cluster, a Ray cluster."""

PATIENCE = 2.0
"""Seconds of processor time before this process starts others, which take a second each to start."""

SHARES = 3
"""The number of portions per worker, so that all finish at nearly the same time."""


class Workers:
    """The processes that work on a search; a context manager, which ends those that it started.

    Inside the context, the numeric libraries of each process have one thread: arrays here are too small for several,
    and sums of reals have the same last bits in every process.

    jobs: the number of processes, by default that of processors. cluster: the address of a Dask or Ray cluster; by
    default one is started here. Raises `InputError` for an unknown backend or one that is not installed; `run` raises
    it for a cluster that cannot be used.
    """

    def __init__(self, jobs: int | None = None, backend: str = "loky", cluster: str | None = None):
        if backend not in BACKENDS:
            raise unknown("backend", backend, BACKENDS)
        if jobs is not None and jobs < 1:
            raise InputError(f"jobs must be positive, got {jobs}")
        if cluster is not None and backend == "loky":
            raise InputError("a cluster needs the backend dask or ray")
        self.jobs = jobs
        self.backend = backend
        self.cluster = cluster
        self.alone = 0.0
        self._parallel: Any = None
        self._client: Any = None
        self._limit: Any = None

    @property
    def size(self) -> int:
        """The number of candidates that are evaluated at once; an estimate if a cluster decides."""
        return self.jobs or import_module("joblib").cpu_count()

    @property
    def _works_alone(self) -> bool:
        """True if this process still works alone; never with a running cluster, which needs no start and whose address
        may be wrong.
        """
        return self.cluster is None and (self.jobs == 1 or (self._parallel is None and self.alone < PATIENCE))

    def run(self, problem: SearchProblem, tasks: Sequence[T], work: Work[T, R]) -> Iterator[tuple[T, R]]:
        """Yield tasks with their results, in order."""
        waiting = list(tasks)
        while waiting and self._works_alone:
            start = time.process_time()
            task = waiting.pop(0)
            [result] = work(problem, [task])
            self.alone += time.process_time() - start
            yield task, result
        if waiting:
            parallel = self._started()
            size = max(-(-len(waiting) // (SHARES * self.size)), 1)
            portions = [waiting[i : i + size] for i in range(0, len(waiting), size)]
            delayed = import_module("joblib").delayed(_by_one_thread)
            done = parallel(delayed(work, problem, portion) for portion in portions)
            for portion, results in zip(portions, done, strict=True):
                yield from zip(portion, results, strict=True)

    def _started(self) -> Any:
        if self._parallel is None:
            try:
                self._connect()
                jobs = self.jobs or (self.size if self.backend == "loky" else -1)
                joblib: Any = import_module("joblib")
                with joblib.parallel_config(backend=self.backend, n_jobs=jobs):
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
        """Connect to the cluster, which determines its number of processes, or start one of `jobs` processes."""
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
        if self._parallel is not None:
            self._parallel.__exit__(None, None, None)
            if self.backend == "loky":
                import_module("joblib.externals.loky").get_reusable_executor().shutdown(wait=True, kill_workers=True)
            if self.backend == "ray":
                import_module("ray").shutdown()
            self._parallel = None
        if self._client is not None:
            self._client.shutdown() if self.cluster is None else self._client.close()
            self._client = None
        self._limit.restore_original_limits()


def _by_one_thread(work: Work[T, R], problem: SearchProblem, tasks: Sequence[T]) -> list[R]:
    # An exit would end the worker, and a traceback stays in it.
    with one_thread(), attributed():
        return work(problem, tasks)


def one_thread() -> Any:
    """A context in which the numeric libraries use one thread: for small arrays, more wait longer than they compute."""
    global _controller
    if _controller is None:
        _controller = import_module("threadpoolctl").ThreadpoolController()
    return _controller.limit(limits=1)


_controller: Any = None
