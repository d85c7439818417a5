"""Completion of command lines by bash, and the printed scripts for fish and zsh."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tinyml.tools.main import COMMANDS, main

SHOWN = """
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_tinyml_complete
printf '%s\\n' "${COMPREPLY[@]}"
"""


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_commands_options_and_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "words").write_text(script("bash", capsys))

    def completed(*words: str) -> list[str]:
        command = ["bash", "-c", SHOWN, "bash", str(tmp_path / "words"), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.stderr == ""
        return done.stdout.split()

    assert completed("tinyml", "") == [*COMMANDS.names(), "--help", "--version"]
    assert completed("tinyml", "comp") == ["compile", "compare", "completion"]
    assert completed("tinyml", "compile", "--targ") == ["--target"]
    assert completed("tinyml", "compile", "--target", "un") == ["uno"]
    assert {"auto", "posit", "zeroskew"} <= {*completed("tinyml", "compile", "m.sd", "--format", "")}
    assert "--force" in completed("tinyml", "compile", "m.sd", "--zip", "--fo")
    # Files, which bash completes by itself.
    assert completed("tinyml", "compile", "m.sd", "--val", "") == completed("tinyml", "compile", "") == []
    assert completed("tinyml", "completion", "--max-e") == ["--max-elements"]
    assert completed("/usr/bin/tinyml-opt", "--pass-pi") == ["--pass-pipeline"]
    assert "lower-arith-to-c" in completed("tinyml-opt", "m.mlir", "-p", "lower-a")


def test_every_command_and_its_options_are_in_every_script(capsys: pytest.CaptureFixture[str]):
    scripts = {shell: script(shell, capsys) for shell in ("bash", "zsh", "fish")}
    for name in COMMANDS.names():
        assert f"'tinyml {name}')" in scripts["bash"]
        assert f"__fish_seen_subcommand_from {name}'" in scripts["fish"]
    assert "complete -c tinyml -n '__fish_seen_subcommand_from compile' -s o -r" in scripts["fish"]
    # The functions are bash's, which zsh takes.
    assert scripts["zsh"].endswith(scripts["bash"].partition("\n")[2])
    assert "bashcompinit" in scripts["zsh"]


def test_an_unknown_shell_is_refused(capsys: pytest.CaptureFixture[str]):
    assert main(["completion", "ksh"]) == 1
    assert "unknown value 'ksh'" in capsys.readouterr().err
