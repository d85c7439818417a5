"""The packaging `esphome`: an external component of ESPHome, and a configuration that uses it.

Sources: ESPHome's documentation, "External Components", and its developer's pages on components and automations.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.tools.cli.filled_templates import filled, filled_templates
from tinyml.tools.driver.packages.model_words import model_words
from tinyml.tools.driver.packages.packaging import PackagedModel, Packaging

if TYPE_CHECKING:
    from tinyml.targets.board import Board

_TEMPLATES = files("tinyml.tools.driver.packages") / "templates" / "esphome"

LOWEST_RATE = 8000
"""The lowest rate, in samples per second, of ESPHome's microphones."""

MOST_SENSORS = 12
"""The greatest number of inputs that the example reads from sensors; it computes more inputs in a lambda."""

PAUSE = 2000
"""Milliseconds after a detection without another one, if answers overlap in time."""

BACKGROUND = "nothing"
"""The class of wake-word programs that is not reported as a detection."""

_PLATFORMS = {
    "esp32:esp32:": "esp32:\n  variant: {}\n  framework:\n    type: esp-idf\n",
    "esp8266:esp8266:": "esp8266:\n  board: {}\n",
    "rp2040:rp2040:": "rp2040:\n  board: {}\n",
}
"""The YAML of a chip, by the beginning of a board's name in the Arduino IDE."""

_PINS = {"esp32": (25, 26, 33)}
_OTHER_PINS = 4, 5, 7
"""Word select, clock and data of the microphone in the example: pins that other parts of the chip do not use."""

_NAMED, _LABELLED, _DETECTOR, _VALUES, _SILENT = "named", "labelled", "detector", "values", "silent"

_ARGUMENTS = {
    _NAMED: "std::string, int16_t",
    _LABELLED: "int16_t",
    _DETECTOR: "bool, float",
    _VALUES: "float",
    _SILENT: "",
}
"""The types of the arguments of an automation, by the kind of answer."""

_PYTHON_ARGUMENTS = {
    _NAMED: '[(cg.std_string, "name"), (cg.int16, "label")]',
    _LABELLED: '[(cg.int16, "label")]',
    _DETECTOR: '[(cg.bool_, "anomaly"), (cg.float_, "score")]',
    _VALUES: '[(cg.float_, "value")]',
    _SILENT: "[]",
}

_LOGGED = {
    _NAMED: ("%s", "name.c_str()"),
    _LABELLED: ("class %d", "label"),
    _DETECTOR: ("%s, score %g", '\'anomaly ? "anomaly" : "normal"\', score'),
    _VALUES: ("%g", "value"),
    _SILENT: ("answer", ""),
}
"""The format and the arguments of the log in the example."""


def component_name(model: PackagedModel) -> str:
    """The name of the component, which differs from those of all components of ESPHome."""
    return f"tinyml_{model.name.lower()}"


def _files(model: PackagedModel) -> dict[str, str]:
    roles = {function["role"]: function for function in model.declared["functions"]}
    listens = model.interface.pushes is not None and (model.interface.rate or 0) >= LOWEST_RATE
    words = _words(model, roles) | (_microphone(model, roles) if listens else _sensors(model, roles))
    component = words["component"]
    folder = _TEMPLATES / ("microphone" if listens else "sensors")
    found = {f"components/{component}/{name}": text for name, text in model.sources.items()}
    found["README.md"] = filled(_TEMPLATES / "README.md.in", words)
    for path, text in filled_templates(folder, words):
        found[str(path) if path.suffix == ".yaml" else f"components/{component}/{path}"] = text
    return found


def _words(model: PackagedModel, roles: Mapping[str, Any]) -> dict[str, str]:
    name, kind, given = model.name, _kind(model, roles), _given(model)
    static = sum(variable["bytes"] for variable in model.declared.get("memory", ()))
    members = [f"{name}_ctx model_;"] if model.interface.instances else []
    members += ["int16_t label_{-1};"] if model.interface.has_label else []
    log_format, log_arguments = _LOGGED[kind]
    return model_words(model) | {
        "component": component_name(model),
        "hostname": re.sub("[^a-z0-9]+", "-", name.lower()).strip("-"),
        "chip": _chip(model.board),
        "header": f"{name}.h",
        "given": given,
        "bytes": "sizeof *this" if model.interface.instances else f"sizeof *this + {static}",
        "types": _ARGUMENTS[kind],
        "py_arguments": _PYTHON_ARGUMENTS[kind],
        "py_module": "MULTI_CONF = True\n" if model.interface.instances else "",
        "getters": "".join(f"    {getter}\n" for getter in _getters(model, roles)),
        "members": "".join(f"    {member}\n" for member in members),
        "answer": _answer(model, kind),
        "log_format": log_format,
        "log_arguments": log_arguments,
    }


def _kind(model: PackagedModel, roles: Mapping[str, Any]) -> str:
    """The kind of answer, which determines the arguments of automations."""
    if "is_anomaly" in roles:
        return _DETECTOR
    if model.interface.has_label:
        return _NAMED if "class_name" in roles else _LABELLED
    return _VALUES if "score" in roles else _SILENT


