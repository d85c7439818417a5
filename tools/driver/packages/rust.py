"""The packaging `rust`: a `no_std` crate that compiles the model's C and wraps it in a safe type.

Sources: the Cargo Book, "Build Scripts" and "The Manifest Format"; the names of targets are those of rustc.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.toolchain import MODEL_FLAGS
from tinyml.targets.registry import chip_of
from tinyml.tools.cli.filled_templates import filled_templates
from tinyml.tools.driver.packages.model_words import model_words, pointer_of, sentence
from tinyml.tools.driver.packages.packaging import PackagedModel, Packaging

if TYPE_CHECKING:
    from tinyml.targets.board import Board

_TEMPLATES = files("tinyml.tools.driver.packages") / "templates"

_TYPES = {
    "int": "core::ffi::c_int",
    "int8_t": "i8",
    "int16_t": "i16",
    "int32_t": "i32",
    "int64_t": "i64",
    "uint8_t": "u8",
    "uint16_t": "u16",
    "uint32_t": "u32",
    "float": "f32",
}
"""The Rust types of C numbers."""

_WORDS = """
    " abstract as async await become box break const continue crate do dyn else enum extern false final fn for
    gen if impl in let loop macro match mod move mut override priv pub ref return self static struct super
    trait true try type typeof unsafe unsized use virtual where while yield core std alloc test
"""
"""The keywords of Rust and the names of its crates."""


def crate_name(model: PackagedModel) -> str:
    name = model.name.lower()
    return f"{name}_model" if name in _WORDS.split() else name


def type_name(model: PackagedModel) -> str:
    """The name of the model as that of a Rust type, such as `SpokenDigits`."""
    name = "".join(part[:1].upper() + part[1:] for part in model.name.split("_"))
    return f"{name}Model" if name in ("Self", "Class", "Context", "Option", "Some", "None") else name


def _files(model: PackagedModel) -> dict[str, str]:
    if model.interface.row_elements is not None and model.interface.pushes is None:
        raise InputError("--package rust: no function of C supplies the rows of the input: omit --input")
    functions = {function["role"]: function for function in model.declared["functions"]}
    used = {role: each for role, each in functions.items() if each["defined"] == "source"}
    instances = model.interface.instances
    words = model_words(model) | {
        "crate": crate_name(model),
        "type": type_name(model),
        "sentence": sentence(model),
        "use": "mem::MaybeUninit" if instances else "marker::PhantomData",
        "context": _context(model) if instances else "",
        "object": _OBJECT if instances else _ONLY_OBJECT,
        "create": f"{type_name(model)}::new()" if instances else f"unsafe {{ {type_name(model)}::new() }}",
        "count": "2" if instances else "1",
        "memory": _OWN.format(bytes=model.declared["types"][0]["bytes"]) if instances else _ONLY,
        "externs": "".join(f"    {_extern(each)}\n" for each in used.values()),
        "class": _class(model),
        "constants": _constants(model),
        "methods": _calls(model, "\n".join(_methods(model, used))),
        "model_flags": ", ".join(f'"{flag}"' for flag in MODEL_FLAGS if flag.startswith("-f")),
        "samples": _samples(model, used),
        "ctype": _TYPES[model.interface.array_ctype],
        "check": _check(model, used),
    }
    words["object"] = words["object"].format_map(words | {"reset": _reset(model, "reset" in used)})
    found = {f"csrc/{name}": text for name, text in model.sources.items()}
    return found | {str(path): text for path, text in filled_templates(_TEMPLATES / "rust", words)}


_CONTEXT = """
/// The memory of one model, `{name}_ctx` of C.
#[allow(dead_code)]
#[repr(C, align({alignment}))]
struct Context([MaybeUninit<u8>; {bytes}]);
"""

_OBJECT = """\
/// A model with memory of its own: several may run in turn, or at once in several threads.
pub struct {type} {{
    context: Context,
}}

impl Default for {type} {{
    fn default() -> Self {{
        Self::new()
    }}
}}

