"""The plug-in that an exception comes from."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from types import FrameType

from xdsl.universe import Universe

from tinyml.lowering.frontends.importers import GROUP

_UNIVERSES = "xdsl.universe"
_OURS, _XDSL = "tinyml", "xdsl"
_TOOLS = "tinyml.tools."
"""The modules of ours that call passes and targets of others."""


def plugin_of(error: BaseException) -> str | None:
    """The name of the plug-in in whose code, or during whose import, an exception was raised; None for other code.

    xDSL is a plug-in of its tools: its own passes and targets count as it, calls of xDSL from ours do not.
    """
    providers = {
        place.module.partition(".")[0]: place.name
        for group in (_UNIVERSES, GROUP)
        for place in entry_points(group=group)
        if place.module.partition(".")[0] not in (_OURS, _XDSL)
    }
    modules: list[str] = []
    step = error.__traceback__
    while step is not None:
        if (name := _plugin_in(step.tb_frame, providers)) is not None:
            return name
        modules.append(str(step.tb_frame.f_globals.get("__name__", "")))
        step = step.tb_next
    ours = any(module.startswith(f"{_OURS}.") and not module.startswith(_TOOLS) for module in modules)
    return _XDSL if modules and modules[-1].startswith(f"{_XDSL}.") and not ours else None


def _plugin_in(frame: FrameType, providers: dict[str, str]) -> str | None:
    if frame.f_code is EntryPoint.load.__code__:
        return frame.f_locals["self"].name
    # What each plug-in offers is collected here; names that two of them define are in the message.
    if frame.f_code is Universe.get_multiverse.__code__ and "sorted_universes" in frame.f_locals:
        return ", ".join(name for name, _ in frame.f_locals["sorted_universes"] if name not in (_OURS, _XDSL))
    return providers.get(str(frame.f_globals.get("__name__", "")).partition(".")[0])
