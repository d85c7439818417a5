"""Print the CPU seconds of `--search pareto` for models, by part of the search (`make search-times`).

The limits are the RAM and the flash of the uniform program of 8 bits on an Uno. Each search is a separate process with
one worker. With `--before`, an earlier version of the product runs the same search immediately before. The output then
also states whether both versions evaluate the same number of candidates and choose the same formats. `--help` lists the
options.
"""

import argparse
import functools
import json
import resource
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from measured.commands import measure, model_path
from tinyml.dialects.options import option, options_of
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.driver.stages import find_model

OWN = """import json, sys; from measured.search_times import timed_search
with open(sys.argv[1], "w") as file: json.dump(timed_search(sys.argv[2:]), file)"""

CHILDREN, REST = "compilers and simulators", "the rest"


@dataclass(frozen=True, kw_only=True)
class SearchTimeSurvey:
    """The command-line options of the measurement."""

    models: str = option("the models, separated by commas", default="protonn-gesturepod,fastgrnn-mnist16")
    folder: str | None = option("a folder of further models", default=None)
    before: str | None = option("a clone of an earlier commit with its environment in .venv", default=None)
    effort: int = option("the approximate number of candidates that are evaluated", default=60)


class Parts:
    """The CPU seconds that this process spends in each part of the search. If one part calls another, the seconds of
    the call count only for the called part.
    """

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._entered = [REST]
        self._since = time.process_time()

    def time(self, owner: Any, name: str, part: str) -> None:
        """Replace a function of a class or module by a function that adds its time to the given part."""
        function: Callable[..., Any] = getattr(owner, name)

        @functools.wraps(function)
        def timed(*arguments: Any, **named: Any) -> Any:
            self.switch()
            self._entered.append(part)
            try:
                return function(*arguments, **named)
            finally:
                self.switch()
                self._entered.pop()

        setattr(owner, name, timed)

    def switch(self) -> None:
        """Add the CPU time since the previous call of this method to the part that is currently running."""
        now = time.process_time()
        self.seconds[self._entered[-1]] += now - self._since
        self._since = now


def timed_search(arguments: list[str]) -> dict[str, float]:
    """The CPU seconds of a command of `tinyml` that searches, by part; raises `RuntimeError` if it fails."""
    from tinyml.tools.main import main as tinyml
    from tinyml.transforms.formats.assignment.format_assignment import FormatAssignment
    from tinyml.transforms.formats.constants.rounded_constants import RoundedConstants
    from tinyml.transforms.formats.evaluation.candidates import CandidateEvaluator, Candidates
    from tinyml.transforms.programs.store import Programs
    from tinyml.transforms.search.engine import search_pass

    parts, before = Parts(), _seconds_of_children()
    parts.time(Programs, "run", "lowering")
    for owner, name in ((Candidates, "in_formats"), (Candidates, "program"), (FormatAssignment, "formats")):
        parts.time(owner, name, "formats")
    parts.time(CandidateEvaluator, "outcome", "evaluation")
    for owner, name in ((RoundedConstants, "raws"), (search_pass, "refine_result")):
        parts.time(owner, name, "constants")
    if tinyml(arguments) != 0:
        raise RuntimeError(f"failed: tinyml {' '.join(arguments)}")
    parts.switch()
    return {**parts.seconds, CHILDREN: _seconds_of_children() - before}


def _seconds_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _seconds(command: list[str]) -> float:
    before = _seconds_of_children()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return _seconds_of_children() - before


def _search(compiled: Path) -> dict[str, Any]:
    return json.loads(Path(compiled, "report.json").read_text())["search"]


def _formats(compiled: Path) -> dict[str, str]:
    return {tensor["name"]: tensor["format"] for tensor in _search(compiled)["tensors"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, options_of(SearchTimeSurvey))
    survey = parsed(parser.parse_args(), SearchTimeSurvey)
    folder = None if survey.folder is None else Path(survey.folder)
    for model in survey.models.split(","):
        program, val, _ = find_model(model_path(model, folder))
        uniform = measure(f"compile {model} --width 8 --target uno", folder)
        limits = ["--ram", str(uniform["ram"]), "--flash", str(uniform["flash"])]
        with TemporaryDirectory() as out:
            search = ["--search", "pareto", "--jobs", "1", "--effort", str(survey.effort), *limits, "-o"]
            command = ["compile", str(program), "--val", str(val), *search]
            found: dict[str, float | bool] = {}
            before, now = Path(out, "before"), Path(out, "now")
            if survey.before is not None:
                product = [f"{survey.before}/.venv/bin/python", "-m", "tinyml.tools.main"]
                found["before"] = _seconds([*product, *command, str(before)])
            found["now"] = _seconds([sys.executable, "-c", OWN, f"{out}/parts.json", *command, str(now)])
            found["candidates"] = _search(now)["candidates"]
            if survey.before is not None:
                found["same candidates"] = _search(before)["candidates"] == found["candidates"]
                found["same formats"] = _formats(before) == _formats(now)
            print(model, json.dumps({**found, **json.loads(Path(out, "parts.json").read_text())}), flush=True)


if __name__ == "__main__":
    main()
