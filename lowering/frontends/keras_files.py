"""Checks of a Keras file before Keras loads it: the file is intact and not too large, stores all of its data itself,
has no layers of unsupported packages and, unless the user trusts it, contains no code.

A .keras file is an archive of a configuration in JSON and weights in HDF5. An .h5 or .hdf5 file is HDF5 only, with the
configuration in an attribute. A configuration may contain functions. For example, a Lambda layer stores Python byte
code, and other layers name modules to import or files to unpickle. Keras executes such functions, and older versions do
so without a warning.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from math import prod
from typing import Any, cast

from tinyml.dialects.errors import InputError, squeeze
from tinyml.dialects.limits import ELEMENT_LIMIT, counted_elements

HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"

_TEXT_BYTES = 16 << 20
"""Maximum bytes of a configuration; the configuration of a network with 1,000 layers has one megabyte."""

_BYTES_PER_ELEMENT = 8
"""The maximum number of bytes of an element, that of double precision."""

_LAYERS_WITH_CODE = {"Lambda", "TFSMLayer", "TorchModuleWrapper", "JaxLayer", "FlaxLayer"}
"""Layers that store a function, a graph or a pickled module."""

_MODULES = {
    *("activations", "constraints", "dtype_policies", "initializers", "layers", "losses", "metrics", "optimizers"),
    *("ops", "quantizers", "random", "regularizers", "applications"),
}
"""The Keras modules whose classes and functions are parts of models; other modules read files or change safety
settings.
"""

ELSEWHERE = {
    "qkeras": "layers of QKeras are imported from QONNX: qonnx.converters.from_keras(model) of PyPI's qonnx exports it",
    "hgq": "layers of HGQ2 are not supported, because HGQ2 has no export to QONNX: export the model as QONNX",
}
"""For each package of layers that Keras's converter does not know, an error message."""

_QKERAS = re.compile("Q(Dense|Activation|AdaptiveActivation|BatchNormalization|(Depthwise|Separable)?Conv[12]D).*")
"""Layers of QKeras in files of Keras 2, which do not name the modules of classes."""

_MODELS = {"Sequential", "Functional", "Model"}
_LOADERS = {"deserialize", "from_json", "get", "load_model", "model_from_json"}


def check_archive(content: bytes, file: str, *, trusted: bool) -> None:
    """Raise `InputError` for an archive that is damaged, that is too large when unpacked, or that contains code.

    trusted: true to allow code in the file.
    """
    limit = ELEMENT_LIMIT.get()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            if len({member.filename for member in members}) < len(members):
                raise InputError("two members of the archive have one name", file=file)
            if (size := sum(member.file_size for member in members)) > _BYTES_PER_ELEMENT * limit:
                message = f"the archive unpacks to {size:,} bytes, more than {limit:,} elements take"
                raise InputError(f"{message}; --max-elements raises the limit", file=file)
            declared = archive.getinfo("config.json")
            if declared.file_size > _TEXT_BYTES:
                message = f"config.json unpacks to {declared.file_size:,} bytes, expected at most {_TEXT_BYTES:,}"
                raise InputError(message, file=file)
            text = archive.read(declared)
    except InputError:
        raise
    # zipfile raises many types of errors for damaged archives.
    except Exception as error:
        raise InputError(
            f"not a file of Keras, an archive with a config.json: {squeeze(str(error))}", file=file
        ) from error
    check_configuration(text, file, trusted=trusted)


def check_configuration(text: str | bytes, file: str, *, trusted: bool) -> None:
    """Raise `InputError` for a configuration that is not JSON, that has layers of the packages in `ELSEWHERE`, or that
    contains code and is not trusted.

    trusted: true to allow code in the configuration.
    """
    try:
        configuration: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the configuration of the model is no JSON: {squeeze(str(error))}", file=file) from error
    if package := next(filter(None, map(_package, _objects(configuration))), None):
        raise InputError(ELSEWHERE[package], file=file)
    if not trusted and (code := next(_code(configuration), None)) is not None:
        raise InputError(
            f"holds {code}, which loading it would run: give --trust-pickle if you trust where the file comes from",
            file=file,
        )


