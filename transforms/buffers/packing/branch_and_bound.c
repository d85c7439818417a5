/* The search of branch_and_bound.py, step for step: the same nodes in the same order, and hence the same answers.
 * What it does and why it is right stands there; names are the same here. Lists of unplaced buffers are kept in the
 * order of their lowest addresses, and of numbers where these are equal: to sort them would be most of the work. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "failed_states.h"

enum { FAILED = 0, FOUND = 1, OUT_OF_NODES = 2, STOPPED = 3, OUT_OF_MEMORY = 4 };

typedef struct {
    /* The problem. */
    const Number *size, *alignment, *first, *last;
    /* Operands that may overlap buffer b, and their distances: entries overlap_from[b] to overlap_from[b + 1] - 1. */
    const Number *overlap_from, *operand, *distance;
    /* What a buffer adds at least to sections up to `shared`; to later ones it adds its size. */
    const Number *least, *shared;
    /* For each buffer, a byte per section, not 0 where the buffer is in a gap; NULL if no buffer has gaps. */
    const unsigned char *idle;
    /* The offset that a buffer must have, or -1. */
    const Number *pinned;
    Number capacity, node_limit;
    size_t sections;
    volatile const int *stop;
    /* The state. */
    Number *waiting, *crossing, *lowest, *offset, nodes;
    /* Work space. */
    Number *start, *top;
    int *sorted;
    States failed;
} Search;

/* Whether a buffer lies before another one: lower, or earlier in the order where that is equal. */
static int before(const Number *address, int one, int other)
{
    return address[one] != address[other] ? address[one] < address[other] : one < other;
}

/* Few buffers, or nearly sorted ones. */
static void sort(const Number *address, int *buffers, int count)
{
    for (int i = 1; i < count; i++) {
        int one = buffers[i], j = i;
        for (; j > 0 && before(address, one, buffers[j - 1]); j--)
            buffers[j] = buffers[j - 1];
        buffers[j] = one;
    }
}

/* Two sorted lists as one. */
static void merge(const Number *address, const int *some, int some_count, const int *others, int other_count, int *all)
{
    int i = 0, j = 0;
    while (i < some_count || j < other_count)
        *all++ = j == other_count || (i < some_count && before(address, some[i], others[j])) ? some[i++] : others[j++];
}

static int is_idle(const Search *s, int b, Number section)
{
    return s->idle && s->idle[(size_t)b * s->sections + (size_t)section];
}

/* Whether two buffers occupy units in a common section. */
static int overlap(const Search *s, int a, int b)
{
    if (s->first[a] > s->last[b] || s->first[b] > s->last[a])
        return 0;
    if (!s->idle)
        return 1;
    Number last = s->last[a] < s->last[b] ? s->last[a] : s->last[b];
    for (Number x = s->first[a] > s->first[b] ? s->first[a] : s->first[b]; x <= last; x++)
        if (!is_idle(s, a, x) && !is_idle(s, b, x))
            return 1;
    return 0;
}

/* What buffer b adds at least to a section. */
static Number weight(const Search *s, int b, Number section)
{
    return section <= s->shared[b] ? s->least[b] : s->size[b];
}

/* The units from buffer b to the lowest start of buffer k above it, and the least such units for any buffer. */
static Number above(const Search *s, int b, int k)
{
    for (Number i = s->overlap_from[b]; i < s->overlap_from[b + 1]; i++)
        if (s->operand[i] == k)
            return s->distance[i];
    return s->size[b];
}

static Number push(const Search *s, int b)
{
    Number least = s->size[b];
    for (Number i = s->overlap_from[b]; i < s->overlap_from[b + 1]; i++)
        least = s->distance[i] < least ? s->distance[i] : least;
    return least;
}

/* Writes the state behind the failed ones, and returns its length; 0 if memory is out. */
static size_t write_state(Search *s, const int *unplaced, int count, Number last, int last_buffer)
{
    size_t length = 2 + 2 * (size_t)count;
    if (!reserve(&s->failed, length))
        return 0;
    Number *word = s->failed.words + s->failed.used + 1;
    *word++ = last;
    *word++ = last_buffer;
    for (int i = 0; i < count; i++) {
        *word++ = unplaced[i];
        *word++ = s->lowest[unplaced[i]];
    }
    return length;
}

static int remember(Search *s, const int *unplaced, int count, Number last, int last_buffer)
{
    if (is_full(&s->failed, 2 + 2 * (size_t)count))
        return 1;
    size_t length = write_state(s, unplaced, count, last, last_buffer);
    if (length)
        keep(&s->failed, length);
    return length != 0;
}

static int solve(Search *s, const int *unplaced, int count, Number last, int last_buffer);

