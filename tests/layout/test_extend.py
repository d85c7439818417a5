"""`tinyml.extend`, the interface for packages, only re-exports names, and packages import nothing else of tinyml."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from pathlib import Path

import pytest
from core.wheel import out
from programs.extend_names import MODULES, module, names_of, section
from programs.paths import ROOT

from layout.sources import name_of
from layout.test_pages import HISTORY, PAGES
from tinyml.dialects.interface_version import VERSION

PAGE = ROOT / "docs/extending.md"
BEGIN, END = "<!-- names -->\n", "<!-- end of names -->"


def test_the_page_lists_every_name(request: pytest.FixtureRequest) -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    written = before + BEGIN + "".join(f"\n{section(name)}" for name in MODULES) + END + rest.partition(END)[2]
    if request.config.getoption("--update-docs"):
        PAGE.write_text(written, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == written


def test_the_page_names_the_version() -> None:
    assert f"a whole number: {VERSION}.\n" in PAGE.read_text(encoding="utf-8")


def test_the_page_names_the_modules_that_the_core_lacks() -> None:
    *most, last = (f"`{name}`" for name in MODULES if out(f"tools/tinyml/extend/{name}.py"))
    assert f"lacks {', '.join(most)} and {last}." in " ".join(PAGE.read_text(encoding="utf-8").split())


def test_no_name_leaves_a_version() -> None:
    """`extend-VERSION.txt` lists the names of the interface. All of them remain available as long as the version does,
    because packages of this version may use them.
    """
    listed = Path(__file__).with_name(f"extend-{VERSION}.txt").read_text("utf-8").split()
    exported = {f"{name}.{each}" for name in MODULES for each in names_of(name)}
    assert listed == sorted(set(listed))
    assert {*listed} - exported == set(), f"without these names, increase VERSION and write extend-{VERSION + 1}.txt"
    assert exported - {*listed} == set(), f"add the new names to extend-{VERSION}.txt"


@pytest.mark.parametrize("name", MODULES)
def test_a_module_only_re_exports(name: str) -> None:
    """A module consists of a docstring, imports from tinyml, and a list of exactly the imported names."""
    docstring, *imports, listed = ast.parse(Path(module(name).__file__ or "").read_text(encoding="utf-8")).body
    assert isinstance(docstring, ast.Expr)
    imported: list[str] = []
    for node in imports:
        assert isinstance(node, ast.ImportFrom)
        assert (node.module or "").startswith("tinyml.")
        imported += [alias.asname or alias.name for alias in node.names]
    assert isinstance(listed, ast.Assign)
    assert ast.unparse(listed.targets[0]) == "__all__"
    assert sorted(imported) == sorted(names_of(name))


IMPORT = re.compile(r"^[ >]*(?:from|import) (tinyml[\w.]*)", re.MULTILINE)
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PUBLIC = ("tinyml", "tinyml.features", "tinyml.models")


def foreign_code() -> dict[str, str]:
    """The Python code that packages and readers write, by file: templates, examples, test packages, code blocks and
    notebook cells.
    """
    found = {name_of(path): path.read_text("utf-8") for path in ROOT.glob("tools/templates/**/*.py.in")}
    for pattern in ("tests/plugins/**/*.py", "examples/**/*.py"):
        found |= {name_of(path): path.read_text("utf-8") for path in ROOT.glob(pattern)}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if page.suffix == ".ipynb":
            cells = (cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code")
            found[name_of(page)] = "\n".join("".join(cell["source"]) for cell in cells)
        elif page.name not in HISTORY:
            found[name_of(page)] = "\n".join(BLOCK.findall(text))
    return found


CODE = foreign_code()


PROJECTS = "tools/templates/*/*.toml.in", "tests/plugins/*/*.toml", "examples/*/*.toml"


@pytest.mark.parametrize("file", [name for name, code in CODE.items() if IMPORT.search(code)])
def test_what_others_write_imports_nothing_beside_the_interface(file: str) -> None:
    allowed = {*PUBLIC, "tinyml.extend", *(f"tinyml.extend.{name}" for name in MODULES)}
    assert {*IMPORT.findall(CODE[file])} <= allowed


@pytest.mark.parametrize(
    "path",
    [path for pattern in PROJECTS for path in ROOT.glob(pattern)],
    ids=name_of,
)
def test_packages_state_the_version(path: Path) -> None:
    groups = tomllib.loads(path.read_text("utf-8").replace("$", ""))["project"]["entry-points"]
    assert list(groups["tinyml.extend"]) == [f"version-{VERSION}"]