def check_hdf5(content: bytes, file: str, *, trusted: bool, network: bool) -> str:
    """Check an HDF5 file with a model or weights. Return the version of Keras that wrote the file, or an empty string
    if the version is unknown.

    Raises `InputError` for data that is damaged, that is too large or that is stored in another file, and for an
    invalid configuration (`check_configuration`). This function runs in a child process, since it reads the
    configuration with the library h5py, as Keras does.

    trusted: true to allow code in the configuration.
    network: true to also raise `InputError` for a file that has only weights.
    """
    h5py: Any = import_module("h5py")
    shapes: list[tuple[int, ...]] = []

    # `visititems` stops at the first result that is not None; an exception raised here would not propagate through it.
    def elsewhere(name: str, item: Any) -> str | None:
        if not isinstance(item, h5py.Dataset):
            return None
        shapes.append(item.shape or ())
        return name if item.external or item.is_virtual else None

    def link(name: str, link: Any) -> str | None:
        return name if isinstance(link, h5py.ExternalLink) else None

    try:
        with h5py.File(io.BytesIO(content), "r") as opened:
            outside: str | None = opened.visititems_links(link) or opened.visititems(elsewhere)
            configuration: Any = opened.attrs.get("model_config")
            version: Any = opened.attrs.get("keras_version", "")
    # h5py raises many types of errors for damaged files.
    except Exception as error:
        raise InputError(f"not a readable HDF5 file: {squeeze(str(error))}", file=file) from error
    if outside is not None:
        raise InputError(f"the weights `{squeeze(outside)}` are in another file", file=file)
    require_elements(sum(map(counted_elements, shapes)), file)
    if configuration is not None:
        check_configuration(configuration, file, trusted=trusted)
    elif network:
        raise InputError(
            "holds weights alone, without the network that they belong to: in Python, build the model, "
            "model.load_weights(file), and give it to tinyml.compile, or save it whole by model.save('model.keras')",
            file=file,
        )
    return version.decode("utf-8", "replace") if isinstance(version, bytes) else str(version)


def weights_in(content: bytes, file: str) -> Sequence[bytes]:
    """The HDF5 files in an archive. Raises `InputError` for a damaged archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return [archive.read(member) for member in archive.infolist() if member.filename.endswith(".h5")]
    # zipfile raises many types of errors for damaged archives.
    except Exception as error:
        raise InputError(f"the archive is damaged: {squeeze(str(error))}", file=file) from error


def require_elements(elements: int, file: str) -> None:
    """Raise `InputError` if the number of elements exceeds the limit."""
    if elements > (limit := ELEMENT_LIMIT.get()):
        message = f"the model has {elements:,} weights, more than {limit:,}"
        raise InputError(f"{message}; --max-elements raises the limit", file=file)


def limit_variables(keras: Any, file: str) -> None:
    """Limit the total number of variable elements that Keras may create.

    Without this limit, a configuration could declare layers of any size, which Keras allocates before it reads any
    weights.
    """
    elements = 0
    construct = keras.Variable.__init__

    def counted(self: Any, initializer: Any, shape: Any = None, *arguments: Any, **named: Any) -> None:
        nonlocal elements
        elements += prod(shape) if shape is not None else int(getattr(initializer, "size", 1))
        require_elements(elements, file)
        construct(self, initializer, shape, *arguments, **named)

    keras.Variable.__init__ = counted


def _code(configuration: object) -> Iterator[str]:
    yield from filter(None, map(_code_of, _objects(configuration)))


def _objects(configuration: object) -> Iterator[Mapping[str, object]]:
    left = [configuration]
    while left:
        value = left.pop()
        if isinstance(value, list):
            left += cast("list[object]", value)
        elif isinstance(value, dict):
            fields = cast("dict[str, object]", value)
            left += fields.values()
            yield fields


def _package(fields: Mapping[str, object]) -> str | None:
    name, module = fields.get("class_name"), fields.get("module")
    if not isinstance(name, str):
        return None
    before, _, name = name.rpartition(">")
    package = (module if isinstance(module, str) else before).partition(".")[0]
    if package in ELSEWHERE:
        return package
    return "qkeras" if not package and _QKERAS.fullmatch(name) else None


def _code_of(fields: Mapping[str, object]) -> str | None:
    kind, module = fields.get("class_name", ""), fields.get("module")
    if fields.get("function_type") == "lambda" or kind in ("__lambda__", "lambda"):
        return "code, a lambda"
    if "class_name" not in fields:
        return None
    if not isinstance(kind, str):
        return "an object whose class has no name"
    # Older files may prefix a class with its package.
    name = kind.replace(">", ".").rpartition(".")[2]
    if name in _LAYERS_WITH_CODE:
        return f"code, a layer of the class {squeeze(name)}"
    function = fields.get("config") if kind == "function" else kind
    if module not in (None, "builtins") and not _is_part(module, function):
        return f"an object of another module than Keras's layers, {squeeze(f'{module}.{function}')!r}"
    if function in _LOADERS:
        return f"a function that loads models, {function!r}"
    return None


def _is_part(module: object, name: object) -> bool:
    if not isinstance(module, str) or not isinstance(name, str):
        return False
    package, *inner = [name_part for name_part in module.split(".") if name_part != "src"]
    if package != "keras":
        return False
    return (
        name in {*_MODELS, "DTypePolicy", "KerasTensor"} if not inner or inner[0] == "models" else inner[0] in _MODULES
    )
