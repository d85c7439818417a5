"""Check that only docstrings, comments and layout differ between a commit and the working tree.

`python -m layout.same_code COMMIT` prints the Python files whose code differs, including added and removed files, and
exits with 1 if there are any. String statements, such as those that document attributes, count as docstrings.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import TypeGuard


def code_of(text: str) -> str:
    """The syntax tree of a Python file without docstrings or positions, as text; raises `SyntaxError` for a text that
    is not Python.
    """
    return ast.dump(_WithoutDocstrings().visit(ast.parse(text)))


def is_docstring(node: ast.AST) -> TypeGuard[ast.Expr]:
    """Whether a node is a string statement."""
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
        case _:
            return False


class _WithoutDocstrings(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if is_docstring(node) else node


def different_files(root: Path, commit: str) -> list[str]:
    """The paths, relative to `root`, of Python files whose code differs from a commit; exits for an unknown commit."""
    changed = _git(root, "diff", "--name-only", "--no-renames", "-z", commit, "--", "*.py")
    added = _git(root, "ls-files", "--others", "--exclude-standard", "-z", "--", "*.py")
    before = {*_git(root, "ls-tree", "-r", "--name-only", "-z", commit).split("\0")}
    return [
        path
        for path in sorted({*changed.split("\0"), *added.split("\0")} - {""})
        if path not in before
        or not (root / path).is_file()
        or code_of(_git(root, "show", f"{commit}:{path}")) != code_of((root / path).read_text("utf-8"))
    ]


def _git(root: Path, *arguments: str) -> str:
    run = subprocess.run(("git", *arguments), cwd=root, capture_output=True, encoding="utf-8", check=False)
    if run.returncode:
        sys.exit(run.stderr.strip())
    return run.stdout


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m layout.same_code COMMIT")
    top = Path(_git(Path.cwd(), "rev-parse", "--show-toplevel").strip())
    if found := different_files(top, sys.argv[1]):
        sys.exit("\n".join(["the code of these files differs:", *found]))