impl {type} {{
    pub fn new() -> Self {{
        {reset}
    }}
"""

_ONLY_OBJECT = """\
/// The model, whose memory is static: the object stays in its thread.
pub struct {type} {{
    memory: PhantomData<*mut u8>,
}}

impl {type} {{
    /// # Safety
    ///
    /// There is one object at a time, and no other program that shares its memory runs in another thread, or before the
    /// outputs of this one were read.
    pub unsafe fn new() -> Self {{
        {reset}
    }}
"""

_OWN = "Each model has {bytes} bytes of memory of its own."
_ONLY = "The memory of the model is static, so that `new` is unsafe: only one object may exist at a time."


def _context(model: PackagedModel) -> str:
    """The type of the memory of an instance."""
    [context] = model.declared["types"]
    return _CONTEXT.format(name=model.name, bytes=context["bytes"], alignment=context["alignment"])


def _reset(model: PackagedModel, resets: bool) -> str:
    """The statements that create an object."""
    if not model.interface.instances:
        return (f"{model.name}_reset();\n        " if resets else "") + "Self { memory: PhantomData }"
    create = f"Self {{ context: Context([MaybeUninit::zeroed(); {model.declared['types'][0]['bytes']}]) }}"
    if not resets:
        return create
    call = f"unsafe {{ {model.name}_reset(&mut model.context) }};"
    return f"let mut model = {create};\n        {call}\n        model"


def _calls(model: PackagedModel, text: str) -> str:
    """The text with calls of the functions of the model, which take no instance if the memory is static."""
    if model.interface.instances:
        return text
    return text.replace("&mut self.context, ", "").replace("&mut self.context", "")


def _type(value: Mapping[str, Any]) -> str:
    match value["kind"]:
        case "instance":
            return "*mut Context"
        case "pointer":
            return f"*{'const' if value['constant'] else 'mut'} {_TYPES[value['element']]}"
        case _:
            return _TYPES[value["type"]]


def _extern(function: Mapping[str, Any]) -> str:
    parameters = ", ".join(f"{each['name'].lower()}: {_type(each)}" for each in function["parameters"])
    result = f" -> {_type(function['result'])}" if "result" in function else ""
    return f"fn {function['name']}({parameters}){result};"


def _class(model: PackagedModel) -> str:
    if not model.interface.has_label:
        return ""
    classes = model.declared["model"].get("classes")
    if classes is None:
        return _NUMBERED
    names = ", ".join(_string(name) for name in classes)
    return _NUMBERED + _NAMED.format(count=len(classes), names=names)


_NUMBERED = """
/// The index of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class(pub i16);
"""

_NAMED = """
/// The names of the classes.
pub const CLASSES: [&str; {count}] = [{names}];

impl Class {{
    /// The name of the class; an empty string for a number that is not that of a class.
    pub fn name(self) -> &'static str {{
        usize::try_from(self.0).ok().and_then(|at| CLASSES.get(at).copied()).unwrap_or("")
    }}
}}
"""


def _string(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in plain) + '"'


def _constants(model: PackagedModel) -> str:
    inputs = (
        model.declared["model"]["input"]["length"] if model.interface.pushes is None else model.interface.array_length
    )
    found = [("INPUTS", "usize", str(inputs), "The number of elements of an input.")]
    if model.threshold is not None:
        macros = {macro["name"]: macro["value"] for macro in model.declared["macros"]}
        text = f"{float(macros[f'{model.name}_THRESHOLD'])!r}"
        found.append(("THRESHOLD", "f32", text, "The score below which an input is an anomaly."))
    return "".join(f"/// {doc}\npub const {name}: {type} = {value};\n" for name, type, value, doc in found)


def _methods(model: PackagedModel, functions: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    name = model.name
    if model.interface.pushes is None:
        given = functions["input"]["result"]
        element = _TYPES[given["element"]]
        copy = f"core::ptr::copy_nonoverlapping(raws.as_ptr(), {name}_input(&mut self.context), {given['elements']});"
        yield _method(
            "Runs the model on raws.",
            "predict",
            f"raws: &[{element}; {given['elements']}]",
            functions["run"],
            f"{name}_run(&mut self.context)",
            before=copy,
        )
    else:
        doc = "Computes the answer if it is due (`ready`); None before."
        if model.interface.has_label:
            yield _ready_method(doc, f"{name}_predict(&mut self.context)")
        else:
            yield _method("Computes the answer, if it is due.", "predict", "", {}, f"{name}_predict(&mut self.context)")
    if "predict_floats" in functions:
        floats = functions["predict_floats"]
        argument = f"reals: &[f32; {pointer_of(floats)['elements']}]"
        call = f"{name}_predict_floats(&mut self.context, reals.as_ptr())"
        yield _method("Runs the model on real numbers.", "predict_floats", argument, floats, call)
    for role, what in (("push", "samples as raws"), ("push_floats", "samples as real numbers")):
        if role in functions:
            element = _TYPES[pointer_of(functions[role])["element"]]
            yield _PUSH.format(what=what, role=role, element=element, name=name)
    for role, result, doc in (
        ("ready", "bool", "Whether `predict` has an answer."),
        ("reset", "", "Forgets all samples."),
    ):
        if role in functions:
            call = f"{name}_{role}(&mut self.context)"
            yield _simple(doc, role, result, f"{call} != 0" if result else call)
    for output in model.declared["model"].get("outputs", ()):
        yield from _output(output, name, functions)
    if "is_anomaly" in functions:
        doc = "Whether the score of the last `predict` is that of an anomaly."
        yield _simple(doc, "is_anomaly", "bool", f"{name}_is_anomaly(&mut self.context, THRESHOLD) != 0")


_PUSH = """\
    /// Takes {what}, and runs the model on each frame as it gets complete. Returns how many it has taken: all, or fewer
    /// if an answer is due.
    pub fn {role}(&mut self, samples: &[{element}]) -> usize {{
        let count = samples.len().min(core::ffi::c_int::MAX as usize) as core::ffi::c_int;
        unsafe {{ {name}_{role}(&mut self.context, samples.as_ptr(), count) as usize }}
    }}
"""


def _simple(doc: str, name: str, result: str, call: str) -> str:
    arrow = f" -> {result}" if result else ""
    end = "" if result else ";"
    body = f"unsafe {{ {call} }}{end}"
    return f"    /// {doc}\n    pub fn {name}(&mut self){arrow} {{\n        {body}\n    }}\n"


def _ready_method(doc: str, call: str) -> str:
    return (
        f"    /// {doc}\n    pub fn predict(&mut self) -> Option<Class> {{\n"
        f"        let label = unsafe {{ {call} }};\n        (label >= 0).then_some(Class(label))\n    }}\n"
    )


def _method(doc: str, name: str, argument: str, function: Mapping[str, Any], call: str, before: str = "") -> str:
    given = f", {argument}" if argument else ""
    lines = [f"            {before}\n"] if before else []
    returned = "result" in function
    lines.append(f"            {f'Class({call})' if returned else f'{call};'}\n")
    arrow = " -> Class" if returned else ""
    body = "".join(lines)
    head = f"    /// {doc}\n    pub fn {name}(&mut self{given}){arrow} {{\n"
    return f"{head}        unsafe {{\n{body}        }}\n    }}\n"


def _output(output: Mapping[str, Any], name: str, functions: Mapping[str, Any]) -> Iterator[str]:
    role, element, length = output["function"].removeprefix(f"{name}_"), _TYPES[output["type"]], output["length"]
    raws = "raws" if role == "scores" else f"raws_{role.removeprefix('output_')}"
    array = f"&[{element}; {length}]"
    cast = f"&*({output['function']}(&mut self.context) as *const [{element}; {length}])"
    yield _simple("The outputs of the last `predict`, as raws.", raws, array, cast)
    getter = "score" if role == "scores" else f"{role}_score"
    if getter in functions:
        each = f"unsafe {{ {name}_{getter}(&mut self.context, at as core::ffi::c_int) }}"
        yield (
            "    /// The outputs of the last `predict`, as real numbers.\n"
            f"    pub fn {role}(&mut self) -> [f32; {length}] {{\n"
            f"        core::array::from_fn(|at| {each})\n    }}\n"
        )


def _samples(model: PackagedModel, functions: Mapping[str, Any]) -> str:
    """The stored samples as Rust constants."""
    count, element = model.samples, _TYPES[model.interface.array_ctype]
    rows = [", ".join(_literal(value) for value in row.tolist()) for row in model.stored_inputs]
    width = model.interface.array_length
    texts = [_table("INPUTS", element, width, rows)]
    if model.interface.has_label and model.expected.labels is not None:
        labels = ", ".join(str(label) for label in model.expected.labels[:count].tolist())
        texts.append(f"const LABELS: [i16; {count}] = [{labels}];\n")
    if model.interface.output_ctype is not None and model.expected.scores is not None:
        scores = model.expected.scores[:count].reshape(count, -1)
        rows = [", ".join(_literal(value) for value in row.tolist()) for row in scores]
        texts.append(_table("SCORES", _TYPES[model.interface.output_ctype], scores.shape[1], rows))
    return "".join(texts)


def _table(name: str, element: str, width: int, rows: list[str]) -> str:
    body = "".join(f"    [{row}],\n" for row in rows)
    return f"const {name}: [[{element}; {width}]; {len(rows)}] = [\n{body}];\n"


def _literal(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    if value != value:
        return "f32::NAN"
    if value in (float("inf"), float("-inf")):
        return "f32::INFINITY" if value > 0 else "f32::NEG_INFINITY"
    return repr(value)


def _check(model: PackagedModel, functions: Mapping[str, Any]) -> str:
    """The Rust statements that run one sample on `model` and compare the outputs."""
    lines = list[str]()
    if model.interface.pushes is not None:
        lines += ["model.reset();", "let mut at = 0;", "while at < INPUTS[number].len() {"]
        lines += ["    at += model.push(&INPUTS[number][at..]);", "}"]
        call = "model.predict()"
        expected = "Some(Class(LABELS[number]))"
    else:
        call, expected = "model.predict(&INPUTS[number])", "Class(LABELS[number])"
    if model.interface.has_label and model.expected.labels is not None:
        lines.append(f"assert_eq!({call}, {expected});")
    else:
        lines.append(f"{call};")
    if model.interface.output_ctype is not None and model.expected.scores is not None:
        if model.interface.output_ctype == "float":
            lines.append("assert_eq!(model.raws().map(f32::to_bits), SCORES[number].map(f32::to_bits));")
        else:
            lines.append("assert_eq!(*model.raws(), SCORES[number]);")
    return "".join(f"        {line}\n" for line in lines)


def _lacks(board: Board) -> str | None:
    if board.fabric is not None or chip_of(board.name).flash_attribute is not None:
        return "is no target of rustc with a C compiler of the same ABI"
    return None


RUST = Packaging("rust", _files, _lacks, products=("target",))
"""The packaging: `rust/` is the crate."""
