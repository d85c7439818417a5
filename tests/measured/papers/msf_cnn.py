"""msf-CNN: Huang, Baccelli, "msf-CNN: Patch-based Multi-Stage Fusion with Convolutional Neural Networks for TinyML",
2025.
"""

from measured.rows import BETTER, DATA, NOT_DONE, OTHER, Row, Shown
from measured.store import FOLDER, MEASURED, Values, read

TABLE = "schedules-recomputed"


def beside_published() -> Values:
    """The arenas of all chains and limits beside the bytes that msf-CNN published.

    `rows`: the number of pairs of a chain and a limit with a published plan. `less`: how many need fewer bytes here.
    `least`, `most`: the least and the greatest ratio of the arena to the published bytes. `NAME`, `NAME_theirs`,
    `NAME_work`, `NAME_their_work`: of each chain without a limit on the work.
    """
    measured, ratios, found = read(MEASURED), list[float](), dict[str, float]()
    for label, published in read(FOLDER / f"{TABLE}.json").items():
        ours = measured[f"chain '{label}'"]
        if (stated := published["msf-CNN, bytes"]) == "-" or label.endswith("| 1.0"):
            continue
        theirs = int(stated.replace(",", ""))
        ratios.append(ours["arena"] / theirs)
        if label.endswith("| free"):
            name = label.partition("-")[0].lower()
            found |= {name: ours["arena"], f"{name}_theirs": theirs}
            found |= {f"{name}_work": ours["work"], f"{name}_their_work": float(published["msf-CNN, work"])}
    return {**found, "rows": len(ratios), "less": sum(each < 1 for each in ratios), "least": min(ratios)}


ROWS = (
    Row(
        item="abstract, RAM",
        title="RAM compared with MCUNetV2 and StreamNet",
        reports="50 % less RAM than MCUNetV2 and StreamNet",
        here="compared with msf-CNN itself: see *published plans*",
        verdict=DATA,
        why="plans of MCUNetV2 and StreamNet for these networks are not in the available text",
        nothing_to_run="the base of the comparison is not available",
    ),
    Row(
        item="published plans",
        title="RAM within limits on the work (`result.json` of TinyPART/msf-CNN)",
        reports="bytes of the planner's formula for three networks and limits of 1.1 to 1.6 times the work, and "
        "without limit: 12,000 (MCUNetv2-vww-5fps), 7,887 (MBV2-w0.35) and 42,643 bytes (MCUNet-320KB)",
        here="fewer bytes in {less:d} of {rows:d} plans; without limit {mcunetv2}, {mbv2} and {mcunet} bytes of arena "
        "with {mcunetv2_work:.2f}, {mbv2_work:.2f} and {mcunet_work:.2f} times the work, msf-CNN's plans with "
        "{mcunetv2_their_work:.2f}, {mbv2_their_work:.2f} and {mcunet_their_work:.2f} times "
        "([strips](../schedules.md#compared-with-msf-cnn))",
        verdict=BETTER,
        why="ours are arenas of compiled programs, theirs the formula of the planner; its boards need up to 38 % more",
        run=Shown((TABLE,), beside_published),
        holds=lambda found: (
            found["less"] == found["rows"]
            and (found["mcunetv2_theirs"], found["mbv2_theirs"], found["mcunet_theirs"]) == (12_000, 7_887, 42_643)
        ),
    ),
    Row(
        item="abstract, search",
        title="optimal fusion settings",
        reports="the space of fusions is a directed acyclic graph, in which paths are fusion settings; a wider set of "
        "solutions than in previous work",
        here="the plan `strips` tries all sequences of segments in strips of columns or rows, by rows, pixels, blocks "
        "and channels, within a limit on the work",
        verdict=OTHER,
        why="the planner minimises RAM within a limit on the work, in which other modes than strips take part",
        nothing_to_run="a method, whose results the row above compares",
    ),
    Row(
        item="abstract, boards",
        title="implementation on Cortex-M, RISC-V and ESP32",
        reports="runs on boards of these kinds by RIOT-ML",
        here="programs in strips are compiled for all boards of tinyml",
        verdict=DATA,
        why="the boards are not available",
        nothing_to_run="time on boards cannot be measured here",
    ),
    Row(
        item="published times",
        title="evaluation of the plans on boards",
        reports="RAM and time of the plans on boards",
        here="programs of these chains in strips were run on the host only",
        verdict=NOT_DONE,
        why="the cycles of these chains on simulated cores were not measured",
        nothing_to_run="it was not measured",
    ),
)
