"""The packaging `micropython`: a native module (`NAME.mpy`) and a user C module from the same sources.

Sources: MicroPython's documentation, develop/natmod and develop/cmodules, and `py/dynruntime.mk`, which lists the
architectures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.toolchain import MODEL_FLAGS
from tinyml.targets.registry import chip_of
from tinyml.tools.cli.filled_templates import filled_templates
from tinyml.tools.driver.packages.model_words import model_words, pointer_of
from tinyml.tools.driver.packages.packaging import PackagedModel, Packaging

if TYPE_CHECKING:
    from tinyml.targets.board import Board

_TEMPLATES = files("tinyml.tools.driver.packages") / "templates"

_ARCHITECTURES = {
    "cortex-m0": "armv6m",
    "cortex-m0plus": "armv6m",
    "cortex-m23": "armv6m",
    "cortex-m3": "armv7m",
    "cortex-m4": "armv7emsp",
    "cortex-m7": "armv7emsp",
    "cortex-m33": "armv7emsp",
    "cortex-m55": "armv7emsp",
    "cortex-m85": "armv7emsp",
}
"""MicroPython's architecture for each processor that gcc knows by `-mcpu`."""

_CHIPS = {"riscv": "rv32imc", "xtensa": "xtensawin", "host": "x64"}
"""MicroPython's architecture for the boards of other chips."""

_ARITHMETIC = ("-ffp-contract=off", "-fno-fast-math")
"""Flags on which bits depend. MicroPython's linker takes one section for all functions."""

_CODES = {"int8_t": "b", "int16_t": "h", "int32_t": "i", "float": "f"}
"""The type codes of `array`."""

_UNARY = {
    "ready": "mp_obj_new_bool({name}_ready(model))",
    "reset": "({name}_reset(model), mp_const_none)",
}
"""Methods without an argument, by the role of their function."""


def architecture(model: PackagedModel) -> str:
    """The architecture of native modules for the model's board."""
    processors = [flag.removeprefix("-mcpu=") for flag in model.board.flags if flag.startswith("-mcpu=")]
    found = [_ARCHITECTURES.get(processor.partition("+")[0]) for processor in processors]
    return next(filter(None, found), None) or _CHIPS.get(model.declared["chip"], "armv6m")


def _files(model: PackagedModel) -> dict[str, str]:
    if model.interface.row_elements is not None and model.interface.pushes is None:
        raise InputError("--package micropython: no function of C supplies the rows of the input: omit --input")
    methods = [*_methods(model)]
    table = "".join(f"    {{MP_ROM_QSTR(MP_QSTR_{name}), MP_ROM_PTR(&{name}_method)}},\n" for name, _, _ in methods)
    entries = "".join(
        f"    table[{at}] = (mp_map_elem_t){{MP_OBJ_NEW_QSTR(MP_QSTR_{name}), MP_OBJ_FROM_PTR(&{name}_method)}};\n"
        for at, (name, _, _) in enumerate(methods)
    )
    definitions = "\n".join(
        f"{body}static MP_DEFINE_CONST_FUN_OBJ_{arguments}({name}_method, method_{name});\n"
        for name, arguments, body in methods
    )
    instances = model.interface.instances
    if not instances:
        for call, without in _WITHOUT_INSTANCE.items():
            definitions = definitions.replace(call, without)
    words = model_words(model) | {
        "methods": definitions,
        "count": str(len(methods)),
        "table": table,
        "entries": entries,
        "reset": f"    {model.name}_reset({'&self->model' if instances else ''});\n" if _has(model, "reset") else "",
        "member": f"    {model.name}_ctx model;\n" if instances else "",
        "model": (_OWN if instances else _SHARED).format(name=model.name),
        "memory": "each `Model` has memory of its own" if instances else "all objects share the memory of the model",
        "architecture": architecture(model),
        "model_flags": " ".join(flag for flag in MODEL_FLAGS if flag in _ARITHMETIC),
        "samples": _samples(model),
        "code": _CODES[model.interface.array_ctype],
        "run_sample": _PUSHED if model.interface.pushes is not None else _WHOLE,
        "usage": _usage(model),
    }
    found = {f"{model.name}/{name}": _linkable(model, text) for name, text in model.sources.items()}
    for path, text in filled_templates(_TEMPLATES / "micropython", words):
        found[path.as_posix()] = text
    return found


