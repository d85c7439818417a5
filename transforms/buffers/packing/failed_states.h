/* States that failed, as far as there is room for them: lists of numbers. Include <stdint.h>, <stdlib.h> and <string.h>
 * first. */

typedef int64_t Number;

/* `index` is a hash table of `slots` places in `words`, where each state is its length and then its numbers; -1 is an
 * empty slot. The state to look for, or to keep, is written behind the `used` words. */
typedef struct {
    Number *words, *index;
    size_t used, room, entries, slots;
} States;

#define MOST_NUMBERS ((size_t)1 << 22)
#define MOST_STATES ((size_t)1 << 17)

static int make_states(States *states)
{
    states->room = 1024;
    states->slots = 2 * MOST_STATES;
    states->words = malloc(states->room * sizeof(Number));
    states->index = malloc(states->slots * sizeof(Number));
    if (states->index)
        memset(states->index, 0xFF, states->slots * sizeof(Number));
    return states->words && states->index;
}

static void free_states(States *states)
{
    free(states->words);
    free(states->index);
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

/* Room for a state of `count` numbers and its length; 0 if memory is out. */
static int reserve(States *states, size_t count)
{
    while (states->used + count + 1 > states->room) {
        Number *words = realloc(states->words, 2 * states->room * sizeof(Number));
        if (!words)
            return 0;
        states->words = words;
        states->room *= 2;
    }
    return 1;
}

/* The slot of the state that ends `words`, or the empty one where it belongs. */
static size_t slot_of(const States *states, size_t count)
{
    const Number *state = states->words + states->used + 1;
    size_t slot = hash(state, count) & (states->slots - 1);
    for (; states->index[slot] >= 0; slot = (slot + 1) & (states->slots - 1)) {
        const Number *other = states->words + states->index[slot];
        if ((size_t)other[0] == count && memcmp(other + 1, state, count * sizeof(Number)) == 0)
            break;
    }
    return slot;
}

static int is_known(const States *states, size_t count)
{
    return states->index[slot_of(states, count)] >= 0;
}

static int is_full(const States *states, size_t count)
{
    return states->used + count + 1 > MOST_NUMBERS || states->entries == MOST_STATES;
}

/* Keeps the state that ends `words`. */
static void keep(States *states, size_t count)
{
    states->index[slot_of(states, count)] = (Number)states->used;
    states->words[states->used] = (Number)count;
    states->used += count + 1;
    states->entries++;
}
