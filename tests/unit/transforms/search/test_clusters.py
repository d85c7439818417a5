"""Evaluation of candidates on clusters: the outcomes equal those on this computer, and a cluster that does not exist
causes an error of one line.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from joblib.parallel import ThreadingBackend
from programs.searches import evaluation_of, problem_of, uniform

from tinyml.dialects.errors import InputError
from tinyml.transforms.formats.evaluation.candidates import EvaluationTask, SearchProblem
from tinyml.transforms.search.engine import workers as workers_module
from tinyml.transforms.search.engine.workers import Workers

DASK = """
import pickle, sys
from contextlib import ExitStack
from distributed import LocalCluster
from tinyml.transforms.search import search_pareto
from tinyml.transforms.search.engine import workers as workers_module
from tinyml.transforms.search.engine.evaluation import outcomes_of
from tinyml.transforms.search.engine.workers import Workers
from pathlib import Path
if __name__ == "__main__":
    workers_module.START_DELAY = 0.0
    problem, tasks = pickle.loads(Path(sys.argv[1]).read_bytes())
    with ExitStack() as stack:
        cluster = LocalCluster(1, threads_per_worker=1, processes=False, protocol="tcp://", dashboard_address=None)
        started = stack.enter_context(Workers(2, "dask", stack.enter_context(cluster).scheduler_address))
        outcomes = [outcome for _, outcome in started.run(problem, tasks, outcomes_of)]
    Path(sys.argv[1]).write_bytes(pickle.dumps(outcomes))
"""


@pytest.mark.long
def test_a_dask_cluster_gives_the_same(tmp_path: Path):
    pytest.importorskip("distributed")
    with evaluation_of("protonn") as evaluation:
        tasks = [EvaluationTask(formats, "disagreement", 100.0) for formats in uniform(evaluation, 8, 4, 16, 6)]
        expected = evaluation.outcomes([task.formats for task in tasks])
    (tmp_path / "problem").write_bytes(pickle.dumps((problem_of("protonn"), tasks)))
    (tmp_path / "run.py").write_text(DASK)
    command = [sys.executable, str(tmp_path / "run.py"), str(tmp_path / "problem")]
    subprocess.run(command, check=True, cwd=tmp_path, capture_output=True, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert pickle.loads((tmp_path / "problem").read_bytes()) == expected


NO_DASK = """
import dask, sys
from tinyml.dialects.errors import InputError
from tinyml.transforms.search.engine.workers import Workers
dask.config.set({"distributed.comm.timeouts.connect": "100ms"})
try:
    with Workers(2, "dask", sys.argv[1]) as started:
        list(started.run(None, [1], None))
except InputError as error:
    print(error)
"""


@pytest.mark.long
@pytest.mark.parametrize("address", ["nonsense", "tcp://127.0.0.1:1"])
def test_no_dask_cluster(address: str):
    """A Dask cluster that does not exist is reported in one line. The test runs in a separate process, since the
    remains of a client without a cluster may affect the next client.
    """
    pytest.importorskip("distributed")
    command = [sys.executable, "-c", NO_DASK, address]
    [line] = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert line.startswith(f"cannot work on the cluster '{address}': ")


class RayModule(ModuleType):
    """A substitute for Ray with the functions that `Workers` calls and with Ray's rules for `init`."""

    def __init__(self) -> None:
        super().__init__("ray")
        self.begun: list[dict[str, Any]] = []

    def init(self, **options: Any) -> None:
        if all(options.get(one) is not None for one in ("address", "num_cpus")):
            raise ValueError("When connecting to an existing cluster, num_cpus and num_gpus must not be provided.")
        if options.get("address") == "nowhere":
            raise ConnectionError("Could not find\nany running Ray instance.")
        self.begun.append(options)

    def register_ray(self) -> None:
        import_module("joblib").register_parallel_backend("ray", ThreadingBackend)

    def shutdown(self) -> None:
        self.begun.append({})


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> RayModule:
    ray = RayModule()
    for name in ("ray", "ray.util", "ray.util.joblib"):
        monkeypatch.setitem(sys.modules, name, ray)
    monkeypatch.setattr(workers_module, "START_DELAY", 0.0)
    return ray


def negatives(problem: SearchProblem, tasks: Sequence[int]) -> list[int]:
    return [-task for task in tasks]


@pytest.mark.parametrize(("cluster", "options"), [("head:6379", {"address": "head:6379"}), (None, {"num_cpus": 2})])
def test_a_ray_cluster(cluster: str | None, options: dict[str, Any], ray: RayModule):
    problem: Any = None
    with Workers(2, "ray", cluster) as started:
        assert list(started.run(problem, range(5), negatives)) == [(task, -task) for task in range(5)]
    assert ray.begun == [options, {}]


def test_no_ray_cluster(ray: RayModule):
    problem: Any = None
    with (
        pytest.raises(InputError, match="'nowhere': Could not find any running Ray instance"),
        Workers(1, "ray", "nowhere") as started,
    ):
        list(started.run(problem, [1], negatives))