def _given(model: PackagedModel) -> str:
    """The argument of model functions that have no other: the instance in the object, or an empty text."""
    return "&this->model_" if model.interface.instances else ""


def _before(given: str) -> str:
    return f"{given}, " if given else ""


def _getters(model: PackagedModel, roles: Mapping[str, Any]) -> list[str]:
    name, before, found = model.name, _before(_given(model)), list[str]()
    if model.interface.has_label:
        found.append("int16_t label() const { return this->label_; }")
    if "class_name" in roles:
        found.append(f"const char *name() const {{ return {name}_class_name(this->label_); }}")
    for role in roles:
        if role == "score" or (role.startswith("output_") and role.endswith("_score")):
            found.append(f"float {role}(int i) {{ return {name}_{role}({before}i); }}")
    if "is_anomaly" in roles:
        call = f"{name}_is_anomaly({before}{name}_THRESHOLD)"
        found.append(f"bool is_anomaly() {{ return {call} != 0; }}")
    return found


def _answer(model: PackagedModel, kind: str) -> str:
    """The statements that report the answer of the last inference, which a program that streams computes first."""
    lines, given = list[str](), _given(model)
    if model.interface.pushes is not None:
        result = "this->label_ = " if model.interface.has_label else ""
        lines.append(f"{result}{model.name}_predict({given});")
    score = f"{model.name}_score({_before(given)}0)"
    arguments = {
        _NAMED: "this->name(), this->label_",
        _LABELLED: "this->label_",
        _DETECTOR: f"this->is_anomaly(), {score}",
        _VALUES: score,
        _SILENT: "",
    }
    lines.append(f"this->answer_trigger_.trigger({arguments[kind]});")
    return "".join(f"    {line}\n" for line in lines)


def _microphone(model: PackagedModel, roles: Mapping[str, Any]) -> dict[str, str]:
    """The texts for a program that receives the samples of a microphone."""
    platform, chip = _platform(model.board)
    if not platform.startswith("esp32"):
        raise InputError(f"--package esphome: ESPHome has no microphones for {model.board.name}")
    classes: Sequence[str] = model.declared["model"]["classes"] if "class_name" in roles else ()
    lrclk, bclk, din = _PINS.get(chip, _OTHER_PINS)
    words = {
        "rate": f"{model.interface.rate or 0:.0f}",
        "push": _push(model, roles),
        "lrclk": f"GPIO{lrclk}",
        "bclk": f"GPIO{bclk}",
        "din": f"GPIO{din}",
        "readme": "      microphone: mic\n",
    }
    if not classes:
        log = '  on_answer:\n    - logger.log:\n        format: "{log_format}"\n        args: [{log_arguments}]'
        none = dict.fromkeys(_DETECTION, "")
        return words | none | {"example": log.format_map(_words(model, roles))}
    pushes = model.interface.pushes
    assert pushes is not None
    numbers = {
        "classes": json.dumps([*classes]),
        "background": json.dumps([each for each in classes if each == BACKGROUND]),
        "count": str(len(classes)),
        "pause": str(PAUSE if pushes.stride < pushes.steps else 0),
        "period": str(1000 * pushes.stride * pushes.hop),
    }
    return words | {part: text.format_map(words | numbers) for part, text in _DETECTION.items()}


_DETECTION = {
    "detection": """
    /* Detections: answers of classes that are not of the background, with a pause after each. */
    void add_background(int16_t label) {{ this->background_[static_cast<size_t>(label)] = true; }}
    void set_pause(uint32_t answers) {{ this->pause_ = answers; }}
    Trigger<std::string, int16_t> *get_detected_trigger() {{ return &this->detected_trigger_; }}
""",
    "detection_members": """\
    std::array<bool, {count}> background_{{}};
    uint32_t pause_{{0}}, rest_{{0}};
    Trigger<std::string, int16_t> detected_trigger_;
""",
    "restart": "    this->rest_ = 0;\n",
    "detect": """\
    if (this->rest_ > 0) {{
        this->rest_--;
    }} else if (this->label_ >= 0 && !this->background_[static_cast<size_t>(this->label_)]) {{
        this->rest_ = this->pause_;
        this->detected_trigger_.trigger(this->name(), this->label_);
    }}
""",
    "py_classes": "CLASSES = {classes}\n",
    "py_schema": """\
        cv.Optional("background", default={background}): cv.ensure_list(cv.one_of(*CLASSES)),
        cv.Optional("pause", default="{pause}ms"): cv.positive_time_period_milliseconds,
        cv.Optional("on_detected"): automation.validate_automation(single=True),
""",
    "py_code": """\
    for name in config["background"]:
        cg.add(model.add_background(CLASSES.index(name)))
    # Answers during the pause.
    cg.add(model.set_pause(config["pause"].total_milliseconds * {rate} // {period}))
    if "on_detected" in config:
        await automation.build_automation(model.get_detected_trigger(), arguments, config["on_detected"])
""",
    "example": """\
  on_detected:
    - logger.log:
        format: "%s"
        args: [name.c_str()]""",
}
"""The texts of classes as events, by placeholder; empty for programs without named classes."""


