"""Errors of plug-ins, memory and disk, and signals: each ends a tool with one line."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from programs.paths import ROOT
from programs.spread import spread
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination

from tinyml.tools.cli.guard import MAX_DIGITS
from tinyml.tools.driver.output_folder import read_report
from tinyml.tools.main import main as tinyml
from tinyml.tools.tinyml_opt import main as tinyml_opt

TOUR = ROOT / "docs/tour"
COMPILE = ["compile", str(TOUR / "tour.sd"), "--val", str(TOUR / "val.npz"), "--target", "host", "--width", "16", "-o"]


def opt(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert tinyml_opt([str(TOUR / "tour.sd"), *arguments]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-p", f"profile{{data=x width={'4' * 4400}}}"], "a number of 4400 digits, expected at most 300"),
        (["-p", f"pack-scratch{{limit={'4' * MAX_DIGITS}}}"], "option limit: integers go up to 9223372036854775807"),
        (["-t", f"c{{target={'4' * 4400}}}"], "a number of 4400 digits, expected at most 300"),
        (["-p", 'reals-to-c{data=x packed="a b"}'], "cannot read the data"),
        (["-p", "mlir-opt[nothing]"], "pass 'mlir-opt': plug-in 'xdsl' of package 'xdsl' (xdsl.universe): "),
        (["-t", "llvm"], "plug-in 'xdsl' of package 'xdsl' (xdsl.universe): "),
    ],
)
def test_options_end_in_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]):
    assert said in opt(capsys, *arguments)


@pytest.mark.parametrize(
    ("error", "said"),
    [(MemoryError(), "there is not enough memory"), (RecursionError(), "the input is nested too deeply")],
)
def test_limits_of_python_end_in_one_line(
    error: Exception, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr(CommonSubexpressionElimination, "apply", broken)
    assert f"tour.sd: pass 'cse': {said}\n" in opt(capsys, "-p", "cse")


def test_debug_shows_the_traceback(capsys: pytest.CaptureFixture[str]):
    assert tinyml_opt([str(TOUR / "nothing.sd"), "--debug"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("Traceback")
    assert "cannot read the program: No such file or directory" in error.splitlines()[-1]


def test_the_limit_on_elements_is_an_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert tinyml([*COMPILE, str(tmp_path / "out"), "--max-elements", "7"]) == 1
    assert "a tensor of shape (2, 4) is too large: more than 7 elements" in capsys.readouterr().err


PLUGIN = """
from dataclasses import dataclass
from xdsl.passes import ModulePass
from xdsl.universe import Universe

@dataclass(frozen=True)
class BreakPass(ModulePass):
    name = "break"

    def apply(self, ctx, op):
        {}["missing"]

UNIVERSE = Universe(all_passes={"break": lambda: BreakPass})
"""
NAMED = "plug-in 'broken' of package 'broken-package' (xdsl.universe): "


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PLUGIN, ["error: tour.sd: pass 'break': " + NAMED + "KeyError: 'missing'"]),
        (
            "import nothing_of_this_name",
            [
                "warning: left out: " + NAMED + "ModuleNotFoundError: No module named 'nothing_of_this_name'",
                "error: unknown pass 'break'",
            ],
        ),
    ],
)
def test_a_plug_in_is_named(tmp_path: Path, text: str, said: list[str]):
    """The error or the warning names the plug-in that caused it. The tool runs in a separate process, in which the
    plug-in is found as if it were installed.
    """
    (tmp_path / "broken.py").write_text(text)
    folder = tmp_path / "broken-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-package\nVersion: 1\n")
    (folder / "entry_points.txt").write_text("[xdsl.universe]\nbroken = broken:UNIVERSE\n")
    command = [sys.executable, "-m", "tinyml.tools.tinyml_opt", "tour.sd", "-p", "break"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=TOUR, check=False)
    assert (done.returncode, done.stderr.splitlines()) == (1, said)


LIMITED = """
import resource, signal, sys
from tinyml.tools.main import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("command", "blamed"),
    [(COMPILE, "tour.c: File too large"), (["new", "format", "mine"], "mine.mlir: File too large")],
)
def test_a_full_disk_blames_the_output_and_leaves_nothing(tmp_path: Path, command: list[str], blamed: str):
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *command, str(tmp_path / "out")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert blamed in done.stderr.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


STOPPED = """
import os, sys, signal, tempfile, time
from tinyml.tools.driver import stages

def stop(*_):
    tempfile.TemporaryDirectory(prefix="tinyml-")
    print(os.listdir(sys.argv[-1]), flush=True)
    os.kill(os.getpid(), int(sys.argv[1]))
    time.sleep(10)  # Another thread may get the signal: this one is interrupted a moment later.

stages.compile_stages = stop
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # Under nohup it is ignored.
from tinyml.tools.main import main
sys.exit(main(sys.argv[2:-1]))
"""


@pytest.mark.long
@pytest.mark.parametrize("number", spread([signal.SIGTERM, signal.SIGHUP, signal.SIGINT], 2))
def test_a_signal_leaves_nothing(tmp_path: Path, number: signal.Signals):
    command = [sys.executable, "-c", STOPPED, str(int(number)), *COMPILE, str(tmp_path / "out"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (128 + number, "error: interrupted")
    assert ".out.tinyml-" in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
@pytest.mark.parametrize("closed", spread(["2>&-", "<&- >&- 2>&-"], 1))
def test_closed_streams_do_no_harm(tmp_path: Path, closed: str):
    """Output to a closed stream is discarded and not written to any file. Errors are never written to standard
    output.
    """
    command = shlex.join([sys.executable, "-m", "tinyml.tools.main", *COMPILE, str(tmp_path / "out")])
    done = subprocess.run(f"{command} {closed}", shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert read_report(tmp_path / "out")["name"] == "tour"
    assert (done.stderr if "2>" in closed else done.stdout) == ""
    bad = f"{command.replace('tour.sd', 'none.sd')} {closed}"
    assert subprocess.run(bad, shell=True, capture_output=True, check=False).stdout == b""


def test_an_interrupt_during_the_imports_is_one_line():
    code = "import sys, os, signal\n" + (
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'xdsl.passes':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from tinyml.tools.tinyml_opt import main\n"
        "sys.exit(main(['--help']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "error: interrupted\n")


HALF_IMPORTED = """
import os, signal
class Field:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGTERM)
class Owner:
    field = Field()
whole = True
"""


def test_an_interrupt_waits_until_an_import_is_done(tmp_path: Path):
    """A signal during an import ends the tool only after the import, with the usual message. Python would otherwise
    raise a `RuntimeError`.
    """
    (tmp_path / "half.py").write_text(HALF_IMPORTED)
    code = (
        "import sys, time\n"
        "from tinyml.tools.cli.guard import Blame, guarded\n"
        "def run():\n"
        "    import half\n"
        "    assert half.whole\n"
        "    time.sleep(60)\n"
        "sys.exit(guarded(run, Blame()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stderr) == (143, "error: interrupted\n")
