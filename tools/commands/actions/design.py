"""The work of `tinyml design`: tables in files, and the output."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tinyml.dialects.errors import InputError, unknown
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.readers.arrays import array_names, read_npz
from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.tools.design.design import PAGE, designed
from tinyml.tools.design.task import Places
from tinyml.tools.driver.design_options import DesignRequest

if TYPE_CHECKING:
    from numpy.typing import NDArray


class TableFile(NamedTuple):
    """A table in a file: samples, labels and groups, and their places for messages."""

    x: Any
    y: Any
    groups: Any
    places: Places


def design_table(request: DesignRequest) -> None:
    """Design programs for the table of a request, print the candidates and write the folder. Raises `InputError` as
    `design` does, and for a file that is not a table.
    """
    given = read_table(request.table, request.label, request.groups)
    test = None if request.test is None else read_table(request.test, request.label, request.groups)
    say = _silent if request.json else _said
    x_test, y_test = (None, None) if test is None else (test.x, test.y)
    made = designed(given.x, given.y, x_test, y_test, given.groups, request.target, request, say, given.places)
    made.save(request.out)
    print(json.dumps(made.record, indent=1) if request.json else request.out / PAGE)


def _said(line: str) -> None:
    print(line, flush=True)


def _silent(line: str) -> None:
    """Drop a line."""


def read_table(file: Path, label: str | None, groups: str | None) -> TableFile:
    """Read a table. Raises `InputError` for a file that is neither .csv nor .npz, and for one without labels.

    label, groups: names of columns of a .csv file; the last column by default, and none.
    """
    if file.suffix.lower() == ".npz":
        if label is not None or groups is not None:
            raise InputError(
                "--label and --groups name columns of .csv files; an .npz file has x, y and groups", file=str(file)
            )
        return _of_arrays(file)
    if file.suffix.lower() == ".csv":
        return _of_text(file, label, groups)
    raise InputError("expected a table: .csv or .npz", file=str(file))


def _of_arrays(file: Path) -> TableFile:
    found = {name: read_npz(file, "table", name, lambda header: None) for name in ("x", "y", "groups")}
    for name in ("x", "y"):
        if found[name] is None:
            others = ", ".join(f"`{each}`" for each in array_names(str(file)))
            raise InputError(f"has no array `{name}`{f', only {others}' if others else ''}", file=str(file))
    return TableFile(
        found["x"], found["y"], found["groups"], Places(f"{file}, `x`", f"{file}, `y`", f"{file}, `groups`")
    )


def _of_text(file: Path, label: str | None, groups: str | None) -> TableFile:
    text = read_bytes(file, "table").decode("utf-8-sig", "replace")
    try:
        heading, *rows = [
            row for row in csv.reader(StringIO(text, newline=""), strict=True, skipinitialspace=True) if row
        ]
    except (csv.Error, ValueError) as error:
        reason = str(error) if isinstance(error, csv.Error) else "it is empty"
        raise InputError(f"expected comma-separated values with a heading: {reason}", file=str(file)) from None
    names = [name.strip() for name in heading]
    if len({*names}) < len(names) or all(map(_is_number, names)):
        raise InputError("expected a heading with a name for each column", file=str(file), line=1)
    if len(names) < 2:
        raise InputError("expected features and a column of labels, separated by commas", file=str(file), line=1)
    for number, row in enumerate(rows, 2):
        if len(row) != len(names):
            raise InputError(f"expected {len(names)} values, got {len(row)}", file=str(file), line=number)
    for name in filter(None, (label, groups)):
        if name not in names:
            raise InputError(unknown("column", name, names).message, file=str(file), line=1)
    answer = label or names[-1]
    kept = [name for name in names if name not in (answer, groups)]
    table = np.array(rows or [[]], dtype=object).reshape(len(rows), -1)
    columns = {name: table[:, i] for i, name in enumerate(names)} if rows else {name: np.empty(0) for name in names}
    x = np.stack([columns[name] for name in kept], axis=1)
    x = np.where(np.isin(x, ["", "NA", "NaN", "nan", "?"]), "nan", x)
    y = _labels(file, answer, columns[answer])
    return TableFile(
        x, y, None if groups is None else columns[groups].astype(str), Places(str(file), str(file), str(file), kept, 2)
    )


def _labels(file: Path, name: str, values: NDArray[Any]) -> NDArray[Any]:
    """Labels as integers, as numbers, or else as texts. Raises `InputError` for a missing one."""
    if missing := [i for i, value in enumerate(values) if not str(value).strip()]:
        raise InputError(f"column {name!r}: expected a label, got a missing value", file=str(file), line=missing[0] + 2)
    texts = np.array([str(value).strip() for value in values])
    for kind in (np.int64, np.float64):
        try:
            return texts.astype(kind)
        except ValueError:
            continue
    return texts


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
