"""TinyDéjàVu: Huang, Baccelli, "TinyDéjàVu: Smaller RAM and Faster Inference with Neural Networks on MCUs for Sensor
Data Streams", 2025 and 2026.
"""

from measured.measures.sliding_windows import overlapping_windows
from measured.rows import DATA, NOT_DONE, OTHER, Measured, Row

NETWORKS = "the networks and the base of the comparison are not in the available text"
OURS = (
    "a network of our own, two convolutions over 64 frames and a pool over all of them, with windows 4 frames apart, "
    "on a Cortex-M4"
)

ROWS = (
    Row(
        item="abstract, RAM",
        title="RAM for overlapping windows",
        reports="up to 90 % less RAM than StreamiNNC at the same latency (second version); more than 60 % less (first)",
        here=f"{OURS}: {{streamed_ram}} bytes of RAM with stack if frames are passed, {{whole_ram}} if the program "
        "reads the whole window",
        verdict=DATA,
        why=NETWORKS,
        run=Measured(overlapping_windows),
        holds=lambda found: found["streamed_ram"] < found["whole_ram"],
    ),
    Row(
        item="abstract, compute",
        title="redundant compute of overlapping windows",
        reports="up to 90 % of it eliminated (first version)",
        here=f"{OURS}: {{streamed}} instructions for an answer if frames are passed, {{whole}} if the program "
        "reads the whole window. Each row of a convolution is computed once",
        verdict=DATA,
        why=NETWORKS,
        run=Measured(overlapping_windows),
        holds=lambda found: found["streamed"] < 0.2 * found["whole"],
    ),
    Row(
        item="method",
        title="temporal operators as state-space models",
        reports="each temporal operator has a state that is updated at every time step, so that memory does not grow "
        "with the length of the window",
        here="rings of rows, sums and hidden states that the function of one time step carries "
        "([programs that stream](../signals.md#programs-that-stream))",
        verdict=OTHER,
        why="convolutions and recurrences are not rewritten as state-space models; the stored values are the same",
        nothing_to_run="a formulation, whose effect the rows above measure",
    ),
    Row(
        item="pooling",
        title="pools over all frames",
        reports="a global pool is the boundary of the network: it is updated with each frame, and the layers behind it "
        "run once for an answer",
        here="with `--stride`, a pool over all frames is computed from the stored rows when an answer is computed",
        verdict=NOT_DONE,
        why="a mean or a maximum over a sliding window is not updated row by row",
        nothing_to_run="tinyml does not do it",
    ),
    Row(
        item="bfloat16",
        title="streams in bfloat16",
        reports="optional precision of bfloat16 (a summary of the first version)",
        here="formats and streams are independent: `--format bf16 --input push`",
        verdict=DATA,
        why=NETWORKS,
        nothing_to_run="the available text states no figure",
    ),
)
