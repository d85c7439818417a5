// RUN: tinyml-opt %s -p 'bind-weights{weights_at=".weights"}' | filecheck %s
// RUN: sed 's/{tinyml.data, .*}/{tinyml.data}/' %s | tinyml-opt -p 'bind-weights{weights_at=".weights"}' | filecheck %s --check-prefix=ANY
// RUN: sed 's/-127, 127/-128, 127/' %s | tinyml-opt -p 'bind-weights{weights_at=".weights"}' | filecheck %s --check-prefix=FULL

// Limits of elements, children of nodes and rows of a sparse matrix are checked in the blob. The arrays of numbers %w
// and %v are adjacent and have equal limits: they are checked together.
builtin.module attributes {tinyml.target = "host"} {
  c.program @net {
    c.constant @children dense<[1, -1, -2, -1]> : tensor<4xi16> {tinyml.data, tinyml.after_parents, tinyml.limits = array<i64: -3, 1>}
    c.constant @w dense<[1, 2, 3]> : tensor<3xi8> {tinyml.data, tinyml.limits = array<i64: -127, 127>}
    c.constant @v dense<[1, 2]> : tensor<2xi8> {tinyml.data, tinyml.limits = array<i64: -127, 127>}
    c.constant @features dense<[1, 0]> : tensor<2xi8> {tinyml.data, tinyml.limits = array<i64: 0, 200>}
    c.constant @gaps dense<[1, 1, 0]> : tensor<3xi8> {tinyml.data, tinyml.gaps = array<i64: 0, 7>}
    c.constant @lengths dense<[2, 0]> : tensor<2xi8> {tinyml.data, tinyml.lengths = array<i64: 0, 3>}
  }
}
// CHECK: c.verbatim "net_weights"
// CHECK-SAME: if (!net_blob_within(start + 32, 4u, 2, (uint32_t)-3, 4u))\0A        return net_BLOB_CONTENT;
// CHECK-SAME: if (!net_blob_within(start + 40, 5u, 1, (uint32_t)-127, 254u))
// CHECK-SAME: if (!net_blob_within(start + 45, 2u, 1, (uint32_t)0, 200u))
// CHECK-SAME: if (!net_blob_after(2u, start + 32, 2))
// CHECK-SAME: if (!net_blob_rows(start + 47, start + 50, 1, 2u, 3u, 7u))
// CHECK-SAME: net_blob_bytes = start;
// ANY: c.verbatim "net_weights"
// ANY-NOT: return net_BLOB_CONTENT
// FULL: net_blob_within(start + 32,
// FULL-NOT: net_blob_within(start + 40,
