"""The kinds of fuzz cases. A new kind is a function and a row of `KINDS`."""

from fuzz.kinds import (
    api,
    arrivals,
    attributes,
    boosted,
    channel_graphs,
    files,
    folders,
    foreign,
    ir,
    networks,
    onnx_networks,
    outputs,
    overwriting,
    plugins,
    programs,
    quantised,
    recordings,
    sources,
    tflite_networks,
)
from fuzz.watched import Kind

KINDS = {
    kind.name: kind
    for kind in (
        Kind("passes", ir.every_pass, weight=3),
        Kind("changed IR", ir.changed, weight=4),
        Kind("attributes", attributes.attributes, seconds=30, weight=3),
        Kind("options", ir.options, weight=2),
        Kind("models", sources.models, weight=2),
        Kind("tflite", tflite_networks.tflite, seconds=20, weight=2),
        Kind("onnx", onnx_networks.onnx_models, seconds=20, weight=2),
        Kind("boosted", boosted.boosted, weight=2),
        Kind("catboost", foreign.catboost, seconds=60),
        Kind("keras", foreign.keras, seconds=120, memory=None),
        Kind("stateful", foreign.stateful, seconds=20),
        Kind("foreign MLIR", foreign.foreign_mlir, seconds=20, weight=2),
        Kind("quantised", quantised.as_tflm, weight=3, memory=None),
        Kind("networks", networks.random_networks, seconds=120, weight=9, memory=None),
        Kind("arrays", files.arrays, weight=2),
        Kind("tables", files.tables, weight=2),
        Kind("journals", files.journals),
        Kind("recordings", recordings.recordings, seconds=20),
        Kind("folders", folders.folders, seconds=20),
        Kind("outputs", outputs.damaged, seconds=20),
        Kind("kills", outputs.killed, seconds=30),
        Kind("overwriting", overwriting.overwriting, seconds=20),
        Kind("plug-ins", plugins.plugins, seconds=30),
        Kind("arrivals", arrivals.arrivals, seconds=60, weight=4, memory=None),
        Kind("channel graphs", channel_graphs.in_loops, seconds=120, weight=4, memory=None),
        Kind("API", api.calls, seconds=60, weight=3),
        Kind("programs", programs.random_programs, seconds=120, weight=18, memory=None),
    )
}
"""Kinds by name, in the order in which they take turns."""
