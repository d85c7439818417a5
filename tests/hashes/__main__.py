"""`python -m hashes`: compile the programs of `corpus.py` and compare their C with `hashes.json` (`make hashes`).

Programs are compiled with an empty PATH, so that the result does not depend on installed toolchains. For a program
whose C differs, the command prints the first different lines, beside those of the commit that wrote the digests.
`--update` writes the digests again.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
from functools import partial
from itertools import islice
from pathlib import Path

from programs.paths import ROOT, TESTS

from hashes.corpus import Program, programs, programs_of

FILE = TESTS / "hashes/hashes.json"
SHOWN = 12
"""Lines of a difference that are printed."""

Digests = dict[str, dict[str, str]]


def recorded() -> Digests:
    """The stored digests by program and file suffix; empty if there is no file of digests. A program that the compiler
    rejects has the entry `refused`.
    """
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def texts_of(program: Program) -> dict[str, str]:
    """The generated files of a program by suffix, compiled without access to other tools."""
    from tinyml.runtime.evaluator.threads import one_thread

    path = os.environ.get("PATH", "")
    os.environ["PATH"] = ""
    try:
        with tempfile.TemporaryDirectory() as folder, one_thread():
            return program.texts(Path(folder))
    finally:
        os.environ["PATH"] = path


def digests_of(program: Program) -> tuple[str, dict[str, str]]:
    """The name of a program, and the digests of its files by suffix."""
    texts = texts_of(program)
    return program.name, {suffix: _digest(text) if suffix else text for suffix, text in texts.items()}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def differences(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """The first lines of the unified diff of two compilations of a program, for each file that differs.

    before, now: the texts of the files by suffix.
    """
    found: list[str] = []
    for suffix in sorted(before.keys() | now.keys()):
        old, new = (files.get(suffix, "").splitlines() for files in (before, now))
        lines = difflib.unified_diff(old, new, f"before.{suffix}", f"now.{suffix}", n=1, lineterm="")
        found += islice(lines, SHOWN)
    return found


def texts_before(names: list[str], models: Path | None) -> dict[str, dict[str, str]]:
    """The files of each program as compiled by the commit that last changed the digests; empty if that commit is
    unavailable or its compilation fails.

    names: the names of the programs.
    models: the folder with models outside the repository; None without such models.
    """
    git = partial(subprocess.run, cwd=ROOT, capture_output=True, text=True, check=False)
    commit = git(["git", "log", "-1", "--format=%H", "--", str(FILE)]).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        if not commit or git(["git", "worktree", "add", "--detach", str(tree), commit]).returncode != 0:
            return {}
        try:
            command = [sys.executable, "-m", "hashes", "--texts", *names, *(["--from", str(models)] if models else [])]
            # Comes before the installed package: the folder that maps folders to packages for type checkers.
            environment = os.environ | {"PYTHONPATH": str(tree / ".pyright")}
            run = subprocess.run(
                command, cwd=tree / "tests", env=environment, stdout=subprocess.PIPE, text=True, check=False
            )
            return json.loads(run.stdout) if run.returncode == 0 else {}
        finally:
            git(["git", "worktree", "remove", "--force", str(tree)])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m hashes", description=__doc__)
    parser.add_argument("--update", action="store_true", help="write the digests anew")
    parser.add_argument("--from", dest="models", type=Path, metavar="DIR", help="the models of a folder instead")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at once (default all cores)")
    parser.add_argument("--texts", nargs="+", metavar="NAME", help="print the C of these programs as JSON")
    arguments = parser.parse_args()
    models = arguments.models and arguments.models.resolve()
    chosen = programs() if models is None else programs_of(models)
    if arguments.texts:
        print(json.dumps({program.name: texts_of(program) for program in chosen if program.name in arguments.texts}))
        return 0
    known = recorded()
    found: Digests = {}
    with multiprocessing.Pool(arguments.jobs) as pool:
        for number, (name, digests) in enumerate(pool.imap_unordered(digests_of, chosen, chunksize=1), 1):
            found[name] = digests
            if sys.stderr.isatty():
                print(f"\r{number} of {len(chosen)}", end="", file=sys.stderr)
    if arguments.update:
        # Programs of other models keep theirs.
        kept = {name: digests for name, digests in known.items() if models or _is_of_others(name)}
        rows = dict(sorted((kept | found).items()))
        lines = (f"{json.dumps(name)}: {json.dumps(digests)}" for name, digests in rows.items())
        FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        return 0
    changed = [program for program in chosen if known.get(program.name) != found[program.name]]
    print(f"{len(chosen)} programs, {len(changed)} of them differ")
    before = texts_before([program.name for program in changed], models) if changed else {}
    for program in changed:
        print(program.name if program.name in known else f"{program.name} (new)")
        for line in differences(before.get(program.name, {}), texts_of(program)):
            print(f"  {line}")
    return int(bool(changed))


def _is_of_others(name: str) -> bool:
    """Whether the model of a program is missing from the repository."""
    own = {program.name.partition(";")[0] for program in programs()}
    return name.partition(";")[0] not in own


if __name__ == "__main__":
    sys.exit(main())
