"""`python tests/filecheck/whole_outputs.py FILE...`: rewrite the checks of whole functions from the passes' current
output.

Such checks consist of a `CHECK-LABEL` with the signature and attributes of a function or hardware module, and a
`CHECK-NEXT` for each of its lines, up to the next comment or section. Read the difference before you commit it, since
it shows how your change affects the IR.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

RUN = re.compile(r"// RUN: (.*) \| filecheck %s(?: --check-prefix=(\S+))?$", re.MULTILINE)
SECTION = "\n// -----\n"
KIND = r"(?:func\.func(?: private)?|hw\.module)"
NAME = re.compile(r"%(\d+|[A-Za-z_.$][\w.$-]*_\d+)\b")
"""Values whose names depend on others: numbers, and names with a number against clashes."""


def checked(line: str, seen: set[str]) -> str:
    """The FileCheck pattern that matches a line. Each SSA value becomes a FileCheck variable, which is defined at its
    first use.

    seen: the names of the variables that are already defined; this function adds those of the line.
    """
    pattern, end = "", 0
    for match in NAME.finditer(line):
        name = "v" + re.sub(r"\W", "_", match[1])
        before = _literal(line[end : match.start()])
        if before.endswith("["):
            before = before[:-1] + r"{{\[}}"
        pattern += before + (f"[[{name}]]" if name in seen else f"[[{name}:%.*]]")
        seen.add(name)
        end = match.end()
    return pattern + _literal(line[end:])


def _literal(text: str) -> str:
    return text.replace("[[", r"{{\[\[}}")


def functions(printed: str) -> dict[str, list[str]]:
    """For the name of each printed function or hardware module, its lines from the signature on, without
    indentation.
    """
    found: dict[str, list[str]] = {}
    for match in re.finditer(rf"^( *){KIND} @(\w+).*\{{\n(?:\1 .*\n)*", printed, re.MULTILINE):
        found[match[2]] = [line.strip() for line in match[0].splitlines()]
    return found


def renewed(section: str, prefix: str, printed: str) -> str:
    """A section of a test, after the checks of whole functions have been replaced by checks that match the printed IR.

    prefix: the prefix of the checks, such as `CHECK`.
    """
    bodies = functions(printed)

    def body(match: re.Match[str]) -> str:
        if (lines := bodies.get(match[1])) is None or match[2].count("\n") < 2:
            return match[0]
        if not re.search(r"func\.return|hw\.output", match[2].splitlines()[-1]):
            return match[0]
        seen: set[str] = set()
        label = f"// {prefix}-LABEL: {_literal(lines[0])}\n"
        return label + "".join(f"// {prefix}-NEXT: {checked(line, seen)}\n" for line in lines[1:])

    return re.sub(rf"// {prefix}-LABEL: {KIND} @(\w+)\b.*\n((?:// {prefix}-NEXT: .*(?:\n|$))+)", body, section)


def renew(path: Path) -> None:
    """Rewrite the checks of a file; raises `CalledProcessError` if a command of its RUN lines fails.

    Checks are unchanged if their command needs external files or if they check errors or remarks.
    """
    text = path.read_text()
    for command, prefix in RUN.findall(text):
        command = command.replace("%S", str(path.parent)).replace("%s", str(path))
        words = shlex.split(command)
        if "2>&1" in words or "%t" in command or words[0] != "tinyml-opt" or "tinyml-opt" in words[1:]:
            continue
        command = f"set -o pipefail; {Path(sys.executable).parent}/{command}"
        printed = subprocess.run(["bash", "-c", command], check=True, capture_output=True, text=True).stdout
        sections, outputs = text.split(SECTION), printed.split(SECTION)
        if len(sections) == len(outputs):
            pairs = zip(sections, outputs, strict=True)
            text = SECTION.join(renewed(section, prefix or "CHECK", output) for section, output in pairs)
    path.write_text(text)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        renew(Path(name))
