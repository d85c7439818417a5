/* First fit and best fit for a given order of the buffers, with the answers of greedy.py.
 *
 * Time is cut into stretches; each has a list of the buffers placed in it, sorted by offset, in blocks. A block that
 * shares no time with a buffer is skipped at once, and so is one that lies altogether below or beside it without a gap
 * that is large enough. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t Number;

enum { DONE = 0, STOPPED = 3, OUT_OF_MEMORY = 4 };
enum { CAPACITY = 64, MAX_STRETCHES = 256 };

typedef struct {
    Number start, end;
    int first, last;
} Placed;

/* Placed buffers, sorted by start. The earliest and latest first and last section tell which times a block meets. */
typedef struct {
    int count, earliest_first, latest_first, earliest_last, latest_last;
    Number end, gap;
    Placed placed[CAPACITY];
} Block;

/* `block` and `index` are where the list is read. */
typedef struct {
    Block **blocks;
    int count, room, block, index;
} List;

typedef struct {
    Number size, alignment;
    int first, last;
} Buffer;

static void summarise(Block *block)
{
    const Placed *placed = block->placed;
    block->earliest_first = block->latest_first = placed[0].first;
    block->earliest_last = block->latest_last = placed[0].last;
    block->end = placed[0].end;
    block->gap = 0;
    for (int i = 1; i < block->count; i++) {
        const Placed *p = &placed[i];
        if (p->first < block->earliest_first)
            block->earliest_first = p->first;
        if (p->first > block->latest_first)
            block->latest_first = p->first;
        if (p->last < block->earliest_last)
            block->earliest_last = p->last;
        if (p->last > block->latest_last)
            block->latest_last = p->last;
        if (p->start - block->end > block->gap)
            block->gap = p->start - block->end;
        if (p->end > block->end)
            block->end = p->end;
    }
}

static int insert_block(List *list, int at)
{
    if (list->count == list->room) {
        int room = 2 * list->room + 4;
        Block **blocks = realloc(list->blocks, (size_t)room * sizeof(Block *));
        if (!blocks)
            return 0;
        list->blocks = blocks;
        list->room = room;
    }
    Block *block = malloc(sizeof(Block));
    if (!block)
        return 0;
    block->count = 0;
    memmove(list->blocks + at + 1, list->blocks + at, (size_t)(list->count - at) * sizeof(Block *));
    list->blocks[at] = block;
    list->count++;
    return 1;
}

static int insert(List *list, Placed placed)
{
    int low = 0, high = list->count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (list->blocks[middle]->placed[0].start <= placed.start)
            low = middle;
        else
            high = middle;
    }
    if (list->count == 0 && !insert_block(list, 0))
        return 0;
    if (list->blocks[low]->count == CAPACITY) {
        if (!insert_block(list, low + 1))
            return 0;
        Block *full = list->blocks[low], *more = list->blocks[low + 1];
        full->count = more->count = CAPACITY / 2;
        memcpy(more->placed, full->placed + CAPACITY / 2, CAPACITY / 2 * sizeof(Placed));
        summarise(full);
        summarise(more);
        low += more->placed[0].start <= placed.start;
    }
    Block *block = list->blocks[low];
    int i = block->count++;
    for (; i > 0 && block->placed[i - 1].start > placed.start; i--)
        block->placed[i] = block->placed[i - 1];
    block->placed[i] = placed;
    summarise(block);
    return 1;
}

static Number aligned(Number offset, Number alignment)
{
    return offset + (alignment - offset % alignment) % alignment;
}

/* Reads a list as far as it blocks offsets from `offset` on, and returns the next offset that it leaves free. The list
 * then stands at the first buffer above the free range; buffers at other times are skipped. */
static Number push(List *list, const Buffer *buffer, Number offset)
{
    for (; list->block < list->count; list->block++, list->index = 0) {
        const Block *block = list->blocks[list->block];
        if (block->earliest_first > buffer->last || block->latest_last < buffer->first)
            continue;
        int solid = block->latest_first <= buffer->last && block->earliest_last >= buffer->first;
        if (solid && list->index == 0 && block->gap < buffer->size && block->placed[0].start < offset + buffer->size) {
            if (block->end > offset)
                offset = aligned(block->end, buffer->alignment);
            continue;
        }
        for (; list->index < block->count; list->index++) {
            const Placed *placed = &block->placed[list->index];
            if (placed->first > buffer->last || placed->last < buffer->first)
                continue;
            if (placed->start >= offset + buffer->size)
                return offset;
            if (placed->end > offset)
                offset = aligned(placed->end, buffer->alignment);
        }
    }
    return offset;
}

/* The lowest free offset, or the start of the smallest gap with room, given the lists of a buffer's stretches. */
static Number choose(List *lists, int count, const Buffer *buffer, int tightest)
{
    for (int i = 0; i < count; i++)
        lists[i].block = lists[i].index = 0;
    Number offset = 0, best = -1, best_room = 0;
    for (;;) {
        Number before;
        do {
            before = offset;
            for (int i = 0; i < count; i++)
                offset = push(&lists[i], buffer, offset);
        } while (offset > before && count > 1);
        Number next = INT64_MAX, end = 0;
        for (int i = 0; i < count && tightest; i++) {
            if (lists[i].block == lists[i].count)
                continue;
            const Placed *placed = &lists[i].blocks[lists[i].block]->placed[lists[i].index];
            if (placed->start < next) {
                next = placed->start;
                end = placed->end;
            }
        }
        if (next == INT64_MAX)
            return best < 0 ? offset : best;
        if (best < 0 || next - offset < best_room) {
            best = offset;
            best_room = next - offset;
        }
        offset = aligned(end, buffer->alignment);
    }
}

/* The number of sections of a stretch: the smallest power of two for which no more than 256 stretches, and lists with
 * no more than four times as many entries as there are buffers, are needed. */
static int stretch(int count, int sections, const Number *first, const Number *last)
{
    for (int shift = 0;; shift++) {
        if (sections >> shift >= MAX_STRETCHES)
            continue;
        Number entries = 0;
        for (int b = 0; b < count; b++)
            entries += (last[b] >> shift) - (first[b] >> shift) + 1;
        if (entries <= 4 * (Number)count)
            return shift;
    }
}

/* Places `count` buffers, each alive in sections first..last of `sections`, one after the other as `order` says, and
 * writes their offsets. A value other than 0 in `stop` stops it. */
int tm_greedy(int count, int sections, const Number *size, const Number *alignment, const Number *first,
              const Number *last, const Number *order, int tightest, volatile const int *stop, Number *offsets)
{
    int shift = stretch(count, sections, first, last), stretches = (sections >> shift) + 1, result = DONE;
    List *lists = calloc((size_t)stretches, sizeof(List));
    if (!lists)
        return OUT_OF_MEMORY;
    for (int i = 0; i < count && result == DONE; i++) {
        Number b = order[i];
        int from = (int)(first[b] >> shift), to = (int)(last[b] >> shift);
        Buffer buffer = {size[b], alignment[b], (int)first[b], (int)last[b]};
        offsets[b] = choose(lists + from, to - from + 1, &buffer, tightest);
        Placed placed = {offsets[b], offsets[b] + size[b], buffer.first, buffer.last};
        for (int x = from; x <= to && result == DONE; x++)
            if (!insert(&lists[x], placed))
                result = OUT_OF_MEMORY;
        if (*stop && result == DONE)
            result = STOPPED;
    }
    for (int x = 0; x < stretches; x++) {
        for (int i = 0; i < lists[x].count; i++)
            free(lists[x].blocks[i]);
        free(lists[x].blocks);
    }
    free(lists);
    return result;
}
