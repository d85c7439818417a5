"""Hand-written and random L4 programs."""

from __future__ import annotations

from functools import reduce
from random import Random

import numpy as np
from numpy.typing import NDArray

from tinyml.dialects.layouts.sparse_rows import compress

MATVEC = """
func.func @matvec(%X: memref<4x1xi16>) -> (index, memref<3x1xi16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %W = scratch.constant dense<[[1000, -2000, 3000, -4000], [5, 6, 7, 8], [-32768, 32767, 0, 1]]> : tensor<3x4xi16>
    -> memref<3x4xi16, #scratch.flash>
  %arena = scratch.arena {alignment = 2 : i64} : memref<6xi8>
  %y = scratch.view %arena[0 : i64] : memref<6xi8> to memref<3x1xi16>
  %half = arith.constant 8192 : i32
  %shift = arith.constant 14 : i32
  %low = arith.constant -32768 : i32
  %high = arith.constant 32767 : i32
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %c3 step %c1 {
    %o = arith.muli %i, %c4 : index
    %row = scratch.slice %W[%o] : memref<3x4xi16, #scratch.flash> to memref<4xi16, #scratch.flash>
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (i32) {
      %a = memref.load %row[%k] : memref<4xi16, #scratch.flash>
      %b = memref.load %X[%k, %c0] : memref<4x1xi16>
      %aw = arith.extsi %a : i16 to i32
      %bw = arith.extsi %b : i16 to i32
      %p = arith.muli %aw, %bw : i32
      %q = arith.shrsi %p, %c2 : i32
      %n = arith.addi %s, %q : i32
      scf.yield %n : i32
    }
    %r = arith.addi %sum, %half : i32
    %q = arith.shrsi %r, %shift : i32
    %m = arith.maxsi %q, %low : i32
    %h = arith.minsi %m, %high : i32
    %t = arith.trunci %h : i32 to i16
    memref.store %t, %y[%i, %c0] : memref<3x1xi16>
  }
  %run = scratch.slice %y[%c0] : memref<3x1xi16> to memref<3xi16>
  %best = memref.load %run[%c0] : memref<3xi16>
  %v, %label = scf.for %i = %c1 to %c3 step %c1 iter_args(%m = %best, %l = %c0) -> (i16, index) {
    %x = memref.load %run[%i] : memref<3xi16>
    %g = arith.cmpi sgt, %x, %m : i16
    %nm = arith.select %g, %x, %m : i16
    %nl = arith.select %g, %i, %l : index
    scf.yield %nm, %nl : i16, index
  }
  func.return %label, %y : index, memref<3x1xi16>
}
""".replace("%zero = arith.constant 0 : i32", "%zero = arith.constant 0 : i32\n  %c2 = arith.constant 2 : i32")

_SPARSE = """
func.func @sparse(%X: memref<COLUMNSx1xi16>) -> memref<ROWSx1xi32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %Z = scratch.constant dense<VALUES> : tensor<ENTRIESxi16> -> memref<ENTRIESxi16, #scratch.flash>
  %Z_gaps = scratch.constant dense<GAPS> : tensor<ENTRIESxi8> -> memref<ENTRIESxi8, #scratch.flash>
  %Z_lengths = scratch.constant dense<LENGTHS> : tensor<ROWSxi8> -> memref<ROWSxi8, #scratch.flash>
  %arena = scratch.arena {alignment = 4 : i64} : memref<BYTESxi8>
  %y = scratch.view %arena[0 : i64] : memref<BYTESxi8> to memref<ROWSx1xi32>
  num.contract %i to ROWS {
    %sum = num.entries %zero, %Z_gaps, %Z_lengths {products}
      : i32, memref<ENTRIESxi8, #scratch.flash>, memref<ROWSxi8, #scratch.flash> -> i32 {
    ^bb0(%s: i32, %a: index, %j: index):
      %z = memref.load %Z[%a] : memref<ENTRIESxi16, #scratch.flash>
      %x = memref.load %X[%j, %c0] : memref<COLUMNSx1xi16>
      %zw = arith.extsi %z : i16 to i32
      %xw = arith.extsi %x : i16 to i32
      %p = arith.muli %zw, %xw : i32
      %p8 = arith.shrsi %p, %eight : i32
      %t = arith.addi %s, %p8 : i32
      num.next %t : i32
    }
    memref.store %sum, %y[%i, %c0] : memref<ROWSx1xi32>
  }
  func.return %y : memref<ROWSx1xi32>
}
""".replace("%zero = arith", "%eight = arith.constant 8 : i32\n  %zero = arith")


