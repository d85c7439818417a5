"""An L4 program whose sums do not end in zeros, of any length."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def distances(points: NDArray[np.int16]) -> str:
    """Squared distances, by 32, of the input, [columns], from points, [rows, columns] of at most 13 bits and a sign."""
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
    %sum = scf.for %k = %c0 to %columns step %c1 iter_args(%s = %zero) -> (i32) {
      %a = memref.load %row[%k] : memref<COLUMNSxi16, #scratch.flash>
      %b = memref.load %X[%k] : memref<COLUMNSxi16>
      %aw = arith.extsi %a : i16 to i32
      %bw = arith.extsi %b : i16 to i32
      %d = arith.subi %aw, %bw : i32
      %p = arith.muli %d, %d : i32
      %q = arith.shrsi %p, %shift : i32
      %n = arith.addi %s, %q : i32
      scf.yield %n : i32
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
