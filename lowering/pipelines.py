"""Pipelines as passes, and the list of passes of a pipeline with their options.

Each pipeline of `pipeline_steps.py` is a pass, so that any tool can run it by name. To inspect the IR between the
passes of a pipeline, run the passes that `flatten` returns one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, make_dataclass
from functools import cache
from io import StringIO
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.context import context, registry
from tinyml.dialects.errors import DefectError, InputError, squeeze
from tinyml.dialects.formats.lookup import USUAL_FORMAT, format_named, synthesised_bits
from tinyml.dialects.options import options_of
from tinyml.dialects.plugins import PluginError, described, plugin_of
from tinyml.lowering.added_steps import check_installed, is_set, steps_of
from tinyml.lowering.options import PipelineOptions
from tinyml.lowering.pipeline_steps import PIPELINES, PORTABLE, If
from tinyml.targets.registry import HOST, check_compiled_for, chip_of, compile_for, target_of
from tinyml.transforms.ir.levels import EndVerification, Level, LevelError, level_of
from tinyml.transforms.ir.verification import Verification
from tinyml.transforms.schedules.table import AUTO, traits_of

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat

TARGET_OPTION = "target"

FIELDS = {
    "plan-execution": {"mode": "plan"},
    "synthesise-format": {"bits": "synthesised"},
}
"""Fields of passes whose option has a different name, since several passes share the field's name."""

PUBLISHED = {"reals-to-formats": "published-to-formats"}
"""Replacements of pipelines for formats with published arithmetic."""

FORMAT_PROPERTIES: dict[str, Callable[[NumberFormat], bool]] = {
    "exact_differences": lambda format: format.difference(format) is not None,
    "rewrites": lambda format: not format.AS_PUBLISHED,
    "several_products": lambda format: format.SUMS_GO_ON,
}
"""Properties of the program's format that steps use as a condition or as the value of a field."""

OPTION_PROPERTIES: dict[str, Callable[[Mapping[str, Any]], bool | int | None]] = {
    "align": lambda given: chip_of(given.get("target", HOST)).buffer_alignment,
    "moves": lambda given: "ram" in given or traits_of(given.get("plan", AUTO)).sliced,
    "synthesised": lambda given: synthesised_bits(given.get("weights")),
}
"""Values of fields that are derived from options.

For hardware, buffers are aligned to words. Memory has precedence over time if a plan is requested.
"""


def flatten(name: str, options: Mapping[str, Any]) -> list[ModulePass]:
    """The passes of a pipeline with their options. Inner pipelines are flattened. Raises `InputError` for an
    unknown format.

    options: some of `PipelineOptions` by name. A pass uses its default for an option that is missing or None.
    """
    return [step for step in resolved(name, options) if not isinstance(step, If)]


def resolved(name: str, options: Mapping[str, Any]) -> list[ModulePass | If]:
    """The passes of a pipeline with their options, as `flatten` returns them, and in their places the steps whose
    condition is false.
    """
    given = {option: value for option, value in options.items() if value is not None}
    format = format_named(context(), given.get("format", USUAL_FORMAT), None)
    given |= {name: holds(format) for name, holds in FORMAT_PROPERTIES.items()}
    given |= {name: holds(given) for name, holds in OPTION_PROPERTIES.items()}

    def with_options(name: str) -> ModulePass:
        step = _pass(name)
        return step(**{field: given[option] for field, option in _fields(step).items() if option in given})

    steps = _steps(name, given, format.AS_PUBLISHED)
    return [step if isinstance(step, If) else with_options(step) for step in steps]


def _steps(name: str, given: Mapping[str, Any], published: bool) -> Iterator[str | If]:
    for step in steps_of(PUBLISHED.get(name, name) if published else name):
        if isinstance(step, If):
            if not is_set(given.get(step.condition)):
                yield step
                continue
            check_installed(step)
            step = step.step
        if step in PIPELINES:
            yield from _steps(step, given, published)
        else:
            yield step


def run(module: ModuleOp, ctx: Context, passes: Sequence[ModulePass], *, of_user: bool = False) -> None:
    """Run passes in order on a verified module. Verify the module where its level changes, and at the end.

    Passes raise `InputError` for unsupported programs. Raises `DefectError` if all passes are tinyml's and one of them
    produces an invalid module.

    of_user: true for a module from a file that tinyml wrote and that may have been modified; an invalid result is then
        the fault of the input.
    """
    checked = EndVerification()
    try:
        PassPipeline(tuple(passes), checked.between).apply(ctx, module)
    except (InputError, VerifyException) as error:
        suspect, own_passes = checked.suspect, all(type(step).__module__.startswith(_PACKAGE) for step in passes)
        refused = isinstance(error, InputError) and not isinstance(error, LevelError)
        if of_user or suspect is None or refused or not own_passes or isinstance(error, PluginError):
            raise
        plugin = plugin_of(error)
        if plugin is not None and not plugin.is_built_in:
            raise PluginError(f"{plugin}: {described(error)}") from error
        raise _defect(module, suspect, error) from error