def sparse_product(matrix: NDArray[np.int16]) -> str:
    """A program that multiplies a compressed matrix (rows, columns) by a vector; each product is shifted right by 8."""
    stored = compress(matrix)
    named = {
        "ENTRIES": len(stored.values),
        "VALUES": stored.values.tolist(),
        "GAPS": stored.gaps.view("i1").tolist(),
        "LENGTHS": stored.lengths.view("i1").tolist(),
        "ROWS": len(matrix),
        "BYTES": 4 * len(matrix),
        "COLUMNS": matrix.shape[1],
    }
    return reduce(lambda text, name: text.replace(name, str(named[name])), named, _SPARSE)


def distances(points: NDArray[np.int16]) -> str:
    """A program that computes squared distances, shifted right by 5, between the input (columns,) and constant points.

    points: an array (rows, columns) of integers of at most 13 bits and a sign.
    """
    return (
        """
func.func @distances(%X: memref<COLUMNSxi16>) -> memref<ROWSxi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant ROWS : index
  %columns = arith.constant COLUMNS : index
  %zero = arith.constant 0 : i32
  %shift = arith.constant 5 : i32
  %P = scratch.constant dense<POINTS> : tensor<ROWSxCOLUMNSxi16> -> memref<ROWSxCOLUMNSxi16, #scratch.flash>
  %arena = scratch.arena {alignment = 4 : i64} : memref<BYTESxi8>
  %y = scratch.view %arena[0 : i64] : memref<BYTESxi8> to memref<ROWSxi32>
  scf.for %i = %c0 to %rows step %c1 {
    %o = arith.muli %i, %columns : index
    %row = scratch.slice %P[%o] : memref<ROWSxCOLUMNSxi16, #scratch.flash> to memref<COLUMNSxi16, #scratch.flash>
    %sum = num.reduce %zero {first = 0 : i64, extent = COLUMNS : i64, kinds = ["sum"]} : i32 -> i32 {
    ^bb0(%k: index, %s: i32):
      %a = memref.load %row[%k] : memref<COLUMNSxi16, #scratch.flash>
      %b = memref.load %X[%k] : memref<COLUMNSxi16>
      %aw = arith.extsi %a : i16 to i32
      %bw = arith.extsi %b : i16 to i32
      %d = arith.subi %aw, %bw : i32
      %p = arith.muli %d, %d : i32
      %q = arith.shrsi %p, %shift : i32
      %n = arith.addi %s, %q : i32
      num.next %n : i32
    }
    memref.store %sum, %y[%i] : memref<ROWSxi32>
  }
  func.return %y : memref<ROWSxi32>
}
""".replace("ROWS", str(len(points)))
        .replace("COLUMNS", str(points.shape[1]))
        .replace("BYTES", str(4 * len(points)))
        .replace("POINTS", str(points.tolist()))
    )


def _gaps() -> NDArray[np.int16]:
    """A matrix of three rows, one of which is empty, with a gap too wide for a single entry."""
    matrix = np.zeros((3, 300), np.int16)
    matrix[0, [0, 250]] = 5, -7
    matrix[2, [3, 280, 299]] = 100, 30000, -1
    return matrix


SPARSE = sparse_product(_gaps())

