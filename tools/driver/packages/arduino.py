"""The packaging `arduino`: a library for the Arduino IDE and its Library Manager, with sketches.

Sources: the library specification of Arduino's tools, revision 2.2
(https://arduino.github.io/arduino-cli/latest/library-specification/), and the rules of arduino-lint for libraries.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import distribution
from importlib.resources import files
from typing import TYPE_CHECKING

from tinyml.dialects.package_metadata import DISTRIBUTION
from tinyml.lowering.c.format_notes import guarded_raws
from tinyml.runtime.devices.streaming_board import SKETCH, answer_bytes, digest_of
from tinyml.runtime.model.program_data import input_format
from tinyml.tools.cli.filled_templates import filled, filled_templates
from tinyml.tools.driver.packages.model_words import model_words, sentence, stored_samples
from tinyml.tools.driver.packages.packaging import PackagedModel, Packaging

if TYPE_CHECKING:
    from tinyml.targets.board import Board

_TEMPLATES = files("tinyml.tools.driver.packages") / "templates"

LONGEST_NAME = 63
"""Maximum characters of the name of a library."""

PINS = 6
"""Maximum number of analog pins that a sketch reads; few boards have fewer."""

AXES = 3
LONGEST_WINDOW = 600
"""Maximum number of values in a window of accelerometer readings."""

PRODUCTS = ("*/build", "*/sketch.yaml")
"""What `arduino-cli compile --export-binaries` and `arduino-cli board attach` write into the folder of a sketch."""

LICENCE_NOTE = """\
This library consists of a model, whose numbers and structure are its author's, and of text of tinyml, to which the
licence below applies: the sources may be compiled into any product without further conditions, by its exception.

"""


def library_name(model: PackagedModel) -> str:
    """The name of the library: the name of the model, with the characters that the Library Manager allows."""
    name = model.name.lstrip("_") or "model"
    # Names that begin with `arduino` are reserved, and a name begins with a letter.
    if name.lower().startswith("arduino") or not name[0].isalpha():
        name = f"tinyml_{name}"
    return name[:LONGEST_NAME]


def library_files(model: PackagedModel) -> dict[str, str]:
    """The contents of the library's files, by their paths in its folder."""
    words = model_words(model) | sketch_words(model) | _stream_words(model) | _properties(model)
    sketches = {f"examples/{name}/{name}.ino" for name in sketch_names(model)}
    found = {f"src/{name}": text for name, text in model.sources.items()}
    for path, text in filled_templates(_TEMPLATES / "arduino", words):
        if path.parts[0] != "examples" or path.as_posix() in sketches:
            found[path.as_posix()] = text
    if not model.loads:
        found["examples/SelfTest/samples.h"] = stored_samples(model)
    found["keywords.txt"] = "".join(f"{word}\t{kind}\n" for word, kind in _keywords(model))
    found["LICENSE"] = LICENCE_NOTE + (distribution(DISTRIBUTION).read_text("licenses/LICENSE") or "")
    return found


def sketch_names(model: PackagedModel) -> Iterator[str]:
    """Yield the names of the sketches that suit the inputs of a model. Yield nothing for a model that loads weights and
    reads its input row by row.
    """
    interface = model.interface
    if model.loads:
        # The other sketches do not load weights.
        if interface.row_elements is None:
            yield SKETCH
        return
    yield "SelfTest"
    if interface.pushes is not None:
        yield "Listen"
        return
    if interface.row_elements is not None:
        if model.serial:
            yield "SerialRows"
        return
    yield "Serial"
    yield SKETCH
    if interface.packed_bits is not None:
        return
    if interface.input_length <= PINS:
        yield "AnalogPins"
    if interface.input_length % AXES == 0 and interface.input_length <= LONGEST_WINDOW and _is_series(model.shape):
        yield "Accelerometer"


