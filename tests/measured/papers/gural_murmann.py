"""Gural, Murmann, "Memory-optimal direct convolutions for maximizing classification accuracy", 2019."""

from measured.architectures import frontier, on_frontier, published
from measured.measures.digits_in_memory import beside_classifiers, by_plan, loaded
from measured.measures.plans import accuracy, digits, small_cifars, small_keywords
from measured.measures.prototypes import prototypes
from measured.measures.spectrograms import spectrograms
from measured.measures.tricks import tricks
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

TURNS = "unit/dialects/tdsl/test_turns.py"
LEAST = "unit/transforms/schedules/test_least_turns.py"
ORDERS = "unit/transforms/schedules/test_pixel_orders.py"
IN_PLACE = "numeric/transforms/schedules/test_in_place.py"
SHIFTING = "numeric/transforms/schedules/test_shifting.py"
NETWORK = "numeric/dialects/tdsl/test_gural_murmann.py"
RESIDUAL = "numeric/transforms/schedules/test_streaming.py::test_residual_blocks_run_in_place"

TRANSPOSE = "numeric/runtime/include/test_transpose.py"
SIGNALS = "numeric/dialects/tdsl/test_signals.py"
PUBLISHED = "unit/transforms/schedules/test_published_figures.py"
LOADED = "numeric/tools/driver/test_loaded_weights.py"

