"""A page as loaded by headless Chromium: its document, its errors, and its network requests."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: .ci/toolchains installs it")

OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--enable-logging=stderr",
    "--virtual-time-budget=5000",
    "--dump-dom",
)

UNASKED = (None, "not an origin")
"""Initiators of requests that are Chromium's own, not those of a page."""


@dataclass(frozen=True)
class Visit:
    """The effects of opening a page in a browser.

    document: the HTML after its scripts have run.
    errors: the error lines of the console.
    requests: the addresses that the page requested.
    """

    document: str
    errors: Sequence[str]
    requests: Sequence[str]


def visit(address: str, folder: Path) -> Visit:
    """Load an address and return the visit. `folder` stores the browser's profile and network log."""
    assert CHROMIUM is not None
    log = folder / "network.json"
    options = [*OPTIONS, f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}"]
    done = subprocess.run([CHROMIUM, *options, address], capture_output=True, text=True, check=True, timeout=60)
    errors = re.findall(r'CONSOLE(?::\d+)?\] (".*)', done.stderr)
    return Visit(done.stdout, errors, _requests(log.read_text(encoding="utf-8")))


def _requests(log: str) -> list[str]:
    """The addresses of the requests in a network log. If the log is truncated, all complete lines are used."""
    try:
        events = json.loads(log)["events"]
    except json.JSONDecodeError:
        events = json.loads(log[: log.rindex("},")] + "}]}")["events"]
    found = [event.get("params", {}) for event in events]
    return sorted({params["url"] for params in found if "url" in params and params.get("initiator") not in UNASKED})
