"""MinUn: Jaiswal, Goli, Kumar, Seshadri, Sharma, "MinUn: accurate ML inference on microcontrollers", 2022."""

from papers.measures.classifiers import compression, drops, usps
from papers.measures.representations import representations
from papers.row import CANNOT, DIFFERS, REPRODUCED, SURPASSED, Measured, Row, Shown, tested

EXAMPLE = "numeric/dialects/formats/test_minun_example.py"
PACKING = "unit/transforms/buffers/test_packing_modes.py"
POSITS = "numeric/dialects/formats/test_posits.py"
SEARCHES = "unit/transforms/search/test_searches.py"
FACES = "numeric/lowering/frontends/onnx/test_faces.py"

NO_DETECTIONS = (
    "of the trained detectors only Face-C has been measured here, by size and on other pictures "
    "([networks](../networks.md#detectors-with-rnnpool))"
)

COMPARED = Shown(
    ("searches-compared",),
    drops(
        {"demotion": "demotion", "promotion": "promotion", "ours": "promotion, ours"},
        {"protonn": "ProtoNN", "bonsai": "Bonsai", "fastgrnn": "FastGRNN", "all": "all"},
    ),
)

ROWS = (
    Row(
        item="section 2.1",
        title="1.6181 in fixed point and zero-skew",
        reports="26510 with scale 14; 231 with skew 0.015686 and zero 128",
        here="{fixed:d} as the paper cuts off (`shiftry`; `fixed` rounds to {rounded:d}), and {skewed:d} (`affine`)",
        verdict=REPRODUCED,
        run=Measured(representations),
        holds=lambda found: (found["fixed"], found["skewed"]) == (26510, 231),
    ),
    Row(
        item="section 2.2",
        title="a posit of 8 bits",
        reports="01101101 with es 2 is 160",
        here="{posit:.0f}",
        verdict=REPRODUCED,
        run=Measured(representations),
        holds=lambda found: found["posit"] == 160,
    ),
    Row(
        item="figure 1",
        title="faces found in a picture",
        reports="boxes of the detector in floats",
        here="boxes of Face-C in floats and in fixed point, on a photograph that is free to use "
        "([picture](../networks.md#detectors-with-rnnpool))",
        verdict=DIFFERS,
        why="the paper's picture is of a data set for research only",
    ),
    Row(
        item="figure 2",
        title="the fields of a posit",
        reports="sign, regime, exponent, fraction",
        here="SoftPosit's bits for every number of 8 bits",
        verdict=REPRODUCED,
        run=tested(f"{POSITS}::test_reals_are_rounded_as_softposit_rounds_them"),
    ),
    Row(
        item="table 1",
        title="values and promotability",
        reports="numbers of 16 and 8 bits, and five scores",
        here="all values; scores by the percentile of few numbers, which may be either of two",
        verdict=REPRODUCED,
        run=tested(f"{EXAMPLE}::test_table_1_values", f"{EXAMPLE}::test_table_1_promotability"),
    ),
    Row(
        item="table 2",
        title="cumulative promotion",
        reports="RAM and errors by what is promoted",
        here="all of the printed errors and bytes",
        verdict=REPRODUCED,
        run=tested(f"{EXAMPLE}::test_table_2"),
    ),
    *(
        Row(
            item=f"procedure {number}",
            title=title,
            reports=reports,
            here=here,
            verdict=REPRODUCED,
            run=tested(f"{EXAMPLE}::{test}"),
        )
        for number, title, reports, here, test in (
            (1, "the linear classifier", "the program of the example", "the same numbers", "test_table_1_values"),
            (2, "posits of 16 bits", "4 bytes of RAM", "the same posits", "test_table_1_values"),
            (3, "posits of two widths", "3 bytes of RAM", "3 bytes, or 2", "test_procedure_3_works_in_3_bytes"),
        )
    ),
    Row(
        item="figure 3",
        title="overview",
        reports="bit widths, memory, code",
        here="the passes of `search-promote` and of the pipelines behind it",
        verdict=REPRODUCED,
        run=tested(f"{SEARCHES}::test_what_is_reported_is_what_the_program_computes"),
    ),
    Row(
        item="algorithm 4",
        title="es by accuracy",
        reports="es 0 or 2 for 8 bits, 1 or 2 for 16",
        here="`search-uniform`: es 0 to 3",
        verdict=SURPASSED,
        run=tested(f"{POSITS}::test_constants_have_the_es_and_the_shift_of_the_least_error"),
    ),
    *(
        Row(
            item=f"algorithm {number}",
            title=title,
            reports=reports,
            here=here,
            verdict=REPRODUCED,
            run=tested(f"{EXAMPLE}::{test}"),
        )
        for number, title, reports, here, test in (
            (5, "value maps", "values in both widths", "`search-promote`, step 2", "test_table_1_values"),
            (6, "the heat map", "95th percentile over size", "step 2", "test_table_1_promotability"),
            (7, "promotion within a limit", "in the order of scores", "step 3", "test_table_2"),
            (8, "promotion", "from three initial states", "step 3", "test_procedure_3_works_in_3_bytes"),
        )
    ),
    Row(
        item="section 5.2",
        title="time of the exploration",
        reports="25 minutes for Face-B, 46 by Shiftry's search",
        here="twelve classifiers: promotion 0.2 to 2.1 s, demotion 0.4 to 2.9 s ([searches](../searches.md))",
        verdict=DIFFERS,
        why="candidates are evaluated in numpy, with what they have in common computed once; no detector is searched",
        run=tested(f"{SEARCHES}::test_what_is_reported_is_what_the_program_computes"),
    ),
    Row(
        item="figure 4",
        title="fragmentation",
        reports="384 bytes on a heap, 256 at best",
        here="`none` 384, all other modes 256",
        verdict=REPRODUCED,
        run=tested(f"{PACKING}::test_minun_figure_4"),
    ),
    Row(
        item="figure 5",
        title="a canvas of bytes and instructions",
        reports="the placements of a tensor as options",
        here="`exact-cover`: options at normal patterns, sections in place of instructions",
        verdict=SURPASSED,
        run=tested(f"{PACKING}::test_exact_modes_find_the_least_height"),
    ),
    Row(
        item="section 5.3",
        title="packing as exact cover",
        reports="Algorithm X with dancing links finds the least height",
        here="proved against exhaustive search",
        verdict=REPRODUCED,
        run=tested(
            f"{PACKING}::test_exact_modes_find_the_least_height",
            "unit/transforms/buffers/test_exact_cover.py::test_knuths_example",
        ),
    ),
    Row(
        item="figure 6",
        title="drop of accuracy in 8 bits",
        reports="fixed point worst, zero-skew better, posits best, and unacceptable for FastGRNN",
        here="points lost on average: fixed {fixed 8:.2f}, posit {posit 8:.2f}, affine {affine 8:.2f}",
        verdict=DIFFERS,
        why="sums of products are exact here in all three, which is where the paper's 8 bits lose",
        run=Shown(("results-formats",), compression),
        holds=lambda found: max(found["fixed 8"], found["posit 8"], found["affine 8"]) < 0.5,
    ),
    Row(
        item="figure 7",
        title="less RAM than floats",
        reports="2.9 to 5.1 times less with posits",
        here="{least:.1f} to {most:.1f} times less for twelve classifiers, at no loss on average",
        verdict=DIFFERS,
        why="RAM here includes stack and input, and every model was limited to 1/2.9; 5.1 times was not tried",
        run=Shown(("results-third",), compression),
        holds=lambda found: found["least"] >= 2.9 and found["change"] >= 0,
    ),
    Row(
        item="figure 8",
        title="boxes by Shiftry",
        reports="Face-C misses faces",
        here="",
        verdict=CANNOT,
        why=NO_DETECTIONS,
    ),
    Row(
        item="figure 9",
        title="boxes by MinUn",
        reports="Face-C finds them",
        here="",
        verdict=CANNOT,
        why=NO_DETECTIONS,
    ),
    Row(
        item="table 3, classifiers",
        title="posits beside floats",
        reports="accuracy within 0.2 points of floats at 2.9 to 5.1 times less RAM",
        here="mean change {change:+.3f} points, the worst {worst:+.2f}, at {least:.1f} times less RAM or more",
        verdict=REPRODUCED,
        run=Shown(("results-third",), compression),
        holds=lambda found: found["worst"] >= -0.2 and found["least"] >= 2.9,
    ),
    Row(
        item="table 3, detectors",
        title="posits beside floats",
        reports="192 to 203 KB and the average precision of floats",
        here="Face-C in fixed point: 163 KB and 0.537 beside 0.531 in floats",
        verdict=DIFFERS,
        why=NO_DETECTIONS,
        run=tested(FACES),
    ),
    Row(
        item="table 4, classifiers",
        title="promotion beside demotion in fixed point",
        reports="demotion loses 0.50 (FastGRNN), 0.74 (ProtoNN) and 0.58 (Bonsai) points against promotion",
        here="in Shiftry's arithmetic and the same RAM, demotion changes {fastgrnn_demotion:.2f}, "
        "{protonn_demotion:.2f} and {bonsai_demotion:.2f}, promotion {fastgrnn_promotion:.2f}, "
        "{protonn_promotion:.2f} and {bonsai_promotion:.2f}",
        verdict=REPRODUCED,
        run=COMPARED,
        holds=lambda found: all(
            found[f"{family}_promotion"] > found[f"{family}_demotion"] for family in ("protonn", "bonsai", "fastgrnn")
        ),
    ),
    Row(
        item="table 4, by size and by accuracy",
        title="costly strategies",
        reports="worse than Haunter but for FastGRNN",
        here="",
        verdict=CANNOT,
        why="the two baselines are not built yet; pareto, which evaluates more programs, is compared in "
        "[searches](../searches.md)",
    ),
    Row(
        item="table 5",
        title="promotion beside demotion in posits",
        reports="Shiftry's search loses 0.08 to 0.58 points against promotion",
        here="",
        verdict=CANNOT,
        why="demotion and promotion have not been compared in posits yet",
    ),
    Row(
        item="table 6",
        title="SqueezeNet",
        reports="54.81 % in 1.16 MB, floats 55.02 % in 4.42 MB",
        here="",
        verdict=CANNOT,
        why="ImageNet's validation images are not free to use, and no schedule of SqueezeNet has been recorded yet",
    ),
    Row(
        item="section 7.7",
        title="overflows and further widths",
        reports="gains are small",
        here="further widths and formats are steps 4 to 7 of `search-promote`; results saturate",
        verdict=SURPASSED,
        run=tested(f"{SEARCHES}::test_room_that_promotion_leaves_goes_to_other_widths"),
    ),
    Row(
        item="table 7",
        title="layers of the detectors",
        reports="Face-A, Face-B and Face-C",
        here="`tests/programs/faces.py` writes all three",
        verdict=REPRODUCED,
        run=tested(FACES),
    ),
    Row(
        item="table 8, classifiers",
        title="8 bits everywhere",
        reports="points lost by fixed point 60 (FastGRNN), 6.3 (ProtoNN), 5.4 (Bonsai); posits 11.3, 2.6, none; "
        "zero-skew 15.4, 0.2, 0.4",
        here="on average of twelve models fixed {fixed 8:.2f}, posits {posit 8:.2f}, affine {affine 8:.2f}",
        verdict=SURPASSED,
        run=Shown(("results-formats",), compression),
        holds=lambda found: max(found["fixed 8"], found["posit 8"], found["affine 8"]) < 0.5,
    ),
    Row(
        item="table 8, usps10",
        title="FastGRNN in 8 bits",
        reports="fixed point 52.12 %, floats 94.12 %",
        here="fixed point {accuracy:.2f} %, floats {float:.2f} %, by published weights of another size "
        "([beside others](shiftry.md#published-data-sets))",
        verdict=SURPASSED,
        run=Shown(("papers-published",), usps),
        holds=lambda found: found["float"] - found["accuracy"] < 1,
    ),
    Row(
        item="table 8, detectors",
        title="8 bits everywhere",
        reports="fixed point and zero-skew fail, posits keep some precision",
        here="",
        verdict=CANNOT,
        why=NO_DETECTIONS,
    ),
    Row(
        item="table 9, classifiers",
        title="strategies in fixed point",
        reports="accuracy and RAM of 29 models",
        here="twelve models [compared](../searches.md#results); on average of all, demotion changes "
        "{all_demotion:.2f}, promotion {all_promotion:.2f}, and in our arithmetic {all_ours:.2f}",
        verdict=DIFFERS,
        why="the trained models of the paper are not published; ours are of the same families, on data that are",
        run=COMPARED,
        holds=lambda found: found["all_promotion"] > found["all_demotion"],
    ),
    Row(
        item="table 9, detectors",
        title="strategies in fixed point",
        reports="232, 165 and 185 KB",
        here="Face-C: 163 KB with widths by size, 0.537 of average precision beside 0.531 in floats",
        verdict=DIFFERS,
        why=NO_DETECTIONS,
        run=tested(FACES),
    ),
    Row(
        item="table 9, optimum and first fit",
        title="memory by both",
        reports="optimum takes up to 34 % less",
        here="exact modes are never above first fit on random problems, and the packings of twelve classifiers are "
        "optimal",
        verdict=DIFFERS,
        why="what exact packing gains on programs like the paper's has not been measured",
        run=tested(f"{PACKING}::test_searches_agree_and_auto_is_never_worse"),
    ),
    Row(
        item="table 10",
        title="strategies in posits",
        reports="accuracy and RAM of 32 models",
        here="",
        verdict=CANNOT,
        why="demotion and promotion have not been compared in posits yet",
    ),
    Row(
        item="table 11",
        title="latency on an Arduino Due and an STM32H747",
        reports="2 ms to 3.2 s for classifiers, 7.9 to 16.9 s for detectors",
        here="",
        verdict=CANNOT,
        why="classifiers have not been measured on a Cortex-M3 yet, and no simulator here knows an M7's timing",
    ),
)
