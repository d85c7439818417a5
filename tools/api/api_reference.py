"""Generators of docs/api.md and of the types of keyword arguments, from the declarations of the Python API."""

from __future__ import annotations

import inspect
import re
import string
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_origin

from tinyml.dialects.options import Option, Size, options_of
from tinyml.targets.registry import DEFAULT_TARGET
from tinyml.tools.api import public
from tinyml.tools.api.compilation import compile_keywords
from tinyml.tools.driver import design_options as designs
from tinyml.tools.driver import finetuning_options
from tinyml.tools.reports.docstring_lists import with_lists

_KEYWORDS = '''"""The keyword arguments of functions of `tinyml`, for type checkers and editors.

Written from the declarations of the options by `pytest --update-docs tests/unit/tools/api/test_api_reference.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict
'''

_CLASS = '''

class $class(TypedDict, total=False):
    """Keyword arguments of `tinyml.$function`, all optional; None stands for the default."""

'''

_PAGE = f"""# Python

This page is written from the docstrings of the module `tinyml` (`pytest --update-docs
tests/unit/tools/api/test_api_reference.py`).

<!-- python -->
```python
import numpy as np
import tinyml

data = np.load("docs/tour/val.npz")
model = tinyml.load("docs/tour/tour.sd")
program = tinyml.compile(model, data["x"], data["y"], board="{DEFAULT_TARGET}", width=8)
print(program.predict(data["x"][:4]), program.report.ram_bytes.arena)
```

```
[1 0 1 0] 2
```

`pip install '.[onnx,sklearn]'` in a clone of the repository installs `tinyml` with the packages that ONNX models and
estimators of scikit-learn require. The extras `devices` (simulators), `plots`, `torch` and `cluster` install further
packages. `tinyml doctor` lists missing packages.

The names of `tinyml` load when they are first used, so that `import tinyml` imports neither numpy nor xDSL. Invalid
input raises `tinyml.InputError`, whose message is one line.

To run passes again with `tinyml-opt` on the data of a compilation, write the data to a file with
`np.savez("val.npz", x=X_val, y=y_val)`, and pass the path of the file to `compile`: `X_val="val.npz"`. Programs that
are compiled from a file and from arrays have the same IR.

"""


def compile_options() -> list[Option]:
    """The options that `compile` accepts as keyword arguments, sorted by name."""
    return sorted(compile_keywords(), key=lambda one: one.name)


def finetune_options() -> list[Option]:
    """The options that `finetune` accepts as keyword arguments, sorted by name."""
    return sorted(finetuning_options.finetune_options(), key=lambda one: one.name)


def design_options() -> list[Option]:
    """The options that `design` accepts as keyword arguments, sorted by name."""
    return sorted(options_of(designs.DesignOptions), key=lambda one: one.name)


OPTIONS = {"compile": compile_options, "design": design_options, "finetune": finetune_options}
"""Options by the function that accepts them as keyword arguments."""


def keywords_text() -> str:
    """The generated content of the file `keywords.py`."""
    return _KEYWORDS + "".join(map(_keywords_class, OPTIONS))


def _keywords_class(function: str) -> str:
    head = string.Template(_CLASS).substitute({"function": function, "class": f"{function.title()}Keywords"})
    return head + "".join(f"    {option.name}: {spelled_type(option)}\n" for option in OPTIONS[function]())


def spelled_type(option: Option) -> str:
    """The type of a keyword argument as Python source, such as `int | None`."""
    return f"{_spelled(option.type)} | None"


def _spelled(type: Any) -> str:
    if type is Size:
        return "int | str"
    supertype: Any = getattr(type, "__supertype__", type)
    if get_origin(supertype) is tuple:
        return f"Sequence[{get_args(supertype)[0].__name__}]"
    parts = [part for part in get_args(supertype) if part is not None.__class__]
    if parts:
        # Type checkers accept an int for a float.
        return "float" if float in parts else " | ".join(map(_spelled, parts))
    return "str" if supertype is Path else str(supertype.__name__)


def api_page() -> str:
    """The generated content of docs/api.md."""
    return _PAGE + "\n\n".join(_sections()) + "\n"


def _sections() -> Iterator[str]:
    for name in ("load", "compile", "design", "finetune", "torch_layer", "open", "sweep"):
        yield _function(f"tinyml.{name}", getattr(public, name), "##")
        if name in OPTIONS:
            yield _table(OPTIONS[name]())
    names = {*vars(public), *public.ON_USE}
    for name, documented in ((name, getattr(public, name)) for name in sorted(names)):
        if isinstance(documented, type):
            yield f"## tinyml.{name}\n\n{_text(documented)}"
            yield from _fields(documented)
            yield from _members(documented)


def _fields(documented: Any) -> Iterator[str]:
    """Yield a Markdown code block that lists the fields of a dataclass with their types; yield nothing for any other
    object.

    The types are strings because annotations are not evaluated.
    """
    if is_dataclass(documented):
        yield "\n".join(["```python", *(f"{field.name}: {field.type}" for field in fields(documented)), "```"])


def _table(options: Iterable[Option]) -> str:
    rows = [
        (f"`{option.name}`", spelled_type(option).removesuffix(" | None"), option.help_with_default)
        for option in options
    ]
    lines = [f"| {' | '.join(map(_cell, row))} |" for row in rows]
    return "\n".join(["| keyword | type | meaning |", "|---|---|---|", *lines])


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("--", "")


def _members(documented: type) -> Iterator[str]:
    for name, member in vars(documented).items():
        function = inspect.unwrap(getattr(member, "__func__", None) or getattr(member, "func", member))
        if name.startswith("_") or not getattr(member, "__doc__", None):
            continue
        if inspect.isfunction(function) and (function is member or isinstance(member, staticmethod)):
            yield _function(f"{documented.__name__}.{name}", function, "###")
        elif isinstance(member, property) or function is not member:
            yield f"### {documented.__name__}.{name}\n\n{_text(member)}"


def _function(name: str, function: Any, heading: str) -> str:
    signature = re.sub(r"'", "", str(inspect.signature(function))).replace("(self, ", "(").replace("(self)", "()")
    return f"{heading} {name}\n\n```python\n{name}{signature}\n```\n\n{_text(function)}"


def _text(thing: Any) -> str:
    return re.sub(r"``", "`", with_lists(inspect.cleandoc(thing.__doc__ or "")))
