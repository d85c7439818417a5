"""Programs on reals in which loops, branches or updates cause conflicts between live ranges of buffers, one program for
each situation.
"""

COUNT = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
"""
T = "tensor<3x1xf32>"
P = "tensor<8x3x1xf32>"


def program(body: str, result: str) -> str:
    """The text of a function that computes `body` and returns the tensor `result` and its argmax."""
    return f"""
func.func @model(%X: {T}) -> (index, {T}) {{{COUNT}{body}
  %l = tdsl.argmax {result} : {T}
  func.return %l, {result} : index, {T}
}}"""


PROGRAMS = {
    "input returned": program("", "%X"),
    "constant returned": program(f"%W = tdsl.const dense<[[1.0], [2.0], [0.5]]> : {T} -> {T}", "%W"),
    "view returned": program(
        f"""
  %y = tdsl.exp %X : {T} -> {T}
  %r = tdsl.reshape %y : {T} -> tensor<1x3xf32>
  %z = tdsl.transpose %r {{permutation = array<i64: 1, 0>}} : tensor<1x3xf32> -> {T}""",
        "%z",
    ),
    "one value returned and carried": program(
        f"""
  %y = tdsl.exp %X : {T} -> {T}
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %y) -> ({T}) {{
    %b = tdsl.add %a, %X : {T}, {T} -> {T}
    scf.yield %b : {T}
  }}
  %z = tdsl.sub %s, %y : {T}, {T} -> {T}""",
        "%z",
    ),
    "in place": program(
        f"""
  %y = tdsl.fill {{value = 0.0 : f64}} -> {T}
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %y) -> ({T}) {{
    %b = tdsl.add %a, %X : {T}, {T} -> {T}
    scf.yield %b : {T}
  }}""",
        "%s",
    ),
    "old value read after the new one is there": program(
        f"""
  %y = tdsl.exp %X : {T} -> {T}
  %s, %t = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %X, %d = %y) -> ({T}, {T}) {{
    %b = tdsl.neg %a : {T} -> {T}
    %e = tdsl.add %a, %d : {T}, {T} -> {T}
    scf.yield %b, %e : {T}, {T}
  }}""",
        "%t",
    ),
    "view of the old value read after the new one is there": program(
        f"""
  %y = tdsl.exp %X : {T} -> {T}
  %s, %t = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %X, %d = %y) -> ({T}, {T}) {{
    %v = tdsl.slice %a[%c1, %c0] : {T} -> tensor<2x1xf32>
    %b = tdsl.neg %a : {T} -> {T}
    %e = tdsl.insert_slice %v, %d[%c0, %c0] : tensor<2x1xf32>, {T} -> {T}
    scf.yield %b, %e : {T}, {T}
  }}""",
        "%t",
    ),
    "swap": program(
        f"""
  %y = tdsl.exp %X : {T} -> {T}
  %s, %t = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %X, %b = %y) -> ({T}, {T}) {{
    scf.yield %b, %a : {T}, {T}
  }}""",
        "%s",
    ),
    "rotation through a view": program(
        f"""
  %y = tdsl.exp %X : {T} -> {T}
  %z = tdsl.neg %X : {T} -> {T}
  %s, %t, %u = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %X, %b = %y, %c = %z) -> ({T}, {T}, {T}) {{
    %r = tdsl.reshape %a : {T} -> tensor<1x3xf32>
    %v = tdsl.reshape %r : tensor<1x3xf32> -> {T}
    scf.yield %b, %c, %v : {T}, {T}, {T}
  }}""",
        "%u",
    ),
    "constants yielded beside a swap": program(
        f"""
  %W = tdsl.const dense<[[1.0], [2.0], [0.5]]> : {T} -> {T}
  %s, %t, %u = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %X, %b = %W, %c = %W) -> ({T}, {T}, {T}) {{
    scf.yield %W, %a, %b : {T}, {T}, {T}
  }}
  %z = tdsl.add %t, %u : {T}, {T} -> {T}""",
        "%z",
    ),
    "part inserted in place": program(
        f"""
  %p = tdsl.fill {{value = 2.0 : f64}} -> tensor<1x1xf32>
  %y = tdsl.neg %X : {T} -> {T}
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %y) -> ({T}) {{
    %q = tdsl.slice %X[%i, %c0] : {T} -> tensor<1x1xf32>
    %r = tdsl.mul %q, %p : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
    %b = tdsl.insert_slice %r, %a[%i, %c0] : tensor<1x1xf32>, {T} -> {T}
    scf.yield %b : {T}
  }}""",
        "%s",
    ),
    "part of the old value inserted elsewhere": program(
        f"""
  %y = tdsl.neg %X : {T} -> {T}
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %y) -> ({T}) {{
    %q = tdsl.slice %a[%c0, %c0] : {T} -> tensor<2x1xf32>
    %b = tdsl.insert_slice %q, %a[%c1, %c0] : tensor<2x1xf32>, {T} -> {T}
    scf.yield %b : {T}
  }}""",
        "%s",
    ),
    "nested loops": program(
        f"""
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %X) -> ({T}) {{
    %y = tdsl.tanh %a : {T} -> {T}
    %t = scf.for %j = %c0 to %c3 step %c1 iter_args(%b = %y) -> ({T}) {{
      %d = tdsl.sub %b, %a : {T}, {T} -> {T}
      scf.yield %d : {T}
    }}
    scf.yield %t : {T}
  }}""",
        "%s",
    ),
    "invariant carried by a nested loop": program(
        f"""
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %X) -> ({T}) {{
    %y = tdsl.tanh %X : {T} -> {T}
    %t = scf.for %j = %c0 to %c3 step %c1 iter_args(%b = %y) -> ({T}) {{
      %e = tdsl.exp %X : {T} -> {T}
      %d = tdsl.mul %b, %e : {T}, {T} -> {T}
      scf.yield %d : {T}
    }}
    %u = tdsl.sub %t, %a : {T}, {T} -> {T}
    scf.yield %u : {T}
  }}""",
        "%s",
    ),
    "vectors collected by nested loops": program(
        f"""
  %W = tdsl.const dense<{[[[i + k - j] for k in (0.5, 1.0, 0.0)] for i in range(3) for j in range(2)]}>
      : tensor<6x3x1xf32> -> tensor<6x3x1xf32>
  %c2 = arith.constant 2 : index
  %r = tdsl.reshape %X : {T} -> tensor<1x3xf32>
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %X) -> ({T}) {{
    %n = arith.muli %i, %c2 : index
    %k = tdsl.index %X[%i] : {T} -> tensor<1xf32>
    %v = tensor.empty() : tensor<2x1xf32>
    %t = scf.for %j = %c0 to %c2 step %c1 iter_args(%b = %v) -> (tensor<2x1xf32>) {{
      %m = arith.addi %n, %j : index
      %w = tdsl.index %W[%m] : tensor<6x3x1xf32> -> {T}
      %p = tdsl.matmul %r, %w : tensor<1x3xf32>, {T} -> tensor<1x1xf32>
      %q = tdsl.sub %p, %k : tensor<1x1xf32>, tensor<1xf32> -> tensor<1x1xf32>
      %e = tdsl.tanh %q : tensor<1x1xf32> -> tensor<1x1xf32>
      %u = tdsl.insert_slice %e, %b[%j, %c0] : tensor<1x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
      scf.yield %u : tensor<2x1xf32>
    }}
    %l = tdsl.slice %W[%i, %c0, %c0] : tensor<6x3x1xf32> -> tensor<2x3x1xf32>
    %g = tdsl.reshape %l : tensor<2x3x1xf32> -> tensor<3x2xf32>
    %h = tdsl.matmul_sum %g, %t from %a : {T} : tensor<3x2xf32>, tensor<2x1xf32> -> {T}
    scf.yield %h : {T}
  }}""",
        "%s",
    ),
    "index carried": program(
        f"""
  %n, %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%k = %c0, %a = %X) -> (index, {T}) {{
    %q = tdsl.index %X[%k] : {T} -> tensor<1xf32>
    %b = tdsl.add %a, %q : {T}, tensor<1xf32> -> {T}
    scf.yield %i, %b : index, {T}
  }}""",
        "%s",
    ),
    "sparse matrix with an empty row": program(
        f"""
  %W = tdsl.const dense<[[0.0, 0.0, 2.0], [0.0, 0.0, 0.0], [-1.0, 0.5, 0.0]]>
      : tensor<3x3xf32> -> tensor<3x3xf32, #tdsl.csr>
  %z = tdsl.spmv %W, %X : tensor<3x3xf32, #tdsl.csr>, {T} -> {T}""",
        "%z",
    ),
    "sparse matrix of zeros": program(
        f"""
  %W = tdsl.const dense<0.0> : tensor<3x3xf32> -> tensor<3x3xf32, #tdsl.csr>
  %z = tdsl.spmv %W, %X : tensor<3x3xf32, #tdsl.csr>, {T} -> {T}""",
        "%z",
    ),
    "row times matrix": program(
        f"""
  %W = tdsl.const dense<[[1.0, 2.0, 3.0], [-1.0, 0.5, 4.0], [0.0, 2.0, 1.0]]> : tensor<3x3xf32> -> tensor<3x3xf32>
  %r = tdsl.transpose %X {{permutation = array<i64: 1, 0>}} : {T} -> tensor<1x3xf32>
  %p = tdsl.matmul %r, %W : tensor<1x3xf32>, tensor<3x3xf32> -> tensor<1x3xf32>
  %z = tdsl.transpose %p {{permutation = array<i64: 1, 0>}} : tensor<1x3xf32> -> {T}""",
        "%z",
    ),
    "a sum over prototypes": program(
        f"""
  %B = tdsl.const dense<{[[[i / 8], [1 - i / 4], [i % 3 - 1.0]] for i in range(8)]}> : {P} -> {P}
  %Z = tdsl.const dense<{[[[i % 5 - 2.0], [i / 3], [1.0 - i]] for i in range(8)]}> : {P} -> {P}
  %wx = tdsl.neg %X : {T} -> {T}
  %y = tdsl.fill {{value = 0.0 : f64}} -> {T}
  %c8 = arith.constant 8 : index
  %s = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %y) -> ({T}) {{
    %b = tdsl.index %B[%i] : {P} -> {T}
    %del = tdsl.sub %wx, %b : {T}, {T} -> {T}
    %row = tdsl.transpose %del {{permutation = array<i64: 1, 0>}} : {T} -> tensor<1x3xf32>
    %d = tdsl.matmul %row, %del : tensor<1x3xf32>, {T} -> tensor<1x1xf32>
    %n = tdsl.neg %d : tensor<1x1xf32> -> tensor<1x1xf32>
    %e = tdsl.exp %n : tensor<1x1xf32> -> tensor<1x1xf32>
    %z = tdsl.index %Z[%i] : {P} -> {T}
    %p = tdsl.mul %z, %e : {T}, tensor<1x1xf32> -> {T}
    %t = tdsl.add %a, %p : {T}, {T} -> {T}
    scf.yield %t : {T}
  }}""",
        "%s",
    ),
}

NO_ITERATION = """
func.func @model(%X: tensor<3x1x!fixed.q<16, 12>>) -> (index, tensor<3x1x!fixed.q<16, 12>>) {
  %c1 = arith.constant 1 : index
  %s, %t = scf.for %i = %c1 to %c1 step %c1 iter_args(%a = %X, %b = %X)
      -> (tensor<3x1x!fixed.q<16, 12>>, tensor<3x1x!fixed.q<16, 12>>) {
    %c = tdsl.neg %a : tensor<3x1x!fixed.q<16, 12>> -> tensor<3x1x!fixed.q<16, 12>>
    scf.yield %c, %a : tensor<3x1x!fixed.q<16, 12>>, tensor<3x1x!fixed.q<16, 12>>
  }
  %l = tdsl.argmax %s : tensor<3x1x!fixed.q<16, 12>>
  func.return %l, %s : index, tensor<3x1x!fixed.q<16, 12>>
}"""
"""A loop that profiling could not see into, so it has formats already."""
