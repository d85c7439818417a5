"""PEX: Liberis, Lane, "Pex: memory-efficient microcontroller deep learning through partial execution", 2023."""

from programs.graphs import mobilenet_v2, res_keywords
from programs.searched_graphs import MCUNETS, MICRONETS

from measured.measures.mobilenets import narrow_sums
from measured.measures.mobilenets import pruned as pruned_mobilenet
from measured.measures.plans import (
    KEYWORDS,
    SMALL_IMAGES,
    THOUSAND_CLASSES,
    block,
    channels_in_patches,
    co_designed,
    partial,
    patched,
    planning_time,
    pruned,
    resolutions,
    squeezed,
    visual_wake_words,
)
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
from measured.store import MEASURED, Values, read

PUBLISHED = "unit/transforms/schedules/test_published_figures.py"
RULES = "unit/transforms/schedules/test_derivation_rules.py"
GRAPHS = "numeric/transforms/schedules/test_channel_graphs.py"
PATCHES = "numeric/transforms/schedules/test_patches.py"
PRUNING = "unit/tools/commands/test_channel_commands.py"

PRINTED = "executed as printed, except that a sum of elements may overwrite an operand"
"""Without this exception, the block of figure 1 would need more than the paper's 8.5 KB."""


def sums_of_8_bits() -> Values:
    """The percentage of spoken digits recognised with sums of 8 bits, and in floating point (`before`)."""
    return read(MEASURED)["finetune speech --plan partial-8 --width 8 --epochs 1 --quantized-epochs 3 --learn-ranges"]