_PACKAGE = "tinyml."
"""The prefix of tinyml's module names."""


def _defect(module: ModuleOp, suspect: ModulePass, error: Exception) -> DefectError:
    """The error for a program that `suspect`, a pass of tinyml, made invalid. The program is written to a file, which
    the error names.
    """
    text = StringIO()
    Printer(text, print_generic_format=True).print_op(module)
    defect = f"the pass '{suspect.name}' makes the program invalid: {squeeze(str(error))}"
    with NamedTemporaryFile("w", prefix="tinyml-defect-", suffix=".mlir", delete=False, encoding="utf-8") as file:
        file.write(f"// {defect}\n{text.getvalue()}\n")
    return DefectError(f"{defect}. This is a defect of tinyml: please report it with the file {file.name}")


@dataclass(frozen=True, kw_only=True)
class Pipeline(ModulePass):
    """A pass that runs a sequence of passes. Its fields are the options that its steps have or depend on.

    The first pipeline with the option `target` that is not in `PORTABLE` records the target in the module. Later
    pipelines read it there, and refuse another one.
    """

    @property
    def takes(self) -> Level | None:
        """The IR level that the pipeline accepts, which is that of its first step with a declared level; None if no
        step declares a level.
        """
        return next(filter(None, map(level_of, self.steps())), None)

    def steps(self, module: ModuleOp | None = None) -> list[ModulePass]:
        """The passes of the pipeline with their options, in the order of execution.

        module: the module to which the passes are applied. The pipeline's target is recorded in it, or read from it.

        Raises `InputError` for an unknown target, and for a module that is compiled for another target.
        """
        return [step for step in self.resolved_steps(module) if not isinstance(step, If)]

    def resolved_steps(self, module: ModuleOp | None = None) -> list[ModulePass | If]:
        """As `steps`, and in their places the steps whose condition is false."""
        given = asdict(self)
        if module is not None and TARGET_OPTION in given:
            if (target := given[TARGET_OPTION]) is not None:
                (check_compiled_for if self.name in PORTABLE else compile_for)(module, target)
            given[TARGET_OPTION] = target or target_of(module)
        return resolved(self.name, given)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        steps, before = tuple(self.steps(op)), op.clone()
        try:
            PassPipeline(steps, EndVerification().between).apply(ctx, op)
        except (InputError, MemoryError):
            raise
        except Exception:
            # Run again with verification between passes, as `tinyml-opt` does, so that the error names the right pass.
            PassPipeline(steps, Verification().between).apply(ctx, before)
            raise


@cache
def pipeline(name: str) -> type[Pipeline]:
    """The pass class of a named pipeline."""
    taken = _taken(name)
    own: list[tuple[str, Any, Any]] = [
        (option.name, option.type, field() if option.required else field(default=option.default))
        for option in options_of(PipelineOptions)
        if option.name in taken - {TARGET_OPTION}
    ]
    if TARGET_OPTION in taken or name not in PORTABLE:
        own.append((TARGET_OPTION, str | None, field(default=None)))
    class_name = "".join(map(str.capitalize, name.split("-"))) + "Pass"
    namespace = {"name": name, "__doc__": PIPELINES[name].doc, "__module__": __name__}
    return make_dataclass(class_name, own, bases=(Pipeline,), frozen=True, kw_only=True, namespace=namespace)


def _taken(name: str) -> set[str]:
    """The names of the options that the steps of a pipeline have or depend on, including the steps of inner
    pipelines. A pipeline that forgets the target has no option for it.
    """
    taken: set[str] = set()
    for step in steps_of(name):
        if isinstance(step, If):
            taken.add(step.condition)
            step = step.step
        if step in PIPELINES:
            taken |= _taken(step)
        elif step in registry().all_passes:
            taken |= set(_fields(_pass(step)).values())
    return taken - {TARGET_OPTION} if "forget-target" in steps_of(name) else taken


def _pass(name: str) -> type[ModulePass]:
    return registry().all_passes[name]()


def _fields(step: type[ModulePass]) -> dict[str, str]:
    return {field.name: FIELDS.get(step.name, {}).get(field.name, field.name) for field in fields(step)}
