"""The words with which templates speak of a model: its calls, and what is shown of its answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinyml.dialects.distribution import LICENCE_LINE

if TYPE_CHECKING:
    from tinyml.tools.driver.packages.packaged_model import PackagedModel

_SHOW = "static void show({parameters})\n{{\n{body}}}\n"

_NUMBERS = """\
    for (uint16_t i = 0; i < {name}_OUTPUT_LENGTH; i++) {{
        Serial.print({name}_score({before}i), 4);
        Serial.print(' ');
    }}
"""


def model_words(model: PackagedModel) -> dict[str, str]:
    """The words for all templates.

    `instance`: the declaration of the model's memory, if that is the caller's, and `given`: the argument of calls that
    take nothing else. `run`: a statement that runs the model on its own input; `label` is then the class, if the model
    gives one. `show`: a function for sketches that prints the answer, which `call_show` calls; `print_format` and
    `print_value`: the same for `printf`. `checked`: the arguments of `is_right` in `samples.h`.
    """
    interface, name = model.interface, model.name
    label = interface.has_label
    run = f"{name}_run({model.given})" if interface.row_elements is None else f"{name}_predict({model.given})"
    if not label:
        parameters, body = "void", _NUMBERS.format(name=name, before=model.before)
    elif model.classes is not None:
        parameters = "int16_t label"
        body = f"    Serial.print({name}_class_name(label));\n"
    else:
        parameters, body = "int16_t label", '    Serial.print(F("class "));\n    Serial.print(label);\n'
    printed = ("class %d", "label") if label else ("%g", f"(double){name}_score({model.before}0)")
    if label and model.classes is not None:
        printed = "%s", f"{name}_class_name(label)"
    return {
        "name": name,
        "board": model.board.name,
        "licence": LICENCE_LINE,
        "length": str(interface.array_length),
        "ctype": interface.array_ctype,
        "width": "" if interface.packed_bits is None else f", bytes with numbers of {interface.packed_bits} bits",
        "instance": f"\nstatic {name}_ctx instance;\n" if interface.instances else "",
        "given": model.given,
        "run": f"int16_t label = {run};" if label else f"{run};",
        "checked": "sample, label" if label else "sample",
        "show": _SHOW.format(parameters=parameters, body=body),
        "call_show": "show(label);" if label else "show();",
        "print_format": printed[0],
        "print_value": printed[1],
    }


def sentence(model: PackagedModel) -> str:
    """The purpose of a model, in one sentence."""
    inputs = f"{model.interface.input_length} numbers"
    if model.interface.has_label:
        classes = len(model.classes) if model.classes is not None else model.interface.classes
        return f"Classifies {inputs}." if classes is None else f"Tells {classes} classes apart by {inputs}."
    return f"Computes {model.interface.output_length} numbers from {inputs}."
