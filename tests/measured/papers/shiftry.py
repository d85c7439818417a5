"""Shiftry: Kumar, Seshadri, Sharma, "Shiftry: RNN inference in 2KB of RAM", 2020."""

from measured.measures.classifiers import (
    BY_SEARCHES,
    beside_floats,
    drops,
    peers,
    published,
    sketches,
    step_by_step,
    worst,
)
from measured.measures.detectors import detectors
from measured.measures.memory import reuse
from measured.measures.numbers import integers
from measured.rows import DIFFERS, REPRODUCED, SURPASSED, Measured, Row, Shown, tested

EXAMPLE = "unit/transforms/search/test_shiftry_example.py"
PACKING = "unit/transforms/buffers/test_packing_modes.py"
FRONTEND = "unit/lowering/frontends/seedot"
FUNCTIONS = "numeric/runtime/evaluator/test_function_errors.py::test_devices_keep_the_stated_errors"
SEARCH = "unit/transforms/search/test_searches.py::test_what_is_reported_is_what_the_program_computes"

SEARCHES = Shown(
    ("searches-compared",),
    drops({"demotion": "demotion", "ours": "demotion, ours"}, {"protonn": "ProtoNN", "bonsai": "Bonsai"}),
    BY_SEARCHES,
)

ROWS = (
    Row(
        item="pseudocode 1",
        title="the program of section 3",
        reports="two products and two sums",
        here="`tests/filecheck/transforms/search/search_demote.mlir`, on the paper's numbers",
        verdict=REPRODUCED,
        run=tested(f"{EXAMPLE}::test_the_homogeneous_program"),
    ),
    Row(
        item="pseudocode 2",
        title="the program in 16 bits",
        reports="constants, shifts and result",
        here="-20935 with scale 12, as the paper's integers give",
        verdict=REPRODUCED,
        run=tested(
            f"{EXAMPLE}::test_the_homogeneous_program",
            "numeric/dialects/formats/test_published.py::test_the_homogeneous_program_of_shiftry",
        ),
    ),
    Row(
        item="table 1",
        title="one tensor demoted",
        reports="output and loss for each of nine tensors",
        here="all of the printed digits",
        verdict=REPRODUCED,
        run=tested(f"{EXAMPLE}::test_partial_demotion"),
    ),
    Row(
        item="pseudocode 3",
        title="B1 in 8 bits",
        reports="the program whose loss is 0.0093",
        here="the result of table 1 for B1",
        verdict=REPRODUCED,
        run=tested(f"{EXAMPLE}::test_partial_demotion"),
    ),
    Row(
        item="table 2",
        title="cumulative demotion",
        reports="output and loss for each prefix of the order",
        here="all of the printed digits, and the order",
        verdict=REPRODUCED,
        run=tested(f"{EXAMPLE}::test_the_order", f"{EXAMPLE}::test_cumulative_demotion"),
    ),
    Row(
        item="pseudocode 4",
        title="the chosen program",
        reports="B2, B1, X and W1 in 8 bits for a loss of 0.1",
        here="`search-demote` with `format=shiftry loss=0.1` chooses it",
        verdict=REPRODUCED,
        run=tested(f"{EXAMPLE}::test_cumulative_demotion"),
    ),
    Row(
        item="table 3",
        title="sizes and live ranges",
        reports="4, 4, 2 and 2 bytes, each alive for two instructions",
        here="the buffers that `pack-scratch{{mode=shiftry}}` places",
        verdict=REPRODUCED,
        run=tested(f"{PACKING}::test_shiftry_places_its_example_of_section_3_as_pseudocode_5"),
    ),
    Row(
        item="pseudocode 5",
        title="the program in one array",
        reports="8 bytes",
        here="the same offsets in 8 bytes",
        verdict=REPRODUCED,
        run=tested(f"{PACKING}::test_shiftry_places_its_example_of_section_3_as_pseudocode_5"),
    ),
    Row(
        item="section 4",
        title="2.25 times 1.50",
        reports="9 with scale 2 times 3 with scale 1",
        here="{left:d} and {right:d}, whose product is {product:.3f}",
        verdict=REPRODUCED,
        run=Measured(integers),
        holds=lambda found: (found["left"], found["right"], found["product"]) == (9, 3, 3.375),
    ),
    Row(
        item="figure 1",
        title="syntax of the source",
        reports="declarations, loops, products, functions",
        here="the language that EdgeML's compiler reads, loops included",
        verdict=REPRODUCED,
        run=tested(f"{FRONTEND}/test_seedot.py::test_precedence_and_forms"),
    ),
    Row(
        item="figure 2",
        title="syntax of the target",
        reports="integers and arrays of them",
        here="L3 to L5: loops over integers, printed as C",
        verdict=REPRODUCED,
        run=tested(f"{FRONTEND}/test_seedot_programs.py::test_nested_loops_carry_what_they_change"),
    ),
    Row(
        item="figure 3",
        title="types",
        reports="integers, reals, matrices of reals",
        here="tensors of any rank",
        verdict=REPRODUCED,
        run=tested(f"{FRONTEND}/test_seedot_programs.py::test_values"),
    ),
    Row(
        item="figure 4",
        title="type system",
        reports="shapes are checked",
        here="one line for each kind of mistake",
        verdict=REPRODUCED,
        run=tested(f"{FRONTEND}/test_seedot.py::test_errors_of_meaning"),
    ),
    Row(
        item="figure 5",
        title="compilation rules",
        reports="shifts from the scales and widths of operands and results",
        here="the format `shiftry`, equal in bits on all devices",
        verdict=REPRODUCED,
        run=tested("numeric/dialects/formats/test_published.py::test_devices"),
    ),
    *(
        Row(
            item=f"library {number}",
            title=title,
            reports=reports,
            here="the schemes `shiftry` of exp, tanh and sigmoid, within the error that the report states",
            verdict=REPRODUCED,
            run=tested(FUNCTIONS),
        )
        for number, title, reports in (
            (6, "tables of exp", "128 bytes for 8 bits, 0.75 KB for 16"),
            (8, "exp and sigmoid in 8 bits", "a table, and one division"),
            (9, "exp and tanh in 16 bits", "two tables, and one division"),
        )
    ),
    Row(
        item="library 7",
        title="operators and moves",
        reports="sums, products, shifts, and the moves of defragmentation",
        here="`seedot` and `shiftry` on host, AVR and Cortex-M, moves included",
        verdict=REPRODUCED,
        run=tested(
            "numeric/dialects/formats/test_published.py::test_devices",
            f"{PACKING}::test_shiftry_defragments_its_example_of_section_7_1",
        ),
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
            (10, "scales from data", "the extrema of each tensor", "`profile`", "test_the_homogeneous_program"),
            (11, "the driver of demotion", "four stages", "`search-demote`", "test_cumulative_demotion"),
            (12, "the scale of the input", "all scales are tried", "stage 1 of the search", "test_the_order"),
            (13, "one tensor demoted", "four scales are tried", "stage 2", "test_partial_demotion"),
            (14, "cumulative demotion", "up to the permitted loss", "stage 3", "test_cumulative_demotion"),
        )
    ),
    *(
        Row(
            item=f"algorithm {number}",
            title=title,
            reports=reports,
            here="`pack-scratch{{mode=shiftry}}`",
            verdict=REPRODUCED,
            run=tested(f"{PACKING}::{test}"),
        )
        for number, title, reports, test in (
            (15, "memory", "variables by address", "test_every_mode_places_rectangles_apart"),
            (
                16,
                "reuse of memory",
                "blocks in the order of start",
                "test_shiftry_places_its_example_of_section_3_as_pseudocode_5",
            ),
        )
    ),
    Row(
        item="algorithm 17",
        title="defragmentation",
        reports="live variables move to lower addresses",
        here="the fewest bytes move, not all variables",
        verdict=SURPASSED,
        run=tested(f"{PACKING}::test_shiftry_moves_the_least_that_makes_room"),
    ),
    Row(
        item="section 7.1",
        title="fragmented memory of 96 bytes",
        reports="x2 moves to 0, and x4 fits behind it",
        here="the same moves",
        verdict=REPRODUCED,
        run=tested(f"{PACKING}::test_shiftry_defragments_its_example_of_section_7_1"),
    ),
    Row(
        item="table 4, HAR-6",
        title="FastGRNN on an Uno",
        reports="float 92.0 %, Shiftry 89.0, 8 bits 14.3, 16 bits 91.7; Shiftry takes 45 s",
        here="float {float:.2f} %, 8 bits {accuracy:.2f} % in {seconds:.1f} s, RAM {ram} bytes with an input of "
        "{input} bytes, flash {flash} bytes",
        verdict=SURPASSED,
        run=Measured(published("fastgrnn-har6", "uno")),
        holds=lambda found: found["accuracy"] > 89.0 and found["seconds"] < 45 and found["fits"],
    ),
    Row(
        item="table 4, HAR-6 in 16 bits",
        title="FastGRNN on an Uno",
        reports="91.7 %; does not fit",
        here="{accuracy:.2f} % in {ram} bytes of RAM and {seconds:.1f} s with steps that arrive one by one (`--input "
        "callback`); in memory the input alone takes more than the Uno has",
        verdict=SURPASSED,
        run=Measured(step_by_step("fastgrnn-har6")),
        holds=lambda found: found["fits"] and found["accuracy"] > 91.7,
    ),
    Row(
        item="table 4, others",
        title="FastGRNN on an Uno",
        reports="3.3 points lost at most on seven other data sets (DSA-19: 77.8 to 74.5), 8 bits near chance on four",
        here="FastGRNN loses {fastgrnn_demotion:.2f} points on average in Shiftry's arithmetic, {fastgrnn_ours:.2f} in "
        "ours, negative for a gain (digits by voice, MNIST and USPS)",
        verdict=DIFFERS,
        why="models and preprocessed data of DSA, Google, wakeword and the industrial partner are not published",
        run=Shown(
            ("searches-compared",),
            drops({"demotion": "demotion", "ours": "demotion, ours"}, {"fastgrnn": "FastGRNN"}),
        ),
    ),
    Row(
        item="figure 6",
        title="ProtoNN's accuracy",
        reports="0.7 points lost on average, SeeDot 0.8",
        here="{protonn_demotion:.2f} in Shiftry's arithmetic, {protonn_ours:.2f} in ours",
        verdict=REPRODUCED,
        run=SEARCHES,
        holds=lambda found: found["protonn_demotion"] >= -0.7 and found["protonn_ours"] >= -0.7,
    ),
    Row(
        item="figure 7",
        title="Bonsai's accuracy",
        reports="0.8 points lost on average, SeeDot 2.3",
        here="{bonsai_demotion:.2f} in Shiftry's arithmetic, {bonsai_ours:.2f} in ours",
        verdict=REPRODUCED,
        run=SEARCHES,
        holds=lambda found: found["bonsai_demotion"] >= -0.8 and found["bonsai_ours"] >= -0.8,
    ),
    Row(
        item="figure 8",
        title="ProtoNN's time beside floats",
        reports="3.5 times as fast, SeeDot 1.7 times",
        here="{mean:.1f} times in 8 bits ({least:.1f} to {most:.1f}, {models} models)",
        verdict=SURPASSED,
        run=Shown(("results-formats",), beside_floats("protonn", "compile {} --width 8", "time")),
        holds=lambda found: found["least"] > 3.5,
    ),
    Row(
        item="figure 8, Shiftry",
        title="ProtoNN's time beside Shiftry's program",
        reports="its program for each model",
        here="ours is {mean:.1f} times as fast as EdgeML's ({least:.1f} to {most:.1f}, {models} models)",
        verdict=SURPASSED,
        run=Shown(("results-classifiers",), peers("protonn", "Shiftry, 8/16 bit", "compile {} --width 8", 3)),
        holds=lambda found: found["least"] > 1,
    ),
    Row(
        item="figure 9",
        title="Bonsai's time beside floats",
        reports="3.4 times as fast, SeeDot 2.5 times",
        here="{mean:.1f} times in 8 bits ({least:.1f} to {most:.1f}, {models} models)",
        verdict=SURPASSED,
        run=Shown(("results-formats",), beside_floats("bonsai", "compile {} --width 8", "time")),
        holds=lambda found: found["least"] > 3.4,
    ),
    Row(
        item="figure 9, Shiftry",
        title="Bonsai's time beside Shiftry's program",
        reports="its program for each model",
        here="ours is {mean:.1f} times as fast as EdgeML's ({least:.1f} to {most:.1f}, {models} models)",
        verdict=SURPASSED,
        run=Shown(("results-classifiers",), peers("bonsai", "Shiftry, 8/16 bit", "compile {} --width 8", 3)),
        holds=lambda found: found["least"] > 1,
    ),
    Row(
        item="figure 10",
        title="ProtoNN's sketches beside floats",
        reports="55 % of the sketch in floats, SeeDot 75 %",
        here="{shiftry:.0f} % in Shiftry's arithmetic, SeeDot's {seedot:.0f} %, 8 bits "
        "{fixed_8:.0f} %, by Arduino's build, where an Uno holds the floats ({models:d} of 2 models)",
        verdict=DIFFERS,
        why="Arduino's own code takes half of so small a sketch, and our floats take less flash to begin with",
        run=Measured(sketches("protonn")),
        holds=lambda found: found["shiftry"] <= 90 and found["fixed_8"] <= 70,
    ),
    Row(
        item="figure 11",
        title="Bonsai's sketches beside floats",
        reports="55 % of the sketch in floats, SeeDot 73 %",
        here="{shiftry:.0f} % in Shiftry's arithmetic, SeeDot's {seedot:.0f} %, 8 bits "
        "{fixed_8:.0f} %, by Arduino's build, where an Uno holds the floats ({models:d} of 2 models)",
        verdict=REPRODUCED,
        run=Measured(sketches("bonsai")),
        holds=lambda found: found["shiftry"] <= 60 and found["fixed_8"] <= 55,
    ),
    Row(
        item="figure 12",
        title="FastGRNN's RAM with and without reuse",
        reports="38 % of the RAM in floats by narrower numbers, 13 % with memory that is reused",
        here="{mixed:.0f} % without reuse (`mode=none`), {mixed_packed:.0f} % with it; floats with reuse "
        "{floats_packed:.0f} % ({models} models)",
        verdict=DIFFERS,
        why="elementwise ops have no buffers of their own here, which leaves less to reuse",
        run=Measured(reuse),
        holds=lambda found: found["mixed_packed"] < found["mixed"] < 100,
    ),
    Row(
        item="section 8.3",
        title="8 bits by one width",
        reports="close to a random classifier",
        here="{collapsed:d} of {models:d} models lose more than half of their accuracy in its arithmetic",
        verdict=REPRODUCED,
        run=Shown(("searches-compared",), worst("8 bits, width of operands"), BY_SEARCHES),
        holds=lambda found: found["collapsed"] == found["models"],
    ),
    Row(
        item="section 8.5",
        title="a face detector on a Cortex-M4",
        reports="6.9 MB of RAM in floats, 225 KB here; 405 KB of flash",
        here="the same detector takes {a.ram:k} KB of RAM with the image and {a.flash:k} KB of flash by Haunter, with "
        "an average precision of {a.average_precision:.3f}, in floats {a.float:.3f} "
        "([networks](../networks.md#detectors-with-rnnpool))",
        verdict=DIFFERS,
        why="RAM alone was limited: most weights keep 16 bits, which takes more flash",
        run=Shown(("networks-faces",), detectors),
        holds=lambda found: found["a"]["ram"] <= 225_000,
    ),
    Row(
        item="pseudocode 18",
        title="FastGRNN",
        reports="the recurrence",
        here="programs of four models ([results](../results.md)), which compute what a search reports",
        verdict=REPRODUCED,
        run=tested(SEARCH),
    ),
    Row(
        item="pseudocode 19",
        title="FastGRNN in the language",
        reports="a loop over 99 steps",
        here="`examples/fastgrnn-mnist16/fastgrnn_mnist16.sd`, a loop over 16 steps",
        verdict=REPRODUCED,
        run=tested("unit/lowering/frontends/seedot/test_seedot_programs.py::test_nested_loops_carry_what_they_change"),
    ),
    Row(
        item="appendix B",
        title="all operators",
        reports="from transposition to sparse products",
        here="all that EdgeML's programs use",
        verdict=REPRODUCED,
        run=tested(f"{FRONTEND}/test_seedot_programs.py::test_values"),
    ),
)