def _push(model: PackagedModel, roles: Mapping[str, Any]) -> str:
    """The statements that pass samples to the model: as its raws, if they have the unit of the samples."""
    given, call = model.declared["model"]["input"], f"{model.name}_push"
    before = _before(_given(model))
    if given["type"] == "int16_t" and given.get("scale") == 2.0**-15 and given.get("zero", 0) == 0:
        return f"    return {call}({before}samples, count);\n"
    if "push_floats" not in roles:
        raise InputError("--package esphome: the input has another unit than samples of 16 bits: omit --input-unit")
    return f"""\
    for (int taken = 0; taken < count; taken++) {{
        const float sample = static_cast<float>(samples[taken]) / 32768.0f;
        if ({call}_floats({before}&sample, 1) == 0)
            return taken;
    }}
    return count;
"""


def _sensors(model: PackagedModel, roles: Mapping[str, Any]) -> dict[str, str]:
    """The texts for a program that receives real numbers: all inputs at once, or samples one after another."""
    streams, name, before = model.interface.pushes is not None, model.name, _before(_given(model))
    if ("push_floats" if streams else "predict_floats") not in roles:
        raise InputError("--package esphome: the program takes no real numbers, which sensors of ESPHome return")
    length = model.interface.input_length
    inputs = [f"input_{number}" for number in range(1 if streams else length)]
    if len(inputs) > MOST_SENSORS:
        inputs = []
    label = "this->label_ = " if model.interface.has_label else ""
    words = {
        "py_auto_load": '"sensor"',
        "py_length": "cv.Length(max=8)"
        if streams
        else f"cv.Any(cv.Length(max=0), cv.Length(min={length}, max={length}))",
        "interval": f"{max(1, round(1000 / model.interface.rate))}ms" if model.interface.rate else "1s",
        "setup": f"    {name}_reset({_given(model)});\n" if "reset" in roles else "",
        "readme": f"      inputs: [{', '.join(inputs)}]\n" if inputs else "",
        "sensors": _EXAMPLE_SENSORS.format("".join(map(_EXAMPLE_SENSOR.format, inputs))) if inputs else "",
        "inputs": f"  inputs: [{', '.join(inputs)}]\n" if inputs else "",
    }
    if not inputs:
        words["sensors"] = _EXAMPLE_LAMBDA.format(length=length, name=name)
    texts = _STREAM if streams else _WHOLE
    return words | {
        part: text.format(name=name, before=before, given=_given(model), label=label, length=length)
        for part, text in texts.items()
    }


_EXAMPLE_SENSORS = "sensor:\n{}\n"
_EXAMPLE_SENSOR = """\
  - platform: template
    id: {}
    lambda: return 0.0f;
    update_interval: 1s
"""

_EXAMPLE_LAMBDA = """\
interval:
  - interval: 10s
    then:
      - lambda: |-
          static std::array<float, {length}> values{{}};
          id({name}_model).predict(values);

"""

_WHOLE = {
    "declaration": """\
    /* Runs the model on real numbers, and reports the answer. */
    void predict(const std::array<float, {length}> &values);
""",
    "definition": """\
void Model::predict(const std::array<float, {length}> &values)
{{
    {label}{name}_predict_floats({before}values.data());
    this->answer_();
}}
""",
    "take": """\
    for (size_t i = 0; i < this->inputs_.size(); i++)
        {name}_set({before}static_cast<int>(i), this->inputs_[i]->state);
    {label}{name}_run({given});
    this->answer_();
""",
}

_STREAM = {
    "declaration": """\
    /* Takes samples as real numbers, and reports each answer as it is due. */
    void push(const float *samples, int count);
""",
    "definition": """\
void Model::push(const float *samples, int count)
{{
    while (count > 0) {{
        const int taken = {name}_push_floats({before}samples, count);
        samples += taken;
        count -= taken;
        if ({name}_ready({given}))
            this->answer_();
    }}
}}
""",
    "take": """\
    for (const sensor::Sensor *input : this->inputs_)
        this->push(&input->state, 1);
""",
}


def _platform(board: Board) -> tuple[str, str]:
    """The beginning of the board's name in the Arduino IDE, and the name of its chip or board in ESPHome; empty texts
    for other boards.
    """
    for name in board.arduino:
        for platform in _PLATFORMS:
            if name.lower().startswith(platform):
                return platform, name.lower().removeprefix(platform)
    return "", ""


def _chip(board: Board) -> str:
    platform, name = _platform(board)
    return _PLATFORMS[platform].format(name)


def _lacks(board: Board) -> str | None:
    return None if _platform(board)[0] else "is no board of ESPHome that tinyml knows"


ESPHOME = Packaging("esphome", _files, _lacks, products=(".esphome", ".gitignore", "secrets.yaml"))
"""The packaging: `esphome/components` are external components, and `esphome/NAME.yaml` uses them."""
