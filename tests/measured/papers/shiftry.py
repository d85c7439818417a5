"""Shiftry: Kumar, Seshadri, Sharma, "Shiftry: RNN inference in 2KB of RAM", 2020."""

from measured.measures.classifiers import (
    beside_floats,
    drops,
    guessing,
    peers,
    peers_changes,
    published,
    sketches,
    step_by_step,
    trained_here,
)
from measured.measures.detectors import detectors, under_both_limits
from measured.measures.eight_bits import by_figure_5
from measured.measures.memory import defragmented, explored, metrics, reuse
from measured.measures.numbers import integers
from measured.rows import (
    BETTER,
    DATA,
    NOT_DONE,
    OTHER,
    REPRODUCED,
    SURPASSED,
    TEXT,
    WORSE,
    Measured,
    Row,
    Shown,
    tested,
)
from measured.store import Values

EXAMPLE = "unit/transforms/search/test_shiftry_example.py"
PACKING = "unit/transforms/buffers/test_shiftry.py"
FRONTEND = "unit/lowering/frontends/seedot"
PROGRAMS = f"{FRONTEND}/test_seedot_programs.py"
SPARSE = f"{PROGRAMS}::test_parameters_are_read_in_row_major_order_and_sparse_ones_keep_their_dense_use"
FUNCTIONS = "numeric/runtime/evaluator/test_function_errors.py::test_devices_keep_the_stated_errors"
NUMBERS = "numeric/dialects/formats/test_printed_numbers.py"
PUBLISHED = "numeric/dialects/formats/test_published.py"
RECURRENCE = f"{PROGRAMS}::test_fastgrnn_is_the_recurrence_of_shiftry"

SEARCHED = ("searches-compared", "searches-means")


def changes(family: str) -> Shown:
    """A row with the mean changes of accuracy of a family, by tinyml's searches and by SeeDot's and Shiftry's own
    programs, over the same models.
    """
    return Shown(("searches-compared", "results-classifiers"), lambda: peers_changes(family))


def changes_by_family() -> Values:
    """The figures of `changes` of each family, under the keys `{family}_{key}`."""
    families = ("protonn", "bonsai", "fastgrnn")
    return {f"{family}_{key}": value for family in families for key, value in peers_changes(family).items()}


CHANGED = (
    "{demotion:.2f} points in Shiftry's arithmetic, {ours:.2f} in ours; by EdgeML's own programs Shiftry "
    "{shiftry_tool:.2f} and SeeDot {seedot_tool:.2f} ({count:d} models)"
)
"""The changes, for a row of results."""

IN_8_BITS = (
    "{mean:.1f} times in 8 bits ({least:.1f} to {most:.1f}, {models} models). Floats that do not fit an Uno are timed "
    "on an ATmega1284P, which has the same core. The models that lose accuracy in 8 bits lose {lost:.2f} points on "
    "average"
)
"""The times, for a row of results."""

OWN_FLOATS = "the floats are our own programs, models and data are others, and all floats of the paper run on an Uno"

SEEDOT_AHEAD = "on our models SeeDot's 16 bits lose less than Shiftry's widths"