def _linkable(model: PackagedModel, text: str) -> str:
    """The C with global variables: the linker of native modules refuses static ones."""
    for variable in model.declared["memory"]:
        text = re.sub(rf"^static (?=[^=;()]*\b{variable['name']}\b[^=;(]*;)", "", text, flags=re.MULTILINE)
    return text


_OWN = "{name}_ctx *const model = &((instance_t *)MP_OBJ_TO_PTR(self))->model"
_SHARED = "(void)self"
_WITHOUT_INSTANCE = {"(void)model;": "", "(model, ": "(", "(model)": "()"}
"""Texts of calls with an instance, and the same calls for a model with static memory."""

_WHOLE = "    label = model.predict(array(CODE, raws))\n"
_PUSHED = """\
    model.reset()
    raws, at = memoryview(array(CODE, raws)), 0
    while at < len(raws):
        at += model.push(raws[at:])
    label = model.predict()
"""


def _usage(model: PackagedModel) -> str:
    """The lines of Python that run the model, for the README."""
    if model.interface.pushes is not None:
        calls = ["model.push_floats(array('f', samples))" if _has(model, "push_floats") else "model.push(samples)"]
        calls += ["if model.ready():", "    print(model.predict())"]
    elif _has(model, "predict_floats"):
        calls = [f"answer = model.predict_floats(array('f', {model.interface.input_length} * [0]))"]
    else:
        calls = [f"answer = model.predict(array('{_CODES[model.interface.array_ctype]}', raws))"]
    return "\n".join(f"    {call}" for call in calls)


def _has(model: PackagedModel, role: str) -> bool:
    return any(function["role"] == role for function in model.declared["functions"])


def _methods(model: PackagedModel) -> Iterator[tuple[str, int, str]]:
    """Yield the methods of the class `Model`: name, number of arguments with the instance, and the C text."""
    name, functions = model.name, {function["role"]: function for function in model.declared["functions"]}
    if model.interface.pushes is None:
        yield "predict", 2, _predict(name, functions["run"], functions["input"]["result"])
    else:
        yield "predict", 1, _method("predict", "", _answer(f"{name}_predict(model)", functions["predict"]))
    if "predict_floats" in functions:
        floats = functions["predict_floats"]
        size = pointer_of(floats)["elements"]
        body = f"    const void *floats = elements(object, sizeof(float), {size}, 'f');\n"
        yield (
            "predict_floats",
            2,
            _method("predict_floats", body, _answer(f"{name}_predict_floats(model, floats)", floats)),
        )
    for role in ("push", "push_floats"):
        if role in functions:
            element = pointer_of(functions[role])["element"]
            body = (
                "    mp_buffer_info_t buffer;\n"
                f"    buffer_of(object, &buffer, sizeof({element}), '{_CODES[element]}');\n"
            )
            call = f"{name}_{role}(model, buffer.buf, (int)(buffer.len / sizeof({element})))"
            yield role, 2, _method(role, body, f"    return mp_obj_new_int({call});\n")
    for role, text in _UNARY.items():
        if role in functions:
            yield role, 1, _method(role, "", f"    return {text.format(name=name)};\n")
    for output in model.declared["model"].get("outputs", ()):
        function = output["function"].removeprefix(f"{name}_")
        call = f"{output['function']}(model)"
        size = f"{output['length']} * sizeof({output['type']})"
        raws = "raws" if function == "scores" else f"raws_{function.removeprefix('output_')}"
        yield raws, 1, _method(raws, "", f"    return mp_obj_new_bytes((const byte *){call}, {size});\n")
        getter = "score" if function == "scores" else f"{function}_score"
        if getter in functions:
            yield function, 1, _scores(function, f"{name}_{getter}", output["length"])
    if "is_anomaly" in functions:
        call = f"{name}_is_anomaly(model, {name}_THRESHOLD)"
        yield "is_anomaly", 1, _method("is_anomaly", "", f"    return mp_obj_new_bool({call});\n")
    if "class_name" in functions:
        yield "class_name", 2, _class_name(name, model.declared["model"]["classes"])