ROWS = (
    Row(
        item="table 1",
        title="a GPU, a phone, a micro-PC, two boards",
        reports="processor, RAM, storage, power and price of each; NUCLEO-F446RE: 180 MHz, 128 KB and 512 KB",
        here="of these only `nucleo-f446re` is among the [boards](../boards.md): 180 MHz, 131,072 and 524,288 bytes",
        verdict=DATA,
        why="a compiler cannot measure prices and power, and the other four devices are not among tinyml's boards",
        run=tested(
            ("unit/tools/commands/test_board_table.py::test_a_board_of_pex", "nucleo-f446re", 180, 131_072, 524_288)
        ),
    ),
    Row(
        item="figure 1",
        title="the inverted residual block",
        reports="52.7 KB by ordinary and 8.5 KB by partial execution",
        here="{ordinary} and {partial_8} bytes with 13 x 13 pixels, the only size at which the 144 channels of the "
        "text give both figures, and 24 channels outside the block",
        verdict=REPRODUCED,
        run=Measured(block),
        holds=lambda found: (found["ordinary"], found["partial_8"]) == (52_728, 8_450),
    ),
    Row(
        item="figure 2",
        title="memory by layer of MobileNet-v2",
        reports="4 times less at the peak by partial execution (5.5 with pruning: see table 3, co-design)",
        here="{ordinary/partial_8:.1f} times less ({partial_8} bytes), as a [picture](../schedules.md#pexs-figures)",
        verdict=REPRODUCED,
        run=Measured(partial(mobilenet_v2(224))),
        holds=lambda found: found["ordinary"] / found["partial_8"] == 4,
    ),
    Row(
        item="figure 3",
        title="rules of partial execution",
        reports="six rules, and a graph with several loops",
        here="the derivations of 150 random graphs apply all six rules: `FullCont`, `PartCont`, `Generate`, "
        "`Aggregate`, `Slice`, `PostConcat`; a graph of our own with two branches and 3 loops takes 896 bytes by the "
        "rules and by `partial-8`",
        verdict=DATA,
        why="the available text has only the caption of the graph, so that ours has other shapes",
        run=tested(
            (f"{RULES}::test_several_loops_of_figure_3", 3, 896),
            (
                f"{RULES}::test_derivations_apply_every_rule",
                *(150, "FullCont", "PartCont", "Generate", "Aggregate", "Slice", "PostConcat"),
            ),
        ),
    ),
    Row(
        item="remark 4",
        title="several channels at once",
        reports="K channels in an iteration of a loop, for each loop as many as fit in memory (multiples of 4 for "
        "SIMD kernels)",
        here="plans choose for each loop as many as fit in `--ram`, 4 of 32 in 5,000 bytes; `tinyml plan --mode` "
        "lists bytes and overhead of each number",
        verdict=REPRODUCED,
        run=tested(
            (f"{GRAPHS}::test_several_channels_at_once", 4),
            (f"{GRAPHS}::test_plans_take_as_many_channels_at_once_as_fit", 4, 32, 5000),
        ),
    ),
    Row(
        item="definition 11",
        title="derivations",
        reports="any sequence of transitions by table 2, whose conditions (appendix A.2) build one loop at a time",
        here=f"the rules, {PRINTED}, have the same peak as `partial-8` for 145 of 150 random graphs; in the others "
        "plans take less, since in loops sums also overwrite a slice, and an op may continue a loop although its "
        "operand ends another one",
        verdict=REPRODUCED,
        run=tested((f"{RULES}::test_plans_take_what_derivations_take", 145, 150)),
    ),
    Row(
        item="table 2",
        title="transitions",
        reports="the content of memory before and after each rule: End, Loop End, `FullCont`, `PartCont`, `Generate`, "
        "`Aggregate`, `Slice`, `PostConcat`",
        here=f"{PRINTED}: the derivations of 150 random graphs apply each of them (Loop End is not recorded). The plan "
        "`partial-8` gives MobileNet-v2 376,320 bytes and RES-15 44,590",
        verdict=REPRODUCED,
        run=tested(
            (
                f"{RULES}::test_derivations_apply_every_rule",
                150,
                "End",
                "FullCont",
                "PartCont",
                "Generate",
                "Aggregate",
                "Slice",
                "PostConcat",
            ),
            (f"{PUBLISHED}::test_partial_execution_of_mobilenet", 376_320),
            (f"{PUBLISHED}::test_keyword_networks", 44_590),
        ),
    ),
    Row(
        item="algorithm 1",
        title="the least peak",
        reports="exhaustive search with memoisation, for graphs",
        here=f"{PRINTED}, with memoisation; the exact plans over topological orders take the same for 145 of "
        "150 graphs, and less for 5",
        verdict=REPRODUCED,
        run=tested((f"{RULES}::test_plans_take_what_derivations_take", 145, 150)),
    ),
    Row(
        item="definitions 1 to 9, remark 8, constraint 10",
        title="tensors, operators, loop contexts, states",
        reports="whole tensors (F) or one channel (P), `C` and `A` types, a context for each loop; weights are not in "
        "memory, and nothing is computed twice",
        here="the executed rules have such states; by `Generate`, `PartCont` and `Aggregate` they give the 8,450 bytes "
        "of figure 1, if a sum of elements may overwrite an operand",
        verdict=REPRODUCED,
        run=tested((f"{RULES}::test_inverted_residual_block", "Generate", "PartCont", "Aggregate", 8450)),
    ),
    Row(
        item="appendix A",
        title="conditions of the rules",
        reports="In Loop, No Loop, types, Eval., Comp. loop, and tensors that are not in the context; one loop is "
        "built at a time",
        here=f"{PRINTED}: for none of 150 graphs do the rules take less than `partial-8`",
        verdict=REPRODUCED,
        run=tested((f"{RULES}::test_plans_take_what_derivations_take", 150)),
    ),
    Row(
        item="section 3.3",
        title="time of planning",
        reports="exponential in the number of ops, but within seconds for fewer than 100 of them",
        here="{seconds:.2f} s of one core for {slowest:s} ({ops:d} ops), the slowest of {networks:d} networks, by the "
        "planner of `partial-8`",
        verdict=BETTER,
        why="the planner is ours, and not algorithm 1, whose time is exponential",
        run=Measured(planning_time),
        holds=lambda found: found["seconds"] < 10 and found["ops"] > 100,
    ),
    Row(
        item="section 3.5",
        title="pruning at the bottleneck",
        reports="channels at the peak are removed and the plan is computed again",
        here="`tinyml prune`: LeNet from 1,248 to 976 bytes by rows in the same turns, by the L1 norm of weights; "
        "`tinyml finetune` by the growth of the loss, with a [refit](../training.md#selection-of-the-removed-channels)",
        verdict=NOT_DONE,
        why="the iteration is that of the paper, the choice is not: the paper learns by gradients which channels to "
        "remove, and this row shows only bytes; for accuracies see [training](../training.md#accuracy-within-limits)",
        run=tested((f"{PRUNING}::test_a_pruned_network_is_written", 1248, 976)),
    ),
    Row(
        item="section 3.5, trained",
        title="pruning at the bottleneck, and training",
        reports="MobileNet-v2 in 5.5 times less memory (figure 2), at 71.20 % where the original has 71.52 (table 3)",
        here="a small MobileNet-v2 for spoken digits, trained here: {ordinary} bytes by ordinary execution and "
        "{whole:.1f} % in floats; pruned to at most 1/5.5 of these bytes, without {removed} groups of channels, {left} "
        "bytes and {floats:.1f} %, compiled in 8 bits with sums of 8 bits {sums_8:.1f} %",
        verdict=DATA,
        run=Measured(pruned_mobilenet),
        why="one network is trained, and network and data differ; 8 bits lose more than pruning, since training in 8 "
        "bits is short, 3 epochs",
        holds=lambda found: found["left"] <= found["ordinary"] / 5.5 and found["whole"] - found["floats"] <= 1,
    ),
    Row(
        item="table 3, original",
        title="MobileNet-v2, 224 x 224",
        reports="1505 kB ordinary, 376 partial (372 in the text of 4.1), 321 in patches with 9.3 % more work (30.6 % "
        "in their loop)",
        here="{ordinary} and {partial_8} bytes, {alone} in the loop of 4 x 4 patches with {percent:.1f} % "
        "({loop_percent:.1f} % in their loop); the plan with these patches takes {bytes}",
        verdict=TEXT,
        why="321 kB are the peak in the loop, and the peak of the plan is after it; all other figures agree",
        run=Measured(patched(mobilenet_v2(224), 100)),
        holds=lambda found: (
            [kilobytes(found[name]) for name in ("ordinary", "partial_8", "alone")] == [1505, 376, 321]
            and (found["percent"], found["loop_percent"]) == (9.3, 30.6)
        ),
    ),
    Row(
        item="table 3, original, streamed",
        title="MobileNet-v2, 224 x 224, by another schedule",
        reports="321 kB in patches with 9.3 % more work, 376 partial",
        here="streamed by pixels {pixels} bytes, without extra work",
        verdict=SURPASSED,
        run=Measured(patched(mobilenet_v2(224), 100)),
        holds=lambda found: found["pixels"] < 321_000,
    ),
    Row(
        item="table 3, redistributed",
        title="MCUNet-v2's variant",
        reports="1505 kB ordinary, 376 partial, 283 in patches with 2.9 % more work (13.8 % in their loop)",
        here="the original network, see the row above",
        verdict=DATA,
        why="only figure 5 has the shapes of this variant, and the available text lacks this figure",
        nothing_to_run="there is no network",
    ),
    Row(
        item="table 3, modified",
        title="the paper's variant",
        reports="978 kB ordinary, 226 partial and 278 in patches, at 11.2 % more work (15.5 % in the text of 4.1; "
        "38.9 % in their loop); 295 M multiply-accumulates",
        here="with the projection of the first block strided {ordinary} bytes ordinary and {partial_8} partial; "
        "{alone} in the loop of 4 x 4 patches, with {loop_percent:.1f} % more work there; {bytes} by the least plan in "
        "patches, with {percent:.1f} % more work; {macs:M} million multiply-accumulates",
        verdict=DATA,
        why="patches and work differ: the paper's network has other shapes, which only figure 5 shows",
        run=Measured(patched(mobilenet_v2(224, halved_early=True), 112)),
        holds=lambda found: (
            [kilobytes(found[name]) for name in ("ordinary", "partial_8")] == [978, 226]
            and kilobytes(found["alone"]) != 278
            and round(found["macs"] / 1e6) < 295
        ),
    ),
    Row(
        item="table 3, co-design",
        title="pruned with PEX: memory and work",
        reports="1505 kB ordinary, 276 partial, 5.5 times less (figure 2), 321 in patches; 288 M multiply-accumulates; "
        "71.20 % where the original has 71.52",
        here="`tinyml prune` to 276 kB, which is given: {pruned} bytes and {macs:M} million multiply-accumulates; "
        "{filters:d} filters have fewer channels",
        verdict=DATA,
        why="only memory and work are compared, as in the rows of section 4.2: accuracy needs ImageNet's images",
        run=Measured(co_designed),
        holds=lambda found: found["pruned"] <= 276_000 and round(found["macs"] / 1_000_000) == 288,
    ),
    Row(
        item="table 3, 172 x 172",
        title="the original at a lower resolution",
        reports="888 kB ordinary, 222 partial, 218 in patches with 12.6 % more work (45.2 % in their loop)",
        here="{ordinary}, {partial_8} and {bytes} bytes with {percent:.1f} % ({loop_percent:.1f} % in their loop)",
        verdict=TEXT,
        why="the bytes agree, the additional work is less: 22 x 22 pixels do not divide into 4 x 4 equal patches, and "
        "the paper does not state how it divides them",
        run=Measured(patched(mobilenet_v2(172), 126)),
        holds=lambda found: (
            [kilobytes(found[name]) for name in ("ordinary", "partial_8", "bytes")] == [888, 222, 218]
            and found["percent"] < 12.6
            and found["loop_percent"] < 45.2
        ),
    ),
    Row(
        item="table 3, 172 x 172, streamed",
        title="the original at a lower resolution, by another schedule",
        reports="218 kB in patches with 12.6 % more work, 222 partial",
        here="streamed by pixels {pixels} bytes, without extra work",
        verdict=SURPASSED,
        run=Measured(patched(mobilenet_v2(172), 126)),
        holds=lambda found: found["pixels"] < 218_000,
    ),
    Row(
        item="section 4.1",
        title="work of partial execution",
        reports="no computational overhead (0 % in all rows of table 3)",
        here="a network with two inverted bottlenecks, rewritten by channels with sums of 32, 16 and 8 bits: the work "
        "of each op times the iterations of its loops is 13,184 multiply-accumulates, as by ordinary execution",
        verdict=REPRODUCED,
        run=tested((f"{GRAPHS}::test_loops_over_channels_repeat_no_work", 13_184)),
    ),
    Row(
        item="figure 4",
        title="memory and accuracy of networks",
        reports="three data sets, ten families",
        here="peaks of appendix D below: 27 of its 30 networks by ordinary execution, and its 4 by partial execution",
        verdict=DATA,
        why="accuracies need the trained networks and data sets",
        nothing_to_run="its points are rows of appendix D, which have commands",
    ),
    Row(
        item="table 4, MobileNet-v2",
        title="sums of 32, 16 and 8 bits, 160 x 160",
        reports="768 kB ordinary, 307, 294 and 192 kB partial, with 0, 2 and 3 accumulated layers",
        here="{ordinary}, {partial_32}, {partial_16} and {partial_8} bytes, with {layers_32:d}, {layers_16:d} and "
        "{layers_8:d} layers",
        verdict=REPRODUCED,
        run=Measured(partial(mobilenet_v2(160, 2))),
        holds=lambda found: is_table_4(found, (768, 307, 294, 192), (0, 2, 3)),
    ),
    Row(
        item="table 4, MCUNet-v1-S",
        title="sums of 32, 16 and 8 bits, 160 x 160",
        reports="333 kB ordinary, 186, 186 and 141 kB partial, with 1, 1 and 4 accumulated layers",
        here="{ordinary}, {partial_32}, {partial_16} and {partial_8} bytes, with {layers_32:d}, {layers_16:d} and "
        "{layers_8:d} layers, of the configuration that Lin et al. published",
        verdict=REPRODUCED,
        run=Measured(partial(MCUNETS["S"].graph())),
        holds=lambda found: is_table_4(found, (333, 186, 186, 141), (1, 1, 4)),
    ),
    Row(
        item="table 4, MicroNets-KWS-L",
        title="sums of 32, 16 and 8 bits, keywords",
        reports="170 kB ordinary, 69.0, 69.0 and 65.8 kB partial, with 0, 1 and 2 accumulated layers",
        here="{ordinary}, {partial_32}, {partial_16} and {partial_8} bytes, with {layers_32:d}, {layers_16:d} and "
        "{layers_8:d} layers: one less is rounded",
        verdict=SURPASSED,
        run=Measured(partial(MICRONETS["L"])),
        holds=lambda found: is_table_4(found, (170, 69.0, 69.0, 65.8), (0, 0, 1)),
    ),
    Row(
        item="section 4.3",
        title="cost of reduced sums",
        reports="90.14, 90.12 and 90.14 % for MobileNet-v2; at most 0.23 points lost with 8 bits (MCUNet-v1-S)",
        here="on spoken digits, a convolutional network in 8 bits with sums rounded to 8 bits and learned ranges: "
        "{accuracy:.1f} %, in floats {before:.1f} ([training](../training.md#accuracy-within-limits))",
        verdict=DATA,
        run=Shown(("training-sums",), sums_of_8_bits),
        why="no trained network of table 4 is in the repository, nor are its data sets, on which training takes days",
        holds=lambda found: found["before"] - found["accuracy"] < 1,
    ),
    Row(
        item="section 4.3, trained",
        title="cost of reduced sums for a network of MobileNet's kind",
        reports="MobileNet-v2 in 8 bits 90.14 %, with sums of 8 bits in 4 times less memory 90.14 %, too (table 4)",
        here="a small MobileNet-v2 for spoken digits, trained here, the mean of {networks:d} networks: in 8 bits with "
        "exact sums {exact:.1f} % in {ordinary} bytes, with sums of 8 bits, in which it is trained, {sums_8:.1f} % in "
        "{partial_8}, in floats {floats:.1f}",
        verdict=WORSE,
        win_back="longer training in the formats, with learned ranges of sums",
        run=Measured(narrow_sums),
        why="0.9 points are lost, none in the paper; network and data differ, ranges of sums follow from those of "
        "results, and training in the formats is short, 3 epochs",
        holds=lambda found: found["ordinary"] == 4 * found["partial_8"] and 0 < found["exact"] - found["sums_8"] < 2,
    ),
    Row(
        item="section 4.4, devices",
        title="future work: measurement on a device",
        reports="future work: results are simulated on a desktop",
        here="DS-CNN-M of appendix D, with random weights, runs by channels with exact sums (`partial-32`) on a "
        "simulated `cortex-m4`, with the bits of the evaluator, in less than the 22,360 bytes of the plan, where "
        "ordinary execution has a peak of 54,180. A network with two branches needs 2,560 bytes by the plan, and its "
        "program at most 3,000",
        verdict=NOT_DONE,
        why="the core is simulated and the weights are random: the bytes do not depend on them, but neither a board "
        "nor the accuracy of a trained network is measured",
        run=tested(
            (f"{GRAPHS}::test_a_keyword_network_runs_by_channels_on_a_cortex_m4", "partial-32", 54_180, 22_360),
            (f"{GRAPHS}::test_parting_branches_take_a_slice_each", "cortex-m4", 2560, 3000),
        ),
    ),
    Row(
        item="section 4.4, search",
        title="future work: architectures by their partial peak",
        reports="future work: a search of architectures that avoids unfavourable layers",
        here="`tinyml prune` reduces the peak, LeNet's by rows from 1,248 to 976 bytes; layers do not change",
        verdict=NOT_DONE,
        why="architectures are not searched",
        run=tested((f"{PRUNING}::test_a_pruned_network_is_written", 1248, 976)),
    ),
    Row(
        item="figure 5",
        title="two variants of MobileNet-v2",
        reports="their first layers",
        here="the second variant's bytes, see table 3, modified",
        verdict=DATA,
        why="the available text has only its caption, without the picture",
        nothing_to_run="there are no shapes",
    ),
    Row(
        item="figure 6",
        title="squeeze and excitation",
        reports="layers of MobileNet-v3-small that end both kinds of loops",
        here="shapes by Howard et al. 2019, table 2, 224 x 224: {se_ordinary} bytes ordinary, {se_partial_8} partial, "
        "{se_patches} in patches; without squeeze and excitation {plain_partial_8} partial and {plain_patches} in "
        "patches",
        verdict=OTHER,
        why="squeeze and excitation raises only the peak in patches; by channels the peak is in the first two layers, "
        "and the first loop ends after 2 ops without squeeze and excitation, too",
        run=Measured(squeezed),
        holds=lambda found: (
            found["se_partial_8_ops"] == found["se_patches_ops"] == found["plain_partial_8_ops"] == 2
            and found["plain_partial_8"] == found["se_partial_8"]
            and found["plain_patches_ops"] > 2
            and found["plain_patches"] < found["se_patches"]
        ),
    ),
    Row(
        item="appendix B",
        title="channels within patches",
        reports="a possibility, not implemented, that saves memory and permits larger tiles, which recompute less",
        here="`--plan channels-in-patches`, with exact sums of 32 bits. For MobileNet-v2 at 224 x 224 `partial-32` "
        "takes {channels} bytes, `patches` {patches} with {patches_percent:.1f} % more work ({patches_tiles} x "
        "{patches_tiles} tiles), both together {within} with {within_percent:.1f} % ({within_tiles} x {within_tiles}); "
        "in the bytes of `patches` {same_tiles} x {same_tiles} tiles suffice, with {same_percent:.1f} % more work; "
        "streamed by pixels {pixels} without any",
        verdict=SURPASSED,
        run=Measured(channels_in_patches),
        holds=lambda found: (
            found["within"] < min(found["channels"], found["patches"])
            and found["same"] <= found["patches"]
            and found["same_percent"] < found["patches_percent"]
            and found["same_tiles"] < found["patches_tiles"]
        ),
    ),
    Row(
        item="appendix B, devices",
        title="channels within patches on a device",
        reports="a possibility, not implemented",
        here="two inverted bottlenecks on an image of 16 x 16 run on simulated `uno` and `cortex-m4` with the bits of "
        "the evaluator, in 1,362 bytes of arena; `patches` takes 2,224, `partial-32` 2,992",
        verdict=OTHER,
        why="the paper does not mention devices; these are simulated, and the weights are random",
        run=tested(
            (f"{PATCHES}::test_networks_run_by_channels_in_patches_on_devices", "uno", "cortex-m4", 1362, 2224, 2992)
        ),
    ),
    Row(
        item="appendix C",
        title="adjusted figures of MCUNet",
        reports="the input counts, VWW on all validation images",
        here="plans count the input: 218,096 bytes at 172 pixels, 326,144 at 224",
        verdict=DATA,
        why="only memory is compared, and the paper's 321 kB at 224 pixels are those of the loop over patches alone",
        run=tested(
            (f"{PUBLISHED}::test_patches_of_mobilenet", 326_144, 224),
            (f"{PUBLISHED}::test_patches_at_172_pixels", 218_096, 172),
        ),
    ),
    Row(
        item="appendix D, speech",
        title="networks for keywords",
        reports="RES-8 23.7 kB, RES-15 66.2 and 44.6 partial, 1.5 times less (4.2), DS-CNN-L 86.9, DS-CNN-M 54.2, "
        "DS-CNN-S 16.0",
        here="{res8_ordinary}, {res15_ordinary} and {res15_partial_8}, {ds_cnn_l_ordinary}, {ds_cnn_m_ordinary} and "
        "{ds_cnn_s_ordinary} bytes",
        verdict=REPRODUCED,
        run=Measured(KEYWORDS),
        holds=lambda found: (
            [kilobytes(found[f"{name}_ordinary"], 1) for name in ("res8", "res15", "ds_cnn_l", "ds_cnn_m", "ds_cnn_s")]
            == [23.7, 66.2, 86.9, 54.2, 16.0]
            and kilobytes(found["res15_partial_8"], 1) == 44.6
        ),
    ),
    Row(
        item="appendix D, MicroNets",
        title="networks for keywords from an architecture search",
        reports="MicroNets-KWS-L 170 kB, M 86.1; MicroNets-L-Base, the base of the search for L, 170 and 69 partial, "
        "2.5 times less (4.2)",
        here="{micronet_l_ordinary} and {micronet_m_ordinary} bytes; {micronet_base_ordinary} and "
        "{micronet_base_partial_8}",
        verdict=REPRODUCED,
        run=Measured(KEYWORDS),
        holds=lambda found: (
            [kilobytes(found[f"micronet_{name}_ordinary"], 1) for name in ("l", "m", "base")] == [169.7, 86.1, 169.7]
            and kilobytes(found["micronet_base_partial_8"]) == 69
        ),
    ),
    Row(
        item="appendix D, MicroNets-KWS-S",
        title="the smallest of these networks",
        reports="51.6 kB by ordinary execution",
        here="{micronet_s_ordinary} bytes",
        verdict=TEXT,
        why="rounded as the paper's other figures this is 51.7: one more in the last digit",
        run=Measured(KEYWORDS),
        holds=lambda found: kilobytes(found["micronet_s_ordinary"], 1) == 51.7,
    ),
    Row(
        item="appendix D, visual wake words",
        title="MobileNet-v2 at seven resolutions",
        reports="192, 276, 376, 492, 622, 768 and 929 kB by ordinary execution",
        here="{r80_ordinary}, {r96_ordinary}, {r112_ordinary}, {r128_ordinary}, {r144_ordinary}, {r160_ordinary} and "
        "{r176_ordinary} bytes; by the least exact plan {r80_auto} to {r176_auto}",
        verdict=REPRODUCED,
        run=Measured(resolutions),
        holds=lambda found: (
            [kilobytes(found[f"r{resolution}_ordinary"]) for resolution in (80, 96, 112, 128, 144, 160, 176)]
            == [192, 276, 376, 492, 622, 768, 929]
        ),
    ),
    Row(
        item="section 4.2, 80 x 80",
        title="MobileNet-v2 for visual wake words",
        reports="192 kB ordinary, 28.4 pruned with PEX, 6.8 times less, at 87.0 % where the original has 87.4 %",
        here="{ordinary} bytes ordinary, {partial_8} partial and, pruned within 28,400, {pruned}, "
        "{ordinary/pruned:.1f} times less, with random weights",
        verdict=DATA,
        why="only memory is compared: the paper prunes its modified network, whose weights and data set are not "
        "available",
        run=Measured(pruned(mobilenet_v2(80, 2), 28_400)),
        holds=lambda found: found["ordinary"] == 192_000 and found["pruned"] <= 28_400,
    ),
    Row(
        item="section 4.2, MCUNet-v1-L",
        title="MCUNet for ImageNet, pruned",
        reports="128 kB with PEX, 88.9 M multiply-accumulates, at 63.5 % where the original has 67.4 % in 422 kB "
        "(appendix D)",
        here="{ordinary} bytes ordinary, {partial_8} partial and, pruned within 128,000, {pruned}, with {macs:M} "
        "million multiply-accumulates and random weights",
        verdict=DATA,
        why="only memory and work are compared, and fewer channels are removed: `tinyml prune` limits memory alone, "
        "while the paper's network is smaller, too (994 kB, the original 1757)",
        run=Measured(pruned(MCUNETS["L"].graph(), 128_000)),
        holds=lambda found: found["pruned"] <= 128_000 and found["macs"] > 88_900_000,
    ),
    Row(
        item="section 4.2, accuracy",
        title="gains over earlier networks of the same memory",
        reports="visual wake words in 32 kB 2.9 points, and 3.9 with larger images in the memory of the original; "
        "keywords in 16 KiB 1.9; ImageNet in 128 kB 13.9 (64.5 to 65.4 %)",
        here="only memory and work are compared, see the rows of section 4.2 and appendix D",
        verdict=DATA,
        why="the pruned networks are not published, and no network is trained here on ImageNet, Visual Wake Words or "
        "Speech Commands",
        nothing_to_run="there are no trained networks",
    ),
    Row(
        item="section 4.2, keywords",
        title="RES-15, pruned, compared with MicroNets-KWS-L by ordinary execution",
        reports="16.1 and 170 kB, 10.5 times less at the same accuracy (96.5 %), with 41.4 M multiply-accumulates",
        here="RES-15 pruned within 16,100 bytes takes {pruned}, with {macs:M} million multiply-accumulates and random "
        "weights; MicroNets-KWS-L takes 169,740 (appendix D)",
        verdict=DATA,
        why="only memory and work are compared: accuracy needs the recordings of Speech Commands, on which neither "
        "network is trained here",
        run=Measured(pruned(res_keywords(6, pool=False), 16_100)),
        holds=lambda found: found["partial_8"] == 44_590 and 10.5 * found["pruned"] <= 169_740,
    ),
    Row(
        item="appendix D, MCUNet 5FPS",
        title="a network for visual wake words from its file",
        reports="96.0 kB by ordinary execution",
        here="{ordinary} bytes; {partial_8} by channels, streamed by pixels {pixels}",
        verdict=REPRODUCED,
        run=Measured(visual_wake_words),
        holds=lambda found: (
            kilobytes(found["ordinary"], 1) == 96.0 and found["pixels"] < found["partial_8"] < found["ordinary"]
        ),
    ),
    Row(
        item="appendix D, small images",
        title="MCUNet and MicroNets for visual wake words",
        reports="MCUNet 10FPS 61.4 kB, at 144 x 144 pixels 270 kB, MicroNets VWW-2 27.9 kB by ordinary execution",
        here="{mcunet_10_ordinary}, {mcunet_r144_ordinary} and {micronet_ordinary} bytes; by channels "
        "{mcunet_10_partial_8}, {mcunet_r144_partial_8} and {micronet_partial_8}",
        verdict=REPRODUCED,
        run=Measured(SMALL_IMAGES),
        holds=lambda found: (
            [kilobytes(found[f"{name}_ordinary"], 1) for name in ("mcunet_10", "micronet")] == [61.4, 27.9]
            and kilobytes(found["mcunet_r144_ordinary"]) == 270
        ),
    ),
    Row(
        item="appendix D, ImageNet",
        title="networks for 1000 classes",
        reports="EfficientNet-B0 768 kB and MobileNet-v2 x0.5 at 90 pixels 123 by ordinary execution",
        here="{efficientnet_ordinary} bytes at 160 pixels, the size with that peak, which the paper does not state; "
        "{mobilenet_ordinary}",
        verdict=REPRODUCED,
        run=Measured(THOUSAND_CLASSES),
        holds=lambda found: (
            [kilobytes(found[f"{name}_ordinary"]) for name in ("efficientnet", "mobilenet")] == [768, 123]
        ),
    ),
    Row(
        item="appendix D, EfficientNet-B0",
        title="partial execution",
        reports="308 kB, 2.5 times less than by ordinary execution (4.2)",
        here="{efficientnet_partial_8} bytes, {efficientnet_ordinary/efficientnet_partial_8:.1f} times less",
        verdict=TEXT,
        why="rounded as the paper's other figures this is 307: one less in the last digit",
        run=Measured(THOUSAND_CLASSES),
        holds=lambda found: kilobytes(found["efficientnet_partial_8"]) == 307,
    ),
    Row(
        item="appendix D, small networks for ImageNet",
        title="MCUNet and ETinyNet",
        reports="MCUNet-v1-S 333 kB, M 341, L 422 and 192 partial, 2.2 times less (4.2); ETinyNet x1.00 552, x0.75 452",
        here="{mcunet_s_ordinary}, {mcunet_m_ordinary}, {mcunet_l_ordinary} and {mcunet_l_partial_8} bytes; "
        "{etinynet_ordinary} and {narrow_etinynet_ordinary}",
        verdict=REPRODUCED,
        run=Measured(THOUSAND_CLASSES),
        holds=lambda found: (
            [
                kilobytes(found[f"{name}_ordinary"])
                for name in ("mcunet_s", "mcunet_m", "mcunet_l", "etinynet", "narrow_etinynet")
            ]
            == [333, 341, 422, 552, 452]
            and kilobytes(found["mcunet_l_partial_8"]) == 192
        ),
    ),
    Row(
        item="appendix D, others",
        title="MCUNet-v2, MicroNets VWW-1, and pruned networks",
        reports="MCUNet-v2 89.6 to 616 kB, VWW-1 200, pruned networks 16.1 to 287",
        here="the rows above",
        verdict=DATA,
        nothing_to_run="there are no definitions",
        why="definitions of MCUNet-v2 are unavailable (appendix C), no shapes of VWW-1 were found, and the channels "
        "of the pruned networks are not published",
    ),
)


def kilobytes(bytes: float, digits: int = 0) -> float:
    """Bytes in the paper's unit, 1000 bytes, with as many digits after the point as the paper prints."""
    return round(bytes / 1000, digits)


def is_table_4(found: Values, printed: tuple[float, ...], layers: tuple[int, ...]) -> bool:
    """Whether the peaks, by ordinary execution and with sums of 32, 16 and 8 bits, are those of table 4 in its digits,
    and the numbers of accumulated layers equal the expected ones.
    """
    modes = "ordinary", "partial_32", "partial_16", "partial_8"
    equal = all(
        kilobytes(found[mode], 0 if isinstance(value, int) else 1) == value
        for mode, value in zip(modes, printed, strict=True)
    )
    return equal and (tuple(found[f"layers_{bits}"] for bits in (32, 16, 8)) == layers)
