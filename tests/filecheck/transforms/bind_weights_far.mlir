// RUN: tinyml-opt %s -p 'bind-weights{weights_at="0x3DFD8"}' | filecheck %s
// RUN: not tinyml-opt %s -p 'bind-weights{weights_at="0x3DFDC"}' 2>&1 | filecheck %s --check-prefix=BEYOND
// RUN: tinyml-opt %s -p 'bind-weights{weights_at="0x3DFD8"}' -t c | filecheck %s --check-prefix=C
// RUN: sed 's/tensor<3xi8> far/tensor<3xi8>/' %s | not tinyml-opt -p 'bind-weights{weights_at=".weights"}' 2>&1 | filecheck %s --check-prefix=MIXED
// RUN: sed 's/dense<.1, 2, 3.> : tensor<3xi8>/dense<1> : tensor<32767xi8>/' %s | tinyml-opt -p 'bind-weights{weights_at=".weights"}' | filecheck %s --check-prefix=LARGEST
// RUN: sed 's/dense<.1, 2, 3.> : tensor<3xi8>/dense<1> : tensor<32768xi8>/' %s | not tinyml-opt -p 'bind-weights{weights_at=".weights"}' 2>&1 | filecheck %s --check-prefix=LARGE
// RUN: sed 's/dense<.1, 2, 3.> : tensor<3xi8> far/dense<1> : tensor<32731xi8>/; s/ far>/ flash>/; s/ far//' %s | tinyml-opt -p 'bind-weights{weights_at=".weights"}' | filecheck %s --check-prefix=NEAR
// RUN: sed 's/dense<.1, 2, 3.> : tensor<3xi8> far/dense<1> : tensor<32732xi8>/; s/ far>/ flash>/; s/ far//' %s | not tinyml-opt -p 'bind-weights{weights_at=".weights"}' 2>&1 | filecheck %s --check-prefix=WHOLE

// Addresses of far arrays are computed from the address of the blob; those of other far arrays by the linker.
builtin.module attributes {tinyml.target = "mega"} {
  c.program @net {
    c.constant @w dense<[1, 2, 3]> : tensor<3xi8> far {tinyml.data, doc = "w"}
    c.constant @b dense<[4, 5]> : tensor<2xi16> far {tinyml.data, doc = "b"}
    c.constant @table dense<[6, 7]> : tensor<2xi8> far {doc = "table"}
    c.func @net_predict() -> i8 attributes {doc = "The sum."} {
      %w = c.symbol @w : !c.ptr<i8, far>
      %table = c.symbol @table : !c.ptr<i8, far>
      %two = c.literal 2 : index
      %a = c.load %w[%two] : !c.ptr<i8, far>
      %b = c.load %table[%two] : !c.ptr<i8, far>
      %sum = c.binary %a "+" %b : i8
      c.return %sum : i8
    }
  }
}
// CHECK: c.constant @table
// CHECK: c.symbol @w {tinyml.data}
// CHECK: c.symbol @table :
// CHECK: c.define @net_BLOB_BYTES 39 : i64
// CHECK: c.define @net_BLOB_ADDRESS 253912 : ui32
// CHECK-NEXT: c.define @net_BLOB_FAR 1 : i64
// CHECK: c.prototype @net_bind ["blob", "bytes"] (ui32, ui32) -> i8
// CHECK-NEXT: c.prototype @net_blob_address [] () -> ui32
// BEYOND: --weights-at: the 39 bytes at 0x3DFDC end beyond the 253952 bytes of flash of mega
// C: static tm_far net_blob_bytes;
// C-NEXT: #define net_b (net_blob_bytes + 32)
// C-NEXT: #define net_w (net_blob_bytes + 36)
// C: if (blob == 0 || blob % 4 != 0 || blob > 16777177u)
// C: tm_far_i8(net_w + 2)
// C-SAME: tm_far_i8(TM_FAR(net_table) + 2)
// MIXED: --weights-at: the weights are far constants, which a blob on mega does not hold
// LARGEST: c.define @net_BLOB_BYTES 32803 : i64
// LARGE: --weights-at: 'w' takes 32768 bytes, one array of avr at most 32767
// NEAR: c.define @net_BLOB_BYTES 32767 : i64
// WHOLE: --weights-at: the blob takes 32768 bytes, one array of avr at most 32767: fewer bits, a smaller model or a 32-bit board helps, or place it at 0x10000 or beyond
