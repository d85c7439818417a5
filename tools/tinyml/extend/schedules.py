"""Schedules: further execution orders of a network's segments.

A segment is executed as a whole or in parts. A `Schedule` proposes segments of a network's `Graph`, with the bits of
memory that each segment requires. A `Tiling` rewrites the ops of one segment.
"""

from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.transforms.formats.plan_execution import PlanExecutionPass
from tinyml.transforms.schedules.in_place import Overwriting, Variants
from tinyml.transforms.schedules.ordinary import ordinary_in_programs as ordinary_program_segments
from tinyml.transforms.schedules.ordinary import usual_segments as ordinary_segments
from tinyml.transforms.schedules.plans.graph import Graph
from tinyml.transforms.schedules.plans.halos import areas_of_tiles
from tinyml.transforms.schedules.plans.network import Network, graph_of, network_of, scratch_of
from tinyml.transforms.schedules.plans.segmentation import least_peak
from tinyml.transforms.schedules.protocol import Schedule, TilingOptions
from tinyml.transforms.schedules.rewriting.patch_loops import PatchLoops
from tinyml.transforms.schedules.segments import Kernels, NotTiled, Plan, Rewrite, Segment, Share, Tiling
from tinyml.transforms.schedules.table import schedule_named, schedules
from tinyml.transforms.schedules.tiling.window_tiles import AMPLE_MEMORY, TileMemory

__all__ = [
    "AMPLE_MEMORY",
    "Graph",
    "Kernels",
    "Network",
    "NotTiled",
    "Overwriting",
    "PatchLoops",
    "Plan",
    "PlanExecutionPass",
    "Rewrite",
    "Schedule",
    "Segment",
    "Share",
    "TileMemory",
    "Tiling",
    "TilingOptions",
    "Variants",
    "areas_of_tiles",
    "graph_of",
    "least_peak",
    "network_of",
    "ordinary_program_segments",
    "ordinary_segments",
    "predict_function",
    "schedule_named",
    "schedules",
    "scratch_of",
]
