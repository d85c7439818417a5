/* The search of branch_and_bound.py, step for step: the same nodes in the same order, and hence the same answers.
 * What it does and why it is right stands there; names are the same here. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FAILED = 0, FOUND = 1, OUT_OF_NODES = 2, STOPPED = 3, OUT_OF_MEMORY = 4 };

typedef int64_t Number;
typedef struct {
    Number offset;
    int buffer;
} Candidate;

typedef struct {
    /* The problem. */
    const Number *size, *alignment, *first, *last, *rank;
    Number capacity, node_limit;
    volatile const int *stop;
    /* The state. */
    Number *waiting, *crossing, *lowest, *offset, nodes;
    /* Work space. */
    Number *start, *top;
    Candidate *sorted;
    int *blocked;
    /* States that failed: `index` refers into `words`, where each is its length and then its numbers. */
    Number *words, *index;
    size_t used, room, entries, slots;
} Search;

#define MOST_NUMBERS ((size_t)1 << 22)
#define MOST_STATES ((size_t)1 << 17)

static int before(const Search *s, const Candidate *a, const Candidate *b)
{
    return a->offset != b->offset ? a->offset < b->offset : s->rank[a->buffer] < s->rank[b->buffer];
}

/* Candidates are few or nearly sorted; this is also the order of Python's stable sort, as ranks differ. */
static void sort(const Search *s, Candidate *list, int count)
{
    for (int gap = count > 16 ? count / 3 : 1;; gap = gap / 3 > 1 ? gap / 3 : 1) {
        for (int i = gap; i < count; i++) {
            Candidate one = list[i];
            int j = i;
            for (; j >= gap && before(s, &one, &list[j - gap]); j -= gap)
                list[j] = list[j - gap];
            list[j] = one;
        }
        if (gap == 1)
            return;
    }
}

static uint64_t hash(const Number *words, size_t count)
{
    uint64_t h = 0x9E3779B97F4A7C15u;
    for (size_t i = 0; i < count; i++) {
        h = (h ^ (uint64_t)words[i]) * 0xBF58476D1CE4E5B9u;
        h ^= h >> 31;
    }
    return h;
}

/* The slot of the state that ends `words`, or the empty one where it belongs. */
static size_t slot_of(const Search *s, size_t count)
{
    const Number *state = s->words + s->used + 1;
    size_t slot = hash(state, count) & (s->slots - 1);
    for (; s->index[slot] >= 0; slot = (slot + 1) & (s->slots - 1)) {
        const Number *other = s->words + s->index[slot];
        if ((size_t)other[0] == count && memcmp(other + 1, state, count * sizeof(Number)) == 0)
            break;
    }
    return slot;
}

static int reserve(Search *s, size_t count)
{
    while (s->used + count + 1 > s->room) {
        Number *words = realloc(s->words, 2 * s->room * sizeof(Number));
        if (!words)
            return 0;
        s->words = words;
        s->room *= 2;
    }
    return 1;
}

static size_t write_state(Search *s, const int *unplaced, int count, Number last, Number last_rank)
{
    Number *word = s->words + s->used;
    *word++ = 2 + 2 * (Number)count;
    *word++ = last;
    *word++ = last_rank;
    for (int i = 0; i < count; i++) {
        *word++ = unplaced[i];
        *word++ = s->lowest[unplaced[i]];
    }
    return 2 + 2 * (size_t)count;
}

static int remember(Search *s, const int *unplaced, int count, Number last, Number last_rank)
{
    if (s->used + 3 + 2 * (size_t)count > MOST_NUMBERS || s->entries == MOST_STATES)
        return 1;
    if (!reserve(s, 2 + 2 * (size_t)count))
        return 0;
    size_t length = write_state(s, unplaced, count, last, last_rank);
    s->index[slot_of(s, length)] = (Number)s->used;
    s->used += length + 1;
    s->entries++;
    return 1;
}

static int solve(Search *s, const int *unplaced, int count, Number last, Number last_rank);

/* Cuts the buffers where none crosses from one section to the next, and solves the parts, small ones first. */
static int solve_parts(Search *s, const int *unplaced, int count, Number last, Number last_rank)
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
        return solve(s, unplaced, count, last, last_rank);

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
            result = solve(s, member + begin[p], begin[p + 1] - begin[p], last, last_rank);
    }
    free(memory);
    return result;
}

/* Whether the buffers cannot all end below the capacity. */
static int is_hopeless(Search *s, const int *unplaced, int count, Number last, Number last_rank)
{
    int blocked = 0;
    for (int i = 0; i < count; i++) {
        int b = unplaced[i];
        int waits = s->lowest[b] < last || (s->lowest[b] == last && s->rank[b] < last_rank);
        s->start[b] = waits ? last : s->lowest[b];
        s->sorted[i] = (Candidate){s->start[b] + s->size[b], b};
        if (waits)
            s->blocked[blocked++] = b;
    }
    if (blocked)
        sort(s, s->sorted, count);
    for (int i = 0; i < blocked; i++) {
        int b = s->blocked[i], j = 0;
        for (; j < count; j++) {
            int k = s->sorted[j].buffer;
            if (k != b && s->first[k] <= s->last[b] && s->first[b] <= s->last[k])
                break;
        }
        if (j == count)
            return 1;
        s->start[b] = s->sorted[j].offset;
    }
    for (int i = 0; i < count; i++) {
        int b = unplaced[i];
        if (s->start[b] + s->size[b] > s->capacity)
            return 1;
        s->sorted[i] = (Candidate){s->start[b], b};
        for (Number x = s->first[b]; x <= s->last[b]; x++)
            s->top[x] = 0;
    }
    sort(s, s->sorted, count);
    for (int i = 0; i < count; i++) {
        int b = s->sorted[i].buffer;
        for (Number x = s->first[b]; x <= s->last[b]; x++) {
            s->top[x] = (s->top[x] > s->start[b] ? s->top[x] : s->start[b]) + s->size[b];
            if (s->top[x] > s->capacity)
                return 1;
        }
    }
    return 0;
}

