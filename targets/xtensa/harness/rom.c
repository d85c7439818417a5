/* Functions that gcc calls of its own accord and that an ESP8266 has in its ROM, so that libgcc leaves them out: products
 * and quotients of integers, and IEEE 754 arithmetic on floats, rounded to nearest, ties to even. */
#include <stdint.h>

/* Declared by nobody, as only the compiler calls them. */
uint32_t __udivsi3(uint32_t a, uint32_t b);
uint32_t __umodsi3(uint32_t a, uint32_t b);
int32_t __divsi3(int32_t a, int32_t b);
uint64_t __umulsidi3(uint32_t a, uint32_t b);
int64_t __muldi3(int64_t a, int64_t b);
uint64_t __udivmoddi4(uint64_t a, uint64_t b, uint64_t *rest);
int64_t __divmoddi4(int64_t a, int64_t b, int64_t *rest);
uint64_t __udivdi3(uint64_t a, uint64_t b);
uint64_t __umoddi3(uint64_t a, uint64_t b);
int64_t __divdi3(int64_t a, int64_t b);
float __addsf3(float x, float y);
float __subsf3(float x, float y);
float __mulsf3(float x, float y);
float __floatsisf(int32_t x);
float __floatunsisf(uint32_t x);
uint32_t __fixunssfsi(float x);

/* Of b > 0, one bit of the quotient after the other. */
static uint32_t quotient(uint32_t a, uint32_t b, uint32_t *rest) {
    uint32_t result = 0;
    if (a >= b)
        for (int shift = __builtin_clz(b) - __builtin_clz(a); shift >= 0; shift--)
            if (a >> shift >= b) {
                a -= b << shift;
                result |= (uint32_t)1 << shift;
            }
    *rest = a;
    return result;
}

uint32_t __udivsi3(uint32_t a, uint32_t b) {
    uint32_t rest;
    return quotient(a, b, &rest);
}

uint32_t __umodsi3(uint32_t a, uint32_t b) {
    uint32_t rest;
    quotient(a, b, &rest);
    return rest;
}

static uint32_t magnitude(int32_t x) { return x < 0 ? 0 - (uint32_t)x : (uint32_t)x; }

int32_t __divsi3(int32_t a, int32_t b) {
    uint32_t rest, result = quotient(magnitude(a), magnitude(b), &rest);
    return (int32_t)((a ^ b) < 0 ? 0 - result : result);
}

uint64_t __umulsidi3(uint32_t a, uint32_t b) {
    const uint16_t a0 = (uint16_t)a, a1 = (uint16_t)(a >> 16), b0 = (uint16_t)b, b1 = (uint16_t)(b >> 16);
    const uint32_t first = (uint32_t)a0 * b0, second = (uint32_t)a1 * b0, third = (uint32_t)a0 * b1;
    const uint32_t middle = (first >> 16) + (uint16_t)second + (uint16_t)third;
    const uint32_t high = (uint32_t)a1 * b1 + (second >> 16) + (third >> 16) + (middle >> 16);
    return (uint64_t)high << 32 | (middle << 16 | (uint16_t)first);
}

int64_t __muldi3(int64_t a, int64_t b) {
    const uint64_t low = __umulsidi3((uint32_t)a, (uint32_t)b);
    const uint32_t high = (uint32_t)a * (uint32_t)(b >> 32) + (uint32_t)(a >> 32) * (uint32_t)b;
    return (int64_t)(low + ((uint64_t)high << 32));
}

uint64_t __udivdi3(uint64_t a, uint64_t b) {
    uint64_t rest;
    return __udivmoddi4(a, b, &rest);
}

uint64_t __umoddi3(uint64_t a, uint64_t b) {
    uint64_t rest;
    __udivmoddi4(a, b, &rest);
    return rest;
}

int64_t __divdi3(int64_t a, int64_t b) {
    int64_t rest;
    return __divmoddi4(a, b, &rest);
}

typedef union {
    float value;
    uint32_t bits;
} word;

/* A finite number: m * 2^(e - 157), with the leading bit of m at 30 unless e is 1. */
typedef struct {
    int32_t e;
    uint32_t m;
} parts;