/* Cuts the buffers where none crosses from one section to the next, and solves the parts, small ones first. */
static int solve_parts(Search *s, const int *unplaced, int count, Number last, int last_buffer)
{
    if (count == 0)
        return FOUND;
    Number low = s->first[unplaced[0]], high = s->last[unplaced[0]];
    for (int i = 1; i < count; i++) {
        int b = unplaced[i];
        low = s->first[b] < low ? s->first[b] : low;
        high = s->last[b] > high ? s->last[b] : high;
    }
    int parts = 1;
    for (Number x = low; x < high; x++)
        parts += s->crossing[x] == 0;
    if (parts == 1)
        return solve(s, unplaced, count, last, last_buffer);

    size_t width = (size_t)(high - low + 1);
    int *memory = calloc(width + 3 * (size_t)parts + 1 + (size_t)count, sizeof(int));
    if (!memory)
        return OUT_OF_MEMORY;
    int *part_of = memory, *begin = part_of + width, *fill = begin + parts + 1, *order = fill + parts,
        *member = order + parts;
    for (Number x = low, part = 0; x <= high; x++) {
        part_of[x - low] = (int)part;
        part += x < high && s->crossing[x] == 0;
    }
    for (int i = 0; i < count; i++)
        begin[part_of[s->first[unplaced[i]] - low] + 1]++;
    for (int p = 0; p < parts; p++) {
        begin[p + 1] += begin[p];
        fill[p] = begin[p];
    }
    for (int i = 0; i < count; i++)
        member[fill[part_of[s->first[unplaced[i]] - low]]++] = unplaced[i];
    for (int p = 0; p < parts; p++) {
        int j = p;
        for (; j > 0 && begin[p + 1] - begin[p] < begin[order[j - 1] + 1] - begin[order[j - 1]]; j--)
            order[j] = order[j - 1];
        order[j] = p;
    }
    int result = FOUND;
    for (int j = 0; j < parts && result == FOUND; j++) {
        int p = order[j];
        if (begin[p + 1] > begin[p])
            result = solve(s, member + begin[p], begin[p + 1] - begin[p], last, last_buffer);
    }
    free(memory);
    return result;
}

/* Whether a buffer's lowest address, or its place in the order, lies before what was placed last. */
static int is_blocked(const Search *s, int b, Number last, int last_buffer)
{
    return s->lowest[b] != last ? s->lowest[b] < last : b < last_buffer;
}

/* Whether the buffers cannot all end below the capacity. The first `blocked` ones must wait until something lies above
 * `last`. */
static int is_hopeless(Search *s, const int *unplaced, int count, int blocked, Number last)
{
    Number *start = s->start;
    for (int i = 0; i < count; i++)
        start[unplaced[i]] = i < blocked ? last : s->lowest[unplaced[i]];
    for (int i = 0; i < blocked; i++) {
        Number lowest_end = INT64_MAX;
        if (s->pinned[unplaced[i]] >= 0)
            return 1;
        for (int j = 0; j < count; j++) {
            int k = unplaced[j];
            Number end = (j < blocked ? last : s->lowest[k]) + push(s, k);
            if (end < lowest_end && j != i && overlap(s, k, unplaced[i]))
                lowest_end = end;
        }
        if (lowest_end == INT64_MAX)
            return 1;
        start[unplaced[i]] = lowest_end;
    }
    int *waiting = s->sorted + count;
    memcpy(waiting, unplaced, (size_t)blocked * sizeof(int));
    sort(start, waiting, blocked);
    merge(start, waiting, blocked, unplaced + blocked, count - blocked, s->sorted);
    memset(s->top, 0, s->sections * sizeof(Number));
    for (int i = count; i-- > 0;) {
        int b = s->sorted[i];
        Number most = s->size[b];
        for (Number x = s->first[b]; x <= s->last[b]; x++) {
            if (is_idle(s, b, x))
                continue;
            s->top[x] += weight(s, b, x);
            most = s->top[x] > most ? s->top[x] : most;
        }
        if (start[b] + most > s->capacity)
            return 1;
    }
    return 0;
}

