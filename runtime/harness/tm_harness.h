/* Names and types of the model that is run, from the macros that the runner defines. */
#ifndef TINYML_HARNESS_MODEL_H
#define TINYML_HARNESS_MODEL_H

#include <stdint.h>
#include TM_HEADER

#define TM_PASTE(a, b) a##b
#define TM_JOIN(a, b) TM_PASTE(a, b)

#if TM_INSTANCES
/* The instance that is run. TM_GIVEN is the argument of functions that take no other, TM_FIRST precedes another. */
extern TM_JOIN(TM_MODEL, _ctx) tm_instance;
TM_JOIN(TM_MODEL, _ctx) tm_instance;
#define TM_GIVEN &tm_instance
#define TM_FIRST TM_GIVEN,
#else
#define TM_GIVEN
#define TM_FIRST
#endif

#define tm_row TM_JOIN(TM_MODEL, _row)
#if TM_PUSHED
/* The runner supplies the input in parts, which tm_infer pushes until the program has an answer: after a reset, or with
   TM_CONTINUED as the next part of a recording, of which the first TM_SKIPPED_ROWS rows are left out. */
static TM_INPUT tm_part[TM_ROW_LENGTH];
void tm_row(TM_INPUT *to, uint16_t row);
__attribute__((noinline, used)) static int16_t tm_infer(void) {
#if TM_CONTINUED
    static uint8_t begun;
#else
    const uint8_t begun = 0;
#endif
    const uint16_t left_out = begun ? 0 : TM_SKIPPED_ROWS;
    if (!begun)
        TM_JOIN(TM_MODEL, _reset)(TM_GIVEN);
#if TM_CONTINUED
    begun = 1;
#endif
    for (uint16_t row = 0; row < TM_INPUT_LENGTH / TM_ROW_LENGTH; row++) {
        tm_row(tm_part, row);
        if (row >= left_out)
            TM_JOIN(TM_MODEL, _push)(TM_FIRST tm_part, TM_ROW_LENGTH);
    }
#if TM_HAS_LABEL
    return TM_JOIN(TM_MODEL, _predict)(TM_GIVEN);
#else
    TM_JOIN(TM_MODEL, _predict)(TM_GIVEN);
    return 0;
#endif
}
#define tm_predict_input() tm_infer()
#elif TM_TAKES_ARRAY
#define tm_predict_input() TM_JOIN(TM_MODEL, _predict)(TM_FIRST tm_input())
#else
#define tm_predict_input() TM_JOIN(TM_MODEL, _predict)(TM_GIVEN)
#endif
#if TM_IN_OWN_BUFFER
#define tm_input() TM_JOIN(TM_MODEL, _input)(TM_GIVEN)
#elif TM_TAKES_ARRAY
#define tm_input() tm_array
extern TM_INPUT tm_array[TM_INPUT_LENGTH];
TM_INPUT tm_array[TM_INPUT_LENGTH];
#endif
#if TM_BLOB
#if TM_JOIN(TM_MODEL, _BLOB_FAR)
#define tm_blob() TM_JOIN(TM_MODEL, _blob_address)()
#else
#define tm_blob() TM_JOIN(TM_MODEL, _blob)
#endif
/* Binds the linked weights; a program that refuses them never answers. */
#define tm_bind() while (TM_JOIN(TM_MODEL, _bind)(tm_blob(), TM_JOIN(TM_MODEL, _BLOB_BYTES)) != 0) {}
#else
#define tm_bind()
#endif
#define tm_weights() TM_JOIN(TM_MODEL, _weights)(TM_GIVEN)
#define tm_scores() TM_JOIN(TM_MODEL, _scores)(TM_GIVEN)
#define tm_output(number) TM_JOIN(TM_MODEL, _output_##number)(TM_GIVEN)

/* Negative array lengths where the header and the runner's description of it disagree. */
#if !TM_CONTINUED
typedef char tm_check_input[TM_JOIN(TM_MODEL, _INPUT_LENGTH) <= TM_INPUT_LENGTH ? 1 : -1];
#endif
#if TM_ROW_LENGTH > 0 && !TM_PUSHED
typedef char tm_check_row[TM_JOIN(TM_MODEL, _ROW_LENGTH) == TM_ROW_LENGTH ? 1 : -1];
#endif
#if TM_WEIGHTS_BYTES > 0
typedef char tm_check_weights[TM_JOIN(TM_MODEL, _WEIGHTS_BYTES) == TM_WEIGHTS_BYTES ? 1 : -1];
#endif
typedef char tm_check_output[TM_JOIN(TM_MODEL, _OUTPUT_LENGTH) == TM_OUTPUT_LENGTH ? 1 : -1];

#endif
