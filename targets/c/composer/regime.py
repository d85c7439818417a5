"""C code, shared by the kernels of several chips, for sums of products of 16-bit numbers with a regime, such as
posits.
"""

REGIME_INTEGER = """\
/* A number of 16 bits times 2^scale. */
static inline __attribute__((__unused__)) int32_t tm_regime_integer(int16_t raw, int8_t es, int8_t scale)
{
    uint32_t body = (raw < 0 ? 0 - (uint32_t)raw : (uint32_t)raw) << 17;
    if (body == 0)
        return 0;
    const uint32_t ones = body >> 31;
    /* Of 64 bits, as int may have 16 and long 32 or 64. */
    const int run = __builtin_clzll(ones ? ~body : body) - 32;
    const int32_t k = ones ? run - 1 : -run;
    body = body << run << 1;
    const int32_t e = k * (1 << es) + (int32_t)(es ? body >> (32 - es) : 0);
    const uint32_t size = ((uint32_t)1 << 31 | body << es >> 1) >> (31 - scale - e);
    return raw < 0 ? -(int32_t)size : (int32_t)size;
}
"""
"""C code that fetches one number."""

REGIME_RUNS = "const int16_t *w, const int16_t *x, uint16_t n"

REGIME_BODY = """\
    for (; n > 0; n--)
        sum += (int64_t)tm_regime_integer(*w++, es, scale) * *x++;
    return sum;"""