ROWS = (
    Row(
        item="figure 1",
        title="activations by strategy",
        reports="434.5 bytes by herringbone, 3 bytes more by a single transpose, some twice as much by the naive way",
        here="{herringbone:.1f} bytes, single transpose {single:.1f}, replacing {replace:.1f}, op by op "
        "{ordinary:.0f}; streamed across layers by rows {rows:.0f}, by pixels {pixels:.0f}; for times see "
        "section 3.4.3, time",
        verdict=BETTER,
        run=Measured(digits),
        holds=lambda found: (
            found["herringbone"] == 434.5 and found["single"] == 436.5 and found["pixels"] < found["rows"] < 434.5
        ),
        why="a single transpose takes 2 bytes more here, not 3, and op by op takes 1.75 times as much. Streaming "
        "takes less, but section 3.2 excludes it (footnote 1)",
    ),
    Row(
        item="figure 2",
        title="pixels in memory",
        reports="where channels do not grow, each result replaces a pixel, and one pixel more is needed; where "
        "channels grow, results begin before their operand",
        here="both cases: no order takes less than the operand and one pixel where channels do not grow (results "
        "of up to 4 x 3 pixels); from 10 x 10 x 8 to 8 x 8 x 11, results of herringbone begin so far before "
        "their operand that the buffer has 845 elements",
        verdict=REPRODUCED,
        run=tested((f"{ORDERS}::test_claim_1", 4, 3), (f"{TURNS}::test_memory_of_published_layers", 845, 10, 8, 11)),
    ),
    Row(
        item="claim 1",
        title="rows are optimal where channels do not grow",
        reports="the operand and one pixel",
        here="no order of pixels takes less: all orders of results of up to 4 x 3 pixels",
        verdict=REPRODUCED,
        run=tested((f"{ORDERS}::test_claim_1", 4, 3)),
    ),
    Row(
        item="section 3.4.1",
        title="replacing",
        reports="equation (1): 935 elements for the network's second layer, 888 for the third",
        here="915 and 880 elements are alive; the buffer has 934 and 887 elements, since the last element of a "
        "result may overwrite a pixel of its own window",
        verdict=TEXT,
        run=tested(
            (f"{ORDERS}::test_equations_of_sections_3_4", 935, 888, 915, 880),
            (f"{TURNS}::test_memory_of_published_layers", 934, 887),
        ),
        why="the equation counts one element more than the buffer has, and, for the second and third layer, 20 "
        "and 8 more than are alive",
    ),
    Row(
        item="section 3.4.2",
        title="herringbone",
        reports="equation (2): 868 elements for the second layer, 845 for the third",
        here="869 and 846 elements are alive; 869 of 4 bits are the 434.5 bytes of figure 1. The buffer has 868 "
        "and 845, since the last element of a result may overwrite a pixel of its own window",
        verdict=TEXT,
        why="at the worst moment x* by x* + 1 results are left, not a square: debts of lines come in pairs. With this "
        "correction the equation gives 869 and 846; as printed it gives 79 where every order of pixels takes at least "
        "80",
        run=tested(
            (f"{ORDERS}::test_equations_of_sections_3_4", 868, 845, 869, 846),
            (f"{ORDERS}::test_equation_2_takes_too_little", 79, 80),
            (f"{TURNS}::test_memory_of_published_layers", 868, 845),
        ),
    ),
    Row(
        item="section 3.4.2, complexity",
        title="transposing h w pixels of f channels in place takes h w (c + f) steps",
        reports="c is usually less than 5",
        here="less than 5 for all images of up to 14 x 14 pixels",
        verdict=REPRODUCED,
        run=tested((f"{TRANSPOSE}::test_steps_are_usually_less_than_5", 5, 14)),
    ),
    Row(
        item="section 3.2",
        title="assumptions",
        reports="the whole input is in memory, a pixel of it is alive until all results that depend on it are "
        "written, and only activations count",
        here="tests of claims 1 and 2 count in this way, over all orders of results of up to 4 x 3 pixels; programs "
        "run in that memory, with their loop variables in registers and on the stack",
        verdict=REPRODUCED,
        run=tested((f"{ORDERS}::test_claim_1", 4, 3), (f"{ORDERS}::test_no_order_of_pixels_takes_less", 4, 3)),
    ),
    Row(
        item="footnote 1",
        title="several layers at a time, as a pipeline",
        reports="an interesting alternative",
        here="streaming by rows and by pixels: the network of figure 1 takes 396 and 313 bytes, compared with 434.5 "
        "by herringbone",
        verdict=OTHER,
        why="the paper only mentions this alternative",
        run=tested(
            (f"{PUBLISHED}::test_streaming", 396, 313), (f"{PUBLISHED}::test_orders_of_gural_and_murmann", 434.5)
        ),
    ),
    Row(
        item="figure 3",
        title="the order of herringbone",
        reports="rows and columns alternate, as in the herringbone tile",
        here="plans count pixels in that order; in 3 x 3 pixels the rows are 0 1 2, 3 5 6 and 4 7 8",
        verdict=REPRODUCED,
        run=tested((f"{TURNS}::test_equation_6", 3, 5, 6, 4, 7, 8)),
    ),
    Row(
        item="claim 2",
        title="herringbone is optimal",
        reports="for square kernels, strides of 1 and no padding, where channels grow",
        here="no order of pixels takes less than herringbone, for results of up to 4 x 3 pixels",
        verdict=REPRODUCED,
        run=tested((f"{ORDERS}::test_no_order_of_pixels_takes_less", 4, 3)),
    ),
    Row(
        item="lemma 3.1",
        title="pixels that n^2 + 1 results depend on",
        reports="(n + k - 1)^2 + k",
        here="12, 19, 30 and 41, the least of all sets of pixels, for n of 1 and 2 and k of 3 and 5",
        verdict=REPRODUCED,
        run=tested((f"{ORDERS}::test_lemma_3_1", 12, 19, 30, 41)),
    ),
    Row(
        item="figure 4",
        title="corner pixels",
        reports="without a corner pixel, a set depends on one pixel less",
        here="this holds for all sets of pixels among 3 x 4, for kernels of 3 and 5",
        verdict=REPRODUCED,
        run=tested((f"{ORDERS}::test_corner_pixels_of_figure_4", 3, 4, 5)),
    ),
    Row(
        item="figure 5",
        title="shifting and transposing",
        reports="two ways to reclaim pixels, of which shifting takes some h_out w_out h_in w_in moves of pixels",
        here="both: the network runs on an Uno in 435 bytes with `tm_transpose` (`herringbone`) and, in at most 1.2 "
        "times the cycles, by shifting (`herringbone-shifting`, a schedule of the package `tests/plugins/shifting`), "
        "which moves 868 pixels of an image of 10 x 10, at most 0.14 times h_out w_out h_in w_in",
        verdict=REPRODUCED,
        run=tested(
            (f"{IN_PLACE}::test_gural_and_murmann_on_the_uno", 435),
            (f"{IN_PLACE}::test_shapes", "tm_transpose"),
            (f"{SHIFTING}::test_the_network_of_the_paper", 435, 1.2),
            (f"{SHIFTING}::test_bits_and_memory", "herringbone-shifting"),
            (f"{SHIFTING}::test_moved_pixels", 868, 10, 0.14),
        ),
    ),
    Row(
        item="section 3.4.3",
        title="a single transpose",
        reports="equation (3): 875 elements for the second layer, 437.5 bytes, 3 more than herringbone",
        here="with 3 rows left, as by equation (4), the 875 elements of equation (3) are alive; with 4 rows left "
        "873, {single:.1f} bytes, compared with {herringbone:.1f} by herringbone",
        verdict=BETTER,
        run=Measured(digits),
        holds=lambda found: (found["herringbone"], found["single"]) == (434.5, 436.5),
        why="equation (4) does not choose the best row for this layer (appendix B): the cost is 2 bytes, not 3",
    ),
    Row(
        item="section 3.4.3, optimal",
        title="single transposes that take as little as herringbone",
        reports="by equation (3), if w_out = r, (k - 1) f_in = r alpha, or alpha = 0",
        here="they do in all 191 such cases for kernels of 3 and 5, inputs of up to 8 channels, results of up to 16, "
        "and squares of 4, 6, 8 and 10 pixels",
        verdict=REPRODUCED,
        run=tested((f"{ORDERS}::test_a_single_transpose_is_optimal_by_equation_15", 191, 3, 5, 8, 16, 4, 6, 10)),
    ),
    Row(
        item="section 3.4.3, time",
        title="time by strategy (figure 1)",
        reports="one transposition is faster by a factor of O((h_out + w_out) h_in / r); 684 ms (table 1)",
        here="herringbone {herringbone:.0f} ms, single transpose {single-transpose:.0f} ms, replacing {replace:.0f} "
        "ms, op by op {ordinary:.0f} ms",
        verdict=TEXT,
        run=Shown(("schedules-in-place",), by_plan),
        holds=lambda found: (
            found["replace"] < found["single-transpose"] < found["ordinary"] < found["herringbone"] < 684
        ),
        why="the factor concerns the transpositions alone, and the text states no other time of figure 1",
    ),
    Row(
        item="section 4.1",
        title="transposition in place",
        reports="equation (5): f(i) = (i mod h) w + floor(i / h), cycles of a permutation without marks",
        here="`tm_transpose` of `runtime/include/tinyml/transpose.h`, also for half bytes: 3 x 4 pixels become 0, 4, "
        "8, 1, 5, 9, 2, 6, 10, 3, 7, 11, as by (5)",
        verdict=REPRODUCED,
        run=tested((f"{TRANSPOSE}::test_cycles_of_figure_6", 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11)),
    ),
    Row(
        item="figure 6",
        title="a 3 x 4 array is transposed",
        reports="its cycles",
        here="the cycles 1 4 5 9 3 and 2 8 10 7 6; the first and the last pixel do not move",
        verdict=REPRODUCED,
        run=tested((f"{TRANSPOSE}::test_cycles_of_figure_6", 1, 4, 5, 9, 3, 2, 8, 10, 7, 6)),
    ),
    Row(
        item="section 4.2",
        title="undoing herringbone",
        reports="equation (6)",
        here="the order in which turns write squares of 1 to 8 pixels is that of (6); transpositions from the last "
        "turn to the first undo it",
        verdict=REPRODUCED,
        run=tested((f"{TURNS}::test_equation_6", 1, 8)),
    ),
    Row(
        item="section 5.1",
        title="the network on an Uno",
        reports="intermediate values of an image and the logits of all 10,000 images are equal",
        here="labels and logits of 1,000 images by the evaluator and on the host, and of 5 on a simulated `uno`, are "
        "those of integers; labels of 990 are right",
        verdict=NOT_DONE,
        why="logits are compared for the images in the repository, a tenth of the 10,000 whose labels table 1 counts "
        "by the evaluator's bits, simulated chips run 5 of them, and values between layers are not compared one by "
        "one",
        run=tested(
            (f"{NETWORK}::test_labels_and_logits_are_those_of_integers", 990),
            (f"{NETWORK}::test_devices_agree", "uno", 5),
        ),
    ),
    Row(
        item="figure 7",
        title="weights and activations in 2 KB of RAM",
        reports="1512.5 bytes of weights, 434.5 of activations, over the serial line",
        here="{weights} bytes of weights and {activations} of activations, streamed by pixels; with the Arduino "
        "core and the stack {ram} bytes of 2,048 ([weights in RAM](../memory.md#weights-in-ram)). With "
        "the arena and the stack of herringbone, the program would take {herringbone} bytes",
        verdict=WORSE,
        win_back="rows of filters that are not padded to whole bytes",
        run=Shown(("memory-weights", "schedules-in-place"), loaded),
        holds=lambda found: found["weights"] > 1512.5 and found["ram"] <= 2048 < found["herringbone"],
        why="rows of filters are padded to whole bytes, and with the paper's schedule the program would not fit, "
        "so that the network is streamed",
    ),
    Row(
        item="table 1, accuracy",
        title="MNIST's 10,000 test images",
        reports="99.15 %",
        here="{accuracy:.2f} % of {images} images, by the evaluator's bits",
        verdict=REPRODUCED,
        run=Measured(accuracy),
        holds=lambda found: found["accuracy"] == 99.15 and found["images"] == 10_000,
    ),
    Row(
        item="table 1, time",
        title="684 ms, which are 10.9 million cycles at 16 MHz",
        reports="684 ms, not optimised",
        here="herringbone {herringbone:.0f} ms in {herringbone_arena} bytes of arena, replacing {replace:.0f} ms, "
        "streamed by pixels {pixels:.0f} ms in {pixels_arena} bytes",
        verdict=SURPASSED,
        run=Shown(("schedules-in-place",), by_plan),
        holds=lambda found: found["herringbone"] < 684 and found["pixels_arena"] < found["herringbone_arena"],
    ),
    Row(
        item="figure 8",
        title="1000 random architectures",
        reports="error by memory, kernels and channels",
        here="plans for the activations of {networks} networks: {within_ordinary} fit 512 bytes op by op, "
        "{within_herringbone} by herringbone, {within_pixels} by pixels; errors of a sample of 80 "
        "([sweep](../schedules.md#random-networks))",
        verdict=NOT_DONE,
        why="only a sample is trained, for 2 epochs in floats and 2 in 4 bits, on 8,000 of 60,000 images",
        run=Measured(published),
        holds=lambda found: found["within_ordinary"] < found["within_herringbone"] < found["within_pixels"],
    ),
    Row(
        item="figure 9",
        title="comparison with other networks in 2 KB",
        reports="99.15 % on MNIST's ten digits; ProtoNN 93.25 and Bonsai 94.38 % on two classes, FastGRNN "
        "98.20 % in 6 KB",
        here="the network as published, {accuracy:.2f} % of {images} images; the classifiers of "
        "[results](../results.md) on MNIST's ten digits: {least:.2f} to {most:.2f} % in 8 bits with weights "
        "in flash",
        verdict=OTHER,
        why="the others were trained for 2 KB in total, ours for 2 KB of RAM",
        run=Shown(("memory-digits", "results-formats"), beside_classifiers),
        holds=lambda found: found["most"] < found["accuracy"] == 99.15,
    ),
    Row(
        item="figure 9, ProtoNN",
        title="two classes of digits in 2 KB",
        reports="93.25 % on MNIST-2 (Gupta et al. 2017)",
        here="{accuracy:.2f} % of {images} images, odd or even, in 8 bits on an Uno, trained on 6,000 others: "
        "{constants} bytes of constants, and {ram} of RAM with the stack",
        verdict=TEXT,
        why="the paper does not define the two classes of MNIST-2, and our images have 14 x 14 pixels",
        run=Measured(prototypes),
        holds=lambda found: found["accuracy"] > 93.25 and found["constants"] + found["ram"] <= 2048,
    ),
    Row(
        item="figure 10",
        title="strategies on random architectures",
        reports="herringbone and single transpose nearly identical, naive substantially more; error by memory",
        here="plans for the activations of {networks} architectures: replacing takes {replace:.1f} % of herringbone's "
        "bytes on average and {most_replace:.1f} at most, single transpose {single_transpose:.1f} and "
        "{most_single_transpose:.1f}, ordinary execution {ordinary:.1f} and {most_ordinary:.1f}, rows {rows:.1f}, "
        "pixels {pixels:.1f}",
        verdict=TEXT,
        why="the paper does not state the ranges from which it draws its architectures, and errors are those of 80 "
        "networks only ([sweep](../schedules.md#random-networks))",
        run=Measured(published),
        holds=lambda found: found["most_single_transpose"] < 101 and found["ordinary"] > 130,
    ),
    Row(
        item="appendix A",
        title="connected convex sets suffice",
        reports="a proof",
        here="some set with the least dependencies is connected and convex, for 1 to 6 pixels among 4 x 4",
        verdict=REPRODUCED,
        run=tested((f"{ORDERS}::test_lemma_a_1", 1, 6, 4)),
    ),
    Row(
        item="figure 11",
        title="neighbours of a pixel",
        reports="16 cases of the proof",
        here="the result of the proof, for sets among 4 x 4 pixels, see appendix A",
        verdict=OTHER,
        why="the lemma is tested on all sets of pixels, without the swaps of its proof",
        run=tested((f"{ORDERS}::test_lemma_a_1", 4)),
    ),
    Row(
        item="appendix B",
        title="the best row for the transposition",
        reports="equations (4) and (7) to (10): the third layer takes 848 elements, the second 875",
        here="all rows are tried: 848 elements for the third layer; for the second 875 with the 3 rows of equation "
        "(4) left, and 873 with 4 rows left",
        verdict=BETTER,
        run=tested(
            (f"{ORDERS}::test_equations_of_sections_3_4", 848, 875, 873),
            (f"{ORDERS}::test_the_row_of_equation_4", 3, 4, 875, 873),
        ),
        why="for the second layer the row of equation (4) is not the best one",
    ),
    Row(
        item="appendix C.1.1",
        title="kernels that are not square",
        reports="equation (16): rows first, then herringbone; x0 = 6 for a kernel of 7 x 1, 4 to 8 channels",
        here="6 rows first take 2,508 bytes if rows and columns then alternate at once, and 2,284 if 13 columns "
        "first make the rest nearly square; herringbone takes 2,292. The order with the least peak "
        "(`optimal-turns`) takes 2,268, 12 columns first",
        verdict=BETTER,
        why="equation (16) does not give the order with the least peak",
        run=tested(
            (
                f"{LEAST}::test_published_orders_of_a_kernel_that_is_not_square",
                *(6, 7, 4, 8, 2508, 2284, 13, 2292, 2268, 12),
            )
        ),
    ),
    Row(
        item="appendix C.1.2",
        title="single transpose for kernels that are not square",
        reports="equation (20) states the best row for the transposition",
        here="all rows are tried. For a kernel of 3 x 2, 10 x 10 results, and 4 to 7 channels, the row of the "
        "equation, with 3 rows left, is the best one: 731 elements. From 5 to 8 channels 849 elements are "
        "alive with 3 rows left, and 843 with 4. Programs run in place with kernels of 3 x 2 and 3 x 4",
        verdict=BETTER,
        run=tested(
            (f"{ORDERS}::test_the_row_of_equation_20", 3, 10, 4, 7, 731, 5, 8, 849, 843),
            (f"{IN_PLACE}::test_shapes", 3, 2, 4),
        ),
        why="the row of the equation is not the best one for all layers",
    ),
    Row(
        item="appendix C.2",
        title="padding",
        reports="an upper bound: the padding counts as pixels of the image",
        here="padded convolutions run in place, in less than the bound: 8 x 8 pixels with kernels of 3, 7 x 7 with 5",
        verdict=REPRODUCED,
        run=tested(
            (f"{ORDERS}::test_padding_takes_less_than_the_bound_of_appendix_c_2", 8, 3, 7, 5),
            (f"{IN_PLACE}::test_shapes", "padding"),
        ),
    ),
    Row(
        item="appendix C.3",
        title="strides",
        reports="equations (21) to (23); for a kernel of 7 x 1 the latter has the other sign than (16), 6 columns "
        "first",
        here="the order with the least peak for any stride (`optimal-turns`), which takes no more than herringbone, "
        "replacing and a single transpose at a random line, for 1,000 shapes; for the kernel of 7 x 1, 6 columns first "
        "take 2,292 bytes, the least is 2,268",
        verdict=TEXT,
        why="at stride 1 the equations contradict (16), so that orders are searched instead of computed by them",
        run=tested(
            (f"{LEAST}::test_published_orders_of_a_kernel_that_is_not_square", 6, 7, 2292, 2268),
            (f"{LEAST}::test_no_variant_takes_less", 1000),
        ),
    ),
    Row(
        item="appendix C.4",
        title="residual blocks",
        reports="3w + 2 pixels in addition to the image",
        here="2w + 5 pixels, and 10 for the scratch of a convolution, which is less from w = 14 on; run with w = 20",
        verdict=SURPASSED,
        run=tested((f"{RESIDUAL}", 2, 5, 3, 20)),
    ),
    Row(
        item="appendix C.5",
        title="depthwise convolutions",
        reports="herringbone where channels grow",
        here="`herringbone` runs in place from 3 to 6 channels in 4 bits (`halves-depthwise`)",
        verdict=REPRODUCED,
        run=tested((f"{IN_PLACE}::test_shapes", "herringbone", "halves-depthwise", 3, 6, 4)),
    ),
    Row(
        item="appendix D",
        title="spectrograms by square waves",
        reports="equations (25) and (26): running sums of samples times square waves, a quarter of a period apart "
        "(0.25), instead of an FFT",
        here="`features.SquareWaves`: two accumulators for each chunk and frequency, in every format, also on devices "
        "([signals](../signals.md))",
        verdict=REPRODUCED,
        run=tested((f"{SIGNALS}::test_square_waves_are_sums_of_samples", 0.25)),
    ),
    Row(
        item="appendix D.2",
        title="powers",
        reports="equation (27): the squares of two sums over H chunks, about 5, weighted by a window",
        here="`features.SquareWaves` computes them from 5 chunks with a Hamming window, 0.54 - 0.46 cos(2 pi t)",
        verdict=REPRODUCED,
        run=tested((f"{SIGNALS}::test_powers_of_square_waves", 5, 0.54, 0.46, 2)),
    ),
    Row(
        item="appendix D.3",
        title="the response of a square wave",
        reports="equations (28) to (31): 4/pi times the bin, a third of its third and a fifth of its fifth harmonic",
        here="the same for tones at 1, 3 and 5 times the frequency, and nothing at 2 times",
        verdict=REPRODUCED,
        run=tested((f"{SIGNALS}::test_square_waves_are_odd_harmonics", 1, 3, 5, 2, 4)),
    ),
    Row(
        item="appendix D, complexity",
        title="memory and time of the spectrogram",
        reports="O(NM + HM) memory, O(DM + HM) operations per chunk",
        here="H M sums for each phase, 5 x 32 of them; for each chunk of 256 samples 256 x 64 additions and a "
        "product with a matrix of 5 x 64; the N rows are stored where the network reads them together "
        "([signals](../signals.md))",
        verdict=REPRODUCED,
        run=tested((f"{SIGNALS}::test_memory_of_square_waves", 5, 32, 256, 64)),
    ),
    Row(
        item="figure 12",
        title="two spectrograms of a word",
        reports="log-mel and square waves, the latter much noisier",
        here="`features.Spectrogram` and `features.SquareWaves` of 32 bands on a recorded word, "
        "[below](#two-spectrograms); their correlation is {correlation:.3f}",
        verdict=DATA,
        why="the word is that of the figure, but the recording is another one, with a free licence; the paper "
        "states no measure of the noise",
        run=Measured(spectrograms),
        holds=lambda found: 0.7 < found["correlation"] < 1,
    ),
    Row(
        item="appendix D.4",
        title="classification by square waves",
        reports="networks are still able to classify sounds",
        here="spectrograms by square waves are computed on devices ([signals](../signals.md))",
        verdict=NOT_DONE,
        why="no network is trained here on these spectrograms",
        nothing_to_run="there is no such network",
    ),
    Row(
        item="appendix E",
        title="tricks of training",
        reports="0.1 to 0.2 points each; herringbone 0.2 compared with replacing, 0.5 to 1 compared with the naive way",
        here="errors of the published network, on average of {trainings:d} trainings, 6,000 images and 6 epochs of "
        "either kind: {plain:.2f} % (from the least to the greatest {spread:.2f}), with orthogonal initial weights "
        "{orthogonal:.2f}, with the same number of distorted images added {distorted:.2f}, with only the easy ones of "
        "them {easy:.2f}, the best of the plain ones by the validation set {of_best:.2f}; with only as many channels "
        "as fit the same memory by replacing {replace:.2f} and op by op {ordinary:.2f}",
        verdict=OTHER,
        why="trainings as short as these have errors of 6 %: herringbone is better than both other ways and the "
        "best of four better than their mean, as in the paper, but orthogonal initial weights and easy "
        "distorted images do not help, and all distorted images help most",
        run=Measured(tricks),
        holds=lambda found: (
            found["plain"] < found["replace"] < found["ordinary"]
            and found["distorted"] < found["easy"]
            and found["of_best"] < found["plain"] < min(found["orthogonal"], found["easy"])
        ),
    ),
    Row(
        item="section 5.1, spare",
        title="unused RAM",
        reports="2 bytes, with the peak of the stack",
        here="{free} of 2,048 bytes with {activations} bytes of activations, streamed by pixels; by herringbone "
        "nothing would be left, see figure 7",
        verdict=OTHER,
        run=Shown(("memory-weights", "schedules-in-place"), loaded),
        holds=lambda found: found["free"] > 2,
        why="the network is streamed; with the paper's schedule the program would not fit (figure 7)",
    ),
    Row(
        item="section 5.2",
        title="error by memory",
        reports="below 1 KB ten times the error for a tenth of the memory, a knee at 2 KB; herringbone gains some 10 %",
        here="on the frontier of the {networks:.0f} networks that are trained for figure 8, below 1 KB, "
        "{herringbone:.1f} times the error for a tenth of the memory by herringbone, {ordinary:.1f} op by op "
        "and {pixels:.1f} streamed by pixels; within 700 bytes {herringbone_700:.2f} % by herringbone and "
        "{replace_700:.2f} by replacing, a gain of 4 %",
        verdict=NOT_DONE,
        why="the slopes are those of few networks, which are trained for 2 epochs in floats and 2 in 4 bits, on "
        "8,000 of 60,000 images, with errors of at least 3 %",
        run=Measured(frontier),
        holds=lambda found: (
            found["ordinary"] < found["herringbone"] < 10 < found["pixels"]
            and 0.04 < 1 - found["herringbone_700"] / found["replace_700"] < 0.05
        ),
    ),
    Row(
        item="section 5.2, architectures",
        title="networks near the frontier",
        reports="growing channels, kernels of 3 x 3, and a gain by herringbone more often than elsewhere",
        here="of the {optimal:d} networks on the frontier of the {networks:d} trained ones, {growing:d} have channels "
        "that never decrease, {small:d} a kernel of 3 x 3, and {gaining:d} gain by herringbone; of all networks "
        "{all_growing:d}, {all_small:d} and {all_gaining:d}",
        verdict=NOT_DONE,
        run=Measured(on_frontier),
        holds=lambda found: (
            found["growing"] / found["optimal"] > 1.5 * found["all_growing"] / found["networks"]
            and found["gaining"] / found["optimal"] > 1.5 * found["all_gaining"] / found["networks"]
        ),
        why="few networks are trained, and kernels of 3 x 3 are drawn most often: they are as frequent elsewhere",
    ),
    Row(
        item="section 5.2, 3D",
        title="convolutions in three dimensions",
        reports="herringbone and single transpose are useful for 2D and 3D convolutions without padding",
        here="windows in space and streams in time ([signals](../signals.md)); ONNX's convolutions in space are "
        "refused: `expected an image NxCxHxW`",
        verdict=NOT_DONE,
        why="no convolution has three spatial axes here",
        run=tested(
            (
                "unit/lowering/frontends/onnx/test_onnx_importer.py::test_invalid_models_are_refused_in_one_line",
                "expected an image NxCxHxW",
            )
        ),
    ),
    Row(
        item="table 1, sizes",
        title="the program",
        reports="1960 bytes of network and activations serialized, a program of 6514 bytes, 99.11 % on the "
        "development set",
        here="1,519 bytes of weights and 350 of activations, 1,869 in total, and less than 3,100 bytes of flash "
        "without the sketch; the weights arrive over the serial line ([weights in "
        "RAM](../memory.md#weights-in-ram))",
        verdict=OTHER,
        why="the schedule and the format of the serial line differ, the paper does not state what its program "
        "includes, and the development set is not published",
        run=tested((f"{LOADED}::test_weights_take_the_bytes_of_their_bits", 1519, 350, 1869, 3100)),
    ),
    Row(
        item="figure 13",
        title="other layers",
        reports="pools and dense layers in place",
        here="the whole network runs in the claimed arena, 435 bytes by herringbone",
        verdict=REPRODUCED,
        run=tested((f"{IN_PLACE}::test_gural_and_murmann_on_the_uno", 435)),
    ),
    Row(
        item="appendix F",
        title="CIFAR-10 and Google-12",
        reports="55.78, 71.07 and 85.29 %, the latter two with activations in 2 KB",
        here="only memory, 4 bits: the second network takes {ordinary} bytes op by op, {rows} by rows and {pixels} by "
        "pixels",
        verdict=DATA,
        why="the trained networks are not published: their memory is planned from the printed shapes",
        run=Measured(small_cifars),
        holds=lambda found: found["pixels"] < found["rows"] < 2048 < found["ordinary"],
    ),
    Row(
        item="appendix F, Google-12",
        title="twelve spoken words",
        reports="85.29 %, activations in 2 KB",
        here="only memory, 4 bits: {ordinary:.0f} bytes op by op, {rows:.0f} by rows, {pixels:.0f} by pixels",
        verdict=DATA,
        why="neither the trained network is published nor the padding and projection of its residual units, which are "
        "read as convolutions of 3 x 3 parallel to the image",
        run=Measured(small_keywords),
        holds=lambda found: found["pixels"] <= found["rows"] < found["ordinary"],
    ),
    Row(
        item="table 2",
        title="other data sets",
        reports="four networks, two of them with weights and activations in 2 KB",
        here="the network for MNIST, as in table 1; the one for CIFAR-10 has {weights} weights in the printed shapes, "
        "{weights_bytes:.1f} bytes at 4 bits",
        verdict=DATA,
        why="weights of the other three are not published, and with these shapes the weights for CIFAR-10 do not fit "
        "2 KB",
        run=Measured(small_cifars),
        holds=lambda found: found["weights_bytes"] > 2048,
    ),
)
