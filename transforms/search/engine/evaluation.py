"""The evaluation of candidates: each outcome is computed once, by any number of workers, and kept in a journal.

A candidate's outcome depends only on the candidate and the problem. Any number of workers therefore gives the same
results, and an interrupted search finds earlier outcomes in its journal. Workers are this process, copies
of it, or processes that joblib starts, here or on a cluster. A journal is a file with one outcome per line, as JSON.
"""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from importlib import import_module
from math import isnan
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, TypeAlias, TypeVar

from tinyml.dialects.context import context
from tinyml.dialects.distribution import install_command
from tinyml.dialects.errors import InputError, unknown
from tinyml.dialects.formats.number_format import NumberFormat, number_format
from tinyml.dialects.guarded_parser import GuardedParser
from tinyml.dialects.plugins import attributed
from tinyml.runtime.readers.protected_files import check_output, release_input
from tinyml.runtime.readers.regular_files import open_regular
from tinyml.transforms.formats.evaluation.candidates import (
    EvaluationTask,
    Formats,
    SearchProblem,
    evaluator_of,
    outcomes_of,
)
from tinyml.transforms.formats.evaluation.reference import CandidateOutcome, Metric

if TYPE_CHECKING:
    from concurrent.futures import Future


@dataclass(frozen=True)
class Status:
    """The progress of a search.

    phase: its name, empty at the end. candidates: the total number evaluated. best: the least loss of a candidate that
    was evaluated on all samples. done, of: the progress of the candidates that are being evaluated together.
    """

    phase: str
    candidates: int
    best: float
    done: int
    of: int


STATUS_LISTENER: ContextVar[Callable[[Status], None] | None] = ContextVar("STATUS_LISTENER", default=None)
"""A function that receives the progress of searches in this context."""


class Evaluation:
    """The evaluation of one problem's candidates; a context manager, which closes the journal.

    metric: one of the `METRICS`, by which candidates are compared. known: all outcomes so far. Raises `InputError` for
    an unknown metric, and for a journal of another problem.
    """

    def __init__(
        self, problem: SearchProblem, metric: str, workers: Workers, journal: str | None = None, resume: bool = False
    ):
        self.problem = problem
        self.evaluator = evaluator_of(problem)
        self.metric: Metric = self.evaluator.reference.check(metric)
        self.workers = workers
        self.journal = Journal(journal, problem.digest, resume)
        self.known = self.journal.known
        self.evaluated = 0
        self.best = float("inf")
        self.phase = ""

    @property
    def metric_of_programs(self) -> Metric:
        """The metric by which Shiftry's algorithm 14 accepts programs and MinUn's 4 and 7.7.2 compare widths.

        It is accuracy if there are labels or targets and the search does not ask for errors.
        """
        reference = self.evaluator.reference
        known = reference.labels is not None or reference.targets is not None
        return "accuracy" if known and self.metric == "disagreement" else self.metric

    def __enter__(self) -> Evaluation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.end()
        self.journal.close()

    def begin(self, phase: str) -> None:
        """Begin a phase of the given name."""
        self.phase = phase
        self._tell(0, 0)

    def end(self) -> None:
        """End the last phase, and reset the count of candidates."""
        if self.phase:
            self.begin("")
        self.evaluated = 0

    def loss(self, outcome: CandidateOutcome, metric: Metric | None = None) -> float:
        """The loss of an outcome (`Reference.loss`), by the search's metric unless another one is given."""
        return self.evaluator.reference.loss(outcome, metric or self.metric)

    def outcomes(
        self,
        candidates: Sequence[Formats],
        at_most: float | Sequence[float] = float("inf"),
        metric: Metric | None = None,
    ) -> list[CandidateOutcome]:
        """One outcome for each candidate; a candidate that loses more than `at_most` may have been abandoned early."""
        metric = metric or self.metric
        limits = [at_most] * len(candidates) if isinstance(at_most, float | int) else at_most
        waiting: dict[Formats, EvaluationTask] = {}
        for formats, limit in zip(candidates, limits, strict=True):
            if not self._settled(formats, metric, limit):
                before = waiting.get(formats)
                waiting[formats] = EvaluationTask(formats, metric, max(limit, before.at_most) if before else limit)
        self._tell(0, len(waiting))
        for done, (task, outcome) in enumerate(self.workers.run(self.problem, list(waiting.values()), outcomes_of), 1):
            self.known[task.formats] = outcome
            self.journal.write(task.formats, outcome)
            self.evaluated += 1
            if outcome.seen == self.evaluator.reference.samples:
                self.best = min(self.best, self.loss(outcome))
            self._tell(done, len(waiting))
        return [self.known[formats] if formats in self.known else CandidateOutcome() for formats in candidates]

    def losses(self, candidates: Sequence[Formats], at_most: float | Sequence[float] = float("inf")) -> list[float]:
        """The losses of candidates (`outcomes`); a lower bound for each that was abandoned."""
        return [self.loss(outcome) for outcome in self.outcomes(candidates, at_most)]

    def _settled(self, formats: Formats, metric: Metric, at_most: float) -> bool:
        """True if a candidate is known to lose more than `at_most`, or known on all samples."""
        outcome = self.known.get(formats, CandidateOutcome())
        whole = outcome.seen == self.evaluator.reference.samples
        return whole or self.loss(outcome, metric) > at_most

    def _tell(self, done: int, of: int) -> None:
        if (listener := STATUS_LISTENER.get()) is not None:
            listener(Status(self.phase, self.evaluated, self.best, done, of))


