"""Texts about a model for the templates of packages, and `samples.h`, which compares the outputs of the model with the
expected outputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tinyml.dialects.package_metadata import LICENCE_LINE
from tinyml.tools.cli.filled_templates import filled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.tools.driver.packages.packaging import PackagedModel

_SHOW = "static void show({parameters})\n{{\n{body}}}\n"

_NUMBERS = """\
    for (uint16_t i = 0; i < {name}_OUTPUT_LENGTH; i++) {{
        Serial.print({name}_score({before}i), 4);
        Serial.print(' ');
    }}
"""

_ANOMALY = """\
/* The score below which the model calls its input an anomaly. The board may change it. */
static float threshold = {name}_THRESHOLD;

static void show(void)
{{
    Serial.print({name}_is_anomaly({before}threshold) ? F("anomaly") : F("normal"));
    Serial.print(F(", score "));
    Serial.print({name}_score({before}0), 4);
}}
"""

_FOLDER = files("tinyml.tools.driver.packages") / "templates" / "samples"


def model_words(model: PackagedModel) -> dict[str, str]:
    """The placeholder texts that all templates share, by placeholder.

    `name`, `board`, `licence`: the names of the model and of its board, and the line with the licence.
    `length`, `ctype`: the length and the element type of the input array.
    `width`: a remark on packed numbers; empty for other inputs.
    `instance`: the declaration of the model's memory, if the caller provides it.
    `given`: the argument of calls that have no other argument.
    `run`: a statement that runs the model on its own input and assigns the class to `label`, if the model returns one.
    `does`: the verb for this action, before its object.
    `show`: a function for sketches that prints the answer.
    `call_show`: a call of this function.
    `print_format`, `print_value`: the format and the value that print the answer with `printf`.
    `checked`: the arguments of `is_right` in `samples.h`.
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
    show = _SHOW.format(parameters=parameters, body=body)
    if model.threshold is not None:
        show = _ANOMALY.format(name=name, before=model.before)
        anomaly = f'{name}_is_anomaly({model.before}{name}_THRESHOLD) ? "anomaly" : "normal"'
        printed = "%s, score %g", f"{anomaly}, {printed[1]}"
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
        "does": "classifies" if label else "runs the model on" if model.threshold is None else "finds anomalies in",
        "show": show,
        "call_show": "show(label);" if label else "show();",
        "print_format": printed[0],
        "print_value": printed[1],
    }


def pointer_of(function: Mapping[str, Any]) -> Mapping[str, Any]:
    """The array among the parameters of a function in `PackagedModel.declared`."""
    return next(parameter for parameter in function["parameters"] if parameter["kind"] == "pointer")


def sentence(model: PackagedModel) -> str:
    """A sentence that states the purpose of a model."""
    inputs = f"{model.interface.input_length} numbers"
    if model.interface.has_label:
        classes = len(model.classes) if model.classes is not None else model.interface.classes
        return f"Classifies {inputs}." if classes is None else f"Tells {classes} classes apart by {inputs}."
    if model.threshold is not None:
        return f"Finds anomalies in {inputs}."
    return f"Computes {model.interface.output_length} numbers from {inputs}."


def stored_samples(model: PackagedModel) -> str:
    """The text of `samples.h`, valid in C and C++."""
    interface, expected, count = model.interface, model.expected, model.samples
    tables = [_table("sample_inputs", interface.array_ctype, model.stored_inputs)]
    comparisons: list[str] = []
    if interface.has_label and expected.labels is not None:
        tables.append(_table("sample_labels", "int16_t", expected.labels[:count, None]))
        comparisons.append("SAMPLE_COMPARE(&label, sample_labels[sample], sizeof label) == 0")
    for function, ctype, raws in _outputs(model):
        tables.append(_table(f"sample_{function}", ctype, raws[:count]))
        row = f"sample_{function}[sample]"
        comparisons.append(f"SAMPLE_COMPARE({model.name}_{function}({model.given}), {row}, sizeof {row}) == 0")
    words = {
        "name": model.name,
        "licence": LICENCE_LINE,
        "samples": str(count),
        "ctype": interface.array_ctype,
        "tables": "\n".join(tables),
        "label": ", int16_t label" if interface.has_label else "",
        "instance": model_words(model)["instance"],
        "given": model.given,
        "before": model.before,
        "comparison": "\n           && ".join(comparisons),
    }
    source = "pushed" if interface.pushes is not None else "memory" if interface.row_elements is None else "rows"
    load = filled(_FOLDER / f"load_{source}.h.in", words)
    return filled(_FOLDER / "samples.h.in", words | {"load": load})


def _outputs(model: PackagedModel) -> Iterator[tuple[str, str, NDArray[Any]]]:
    if model.interface.output_ctype is not None and model.expected.scores is not None:
        yield "scores", model.interface.output_ctype, model.expected.scores
    for number, ((ctype, _), raws) in enumerate(zip(model.interface.more_outputs, model.expected.more, strict=True), 1):
        yield f"output_{number}", ctype, raws


def _table(name: str, ctype: str, raws: NDArray[Any]) -> str:
    """The text of a constant array with a row for each sample. Floats are printed with enough digits to restore every
    bit.

    ctype: the C type of the elements.
    raws: the elements (samples, elements).
    """
    rows = ",\n".join(f"    {{{_wrapped([_literal(value) for value in row.tolist()])}}}" for row in raws)
    return f"static const {ctype} {name}[SAMPLES][{raws.shape[1]}] SAMPLE_FLASH = {{\n{rows},\n}};\n"


def _wrapped(literals: list[str]) -> str:
    return ",\n     ".join(", ".join(literals[at : at + 12]) for at in range(0, len(literals), 12))


def _literal(value: float) -> str:
    if isinstance(value, int):
        # C has no int32_t literal for INT32_MIN.
        return str(value) if value > -(2**31) else f"{value + 1} - 1"
    if value != value:
        return "NAN"
    if value in (float("inf"), float("-inf")):
        return "INFINITY" if value > 0 else "-INFINITY"
    return f"{value!r}f" if "e" in repr(value) or "." in repr(value) else f"{value!r}.0f"
