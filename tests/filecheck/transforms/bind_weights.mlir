// RUN: tinyml-opt %s -p 'bind-weights{weights_at=".weights"}' | filecheck %s
// RUN: tinyml-opt %s -p 'bind-weights{weights_at="0x1000"}' | filecheck %s --check-prefix=ADDRESS
// RUN: not tinyml-opt %s -p 'bind-weights{weights_at="0x1002"}' 2>&1 | filecheck %s --check-prefix=MISALIGNED
// RUN: not tinyml-opt %s -p 'bind-weights{weights_at="0xZ"}' 2>&1 | filecheck %s --check-prefix=WRONG
// RUN: tinyml-opt %s -p 'bind-weights{weights_at="0xFFFFFFD4"}' | filecheck %s --check-prefix=TOP
// RUN: not tinyml-opt %s -p 'bind-weights{weights_at="0xFFFFFFD8"}' 2>&1 | filecheck %s --check-prefix=ABOVE
// RUN: not tinyml-opt %s -p 'bind-weights{weights_at="a b"}' 2>&1 | filecheck %s --check-prefix=BLANK
// RUN: sed 's/host/mega/' %s | tinyml-opt -p 'bind-weights{weights_at="0xFFD4"}' | filecheck %s --check-prefix=LAST
// RUN: sed 's/host/uno/' %s | tinyml-opt -p 'bind-weights{weights_at="0x7DD4"}' | filecheck %s --check-prefix=FLASH
// RUN: sed 's/host/uno/' %s | not tinyml-opt -p 'bind-weights{weights_at="0x7DD8"}' 2>&1 | filecheck %s --check-prefix=NO-FLASH
// RUN: sed 's/host/cortex-m4/; s/2xi32/2xi8/' %s | tinyml-opt -p 'bind-weights{weights_at=".weights"}' | filecheck %s --check-prefix=APART
// RUN: sed 's/host/mega/' %s | not tinyml-opt -p 'bind-weights{weights_at="0xFFD8"}' 2>&1 | filecheck %s --check-prefix=BEYOND
// RUN: sed 's/{tinyml.data}//' %s | not tinyml-opt -p 'bind-weights{weights_at=".weights"}' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: sed 's/host/uno/; s/\(xi[0-9]*>\) {tinyml.data}/\1 far {tinyml.data}/' %s | not tinyml-opt -p 'bind-weights{weights_at=".weights"}' 2>&1 | filecheck %s --check-prefix=FAR
// RUN: mkdir -p %t && tinyml-opt %s -p 'bind-weights{weights_at=".weights"}' > %t/net.mlir
// RUN: python -c "from xdsl.parser import Parser; from tinyml.dialects.context import context; [net] = Parser(context(), open('%t/net.mlir').read()).parse_module().body.block.ops; open('%t/net.blob', 'wb').write(net.attributes['tinyml.files'].data['.blob'].data)"
// RUN: sed 's/\[1, 2, 3\]/[1, 2, 4]/' %s | tinyml-opt -p 'bind-weights{weights_at=".weights" weights_for="%t"}' | filecheck %s
// RUN: sed 's/\[6, 7\]/[6, 8]/' %s | not tinyml-opt -p 'bind-weights{weights_at=".weights" weights_for="%t"}' 2>&1 | filecheck %s --check-prefix=ANOTHER

// The larger elements come first: b at byte 32, then w at 40. The table is no data and stays.
builtin.module attributes {tinyml.target = "host"} {
  c.program @net {
    c.constant @w dense<[1, 2, 3]> : tensor<3xi8> {tinyml.data}
    c.constant @b dense<[4, 5]> : tensor<2xi32> {tinyml.data}
    c.constant @table dense<[6, 7]> : tensor<2xi8>
  }
}
// CHECK: c.program @net attributes {tinyml.files = {".blob" = "TMLW
// CHECK-NOT: c.constant @w
// CHECK-NOT: c.constant @b
// CHECK: c.verbatim "net_weights"
// CHECK-SAME: #define net_b ((const int32_t *)(net_blob_bytes + 32))
// CHECK-SAME: #define net_w ((const int8_t *)(net_blob_bytes + 40))
// CHECK: c.constant @table
// CHECK: c.define @net_BLOB_BYTES 43 : i64
// CHECK: c.prototype @net_bind ["blob", "bytes"] (!c.address, ui32) -> i8
// CHECK-SAME: defined = "source"
// CHECK-NEXT: c.table @net_blob 43
// CHECK-SAME: defined = "blob"} : ui8
// ADDRESS: c.define @net_BLOB_ADDRESS 4096 : ui32
// MISALIGNED: --weights-at: the address must be a multiple of 4, got 0x1002
// WRONG: --weights-at: expected an address or the name of a section, got '0xZ'
// LAST: static const uint8_t net_blob_head[20] TM_FLASH = {
// LAST: c.define @net_BLOB_ADDRESS 65492 : ui32
// FLASH: c.define @net_BLOB_ADDRESS 32212 : ui32
// NO-FLASH: --weights-at: the 43 bytes at 0x7DD8 end beyond the 32256 bytes of flash of uno
// BEYOND: --weights-at: the 43 bytes at 0xFFD8 end beyond the first 64 KB of avr's flash: choose 0x10000 or beyond
// APART-LABEL: c.verbatim
// APART: #define net_w ((const int8_t *)(net_blob_bytes + 32))
// APART-SAME: #define net_b ((const int8_t *)(net_blob_bytes + 36))
// NONE: --weights-at: the program has no arrays of numbers
// FAR: --weights-at: the weights are far constants, which a blob on uno does not hold
// TOP: c.define @net_BLOB_ADDRESS 4294967252 : ui32
// ABOVE: --weights-at: the 43 bytes at 0xFFFFFFD8 end beyond an address of 32 bits
// BLANK: --weights-at: expected an address or the name of a section, got 'a b'
// A program that differs in its weights alone may use the blob, one that differs in its table may not.
// ANOTHER: --weights-for: these weights need another program
