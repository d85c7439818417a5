pdl.pattern @relu_of_relu : benefit(1) {
  %type = pdl.type
  %x = pdl.operand
  %first = pdl.operation "tdsl.relu" (%x : !pdl.value) -> (%type : !pdl.type)
  %once = pdl.result 0 of %first
  %second = pdl.operation "tdsl.relu" (%once : !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %second {
    pdl.replace %second with (%once : !pdl.value)
  }
}

func.func @f(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %0 = tdsl.relu %x : tensor<4x1xf32> -> tensor<4x1xf32>
  %1 = tdsl.relu %0 : tensor<4x1xf32> -> tensor<4x1xf32>
  func.return %1 : tensor<4x1xf32>
}
