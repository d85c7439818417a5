"""MinUn: Jaiswal, Goli, Kumar, Seshadri, Sharma, "MinUn: accurate ML inference on microcontrollers", 2022."""

from papers.measures.representations import representations
from papers.row import DIFFERS, REPRODUCED, SURPASSED, Measured, Row, tested
from papers.rows.minun_results import RESULTS

EXAMPLE = "numeric/dialects/formats/test_minun_example.py"
PACKING = "unit/transforms/buffers/test_packing_modes.py"
POSITS = "numeric/dialects/formats/test_posits.py"
SEARCHES = "unit/transforms/search/test_searches.py"

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
        why="candidates are evaluated in numpy, with what they have in common computed once; detectors were searched "
        "on a busy machine, which tells no time",
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
    *RESULTS,
)