MIXED = """
func.func private @tm_expf(f32) -> f32
func.func private @tm_f32_to_s32(f32, i8, i32, i32) -> i32
func.func private @tm_int_to_f32(i32) -> f32
func.func @mixed(%X: memref<2x3xf32>) -> (index, memref<2x3xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %B = scratch.constant dense<[[0.5, -1.25, 3.0e-7], [0.1, 123456.75, -0.0]]> : tensor<2x3xf32>
    -> memref<2x3xf32, #scratch.flash>
  %T = scratch.constant dense<[-128, -1, 0, 1, 127]> : tensor<5xi8> -> memref<5xi8, #scratch.flash>
  %L = scratch.constant dense<[-2147483648, 2147483647]> : tensor<2xi32> -> memref<2xi32, #scratch.flash>
  %arena = scratch.arena {alignment = 4 : i64} : memref<36xi8>
  %e = scratch.view %arena[0 : i64] : memref<36xi8> to memref<2x3xf32>
  %q = scratch.view %arena[0 : i64] : memref<36xi8> to memref<6xi16>
  %s = scratch.view %arena[24 : i64] : memref<36xi8> to memref<2x3xi8>
  %w = scratch.view %arena[32 : i64] : memref<36xi8> to memref<i32>
  %frac = arith.constant 1 : i8
  %low = arith.constant -1000 : i32
  %high = arith.constant 1000 : i32
  %scale = arith.constant 0.0078125 : f32
  %zero = arith.constant 0 : i64
  %seven = arith.constant 7 : i64
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      %x = memref.load %X[%i, %j] : memref<2x3xf32>
      %b = memref.load %B[%i, %j] : memref<2x3xf32, #scratch.flash>
      %d = arith.subf %x, %b : f32
      %m = arith.mulf %d, %scale : f32
      %v = func.call @tm_expf(%m) : (f32) -> f32
      memref.store %v, %e[%i, %j] : memref<2x3xf32>
    }
  }
  // The same bytes, as integers: each float is read before its first half is overwritten.
  %c6 = arith.constant 6 : index
  %wide = scf.for %k = %c0 to %c6 step %c1 iter_args(%acc = %zero) -> (i64) {
    %flat = scratch.slice %e[%k] : memref<2x3xf32> to memref<f32>
    %v = memref.load %flat[] : memref<f32>
    %n = func.call @tm_f32_to_s32(%v, %frac, %low, %high) : (f32, i8, i32, i32) -> i32
    %h = arith.trunci %n : i32 to i16
    memref.store %h, %q[%k] : memref<6xi16>
    %limit = memref.load %L[%c1] : memref<2xi32, #scratch.flash>
    %a = arith.extsi %n : i32 to i64
    %l = arith.extsi %limit : i32 to i64
    %p = arith.muli %a, %l : i64
    %t = arith.addi %acc, %p : i64
    scf.yield %t : i64
  }
  %shifted = arith.shrsi %wide, %seven : i64
  %short = arith.trunci %shifted : i64 to i32
  memref.store %short, %w[] : memref<i32>
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      %i3 = arith.muli %i, %c3 : index
      %k = arith.addi %i3, %j : index
      %v = memref.load %q[%k] : memref<6xi16>
      %four = arith.constant 4 : i16
      %none = arith.constant 0 : i16
      %v1 = arith.maxsi %v, %none : i16
      %v2 = arith.minsi %v1, %four : i16
      %at = arith.index_cast %v2 : i16 to index
      %t = memref.load %T[%at] : memref<5xi8, #scratch.flash>
      %big = arith.cmpi sgt, %v, %four : i16
      %r = scf.if %big -> (i8) {
        %u = arith.extsi %t : i8 to i16
        %uu = arith.muli %u, %u : i16
        %fifteen = arith.constant 7 : i16
        %us = arith.shrsi %uu, %fifteen : i16
        %small = arith.trunci %us : i16 to i8
        scf.yield %small : i8
      } else {
        scf.yield %t : i8
      }
      memref.store %r, %s[%i, %j] : memref<2x3xi8>
    }
  }
  %half = scratch.slice %s[%c3] : memref<2x3xi8> to memref<3xi8>
  %r0 = memref.load %half[%c0] : memref<3xi8>
  %first = arith.extui %r0 : i8 to i32
  %f = func.call @tm_int_to_f32(%first) : (i32) -> f32
  %g = arith.cmpf oge, %f, %scale : f32
  %label = arith.select %g, %c2, %c1 : index
  func.return %label, %s : index, memref<2x3xi8>
}
"""