def _method(name: str, body: str, end: str) -> str:
    """The C text of a method. A method with a body takes an object in addition to the instance."""
    given = ", mp_obj_t object" if "object" in body else ""
    return f"static mp_obj_t method_{name}(mp_obj_t self{given})\n{{\n    MODEL(self);\n{body}{end}}}\n"


def _answer(call: str, function: dict[str, object]) -> str:
    if "result" in function:
        return f"    return mp_obj_new_int({call});\n"
    return f"    {call};\n    return mp_const_none;\n"


def _predict(name: str, run: dict[str, object], given: dict[str, object]) -> str:
    element, length = given["element"], given["elements"]
    body = (
        f"    const void *raws = elements(object, sizeof({element}), {length}, '{_CODES[str(element)]}');\n"
        f"    memcpy({name}_input(model), raws, {length} * sizeof({element}));\n"
    )
    return _method("predict", body, _answer(f"{name}_run(model)", run))


def _scores(role: str, getter: str, length: int) -> str:
    text = f"""\
    mp_obj_t reals[{length}];
    for (int i = 0; i < {length}; i++)
        reals[i] = mp_obj_new_float((mp_float_t){getter}(model, i));
    return mp_obj_new_tuple({length}, reals);
"""
    none = '    (void)model;\n    mp_raise_NotImplementedError(MP_ERROR_TEXT("no floats"));\n'
    if length > _MOST_ON_STACK:
        text = f"""\
    mp_obj_t reals = mp_obj_new_list(0, NULL);
    for (int i = 0; i < {length}; i++)
        mp_obj_list_append(reals, mp_obj_new_float((mp_float_t){getter}(model, i)));
    return reals;
"""
    return _method(role, "", f"#if MICROPY_PY_BUILTINS_FLOAT\n{text}#else\n{none}#endif\n")


_MOST_ON_STACK = 32
"""The greatest number of scores that are collected on the stack, for a tuple."""


def _class_name(name: str, classes: Sequence[str]) -> str:
    # A loop over the characters would become a call of the missing strlen.
    lengths = ", ".join(str(len(text.encode())) for text in classes)
    return f"""\
static mp_obj_t method_class_name(mp_obj_t self, mp_obj_t object)
{{
    static const uint16_t lengths[{len(classes)}] = {{{lengths}}};
    const mp_int_t label = mp_obj_get_int(object);
    (void)self;
    if (label < 0 || label >= {len(classes)})
        mp_raise_ValueError(MP_ERROR_TEXT("no such class"));
    return mp_obj_new_str({name}_class_name((int16_t)label), lengths[label]);
}}
"""


def _samples(model: PackagedModel) -> str:
    """The stored samples as lines of Python: raws, class and the bytes of the scores."""
    expected, lines = model.expected, list[str]()
    for number, raws in enumerate(model.stored_inputs):
        label = None if expected.labels is None or not model.interface.has_label else int(expected.labels[number])
        dtype, scores = model.interface.output_dtype, expected.scores
        own = None if dtype is None or scores is None else scores[number].astype(dtype).tobytes()
        lines.append(f"    ({raws.tolist()}, {label}, {own!r}),\n")
    return "".join(lines)


def _lacks(board: Board) -> str | None:
    if board.fabric is not None or chip_of(board.name).flash_attribute is not None:
        return "does not run MicroPython"
    return None


MICROPYTHON = Packaging("micropython", _files, _lacks, products=("*/build-*", "*/*.mpy", "*/.mpy_ld_cache-*"))
"""The packaging: `micropython/NAME` is the module."""
