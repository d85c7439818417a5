"""Requests to compile, from option values of the command line or the Python API.

Modules of searches are imported only for options that other compilations lack, and for help texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported, missing_part
from tinyml.dialects.options import Option, OptionGroup, option, options_of
from tinyml.lowering.options import AUTO_FORMAT, PACKED
from tinyml.targets.registry import spends_flash
from tinyml.tools.driver.request import (
    DECIDED_OPTIONS,
    OPTIMIZE,
    Request,
    SearchRequest,
    describe_searches,
    search_options,
)
from tinyml.transforms.formats.evaluation.metrics import ACCURACY, figures, metric_named

LIMITS = ("ram", "flash", "cycles")
WITHOUT_SEARCH = ("ram", "flash", "loss", "metric")
"""Limits that a compilation without a search enforces itself; the loss only if it chooses a format.

The metric that measures the loss is part of every report.
"""

_LIMIT_OPTIONS = "tinyml.transforms.search.engine.search_options:LimitOptions"

ASSUMED_OPTIONS = {"packed": PACKED[0], "optimize": OPTIMIZE[0]}
"""The option values that searches assume when they measure programs."""


@dataclass(frozen=True, kw_only=True)
class SearchChoice:
    """The option that requests a search. The passes of searches declare their own options."""

    search: str | None = option(
        lambda: f"search to run: {describe_searches()}", default=None, metavar="NAME", group=OptionGroup.SEARCH
    )


def without_searches() -> list[Option]:
    """The options of a compilation without a search, the positional model first, and the option that requests one."""
    return [*_own(), *options_of(imported(_LIMIT_OPTIONS))] if missing_part(_LIMIT_OPTIONS) is None else _own()


def _own() -> list[Option]:
    return [*options_of(Request), *options_of(SearchChoice)]


def compile_options(given: Iterable[str] | None = None) -> list[Option]:
    """All options of a compilation, the positional model first. Search options are included only if a name in `given`
    is one of them.

    given: the names of the requested options.
    """
    own = _own()
    return own if given is not None and _has_all(own, given) else [*own, *search_options()]


def _has_all(options: Sequence[Option], names: Iterable[str]) -> bool:
    return {*names} <= {option.name for option in options}


def compile_request(given: Mapping[str, Any]) -> Request:
    """The request with given option values, by option name (`compile_options`).

    Raises `InputError` for mutually exclusive options, for an option without the option that it requires, and for an
    unknown or unsupported metric.
    """
    if given.get("format") == AUTO_FORMAT:
        _check_auto(given)
    search = _search(given)
    options = _of_searches(given) if search is None else {}
    limits = {name: options[name] for name in WITHOUT_SEARCH if name in options}
    values = _named(given, options_of(Request))
    if search is not None and "flash" in search.options and spends_flash(Request(**values).target):
        limits = {"flash": search.options["flash"]}
    if search is not None and "metric" in search.options:
        limits["metric"] = search.options["metric"]
    request = Request(**values, search=search, **limits)
    if request.flash is not None and not spends_flash(request.target):
        raise InputError(f"--flash is an option of --search: {request.target} has no kernels that need more flash")
    if request.metric is not None:
        _check_metric(request.metric, request)
    if request.loss is not None and not request.is_auto:
        raise InputError(f"--loss needs --format {AUTO_FORMAT} or --search")
    for name in ("measure", "measured"):
        if getattr(request, name) and not request.is_auto:
            raise InputError(f"--{name} is for the choice of --format {AUTO_FORMAT}: omit it for given formats")
    return request


def _check_metric(text: str, request: Request) -> None:
    """Raise `InputError` for an unknown metric. Without a search, also raise it for a metric that is a sum of losses of
    samples. With `--format auto`, also raise it for a metric whose lower figures are better.
    """
    metric = metric_named(text)
    if request.search is None and metric.figure is None and metric.name != ACCURACY:
        raise InputError(f"--metric {text} is for searches: --format {AUTO_FORMAT} and reports have {figures()}")
    if request.is_auto and metric.falls:
        raise InputError(f"--format {AUTO_FORMAT} counts points: --metric {text} is for searches and given formats")


def _check_auto(given: Mapping[str, object]) -> None:
    for name in DECIDED_OPTIONS[1:]:
        if name in given:
            option = f"--{name.replace('_', '-')}"
            raise InputError(f"--format {AUTO_FORMAT} sets {option} itself: omit one of the two")


def _named(given: Mapping[str, Any], options: list[Option]) -> dict[str, Any]:
    return {option.name: given[option.name] for option in options if option.name in given}


def _of_searches(given: Mapping[str, Any]) -> dict[str, Any]:
    own = _own()
    return {} if _has_all(own, given) else _named(given, search_options())


def _search(given: Mapping[str, Any]) -> SearchRequest | None:
    options, name = _of_searches(given), given.get("search")
    if name is None:
        if options := options.keys() - {*WITHOUT_SEARCH}:
            raise InputError(f"--{min(options)} is an option of --search")
        return None
    if "width" in given:
        raise InputError("--search chooses the width of each tensor: use --widths instead of --width")
    if "weights" in given:
        raise InputError("--search chooses the format of each tensor, including constants: omit --weights")
    _check_limits(given, next((name for name in LIMITS if name in options), None))
    return SearchRequest(name, options)


def _check_limits(given: Mapping[str, object], limit: str | None) -> None:
    """Raise `InputError` if a limit is combined with an option to which searches assign a fixed value, unless the
    option has this value.
    """
    for name, usual in ASSUMED_OPTIONS.items():
        if limit is not None and (value := given.get(name, usual)) != usual:
            raise InputError(
                f"searches keep --{limit} only with --{name} {usual}: leave out --{name} {value} or the limits"
            )