#define SIGN 0x80000000u
#define INFINITE 0x7f800000u
#define NAN_BITS 0x7fc00000u

static float of_bits(uint32_t bits) {
    word w;
    w.bits = bits;
    return w.value;
}

static parts parts_of(uint32_t bits) {
    const int32_t e = (int32_t)(bits >> 23 & 0xff);
    const parts p = {e ? e : 1, ((bits & 0x7fffff) | (e ? 0x800000 : 0)) << 7};
    return p;
}

/* m / 2^by, with the last bit set if any of those that leave was. */
static uint32_t jammed(uint32_t m, int32_t by) {
    if (by > 31)
        return m != 0;
    return by > 0 ? m >> by | ((m << (32 - by)) != 0) : m;
}

/* The float nearest to parts whose leading bit may be at 31. */
static float rounded(uint32_t sign, int32_t e, uint32_t m) {
    if (m >> 31) {
        m = jammed(m, 1);
        e++;
    }
    if (e < 1) {
        m = jammed(m, 1 - e);
        e = 1;
    }
    if (e > 254)
        return of_bits(sign | INFINITE);
    const uint32_t up = ((m & 0x7f) > 0x40 || (m & 0xff) == 0xc0);
    return of_bits(sign | (((uint32_t)(e - 1) << 23) + (m >> 7) + up));
}

static float sum(uint32_t a, uint32_t b) {
    if (b << 1 > a << 1) {
        const uint32_t larger = b;
        b = a;
        a = larger;
    }
    const uint32_t sign = a & SIGN, differ = (a ^ b) & SIGN;
    if (a << 1 >= INFINITE << 1)
        return of_bits(a << 1 > INFINITE << 1 || (differ && b << 1 == INFINITE << 1) ? NAN_BITS : a);
    parts x = parts_of(a), y = parts_of(b);
    const uint32_t smaller = jammed(y.m, x.e - y.e);
    if (!differ)
        return rounded(sign, x.e, x.m + smaller);
    if ((x.m -= smaller) == 0)
        return 0;
    int32_t up = __builtin_clz(x.m) - 1;
    if (up > x.e - 1)
        up = x.e - 1;
    return rounded(sign, x.e - up, x.m << up);
}

float __addsf3(float x, float y) {
    word a, b;
    a.value = x;
    b.value = y;
    return sum(a.bits, b.bits);
}

float __subsf3(float x, float y) {
    word a, b;
    a.value = x;
    b.value = y;
    return sum(a.bits, b.bits ^ SIGN);
}

float __mulsf3(float x, float y) {
    word a, b;
    a.value = x;
    b.value = y;
    const uint32_t sign = (a.bits ^ b.bits) & SIGN, p = a.bits & ~SIGN, q = b.bits & ~SIGN;
    if (p >= INFINITE || q >= INFINITE)
        return of_bits(p > INFINITE || q > INFINITE || p == 0 || q == 0 ? NAN_BITS : sign | INFINITE);
    if (p == 0 || q == 0)
        return of_bits(sign);
    const parts f = parts_of(p), g = parts_of(q);
    const int32_t f_up = __builtin_clz(f.m) - 1, g_up = __builtin_clz(g.m) - 1;
    /* The leading bit of the product is at 60 or 61. */
    const uint64_t product = __umulsidi3(f.m << f_up, g.m << g_up);
    const uint32_t m = (uint32_t)(product >> 30) | (((uint32_t)product & 0x3fffffff) != 0);
    return rounded(sign, f.e - f_up + g.e - g_up - 127, m);
}

float __floatunsisf(uint32_t x) {
    if (x == 0)
        return 0;
    const int32_t up = __builtin_clz(x) - 1;
    return up < 0 ? rounded(0, 157, x) : rounded(0, 157 - up, x << up);
}

float __floatsisf(int32_t x) {
    const float y = __floatunsisf(magnitude(x));
    return x < 0 ? -y : y;
}

uint32_t __fixunssfsi(float x) {
    word w;
    w.value = x;
    const parts p = parts_of(w.bits);
    if (w.bits >> 31 || p.e < 127)
        return 0;
    return p.e > 158 ? UINT32_MAX : p.e > 157 ? p.m << (p.e - 157) : p.m >> (157 - p.e);
}