def sketch_words(model: PackagedModel) -> dict[str, str]:
    """The texts, by placeholder, for the templates of sketches only, such as the statements that set an input."""
    interface, name = model.interface, model.name
    unit, packed, ctype = interface.input_unit, interface.packed_bits, interface.array_ctype
    hears = interface.has_label and interface.output_length > 1
    own_unit = f"/* The model takes the integers of the sensor themselves: {unit}. */"
    heard = "the words that it hears" if hears else "every answer"
    words = {
        "push_sample": _push_sample(model),
        "scale": _text("sample_unit") if unit is None else own_unit,
        "rate_source": ": the training data's, which the model does not declare" if interface.rate is None else "",
        "rate": f"{interface.rate or 8000:.0f}",
        "what_is_heard": heard if model.threshold is None else "for each answer whether it is an anomaly",
        "words": f"{_text('word', name=name, before=model.before)}\n\n" if hears else "",
        "answer": _text("show_word") if hears else model_words(model)["call_show"],
        "set": f"{name}_set({model.before}received, atof(word));",
        "set_pin": f"{name}_set({model.before}i, analogRead(PINS[i]) * UNIT);",
        "set_axis": f"{name}_set({model.before}filled, axes[axis] * UNIT);",
        "pin_unit": _text("pin_unit"),
        "axis_unit": _text("axis_unit"),
        "pins": ", ".join(f"A{pin}" for pin in range(interface.input_length)),
        "readings": str(interface.input_length // AXES),
    }
    if unit is not None:
        words |= {
            "set": f"{name}_input({model.given})[received] = ({ctype})atol(word); /* {unit} */",
            "set_pin": f"{name}_input({model.given})[i] = ({ctype})analogRead(PINS[i]);",
            "set_axis": f"{name}_input({model.given})[filled] = ({ctype})axes[axis];",
            "pin_unit": own_unit,
            "axis_unit": own_unit,
        }
    if packed is not None:
        words["set"] = (
            f"{name}_input({model.given})[received] = ({ctype})atoi(word); /* numbers packed into {packed} bits */"
        )
    return words


def _text(template: str, **words: str) -> str:
    """The text of a template in the folder `sketches`, without the end of its last line."""
    return filled(_TEMPLATES / "sketches" / f"{template}.h.in", words).rstrip("\n")


def _push_sample(model: PackagedModel) -> str:
    """C statements that push the number at the tail of the ring buffer into the model."""
    interface, call = model.interface, f"{model.name}_push"
    ctype, unit = interface.input_ctype, interface.input_unit
    if unit is None:
        return f"const float now = ((int16_t)ring[tail] - ZERO) * UNIT;\n        {call}_floats({model.before}&now, 1);"
    raw = "ring[tail]"
    if not unit.startswith("adc"):
        raw = f"(((int16_t)ring[tail] - 512) {'* 64' if ctype == 'int16_t' else '/ 4'})"
    return f"const {ctype} now = ({ctype}){raw}; /* {unit} */\n        {call}({model.before}&now, 1);"


def _is_series(shape: tuple[int, ...]) -> bool:
    """Whether a shape is a vector or a series of sensor readings; False for images."""
    extents = [extent for extent in shape if extent > 1]
    return len(extents) <= 1 or (len(extents) == 2 and extents[1] == AXES)


def _keep_row(model: PackagedModel) -> str:
    """C statements that clamp the raws of a row to the valid raws of the format; empty if all raws are valid, and for
    packed rows.
    """
    limits = None if model.interface.packed_bits is not None else guarded_raws(input_format(model.formats))
    return "" if limits is None else _text("keep_row", name=model.name, low=str(limits[0]), high=str(limits[1])) + "\n"


def _properties(model: PackagedModel) -> dict[str, str]:
    # Several packages may have boards of one architecture.
    architectures = dict.fromkeys(name.split(":")[1] for name in model.board.arduino)
    named = f" `Serial.println({model.name}_class_name(label))` prints the name of a class."
    return {
        "library": library_name(model),
        "author": DISTRIBUTION,
        "sentence": sentence(model),
        "paragraph": f"Compiled by tinyml for the board {model.board.name}, without heap.",
        "keep_row": _keep_row(model),
        "named": named if model.interface.has_label and model.classes is not None else "",
        "url": f"https://pypi.org/project/{DISTRIBUTION}/",
        "architectures": ",".join(architectures),
    }


def _keywords(model: PackagedModel) -> Iterator[tuple[str, str]]:
    """Yield the words that the IDE highlights, each with its kind: the types, functions and macros of the header."""
    kinds = {"types": "KEYWORD1", "functions": "KEYWORD2", "macros": "LITERAL1"}
    for declared, kind in kinds.items():
        for entry in model.declared[declared]:
            yield entry["name"], kind


def _lacks(board: Board) -> str | None:
    return None if board.arduino else "has no known name in the Arduino IDE"


def _files(model: PackagedModel) -> dict[str, str]:
    # The IDE expects a folder of the library's name.
    return {f"{library_name(model)}/{path}": text for path, text in library_files(model).items()}


ARDUINO = Packaging("arduino", _files, _lacks, archive=library_name, loads=True, products=PRODUCTS)
"""The packaging: `arduino/NAME` is the library."""


def _stream_words(model: PackagedModel) -> dict[str, str]:
    """The texts, by placeholder, for streaming over a serial line: the digest of the model, sizes, and the
    statements that send outputs.
    """
    interface, name = model.interface, model.name
    sizes = {"scores": interface.output_bytes} if interface.output_length else {}
    more = zip(interface.more_dtypes, interface.more_outputs, strict=True)
    sizes |= {f"output_{i}": dtype.itemsize * length for i, (dtype, (_, length)) in enumerate(more, 1)}
    return {
        "digest": f"0x{digest_of(model.sources[f'{name}.c']):08x}UL",
        "input_bytes": str(interface.input_bytes),
        "output_bytes": str(answer_bytes(interface)),
        "label_or_zero": "label" if interface.has_label else "0",
        "send_outputs": "".join(
            f"    send({name}_{output}({model.given}), {size});\n" for output, size in sizes.items()
        ),
    }