static int solve(Search *s, const int *unplaced, int count, Number last, Number last_rank)
{
    if (s->nodes == s->node_limit)
        return OUT_OF_NODES;
    if (++s->nodes % 256 == 0 && *s->stop)
        return STOPPED;
    Number ceiling = INT64_MAX;
    for (int i = 0; i < count; i++) {
        Number end = s->lowest[unplaced[i]] + s->size[unplaced[i]];
        ceiling = end < ceiling ? end : ceiling;
    }
    if (ceiling <= last || is_hopeless(s, unplaced, count, last, last_rank))
        return FAILED;
    if (!reserve(s, 2 + 2 * (size_t)count))
        return OUT_OF_MEMORY;
    if (s->index[slot_of(s, write_state(s, unplaced, count, last, last_rank))] >= 0)
        return FAILED;

    Candidate *candidates = malloc((size_t)count * (sizeof(Candidate) + sizeof(Number) + sizeof(int)));
    if (!candidates)
        return OUT_OF_MEMORY;
    Number *saved = (Number *)(candidates + count);
    int *rest = (int *)(saved + count), tries = 0;
    for (int i = 0; i < count; i++) {
        int b = unplaced[i];
        Number o = s->lowest[b];
        if (o < ceiling && (o > last || (o == last && s->rank[b] > last_rank)))
            candidates[tries++] = (Candidate){o, b};
        saved[i] = o;
    }
    sort(s, candidates, tries);
    int result = FAILED;
    for (int t = 0; t < tries && result == FAILED; t++) {
        int b = candidates[t].buffer, left = 0, fits = 1;
        Number offset = candidates[t].offset, end = offset + s->size[b];
        for (int i = 0; i < count; i++) {
            int k = unplaced[i];
            if (k == b)
                continue;
            rest[left++] = k;
            if (s->first[k] <= s->last[b] && s->first[b] <= s->last[k] && s->lowest[k] < end)
                s->lowest[k] = end + (s->alignment[k] - end % s->alignment[k]) % s->alignment[k];
        }
        for (Number x = s->first[b]; x <= s->last[b]; x++) {
            s->waiting[x] -= s->size[b];
            s->crossing[x] -= x < s->last[b];
            fits &= end + s->waiting[x] <= s->capacity;
        }
        if (fits)
            result = solve_parts(s, rest, left, offset, s->rank[b]);
        if (result == FOUND)
            s->offset[b] = offset;
        for (Number x = s->first[b]; x <= s->last[b]; x++) {
            s->waiting[x] += s->size[b];
            s->crossing[x] += x < s->last[b];
        }
        for (int i = 0; i < count; i++)
            s->lowest[unplaced[i]] = saved[i];
    }
    free(candidates);
    if (result == FAILED && !remember(s, unplaced, count, last, last_rank))
        return OUT_OF_MEMORY;
    return result;
}

/* Packs `count` buffers, each alive in sections first..last of `sections`, into `capacity`. ranks: all different.
 * Writes the offsets if it has FOUND any, and the number of nodes; FAILED means that there is no packing. A value other
 * than 0 in `stop` stops the search. */
int tm_branch_and_bound(int count, int sections, const Number *size, const Number *alignment, const Number *first,
                        const Number *last, const Number *rank, Number capacity, Number node_limit,
                        volatile const int *stop, Number *offsets, Number *nodes)
{
    size_t n = (size_t)count, width = (size_t)sections;
    Search s = {.size = size, .alignment = alignment, .first = first, .last = last, .rank = rank,
                .capacity = capacity, .node_limit = node_limit, .stop = stop, .offset = offsets,
                .room = 1024, .slots = 2 * MOST_STATES};
    Number *numbers = calloc(2 * n + 3 * width, sizeof(Number));
    int *unplaced = malloc(2 * n * sizeof(int));
    s.sorted = malloc(n * sizeof(Candidate));
    s.words = malloc(s.room * sizeof(Number));
    s.index = malloc(s.slots * sizeof(Number));
    int result = OUT_OF_MEMORY;
    if (numbers && unplaced && s.sorted && s.words && s.index) {
        s.lowest = numbers;
        s.start = s.lowest + n;
        s.waiting = s.start + n;
        s.crossing = s.waiting + width;
        s.top = s.crossing + width;
        s.blocked = unplaced + n;
        memset(s.index, 0xFF, s.slots * sizeof(Number));
        for (int i = 0; i < count; i++) {
            unplaced[i] = i;
            for (Number x = first[i]; x <= last[i]; x++) {
                s.waiting[x] += size[i];
                s.crossing[x] += x < last[i];
            }
        }
        result = solve_parts(&s, unplaced, count, -1, -1);
    }
    *nodes = s.nodes;
    free(numbers);
    free(unplaced);
    free(s.sorted);
    free(s.words);
    free(s.index);
    return result;
}
