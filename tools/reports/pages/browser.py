"""Pages shown in the person's browser."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path


def show(page: Path) -> None:
    """Print the path of a page and, if a person sits at the terminal, open it in the browser."""
    print(page)
    if sys.stdout.isatty():
        webbrowser.open(page.resolve().as_uri())
