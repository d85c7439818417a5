"""The names of core modules that extensions import beside the interface for packages, `core_names.txt`.

An extension behaves like a package of its own if it imports only names that `tinyml.extend` exports. The list contains
all other names of the core that extensions import. It may only shrink.
"""

from __future__ import annotations

from pathlib import Path

from layout.sources import MODULES, OUTERMOST, module_of, name_of, source
from tinyml.dialects.extensions import extension_of

LIST = Path(__file__).with_name("core_names.txt")
FILES = {module_of(path): path for path in MODULES}
DOOR = OUTERMOST / "extend"


def is_of_the_core(name: str) -> bool:
    """Whether an imported name, or the module that contains it, belongs to the core. Modules of the interface do not
    count.
    """
    file = FILES.get(name) or FILES.get(name.rpartition(".")[0])
    return file is not None and file.parent != DOOR and extension_of(name_of(file)) is None


def found() -> set[str]:
    """The names of the core that extensions import and `tinyml.extend` does not export."""
    exported = {name for path in DOOR.glob("*.py") for _, name in source(path).imports}
    extensions = (path for path in MODULES if path.parent != DOOR and extension_of(name_of(path)) is not None)
    return {name for path in extensions for _, name in source(path).imports if is_of_the_core(name)} - exported


def test_extensions_import_the_interface_and_a_list_that_only_shrinks():
    names, listed = found(), LIST.read_text("utf-8").split()
    assert listed == sorted(set(listed))
    assert names - {*listed} == set(), "import a name of docs/extending.md, or export this one in tinyml.extend"
    assert {*listed} - names == set(), f"no extension imports these any more: delete them from {LIST.name}"


def test_names_of_extensions_and_of_the_interface_are_not_listed():
    assert is_of_the_core("tinyml.dialects.plugins.Row")
    assert is_of_the_core("tinyml.dialects.plugins")
    assert not is_of_the_core("tinyml.targets.avr.chip.CHIP")
    assert not is_of_the_core("tinyml.extend.chips.Chip")
    assert not is_of_the_core("xdsl.ir.Operation")
    assert "tinyml.targets.chip.Chip" not in found()
