"""Messages of tools are reported whatever their encoding, and compiled tools are cached by source and flags."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.device import DeviceError
from tinyml.runtime.devices.toolchain import call_tool, compiled_tool, execute, run_command
from tinyml.targets.registry import HOST, chip_of


def test_messages_that_are_no_utf8_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    compiler = tmp_path / "gcc"
    compiler.write_bytes(b"#!/bin/sh\nprintf 'm\\374ller.c:1: error: \\377\\376 no\\nmore' >&2; exit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(InputError, match=r"^gcc failed: m\ufffdller\.c:1: error: \ufffd\ufffd no$"):
        call_tool(chip_of(HOST), "gcc", ["-c", "x.c"])


def test_what_does_not_end_is_stopped():
    with pytest.raises(InputError, match=r"^sleep did not end in 0\.05 seconds$"):
        run_command("/bin/sleep", ["600"], seconds=0.05)
    with pytest.raises(DeviceError, match=r"^tour on QEMU did not end in 0\.05 seconds$"):
        execute(["/bin/sleep", "600"], b"", "tour on QEMU", seconds=0.05)


def test_a_tool_that_is_compiled_with_other_flags_is_another_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (source := tmp_path / "answer.c").write_text("int main(void) { return ANSWER; }\n")
    tools = [compiled_tool(source, f"-DANSWER={answer}") for answer in (3, 4)]
    assert [subprocess.run([tool], check=False).returncode for tool in tools] == [3, 4]
    assert compiled_tool(source, "-DANSWER=3") == tools[0]
