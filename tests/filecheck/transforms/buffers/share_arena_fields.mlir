// RUN: %invalid

// A field that no shared arena has.
builtin.module attributes {scratch.shared = {bytes = 8 : i64, alignment = 4 : i64, lower_bound = 8 : i64, proof = "peak", more = 1 : i64}} {
}
// CHECK: expected a dictionary of bytes, alignment, lower_bound and proof

// -----

// A field too few.
builtin.module attributes {scratch.shared = {bytes = 8 : i64, alignment = 4 : i64, lower_bound = 8 : i64}} {
}
// CHECK: expected a dictionary of bytes, alignment, lower_bound and proof

// -----

// A number for a text.
builtin.module attributes {scratch.shared = {bytes = 8 : i64, alignment = 4 : i64, lower_bound = 8 : i64, proof = 1 : i64}} {
}
// CHECK: expected a dictionary of bytes, alignment, lower_bound and proof

// -----

// A text for a list.
builtin.module attributes {scratch.shared = {bytes = 8 : i64, alignment = 4 : i64, lower_bound = 8 : i64, proof = "peak", checked = "peak"}} {
}
// CHECK: expected a dictionary of bytes, alignment, lower_bound and proof
