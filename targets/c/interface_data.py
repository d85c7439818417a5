"""The C interface of a program as data: NAME.json, from the description from which NAME.h is printed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, IntegerAttr, UnitAttr
from xdsl.ir import Attribute

from tinyml.dialects import c
from tinyml.dialects.c.declarations import DESCRIBED, RESULT, files_of
from tinyml.dialects.c.types import CONST, FAR, FLASH
from tinyml.dialects.discardable_attributes import text_of
from tinyml.targets.c.declared import Array, Declaration, Function, Macro, Structure, Table
from tinyml.targets.c.text import FLASH_TEXT, spell
from tinyml.targets.chip import Chip

VERSION = 1
"""The version of the layout of NAME.json. It grows when a field gets another meaning or is removed."""

SUFFIX, ARENA = ".json", "arena"


def interface_data(
    program: c.ProgramOp, declarations: Iterable[Declaration], variables: Iterable[Array], chip: Chip, target: str
) -> str:
    """The text of NAME.json.

    declarations: those of the header.
    variables: the variables of NAME.c.
    target: the name of the board.
    """
    name, declared = program.sym_name.data, [*declarations]
    found: dict[str, Any] = {
        "version": VERSION,
        "name": name,
        "target": target,
        "chip": chip.name,
        "header": f"{name}.h",
        "sources": [f"{name}.c"],
        "files": sorted(f"{name}{file}" for file in files_of(program)),
        "program_memory": None if chip.flash_attribute is None else {"attribute": chip.flash_attribute},
        "macros": [
            _given({"name": each.name, "value": each.value, "doc": each.doc or None})
            for each in declared
            if isinstance(each, Macro)
        ],
        "types": [_structure(each) for each in declared if isinstance(each, Structure)],
        "functions": [_function(each, name, chip) for each in declared if isinstance(each, Function)],
        "tables": [_table(each, chip) for each in declared if isinstance(each, Table)],
        "memory": [_array(each) for each in variables],
        "model": _plain(program.attributes.get(DESCRIBED, DictionaryAttr({}))),
    }
    return data_text(_given(found))


def joined_data(name: str, target: str, programs: Mapping[str, str], arena: str | None) -> dict[str, str]:
    """The files of programs that share an arena, by name: NAME.json and the data of each program, which states the
    common C file and omits the arena.

    programs: for each program, the text that `interface_data` returns.
    arena: the variable of the arena that NAME.c declares; None if no program has an arena.
    """
    found: dict[str, str] = {}
    shared: list[dict[str, Any]] = []
    for program, text in programs.items():
        data = json.loads(text)
        shared += [array for array in data["memory"] if array["name"] == arena]
        data["memory"] = [array for array in data["memory"] if array["name"] != f"{program}_{ARENA}"]
        found[f"{program}{SUFFIX}"] = data_text({**data, "sources": [f"{name}.c"]})
    files = {"header": f"{name}.h", "sources": [f"{name}.c"], "programs": [*found], "memory": shared}
    return {f"{name}{SUFFIX}": data_text({"version": VERSION, "name": name, "target": target, **files}), **found}


def data_text(data: Mapping[str, Any]) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _given(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if value is not None}


def _structure(structure: Structure) -> dict[str, Any]:
    *offsets, size = structure.offsets
    members = [{**_array(member), "offset": offset} for member, offset in zip(structure.members, offsets, strict=True)]
    return {"name": structure.name, "bytes": size, "alignment": structure.alignment, "members": members}


def _array(array: Array) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": array.name, "type": spell(array.element), "length": array.length}
    entry |= {"bytes": array.size, "alignment": array.alignment}
    # The first word is the macro, which attributes may follow.
    return entry | ({"place": array.place.split()[0]} if array.place else {})


def _function(function: Function, program: str, chip: Chip) -> dict[str, Any]:
    counts = function.elements
    result = _type(function.outputs[0], chip, counts.get(RESULT)) if function.outputs else None
    parameters = [{"name": name, **_type(type, chip, counts.get(name))} for name, type in function.parameters.items()]
    return _given(
        {
            "name": function.name,
            "role": function.name.removeprefix(f"{program}_"),
            "result": result,
            "parameters": parameters,
            "defined": function.defined,
            "doc": function.doc or None,
        }
    )


def _type(type: Attribute, chip: Chip, elements: int | str | None) -> dict[str, Any]:
    match type:
        case c.TextType():
            spelled = f"const {FLASH_TEXT} *" if chip.flash_text else "const char *"
            return {"type": spelled, "kind": "text", "memory": _constants(chip)}
        case c.AddressType():
            return {"type": spell(type), "kind": "address"}
        case c.InstanceType():
            return {"type": spell(type), "kind": "instance"}
        case c.PointerType() if type.memory.data != FAR:
            held = {"element": spell(type.element), "constant": type.memory.data in (CONST, FLASH)}
            held |= {"elements": elements}
            return _given({"type": spell(type), "kind": "pointer", **held})
        case _:
            return {"type": spell(type), "kind": "number"}


def _constants(chip: Chip) -> str:
    """The memory of constants: program memory that ordinary loads do not read, or data memory."""
    return "data" if chip.flash_attribute is None else "program"


def _table(table: Table, chip: Chip) -> dict[str, Any]:
    return _given(
        {
            "name": table.name,
            "type": spell(table.element),
            "length": table.length,
            "memory": _constants(chip),
            "defined": table.defined,
            "doc": table.doc or None,
        }
    )


def _plain(attribute: Attribute) -> Any:
    match attribute:
        case DictionaryAttr():
            return {name: _plain(value) for name, value in attribute.data.items()}
        case ArrayAttr():
            values: Sequence[Attribute] = attribute.data
            return [_plain(value) for value in values]
        case IntegerAttr():
            return attribute.value.data
        case FloatAttr():
            return attribute.value.data
        case UnitAttr():
            return True
        case _:
            return text_of(attribute)
