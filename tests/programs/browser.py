"""Headless Chromium, which opens pages as a person's browser would."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium")

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: .ci/toolchains installs it")


def opened(page: Path, profile: Path) -> tuple[str, str]:
    """The document after its scripts ran, and what the browser logged: errors of the console, requests that it refused.

    profile: an empty folder for the browser's own files.
    """
    assert CHROMIUM is not None
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    command += [f"--user-data-dir={profile}", "--enable-logging=stderr", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return done.stdout, "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)