SWAP = """
func.func @swap(%X: memref<2xi8>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %x0 = memref.load %X[%c0] : memref<2xi8>
  %x1 = memref.load %X[%c1] : memref<2xi8>
  %a, %b, %c = scf.for %i = %c0 to %c7 step %c1 iter_args(%p = %x0, %q = %x1, %r = %x0) -> (i8, i8, i8) {
    scf.yield %q, %r, %p : i8, i8, i8
  }
  %w = arith.extui %b : i8 to i16
  %label = arith.index_cast %w : i16 to index
  func.return %label : index
}
"""


def random_program(seed: int) -> str:
    """A program `memref<8xi16> -> (index, memref<8xi16>)` whose arithmetic does not overflow, with loops, branches and
    a shared arena.
    """
    return _Generator(Random(seed)).program()


class _Generator:
    def __init__(self, random: Random):
        self.random = random
        self.count = 0
        self.lines: list[str] = []
        self.pool: list[list[str]] = [[]]
        self.indices: list[list[str]] = [[]]

    def program(self) -> str:
        start = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %m7 = arith.constant 7 : i16
  %T = scratch.constant dense<[3, -32768, 32767, 0, -1, 77, 1000, -1000]> : tensor<8xi16>
    -> memref<8xi16, #scratch.flash>
  %arena = scratch.arena {alignment = 2 : i64} : memref<32xi8>
  %y = scratch.view %arena[0 : i64] : memref<32xi8> to memref<8xi16>
  %z = scratch.view %arena[8 : i64] : memref<32xi8> to memref<8xi8>
  %b = scratch.view %arena[16 : i64] : memref<32xi8> to memref<8xi16>
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %X[%i] : memref<8xi16>
    memref.store %v, %y[%i] : memref<8xi16>
    memref.store %v, %b[%i] : memref<8xi16>
  }"""
        self.indices[0] = ["%c0", "%c1"]
        self.pool[0] = ["%m7"]
        self.statements(12, 0)
        label = self.index_of(self.value())
        end = f"func.return {label}, %y : index, memref<8xi16>"
        lines = "\n".join(self.lines)
        return f"func.func @chaos(%X: memref<8xi16>) -> (index, memref<8xi16>) {{{start}\n{lines}\n{end}\n}}\n"

    def name(self) -> str:
        self.count += 1
        # Half of the values share hints, some of them words of C.
        hint = self.random.choice(["int", "x", "acc", "t", "y", "double"])
        return f"%{hint}_{self.count}" if self.random.random() < 0.5 else f"%{self.count}"

    def emit(self, text: str) -> str:
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    def value(self) -> str:
        return self.random.choice([name for scope in self.pool for name in scope][-8:])

    def two_values(self) -> tuple[str, str]:
        """Two different values, because gcc warns about a comparison of a value with itself."""
        a = b = self.value()
        while a == b:
            if len(set(name for scope in self.pool for name in scope)) < 2:
                self.load()
            b = self.value()
        return a, b

    def index(self) -> str:
        return self.random.choice([name for scope in self.indices for name in scope])

    def index_of(self, value: str) -> str:
        low = self.emit(f"arith.andi {value}, %m7 : i16")
        return self.emit(f"arith.index_cast {low} : i16 to index")

    def put(self, name: str) -> None:
        self.pool[-1].append(name)

    def statements(self, count: int, depth: int) -> None:
        self.pool.append([])
        self.indices.append([])
        for _ in range(count):
            kinds = [self.load, self.load, self.store, self.store, self.arithmetic, self.arithmetic, self.clamp]
            if depth < 3:
                kinds += [lambda: self.loop(depth), lambda: self.branch(depth)]
            self.random.choice(kinds)()
        self.indices.pop()
        # What the block yields is chosen by the caller, from values that are still visible.

    def load(self) -> None:
        source, type = self.random.choice(
            [("%y", "8xi16"), ("%b", "8xi16"), ("%X", "8xi16"), ("%T", "8xi16, #scratch.flash"), ("%z", "8xi8")]
        )
        index = self.index() if self.random.random() < 0.7 else self.index_of(self.value())
        loaded = self.emit(f"memref.load {source}[{index}] : memref<{type}>")
        if "i8" in type:
            loaded = self.emit(f"arith.{self.random.choice(['extsi', 'extui'])} {loaded} : i8 to i16")
        self.put(loaded)

    def store(self) -> None:
        value, index = self.value(), self.index()
        if self.random.random() < 0.3:
            narrow = self.emit(f"arith.trunci {value} : i16 to i8")
            self.lines.append(f"memref.store {narrow}, %z[{index}] : memref<8xi8>")
        else:
            self.lines.append(f"memref.store {value}, {self.random.choice(['%y', '%b'])}[{index}] : memref<8xi16>")

    def arithmetic(self) -> None:
        a, b = (self.emit(f"arith.extsi {self.value()} : i16 to i32") for _ in range(2))
        result = self.emit(f"arith.{self.random.choice(['addi', 'subi', 'muli'])} {a}, {b} : i32")
        if self.random.random() < 0.5:
            amount = self.emit(f"arith.constant {self.random.randrange(1, 20)} : i32")
            result = self.emit(f"arith.shrsi {result}, {amount} : i32")
        self.put(self.emit(f"arith.trunci {result} : i32 to i16"))

    def clamp(self) -> None:
        a, b = self.two_values()
        kind = self.random.randrange(3)
        if kind == 2:
            test = self.emit(f"arith.cmpi {self.random.choice(['slt', 'eq', 'sge'])}, {a}, {b} : i16")
            self.put(self.emit(f"arith.select {test}, {self.value()}, {self.value()} : i16"))
        else:
            self.put(self.emit(f"arith.{('minsi', 'maxsi')[kind]} {a}, {b} : i16"))

    def loop(self, depth: int) -> None:
        names = [self.name() for _ in range(self.random.randrange(1, 4))]
        starts = [self.value() for _ in names]
        results = [self.name() for _ in names]
        self.count += 1
        counter = f"%i_{self.count}" if self.random.random() < 0.5 else f"%{self.count}00"
        types = ", ".join("i16" for _ in names)
        carried = ", ".join(f"{name} = {start}" for name, start in zip(names, starts, strict=True))
        start = self.random.choice(["%c0", "%c1"])
        head = f"scf.for {counter} = {start} to %c8 step %c1 iter_args({carried}) -> ({types})"
        self.lines.append(f"{', '.join(results)} = {head} {{")
        self.pool.append(list(names))
        self.indices.append([counter])
        self.statements(self.random.randrange(1, 5), depth + 1)
        yields = [self.value() for _ in names]
        self.lines.append(f"scf.yield {', '.join(yields)} : {types}\n}}")
        self.pool.pop()
        self.pool.pop()
        self.indices.pop()
        self.pool[-1] += results

    def branch(self, depth: int) -> None:
        a, b = self.two_values()
        test = self.emit(f"arith.cmpi sgt, {a}, {b} : i16")
        result = self.name()
        self.lines.append(f"{result} = scf.if {test} -> (i16) {{")
        for end in ("} else {", "}"):
            self.statements(self.random.randrange(1, 4), depth + 1)
            self.lines.append(f"scf.yield {self.value()} : i16\n{end}")
            self.pool.pop()
        self.put(result)