static int solve(Search *s, const int *unplaced, int count, Number last, int last_buffer)
{
    if (s->nodes == s->node_limit)
        return OUT_OF_NODES;
    s->nodes++;
    if (*s->stop)
        return STOPPED;
    Number ceiling = INT64_MAX;
    for (int i = 0; i < count; i++) {
        Number end = s->lowest[unplaced[i]] + s->size[unplaced[i]];
        ceiling = end < ceiling ? end : ceiling;
    }
    int blocked = 0;
    while (blocked < count && is_blocked(s, unplaced[blocked], last, last_buffer))
        blocked++;
    if (ceiling <= last || is_hopeless(s, unplaced, count, blocked, last))
        return FAILED;
    size_t length = write_state(s, unplaced, count, last, last_buffer);
    if (!length)
        return OUT_OF_MEMORY;
    if (is_known(&s->failed, length))
        return FAILED;

    Number *saved = malloc((size_t)count * (sizeof(Number) + 3 * sizeof(int)));
    if (!saved)
        return OUT_OF_MEMORY;
    int *rest = (int *)(saved + count), *kept = rest + count, *raised = kept + count;
    for (int i = 0; i < count; i++)
        saved[i] = s->lowest[unplaced[i]];
    int result = FAILED;
    for (int t = blocked; t < count && saved[t] < ceiling && result == FAILED; t++) {
        int b = unplaced[t], kept_count = 0, raised_count = 0;
        Number offset = saved[t], end = offset + s->size[b];
        int fits = end <= s->capacity;
        for (int i = 0; i < count; i++) {
            int k = unplaced[i];
            Number start = saved[i] < end && overlap(s, k, b) ? offset + above(s, b, k) : saved[i];
            if (k == b)
                continue;
            start += (s->alignment[k] - start % s->alignment[k]) % s->alignment[k];
            if (start > saved[i]) {
                fits &= s->pinned[k] < 0;
                s->lowest[k] = start;
                raised[raised_count++] = k;
            } else {
                kept[kept_count++] = k;
            }
        }
        for (Number x = s->first[b]; x <= s->last[b]; x++) {
            s->crossing[x] -= x < s->last[b];
            if (is_idle(s, b, x))
                continue;
            s->waiting[x] -= weight(s, b, x);
            fits &= offset + weight(s, b, x) + s->waiting[x] <= s->capacity;
        }
        if (fits) {
            sort(s->lowest, raised, raised_count);
            merge(s->lowest, raised, raised_count, kept, kept_count, rest);
            result = solve_parts(s, rest, count - 1, offset, b);
        }
        if (result == FOUND)
            s->offset[b] = offset;
        for (Number x = s->first[b]; x <= s->last[b]; x++) {
            s->waiting[x] += is_idle(s, b, x) ? 0 : weight(s, b, x);
            s->crossing[x] += x < s->last[b];
        }
        for (int i = 0; i < count; i++)
            s->lowest[unplaced[i]] = saved[i];
    }
    free(saved);
    if (result == FAILED && !remember(s, unplaced, count, last, last_buffer))
        return OUT_OF_MEMORY;
    return result;
}

/* Packs `count` buffers, each alive in sections first..last of `sections`, into `capacity`; of candidates at the same
 * offset the earliest one is tried first. Writes the offsets if it has FOUND any, and the number of nodes; FAILED means
 * that there is no packing. A value other than 0 in `stop` stops the search. */
int tm_branch_and_bound(int count, int sections, const Number *size, const Number *alignment, const Number *first,
                        const Number *last, const Number *overlap_from, const Number *operand, const Number *distance,
                        const Number *least, const Number *shared, const unsigned char *idle, const Number *pinned,
                        Number capacity, Number node_limit, volatile const int *stop, Number *offsets, Number *nodes)
{
    size_t n = (size_t)count, width = (size_t)sections;
    Search s = {.size = size, .alignment = alignment, .first = first, .last = last, .overlap_from = overlap_from,
                .operand = operand, .distance = distance, .least = least, .shared = shared, .idle = idle,
                .pinned = pinned, .sections = width,
                .capacity = capacity, .node_limit = node_limit, .stop = stop, .offset = offsets};
    Number *numbers = calloc(2 * n + 3 * width, sizeof(Number));
    int *unplaced = malloc(3 * n * sizeof(int));
    int result = OUT_OF_MEMORY;
    if (make_states(&s.failed) && numbers && unplaced) {
        s.lowest = numbers;
        s.start = s.lowest + n;
        s.waiting = s.start + n;
        s.crossing = s.waiting + width;
        s.top = s.crossing + width;
        s.sorted = unplaced + n;
        for (int i = 0; i < count; i++) {
            unplaced[i] = i;
            s.lowest[i] = pinned[i] < 0 ? 0 : pinned[i];
            for (Number x = first[i]; x <= last[i]; x++) {
                s.waiting[x] += is_idle(&s, i, x) ? 0 : weight(&s, i, x);
                s.crossing[x] += x < last[i];
            }
        }
        sort(s.lowest, unplaced, count);
        result = solve_parts(&s, unplaced, count, -1, -1);
    }
    *nodes = s.nodes;
    free(numbers);
    free(unplaced);
    free_states(&s.failed);
    return result;
}
