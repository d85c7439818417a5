// RUN: tinyml-opt %s -p spread-memories | filecheck %s
// RUN: tinyml-opt %s -p spread-memories -t c | filecheck %s --check-prefix=C
// RUN: sed 's/ 10 {/ 11 {/; s/arena\[4\]/arena[10]/' %s | not tinyml-opt -p spread-memories 2>&1 | filecheck %s --check-prefix=OUTSIDE
// RUN: sed 's/, memories = .*} : i8/} : i8/' %s | not tinyml-opt -p spread-memories 2>&1 | filecheck %s --check-prefix=NONE
// RUN: sed 's/, offset = 4 : i64//' %s | not tinyml-opt -p spread-memories 2>&1 | filecheck %s --check-prefix=WRONG
// RUN: sed 's/v8eecc9c3be0b752c/v0000000000000000/' %s | tinyml-opt -p spread-memories | filecheck %s --check-prefix=GONE
// RUN: sed 's/arena\[4\]/arena[0]/' %s | tinyml-opt -p spread-memories | filecheck %s --check-prefix=UNUSED
// RUN: echo 'builtin.module {}' | not tinyml-opt -p spread-memories 2>&1 | filecheck %s --check-prefix=EMPTY

// The fast memory has bytes 0 to 3 of the arena and a copy of w, the slow one bytes 4 to 9.
builtin.module attributes {tinyml.target = "cortex-m4"} {
  c.program @net {
    c.constant @w dense<[1, 2, 3]> : tensor<3xi16>
    c.constant @v dense<[4, 5]> : tensor<2xi16>
    c.arena @arena 10 {alignment = 2 : i64, memories = {memories = [{name = "fast", macro = "TM_MEMORY_FAST", section = ".bss.tinyml.fast", size = 32 : i64, read = 0 : i64, write = 0 : i64, offset = 0 : i64, bytes = 4 : i64, stack = 0 : i64, hot = {v8eecc9c3be0b752c = 6 : i64}}, {name = "slow", macro = "TM_MEMORY_SLOW", section = "", size = 64 : i64, read = 3 : i64, write = 3 : i64, offset = 4 : i64, bytes = 6 : i64, stack = 0 : i64, hot = {}}], cost = 6 : i64, bound = 6 : i64, proof = "search", checked = ""}} : i8
    c.func @net_predict(%X: !c.ptr<i8, const>) attributes {doc = "Runs."} {
      %zero = c.literal 0 : index
      %a = c.view @arena[0] {length = 4 : i64, doc = "4"} : !c.ptr<i8>
      %b = c.view @arena[4] {length = 6 : i64, doc = "6"} : !c.ptr<i8>
      %w = c.symbol @w : !c.ptr<i16, flash>
      %v = c.symbol @v : !c.ptr<i16, flash>
      %x = c.load %w[%zero] : !c.ptr<i16, flash>
      %y = c.load %v[%zero] : !c.ptr<i16, flash>
      %s = c.cast %x : i16 to i8
      %t = c.cast %y : i16 to i8
      c.store %s, %a[%zero] : !c.ptr<i8>
      c.store %t, %b[%zero] : !c.ptr<i8>
      c.return
    }
    c.func @net_version() {
      c.return
    }
  }
}
// CHECK: c.verbatim "net_memories"
// CHECK: c.verbatim "net_fills"
// CHECK: c.constant @w
// CHECK-NEXT: c.buffer @w_in_fast 3 {doc = "A copy of w, which is read faster than flash.", memory = "TM_MEMORY_FAST __attribute__((__aligned__(4)))"} : i16
// CHECK-NEXT: c.constant @v
// CHECK-NEXT: c.arena @arena_fast 4 {alignment = 2 : i64, memory = "TM_MEMORY_FAST"} : i8
// CHECK-NEXT: c.arena @arena_slow 6 {alignment = 2 : i64, memory = "TM_MEMORY_SLOW"} : i8
// CHECK-NEXT: c.func @net_predict
// CHECK-NEXT: c.call @net_fills() : () -> index
// CHECK: c.if
// CHECK: c.invoke @net_fill(
// CHECK: c.view @arena_fast[0]
// CHECK-NEXT: c.view @arena_slow[0]
// CHECK-NEXT: c.symbol @w_in_fast
// CHECK-NEXT: c.symbol @v
// CHECK: c.func @net_version() {
// CHECK-NEXT: c.return

// C: #ifndef TM_MEMORY_FAST
// C-NEXT: #define TM_MEMORY_FAST __attribute__((section(".bss.tinyml.fast")))
// C-NEXT: #endif
// C-NEXT: #ifndef TM_MEMORY_SLOW
// C-NEXT: #define TM_MEMORY_SLOW
// C-NEXT: #endif
// C: static const int16_t net_w[3] __attribute__((__aligned__(4))) = {
// C: /* Working memory in TM_MEMORY_FAST, 4 bytes:
// C: static int8_t net_arena_fast[4] TM_MEMORY_FAST __attribute__((__aligned__(2)));
// C: /* Working memory in TM_MEMORY_SLOW, 6 bytes:
// C: static int8_t net_arena_slow[6] TM_MEMORY_SLOW __attribute__((__aligned__(2)));
// C: static int16_t net_w_in_fast[3] TM_MEMORY_FAST __attribute__((__aligned__(4)));
// C: if (net_fills() != 0) {
// C-NEXT: net_fill(net_w_in_fast, net_w, 6);

// OUTSIDE: byte 10 of the arena is in none of the memories
// NONE: 'spread-memories' needs an arena with the memories that 'place-memories' chose
// WRONG: 'memories' of the arena is not what 'place-memories' writes
// EMPTY: 'spread-memories' takes one program in C, the module is empty

// A constant that the program no longer has is not copied.
// GONE: c.verbatim "net_memories"
// GONE-NEXT: c.constant @w
// GONE-NEXT: c.constant @v
// GONE-NEXT: c.arena @arena_fast 4
// GONE-NEXT: c.arena @arena_slow 6
// GONE-NEXT: c.func @net_predict
// GONE-NEXT: c.literal 0 : index

// A memory without views has no arena and no macro.
// UNUSED: c.verbatim "net_memories"
// UNUSED-NOT: SLOW
// UNUSED: c.arena @arena_fast 4
// UNUSED-NEXT: c.func @net_predict
// UNUSED: c.view @arena_fast[0] {length = 4 : i64
// UNUSED-NEXT: c.view @arena_fast[0] {length = 6 : i64