ROWS = (
    Row(
        item="section 1, malloc",
        title="memory by malloc and free",
        reports="it cannot run any of the benchmarks",
        here="no program allocates: no header of the runtime has `malloc`",
        verdict=NOT_DONE,
        why="a heap is not simulated",
        run=tested(("unit/targets/c/test_header_items.py::test_no_runtime_header_takes_memory_from_a_heap", "malloc")),
    ),
    Row(
        item="section 2.2",
        title="5.697 in 16 and 8 bits",
        reports="23334 with scale 12, 364 with 6; -18867 with 13, which overflows to -2.303; 91 with scale 4 in 8 "
        "bits, 5.6875",
        here="the same integers",
        verdict=REPRODUCED,
        run=tested(
            (f"{NUMBERS}::test_numbers_of_shiftry", 23334, 12, 364, 6, -18867, 13, -2.303, 91, 4, 5.6875),
        ),
    ),
    Row(
        item="pseudocode 1",
        title="the program of section 3",
        reports="two products and two sums, -5.11167404 in floats",
        here="`tests/filecheck/transforms/search/search_demote.mlir`, whose reals give it to seven digits; in 64 "
        "bits, in numpy, all digits agree (-5.11167404)",
        verdict=OTHER,
        run=tested((f"{EXAMPLE}::test_the_program_in_floats", -5.11167404)),
        why="the reals of programs are floats of 32 bits",
    ),
    Row(
        item="pseudocode 2",
        title="the program in 16 bits",
        reports="constants, shifts and the result -20935",
        here="-20935 with scale 12",
        verdict=REPRODUCED,
        run=tested(
            (f"{EXAMPLE}::test_the_homogeneous_program", -20935),
            (f"{PUBLISHED}::test_the_homogeneous_program_of_shiftry", -20935, 12),
        ),
    ),
    Row(
        item="table 1",
        title="one tensor demoted",
        reports="output and loss for each of nine tensors, from -5.1171 and 0.0055 (B2) to -5.0012 and 0.1104 (t1 "
        "and t2)",
        here="all of the printed digits",
        verdict=REPRODUCED,
        run=tested((f"{EXAMPLE}::test_partial_demotion", -5.1171, 0.0055, -5.0012, 0.1104)),
    ),
    Row(
        item="pseudocode 3",
        title="B1 in 8 bits",
        reports="the program whose loss is 0.0093: B1 is -4 and 79, and values are shifted by 15, 5, 9 and 3 bits",
        here="the same integers, shifts and loss",
        verdict=REPRODUCED,
        run=tested(
            (f"{EXAMPLE}::test_partial_demotion", 0.0093),
            (f"{EXAMPLE}::test_b1_in_8_bits", -4, 79, 15, 5, 9, 3),
        ),
    ),
    Row(
        item="table 2",
        title="cumulative demotion",
        reports="output and loss for each prefix of the order, such as -5.0156 and 0.0960 for B2, B1, X and W1",
        here="all of the printed digits, and the order `B2`, `B1`, `X` ...",
        verdict=REPRODUCED,
        run=tested(
            (f"{EXAMPLE}::test_the_order", "B2", "B1"), (f"{EXAMPLE}::test_cumulative_demotion", -5.0156, 0.0960)
        ),
    ),
    Row(
        item="pseudocode 4",
        title="the chosen program",
        reports="B2, B1, X and W1 in 8 bits for a loss of 0.1; W1 is 2, 12, 65 and -52, W2 -6586 and -16596 in 16 bits",
        here="`search-demote{{loss=0.1 format=shiftry}}` gives the same integers",
        verdict=REPRODUCED,
        run=tested(
            ("filecheck/transforms/search/search_demote.mlir", 2, 12, 65, -52, -6586, -16596),
            (f"{EXAMPLE}::test_cumulative_demotion", "W1"),
        ),
    ),
    Row(
        item="table 3",
        title="sizes and live ranges",
        reports="4, 4, 2 and 2 bytes, each alive for two instructions",
        here="the sizes and live ranges of the chosen program's buffers",
        verdict=REPRODUCED,
        run=tested((f"{EXAMPLE}::test_the_program_in_one_array", 4, 2)),
    ),
    Row(
        item="pseudocode 5",
        title="the program in one array",
        reports="8 bytes",
        here="`pack-scratch{{packer=shiftry}}` gives the same offsets, 0, 4, 0 and 2, in 8 bytes",
        verdict=REPRODUCED,
        run=tested((f"{EXAMPLE}::test_the_program_in_one_array", 0, 4, 2, 8)),
    ),
    Row(
        item="section 3, limits",
        title="14 bytes of flash and 8 of RAM",
        reports="44 and 24 bytes in floats, 22 and 12 in 16 bits; the program of pseudocode 4 fits in 14 and, "
        "packed, 8",
        here="the same; it takes 13 bytes of flash, 11 without the input, and the first strategy, "
        "`search-demote{{flash=14 format=shiftry target=host}}`, demotes only these four tensors",
        verdict=REPRODUCED,
        run=tested(
            (f"{EXAMPLE}::test_limits_of_the_example", 44, 24, 22, 12, 14, 13, 11),
            (f"{EXAMPLE}::test_the_program_in_one_array", 8),
        ),
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
        here="the language of EdgeML's compiler, including `loop` and `let`",
        verdict=OTHER,
        run=tested((f"{FRONTEND}/test_seedot.py::test_precedence_and_forms", "loop", "let")),
        why="the syntax is that of EdgeML's released compiler, which is functional, not that of the figure",
    ),
    Row(
        item="figure 2",
        title="syntax of the target",
        reports="integers and arrays of them",
        here="L3 to L5: loops over integers, printed as C, such as the programs `shiftry 8 and 16`",
        verdict=REPRODUCED,
        run=tested((f"{PUBLISHED}::test_devices", "shiftry 8 and 16")),
    ),
    Row(
        item="figure 3",
        title="types",
        reports="integers, reals, matrices of reals",
        here="`index` for integers, `tensor` of any rank for reals",
        verdict=REPRODUCED,
        run=tested((f"{PROGRAMS}::test_results", "index", "tensor")),
    ),
    Row(
        item="figure 4",
        title="type system",
        reports="shapes are checked",
        here="one line for each kind of error, such as `inner dimensions differ`",
        verdict=REPRODUCED,
        run=tested((f"{FRONTEND}/test_seedot.py::test_errors_of_meaning", "inner dimensions differ")),
    ),
    Row(
        item="figure 5",
        title="compilation rules",
        reports="shifts from the scales and widths of operands and results; by C-MatMul sums of n products have 2^ceil("
        "log2(x + y + ceil(log2 n) - 1)) bits for operands of x and y bits, and are shifted by the scales of both less "
        "that of the result and less ceil(log2 n)",
        here="the format `shiftry_printed`: temporaries of the printed width, 16 to 64 bits, for operands of 8 and "
        "16 bits and 1 to 300 products, with equal bits on host, `uno` and `cortex-m4` (`64 bits, sparse`), "
        "and the program of section 3 (-20935). The printed width represents every sum exactly, except that "
        "of two products of least numbers; ceil(log2 n) is omitted from the shift",
        verdict=TEXT,
        run=tested(
            (f"{PUBLISHED}::test_c_matmul_of_figure_5", 8, 16, 1, 300),
            (f"{PUBLISHED}::test_the_printed_rule_on_devices", "uno", "cortex-m4", "64 bits, sparse"),
            (f"{PUBLISHED}::test_the_homogeneous_program_of_shiftry", "shiftry_printed", -20935),
        ),
        why="section 3 contradicts the last term of the rule: its pseudocodes 2 to 5 shift by the scales alone",
    ),
    Row(
        item="figure 5, by trees",
        title="C-MatMul in the format `shiftry`",
        reports="sums in the printed width",
        here="sums in twice the width of the wider operand, as in the released code, halved by SeeDot's tree by the "
        "difference of scales of result and products, with arithmetic shifts; all digits of section 3 agree, too "
        "(-20935), and devices have the same bits for products of 8 and 16 bits (`shiftry 8 and 16`) and `sparse` ones",
        verdict=TEXT,
        why="the rule is the tree of SeeDot's algorithm 2 with the division of section 3: it rounds downwards on each "
        "level, while figure 5 does not, and the released code divides towards zero. The rows of this page with `in "
        "Shiftry's arithmetic` have this format; its cost in 8 bits is [a row of MinUn's](minun.md), table 8",
        run=tested(
            (f"{PUBLISHED}::test_devices", "shiftry 8 and 16", "sparse"),
            (f"{PUBLISHED}::test_tree_sums", "shiftry"),
            (f"{PUBLISHED}::test_the_homogeneous_program_of_shiftry", -20935),
        ),
    ),
    Row(
        item="section 5.3",
        title="shifting of scales",
        reports="Psi(23334, 8) = 91 shifts 5.697 in 16 bits by 8 bits, from scale 12 to scale 4",
        here="a `tdsl.cast` from 23334 gives 91, in 16 bits",
        verdict=REPRODUCED,
        run=tested((f"{NUMBERS}::test_psi_of_shiftry", 23334, 91, 12, 4, 16)),
    ),
    Row(
        item="section 5.4",
        title="scales of exp",
        reports="in 8 bits 4 for the argument and 6 for the result, in 16 bits 11 and 14",
        here="the same scales",
        verdict=REPRODUCED,
        run=tested((f"{NUMBERS}::test_tables_of_shiftry", 4, 6, 11, 14)),
    ),
    Row(
        item="section 5.4, precision",
        title="tables of exp for 7 bits",
        reports="with psi = 7, exp takes slightly more flash than SeeDot's and is more precise",
        here="from -16 to 0 exp differs by at most 0.0002, SeeDot's by more than 0.01; the tables have 768 bytes, and "
        "SeeDot's 256 + 2, a third",
        verdict=REPRODUCED,
        run=tested(
            (f"{NUMBERS}::test_exp_of_shiftry_is_more_precise_than_that_of_seedot", 0.0002, 0.01),
            (f"{NUMBERS}::test_tables_of_shiftry", 768),
            (f"{NUMBERS}::test_tables_of_seedot", 256, 2),
        ),
    ),
    Row(
        item="library 6",
        title="tables of exp",
        reports="128 bytes for 8 bits, 0.75 KB for 16, of 256 and 128 entries",
        here="128 and 768 bytes",
        verdict=REPRODUCED,
        run=tested((f"{NUMBERS}::test_tables_of_shiftry", 128, 256, 768)),
    ),
    Row(
        item="library 8",
        title="exp and sigmoid in 8 bits",
        reports="a table of 128 entries, and one division",
        here="the bits of library 8, line by line, with n = 6; devices agree within the error that the report states",
        verdict=REPRODUCED,
        run=tested((f"{NUMBERS}::test_sigmoid_of_shiftry_in_8_bits", 128, 6, "sigmoid"), (FUNCTIONS, 8, "sigmoid")),
    ),
    Row(
        item="library 9",
        title="exp and tanh in 16 bits",
        reports="two tables, and one division",
        here="the bits of library 9, line by line, with n = 14 and tables of 256 and 128 entries",
        verdict=REPRODUCED,
        run=tested((f"{NUMBERS}::test_tanh_of_shiftry_in_16_bits", 14, 256, 128, "tanh")),
    ),
    Row(
        item="library 7",
        title="operators and moves",
        reports="sums, products, shifts, and the moves of defragmentation",
        here="products of `seedot` and `shiftry`, and moves after the example of section 7.1 (`scratch.move`), have "
        "the evaluator's bits on host, AVR and Cortex-M; the move copies 32 bytes within 96",
        verdict=REPRODUCED,
        run=tested(
            (f"{PUBLISHED}::test_devices", "seedot", "shiftry"),
            ("numeric/transforms/buffers/test_moves.py::test_devices_equal_the_evaluator", "scratch.move"),
            (f"{PACKING}::test_it_defragments_its_example_of_section_7_1", 32, 96),
        ),
    ),
    Row(
        item="section 6",
        title="disagreement with floats as the metric",
        reports="disagreement as the metric yields the best code: good accuracy, better speed, smaller model",
        here="by disagreement {disagreement_change:.2f} points and {disagreement_bytes} bytes of arena and "
        "constants, by accuracy {accuracy_change:.2f} and {accuracy_bytes}, on average of two models",
        verdict=DATA,
        run=Measured(metrics),
        holds=lambda found: (
            found["disagreement_change"] < found["accuracy_change"]
            and found["disagreement_bytes"] == found["accuracy_bytes"]
        ),
        why="on these two models the search by accuracy finds a program of the same size that loses less",
    ),
    Row(
        item="algorithm 10",
        title="scales from data",
        reports="the extrema of each tensor: scale 14 for samples in (-2, 2), 10 with two of 9 and 17 (6.1)",
        here="`profile`, and the same scales",
        verdict=REPRODUCED,
        run=tested((f"{NUMBERS}::test_outliers_of_shiftry", 14, 10, 17)),
    ),
    Row(
        item="algorithm 11",
        title="the driver of demotion",
        reports="four stages",
        here="`search-demote`: in the example four tensors are demoted at a loss of 0.0960",
        verdict=REPRODUCED,
        run=tested((f"{EXAMPLE}::test_cumulative_demotion", 0.0960)),
    ),
    Row(
        item="algorithm 12",
        title="the scale of the input",
        reports="all scales are tried, as outliers of 9 and 17 would cost 4 bits of all samples (6.1)",
        here="stage 1 of the search chooses scale 14 where the extrema require 10",
        verdict=REPRODUCED,
        run=tested((f"{EXAMPLE}::test_the_scale_of_the_input", 9, 17, 14, 10)),
    ),
    Row(
        item="algorithm 13",
        title="one tensor demoted",
        reports="the best of four scales, a loss of 0.0713 for W2",
        here="stage 2 gives the same loss",
        verdict=REPRODUCED,
        run=tested((f"{EXAMPLE}::test_partial_demotion", 0.0713)),
    ),
    Row(
        item="algorithm 14",
        title="cumulative demotion",
        reports="up to the permitted loss",
        here="stage 3: 0.0960 is within 0.1, and 0.1663 for one tensor more is not, so that W2 remains in 16 bits "
        "(-6586)",
        verdict=REPRODUCED,
        run=tested(
            (f"{EXAMPLE}::test_cumulative_demotion", 0.0960, 0.1663),
            ("filecheck/transforms/search/search_demote.mlir", -6586),
        ),
    ),
    Row(
        item="algorithm 15",
        title="memory",
        reports="variables by address, and the greatest end of all",
        here="`pack-scratch{{packer=shiftry}}`: 0, 4, 0 and 2 for the variables of the example, 8 bytes",
        verdict=REPRODUCED,
        run=tested((f"{PACKING}::test_it_places_its_example_of_section_3_as_pseudocode_5", 0, 4, 2, 8)),
    ),
    Row(
        item="algorithm 16",
        title="reuse of memory",
        reports="variables in the order of their start, in blocks that are multiples of the most frequent size and "
        "aligned to their own size",
        here="`pack-scratch{{packer=shiftry}}`: 25 bytes, then blocks of 16 at 32 and 48",
        verdict=REPRODUCED,
        run=tested((f"{PACKING}::test_it_rounds_25_bytes_up_to_a_block_of_32", 25, 16, 32, 48)),
    ),
    Row(
        item="algorithm 17",
        title="defragmentation",
        reports="live variables move to lower addresses",
        here="the fewest bytes move, not all variables: 8 of 16 where compaction moves both",
        verdict=OTHER,
        why="bytes move only to make room for the next variable, which takes fewer moves, but may leave several free "
        "runs where the algorithm leaves one",
        run=tested((f"{PACKING}::test_it_moves_the_least_that_makes_room", 8, 16)),
    ),
    Row(
        item="section 7.1",
        title="fragmented memory of 96 bytes",
        reports="96 bytes: x2 moves to 0, and x4 fits after it at 32",
        here="the same moves",
        verdict=REPRODUCED,
        run=tested((f"{PACKING}::test_it_defragments_its_example_of_section_7_1", 96, 0, 32)),
    ),
    Row(
        item="section 7.1, migrations",
        title="x1 in bytes 4 to 7, x2 in 16 to 31",
        reports="the list (4, 0, 4), (16, 4, 16) moves both to the front",
        here="in 32 bytes only x1 (4 bytes) moves, to address 12, which leaves 12 free bytes in one run; moving "
        "both, as compaction does, takes 20 bytes for the same 12. With more memory compaction leaves one "
        "run, and this search two",
        verdict=OTHER,
        why="bytes move to make room for the next variable, not to leave one free run",
        run=tested((f"{PACKING}::test_it_moves_4_bytes_where_algorithm_17_moves_20", 4, 16, 12)),
    ),
    Row(
        item="section 7.1, in practice",
        title="defragmentation of the benchmarks",
        reports="not required at all",
        here="{moves:d} moves in the programs of {models:d} examples, one of each family",
        verdict=REPRODUCED,
        run=Measured(defragmented),
        holds=lambda found: found["moves"] == 0,
    ),
    Row(
        item="section 7, blocks",
        title="25 bytes where most variables have 16",
        reports="a block of 32",
        here="the next variable starts at byte 32",
        verdict=REPRODUCED,
        run=tested((f"{PACKING}::test_it_rounds_25_bytes_up_to_a_block_of_32", 25, 16, 32)),
    ),
    Row(
        item="table 4, HAR-6",
        title="FastGRNN on an Uno",
        reports="float 92.0 %, Shiftry 89.0 in 45 s and 16 KB; 8 bits 14.3, 16 bits 91.7",
        here="trained here, with a state of 80 numbers: float {float:.2f} %, 8 bits {accuracy:.2f} % in {seconds:.1f} "
        "s, RAM {ram} bytes with an input of {input} bytes, flash {flash} bytes",
        verdict=SURPASSED,
        run=Measured(published("fastgrnn-har6", "uno")),
        holds=lambda found: (
            found["accuracy"] - found["float"] > 89.0 - 92.0
            and found["seconds"] < 45
            and found["flash"] < 16_000
            and found["fits"]
        ),
    ),
    Row(
        item="table 4, HAR-6 in 16 bits",
        title="FastGRNN on an Uno",
        reports="91.7 %; does not fit",
        here="{accuracy:.2f} % in {ram} bytes of RAM and {seconds:.1f} s with steps that arrive one by one (`--input "
        "callback`); in memory the input by itself exceeds the Uno's RAM",
        verdict=OTHER,
        run=Measured(step_by_step("fastgrnn-har6")),
        holds=lambda found: found["fits"] and found["accuracy"] > 91.7,
        why="the steps arrive one by one: in memory the program does not fit here either",
    ),
    Row(
        item="table 4, HAR-2",
        title="FastGRNN on an Uno",
        reports="float 91.7 %, Shiftry 91.3 in 47 s and 21 KB; 8 bits 50.9 in 8.0 s, 15 KB; 16 bits 91.6, does not fit",
        here="trained here, with a state of 80 numbers, on six subjects of HAR-6's test set, its activities merged as "
        "by EdgeML, for three others: float {float:.2f} %; 16 bits {sixteen.accuracy:.2f} % in {sixteen.seconds:.1f} "
        "s, {sixteen.flash} bytes of flash and {sixteen.ram} of RAM, with steps that arrive one by one; 8 bits "
        "{accuracy:.2f} % in {seconds:.1f} s, {flash} and {ram} bytes",
        verdict=DATA,
        run=Measured(trained_here("fastgrnn-har2")),
        holds=lambda found: (
            found["sixteen"]["fits"]
            and found["sixteen"]["accuracy"] - found["float"] > 91.3 - 91.7
            and found["sixteen"]["seconds"] < 47
            and found["sixteen"]["flash"] < 21_000
            and -2.7 < found["accuracy"] - found["float"] < 91.3 - 91.7
        ),
        why="the model is trained and tested on other subjects, and its input arrives step by step; with the "
        "input in memory, 8 bits lose 2.7 points",
    ),
    Row(
        item="table 4, MNIST-10",
        title="FastGRNN on an Uno, in 28 steps of 28 pixels",
        reports="float 98.0 %, Shiftry 97.0 in 15 s and 19 KB; 8 bits 11.4 in 2.2 s, 17 KB; 16 bits 98.0, does not fit",
        here="trained here, with a state of 100 numbers: float {float:.2f} %; 8 bits {accuracy:.2f} % in {seconds:.1f} "
        "s, {flash} bytes of flash and {ram} of RAM with an input of {input}; 16 bits {sixteen.accuracy:.2f} % in "
        "{sixteen.seconds:.1f} s, {sixteen.flash} and {sixteen.ram} bytes, with steps that arrive one by one",
        verdict=SURPASSED,
        run=Measured(trained_here("fastgrnn-mnist10")),
        holds=lambda found: (
            found["fits"]
            and found["accuracy"] - found["float"] > 97.0 - 98.0
            and found["seconds"] < 15
            and found["flash"] < 19_000
            and found["sixteen"]["fits"]
        ),
    ),
    Row(
        item="table 4, others",
        title="FastGRNN on an Uno",
        reports="3.3 points lost at most on five other data sets (DSA-19: 77.8 to 74.5), 8 bits near chance on "
        "two; 0.6 to 54 s, 14 to 23 KB",
        here="FastGRNN's accuracy changes by {fastgrnn_demotion:.2f} points on average in Shiftry's arithmetic, by "
        "{fastgrnn_ours:.2f} in ours (digits by voice, MNIST and USPS)",
        verdict=DATA,
        why="models and preprocessed data of DSA, Google, wakeword and the industrial partner are not published",
        run=Shown(
            SEARCHED,
            drops({"demotion": "demotion", "ours": "demotion, ours"}, {"fastgrnn": "FastGRNN"}),
        ),
        holds=lambda found: found["fastgrnn_demotion"] > -3.3,
    ),
    Row(
        item="section 8.1",
        title="mean changes of accuracy",
        reports="less than 1 point lost on average for each of the three families; table 4's FastGRNNs lose 1.29",
        here="in Shiftry's arithmetic {protonn_demotion:.2f} points for ProtoNN, {bonsai_demotion:.2f} for Bonsai and "
        "{fastgrnn_demotion:.2f} for FastGRNN; by EdgeML's own programs {protonn_shiftry_tool:.2f}, "
        "{bonsai_shiftry_tool:.2f} and {fastgrnn_shiftry_tool:.2f}",
        verdict=DATA,
        why="the models differ: EdgeML's own programs lose more than a point for ProtoNN",
        run=Shown(("searches-compared", "results-classifiers"), changes_by_family),
        holds=lambda found: (
            min(found[f"{family}_demotion"] for family in ("protonn", "bonsai", "fastgrnn")) > -1
            and found["protonn_shiftry_tool"] < -1 < min(found["bonsai_shiftry_tool"], found["fastgrnn_shiftry_tool"])
        ),
    ),
    Row(
        item="figure 6",
        title="ProtoNN's accuracy",
        reports="0.7 points lost on average, SeeDot 0.8",
        here=CHANGED,
        verdict=DATA,
        why=f"the models differ: Shiftry's arithmetic loses slightly more than the paper reports, and {SEEDOT_AHEAD}",
        run=changes("protonn"),
        holds=lambda found: found["demotion"] < -0.7 and found["seedot_tool"] > found["shiftry_tool"],
    ),
    Row(
        item="figure 7",
        title="Bonsai's accuracy",
        reports="0.8 points lost on average, SeeDot 2.3",
        here=CHANGED,
        verdict=DATA,
        why=f"the models differ: Shiftry's arithmetic loses less than the paper reports, but {SEEDOT_AHEAD}",
        run=changes("bonsai"),
        holds=lambda found: found["demotion"] > -0.8 and found["seedot_tool"] > found["shiftry_tool"],
    ),
    Row(
        item="figure 8",
        title="ProtoNN's time compared with floats",
        reports="3.5 times as fast, SeeDot 1.7 times",
        here=IN_8_BITS,
        verdict=BETTER,
        run=Shown(("results-formats",), beside_floats("protonn", "compile {} --width 8", "time")),
        holds=lambda found: found["least"] > 3.5,
        why=OWN_FLOATS,
    ),
    Row(
        item="figure 8, Shiftry",
        title="ProtoNN's time compared with Shiftry's program",
        reports="no times of single programs in the text",
        here="ours is {mean:.1f} times as fast as EdgeML's ({least:.1f} to {most:.1f}, {models} models), and at least "
        "{ahead:.2f} points more accurate",
        verdict=DATA,
        why="the paper states no times of single programs; those of EdgeML's compiler are measured on our models",
        run=Shown(("results-classifiers",), peers("protonn", "Shiftry, 8/16 bit", "compile {} --width 8")),
        holds=lambda found: found["least"] > 1 and found["ahead"] > 0,
    ),
    Row(
        item="figure 9",
        title="Bonsai's time compared with floats",
        reports="3.4 times as fast, SeeDot 2.5 times",
        here=IN_8_BITS,
        verdict=BETTER,
        run=Shown(("results-formats",), beside_floats("bonsai", "compile {} --width 8", "time")),
        holds=lambda found: found["least"] > 3.4,
        why=OWN_FLOATS,
    ),
    Row(
        item="figure 9, Shiftry",
        title="Bonsai's time compared with Shiftry's program",
        reports="no times of single programs in the text",
        here="ours is {mean:.1f} times as fast as EdgeML's ({least:.1f} to {most:.1f}, {models} models), and at least "
        "{ahead:.2f} points more accurate",
        verdict=DATA,
        why="the paper states no times of single programs; those of EdgeML's compiler are measured on our models",
        run=Shown(("results-classifiers",), peers("bonsai", "Shiftry, 8/16 bit", "compile {} --width 8")),
        holds=lambda found: found["least"] > 1 and found["ahead"] > 0,
    ),
    Row(
        item="figure 10",
        title="ProtoNN's sketches compared with floats",
        reports="55 % of the sketch in floats, SeeDot 75 %",
        here="{shiftry:.1f} % in Shiftry's arithmetic, SeeDot's {seedot:.1f} %, 8 bits {fixed_8:.1f} %, by "
        "Arduino's build, where floats fit an Uno ({models:d} of 2 models). On letters, where they do not, "
        "Shiftry's sketch has {sizes.protonn-letter26.shiftry} bytes and SeeDot's "
        "{sizes.protonn-letter26.seedot}",
        verdict=WORSE,
        win_back="sizes without Arduino's own code on both sides, and tables of exp as small as SeeDot's in Shiftry's "
        "arithmetic",
        why="Arduino's own code takes 3.6 KB of each sketch, and for gestures the order of SeeDot and Shiftry is "
        "reversed: the search narrows only 144 bytes of parameters, and Shiftry's tables of exp take 550 "
        "bytes more than SeeDot's",
        run=Measured(sketches("protonn")),
        holds=lambda found: (
            55 < found["seedot"] < found["shiftry"]
            and found["sizes"]["protonn-letter26"]["shiftry"] < found["sizes"]["protonn-letter26"]["seedot"]
        ),
    ),
    Row(
        item="figure 11",
        title="Bonsai's sketches compared with floats",
        reports="55 % of the sketch in floats, SeeDot 73 %",
        here="{shiftry:.1f} % in Shiftry's arithmetic, SeeDot's {seedot:.1f} %, 8 bits {fixed_8:.1f} %, by "
        "Arduino's build, where floats fit an Uno ({models:d} of 2 models)",
        verdict=OTHER,
        run=Measured(sketches("bonsai")),
        holds=lambda found: 50 <= found["shiftry"] <= 60 and found["shiftry"] < found["seedot"] < 73,
        why="on one model, Shiftry's percentage is that of the paper, but SeeDot's is 11 points smaller",
    ),
    Row(
        item="figure 12",
        title="FastGRNN's RAM with and without reuse",
        reports="38 % of the RAM in floats by narrower numbers, 13 % with reuse of memory",
        here="{mixed:.0f} % with a buffer for each op, {mixed_packed:.0f} % with fused element-wise ops and reuse; "
        "floats with both {floats_packed:.0f} % ({models} models)",
        verdict=DATA,
        why="the models differ: all buffers that remain here are live at the same time",
        run=Measured(reuse),
        holds=lambda found: 13 < found["mixed_packed"] < found["mixed"] < 100,
    ),
    Row(
        item="section 8.3",
        title="8 bits for all tensors",
        reports="SeeDot's code in 8 bits is close to a random classifier, for ProtoNN and Bonsai",
        here="in SeeDot's arithmetic with Shiftry's functions {guessing:d} of {models:d} models, FastGRNN "
        "included, are at most 10 points better than guessing",
        verdict=DATA,
        why="the models differ: Bonsai gets up to half of its answers right, for 10 and for 26 classes",
        run=Shown(("searches-compared",), guessing("8 bits, width of operands")),
        holds=lambda found: found["models"] - found["guessing"] == 2 and found["most"] < 50,
    ),
    Row(
        item="section 8.3, by figure 5",
        title="8 bits for all tensors, in the printed temporaries",
        reports="close to a random classifier; FastGRNN on HAR-6 14.3 %, on MNIST-10 11.4",
        here="in the format `shiftry_printed` {near:d} of {models:d} models lose at most a point, and {guessing:d} is "
        "at most 10 points better than guessing; on average accuracy changes by {bonsai:.2f} points for Bonsai, "
        "{fastgrnn:.2f} for FastGRNN and {protonn:.2f} for ProtoNN",
        verdict=TEXT,
        why="sums as wide as figure 5 prints retain the precision of 8 bits: where a model collapses, its numbers "
        "have ranges that no scale of 8 bits suits",
        run=Measured(by_figure_5),
        holds=lambda found: found["near"] > found["models"] / 2 and found["guessing"] <= 1,
    ),
    Row(
        item="section 8",
        title="time of compilation",
        reports="1 to 20 minutes",
        here="demotion takes {demote_least:.1f} to {demote_most:.1f} s for a model of each family "
        "([searches](../searches.md) has twelve)",
        verdict=BETTER,
        why="candidates are evaluated in numpy on all inputs together, while the paper compiles and runs each",
        run=Measured(explored),
        holds=lambda found: found["demote_most"] < 60,
    ),
    Row(
        item="section 8.4",
        title="RAM of FastGRNN without algorithm 16",
        reports="most of the RNNs do not fit 2 KB",
        here="with a buffer for each op in Shiftry's widths, {bytes.fastgrnn-fsdd10.mixed} and "
        "{bytes.fastgrnn-mnist16-10.mixed} bytes for two models, in floats {bytes.fastgrnn-fsdd10.floats} and "
        "{bytes.fastgrnn-mnist16-10.floats}, without the input",
        verdict=DATA,
        why="the models are smaller, so that even floats fit",
        run=Measured(reuse),
        holds=lambda found: max(row["floats"] for row in found["bytes"].values()) < 2048,
    ),
    Row(
        item="section 8.5",
        title="a face detector on a Cortex-M4",
        reports="6.9 MB of RAM and 1.3 MB of flash in floats; 225 and 405 KB by Shiftry",
        here="Face-A, a detector of the same architecture (RNNPool) with 1.3 MB of parameters in floats, takes "
        "{a.ram:k} KB of RAM with the image and {a.flash:k} KB of flash by Haunter, with an average precision "
        "of {a.average_precision:.3f}, in floats {a.float:.3f} "
        "([networks](../networks.md#detectors-with-rnnpool))",
        verdict=OTHER,
        why="only RAM was limited: most weights remain in 16 bits, which take more flash; for both limits see the "
        "next row",
        run=Shown(("networks-faces",), detectors),
        holds=lambda found: found["a"]["ram"] <= 225_000 and found["a"]["flash"] > 405_000,
    ),
    Row(
        item="section 8.5, both limits",
        title="a face detector in 225 KB of RAM and 405 KB of flash",
        reports="225 KB of RAM, 405 KB of flash, and no precision; by table 9 of MinUn, Face-A by Shiftry in 235 KB "
        "has an average precision of 0.338, in floats 0.643",
        here="Face-A in 8 bits for all tensors, in fixed point, {fixed.ram:k} KB of RAM with image and stack, "
        "{fixed.flash:k} KB of flash, and on other pictures an average precision of "
        "{fixed.average_precision:.3f}, in floats {fixed.float:.3f}; in zero-skew {zero-skew.ram:k} and "
        "{zero-skew.flash:k} KB, and {zero-skew.average_precision:.3f}",
        verdict=BETTER,
        why="Shiftry's paper names no detector and states no precision; Face-A has the same architecture and fits both "
        "limits",
        run=Measured(under_both_limits),
        holds=lambda found: (
            found["fixed"]["ram"] <= 225_000
            and found["fixed"]["flash"] <= 405_000
            and found["fixed"]["average_precision"] - found["fixed"]["float"] > -0.03
        ),
    ),
    Row(
        item="section 9",
        title="comparison with MATLAB's fixed point",
        reports="an order of magnitude faster than the code of MATLAB, by SeeDot's times",
        here="lower bounds of the time of MATLAB's code are in [SeeDot's rows](seedot.md), figure 7",
        verdict=DATA,
        why="MATLAB's toolboxes are commercial",
        nothing_to_run="the rows of SeeDot's page have commands",
    ),
    Row(
        item="pseudocode 18",
        title="FastGRNN",
        reports="the recurrence",
        here="the reals of a trained model agree with the recurrence in numpy, with its `zeta` 0.919807017",
        verdict=REPRODUCED,
        run=tested((RECURRENCE, 0.919807017)),
    ),
    Row(
        item="pseudocode 19",
        title="FastGRNN in the language",
        reports="a loop over 99 steps of 32 numbers, in 12 lines",
        here="`examples/fastgrnn-mnist16/fastgrnn_mnist16.sd`, a loop over 16 steps of 16 pixels with a state of "
        "32 numbers, in 22 lines",
        verdict=OTHER,
        run=tested((RECURRENCE, 16, 32)),
        why="the syntax is that of EdgeML's released compiler, and the model is another one",
    ),
    Row(
        item="appendix B",
        title="all operators",
        reports="from transposition to sparse products",
        here="`X^T`, `reshape`, splices, `maxpool`, `relu`, `exp`, `argmax`, `sgn`, `tanh`, `sigmoid`, `conv2d`, "
        "`? X`, `loop`, sums and differences, products of matrices and of elements (`<*>`), and sparse ones "
        "(`#tdsl.csr`)",
        verdict=REPRODUCED,
        run=tested(
            (f"{PROGRAMS}::test_values", "X^T", "reshape", "exp", "? X", "loop", "<*>"),
            (f"{PROGRAMS}::test_results", "argmax", "sgn"),
            (SPARSE, "#tdsl.csr"),
            (f"{FRONTEND}/test_seedot.py::test_precedence_and_forms", "maxpool", "relu", "conv2d"),
            (f"{NUMBERS}::test_sigmoid_of_shiftry_in_8_bits", "sigmoid"),
            (f"{NUMBERS}::test_tanh_of_shiftry_in_16_bits", "tanh"),
        ),
    ),
    Row(
        item="section 10",
        title="future work: a backend for FPGAs",
        reports="future work",
        here="programs in any format become Verilog ([hardware](../fpga.md)); ProtoNN in 8 bits gives the evaluator's "
        "outputs at 1.2 cycles per product and at 0.3 on half of an ECP5",
        verdict=SURPASSED,
        run=tested(("numeric/lowering/hw/test_models.py::test_protonn", 8, 1.2, 0.3)),
    ),
)