T = TypeVar("T")
R = TypeVar("R")
P = TypeVar("P")
Work: TypeAlias = "Callable[[P, Sequence[T]], list[R]]"
"""A function from tasks to their results, which any process can run."""

BACKENDS = ("local", "dask", "ray")
"""Where candidates are evaluated: processes on this computer, a Dask cluster, a Ray cluster."""

PATIENCE = 2.0
"""Seconds of processor time before this process starts others: small searches end sooner, and copies of this process
then know what it has computed so far.
"""

SHARES = 3
"""The number of portions per worker of a cluster, so that all finish at nearly the same time."""

SHARES_HERE = 16
"""The same on this computer, where a portion costs little to send."""

AHEAD = 2
"""The portions that a copy of this process has at a time, the next one ready when one is done."""


class Workers:
    """The processes that work on a search; a context manager, which ends those that it started.

    On Linux, those on this computer are copies of this process, which works beside them. Elsewhere, and on a cluster,
    joblib starts them.

    Inside the context, the numeric libraries of each process have one thread: arrays here are too small for several,
    and sums of reals have the same last bits in every process.

    jobs: the number of processes, by default that of processors. cluster: the address of a Dask or Ray cluster; by
    default one is started here. Raises `InputError` for an unknown backend or one that is not installed; `run` raises
    it for a cluster that cannot be used, and if a process ended without a result.
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
        """The number of candidates that are evaluated at once; an estimate if a cluster decides."""
        return self.jobs or import_module("joblib").cpu_count()

    @property
    def _works_alone(self) -> bool:
        """True if this process still works alone; never with a running cluster, which needs no start and whose address
        may be wrong.
        """
        started = self._copies is not None or self._parallel is not None
        return self.cluster is None and (self.size == 1 or (not started and self.alone < PATIENCE))

    def run(self, problem: P, tasks: Sequence[T], work: Work[P, T, R]) -> Iterator[tuple[T, R]]:
        """Yield tasks with their results, in order."""
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
        """Copies of this process for a problem; those for an earlier one end."""
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
        """The results of portions that processes started by joblib compute."""
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
    """Copies of this process, made when the first portion waits, which share its work on one problem."""

    def __init__(self, problem: object, count: int):
        # Imported here because most commands only list searches.
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        self.problem = problem
        self._count = count
        self._executor = ProcessPoolExecutor(count, get_context("fork"), _begin, (problem,))

    def run(self, portions: Sequence[Sequence[T]], work: Work[Any, T, R]) -> Iterator[list[R]]:
        """Yield the results of portions, in order; copies begin with the first ones, this process with the last.

        Raises `InputError` if a copy ended without a result.
        """
        from concurrent.futures.process import BrokenProcessPool

        sent: list[Future[list[R]]] = []
        own: list[list[R]] = []
        try:
            with warnings.catch_warnings():
                # Of copies of a process with threads: those of the numeric libraries are idle, and expect copies.
                warnings.simplefilter("ignore", DeprecationWarning)
                while waiting := len(portions) - len(sent) - len(own):
                    # Nothing is sent that this process may take back: a pool whose process ends would wait for it.
                    if waiting > 1 and sum(not future.done() for future in sent) < AHEAD * self._count:
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
        """End the copies; what they have begun is dropped."""
        self._executor.shutdown(cancel_futures=True)


_problem: Any = None


def _begin(problem: object) -> None:
    """Begin the work of a copy: the first process alone answers an interrupt, and ends the others."""
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


def one_thread() -> Any:
    """A context in which the numeric libraries use one thread: for small arrays, more wait longer than they compute."""
    global _controller
    if _controller is None:
        _controller = import_module("threadpoolctl").ThreadpoolController()
    return _controller.limit(limits=1)


_controller: Any = None


_HEAD = re.compile(rb'\{"problem": "[0-9a-f]{64}"\}\n')
"""The first line of every journal."""


class Journal:
    """The journal of one search.

    path: None for no journal. digest: of the problem, the journal's first line. known: the outcomes in the file, if the
    search resumes another one. Without `resume` the file is overwritten, and so is one whose first line was left
    unfinished by a killed search. Raises `InputError` for a file that cannot be read or written, a file that is not a
    journal and, with `resume`, if there is no path or the journal is damaged or belongs to another problem.
    """

    def __init__(self, path: str | None, digest: str, resume: bool):
        self.known: dict[Formats, CandidateOutcome] = {}
        self._file: IO[bytes] | None = None
        check_journal(path, resume)
        if path is None:
            return
        try:
            with Path(path).open("a+b") as file:
                self._begin(file, path, _line({"problem": digest}), resume)
            self._file = Path(path).open("ab")  # noqa: SIM115
        except OSError as error:
            raise InputError(f"cannot open the journal: {error.strerror or error}", file=path) from error

    def write(self, formats: Formats, outcome: CandidateOutcome) -> None:
        if self._file is None:
            return
        try:
            self._file.write(_line({"formats": [str(format.type) for format in formats], **asdict(outcome)}))
            self._file.flush()
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"cannot write the journal: {reason}", file=str(self._file.name)) from error

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _begin(self, file: IO[bytes], path: str, head: bytes, resume: bool) -> None:
        """Truncate a file to the lines from which the search continues, and read them."""
        file.seek(0)
        first = file.read(len(head))
        if not _HEAD.fullmatch(first + head[len(first) :]):
            raise InputError("is no journal of a search and is not written over", file=path)
        whole = 0
        if resume and len(first) == len(head):
            if first != head:
                raise InputError("is the journal of another program, data set or scheme", file=path)
            # A line that a killed search left unfinished is overwritten.
            *lines, _ = file.read().split(b"\n")
            self._read(lines, path)
            whole = len(head) + sum(len(line) + 1 for line in lines)
        file.truncate(whole)
        if not whole:
            file.write(head)

    def _read(self, lines: Sequence[bytes], path: str) -> None:
        """Read the known outcomes."""
        types = _Types()
        for number, line in enumerate(lines, start=2):
            try:
                entry = json.loads(line)
                formats = tuple(types[text] for text in entry.pop("formats"))
                self.known[formats] = _outcome(entry)
            # Parsers may raise any exception for lines that no search wrote.
            except Exception as error:
                raise InputError("is no line of a journal of a search", file=path, line=number) from error


def check_journal(path: str | None, resume: bool) -> None:
    """Raise `InputError` for a journal that cannot be written, and without one to resume from."""
    if path is None:
        if resume:
            raise InputError("resume needs a journal to go on from")
        return
    check_output(path)
    if Path(path).is_dir() or not Path(path).absolute().parent.is_dir():
        reason = errno.EISDIR if Path(path).is_dir() else errno.ENOENT
        raise InputError(f"cannot open the journal: {os.strerror(reason)}", file=path)
    if Path(path).exists():
        # Opening a pipe would wait for a reader.
        open_regular(path, "journal").close()
        # Read to go on from, and written: no input that has to stay as it is.
        release_input(Path(path))


def _line(entry: dict[str, Any]) -> bytes:
    return (json.dumps(entry) + "\n").encode()


def _outcome(entry: dict[str, Any]) -> CandidateOutcome:
    """The outcome in an entry; raises `ValueError` for wrong fields or types, NaN, and counts above `seen`."""
    usual = asdict(CandidateOutcome())
    # Journals of classifiers may be older than these fields.
    entry = {"departed": 0.0, "missed": 0.0, **entry}
    if not (
        entry.keys() == usual.keys()
        and isinstance(entry["fault"], str | None)
        and all(type(entry[name]) is type(usual[name]) for name in usual.keys() - {"fault"})
        and not any(isnan(entry[name]) for name in ("error", "margin", "departed", "missed"))
        and all(0 <= entry[name] <= entry["seen"] < sys.maxsize for name in ("differ", "wrong"))
    ):
        raise ValueError("no outcome")
    return CandidateOutcome(**entry)


class _Types(dict[str, NumberFormat]):
    """Formats by their spelling."""

    def __init__(self) -> None:
        self.context = context()

    def __missing__(self, text: str) -> NumberFormat:
        format = number_format(GuardedParser(self.context, text).parse_type())
        if format is None or str(format.type) != text:
            raise ValueError(f"{text} is no number format")
        self[text] = format
        return format
