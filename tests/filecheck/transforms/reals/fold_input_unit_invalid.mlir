// RUN: not tinyml-opt %s -p "fold-input-unit{input_unit=adc11}" 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not tinyml-opt %s -p "fold-input-unit{input_unit=\"2xg16384\"}" 2>&1 | filecheck %s --check-prefix=LENGTH
// RUN: not tinyml-opt %s -p "fold-input-unit{input_unit=\"int8:3\"}" 2>&1 | filecheck %s --check-prefix=PARAMETER
// RUN: not tinyml-opt %s -p "fold-input-unit{input_unit=\"0.1:s17\"}" 2>&1 | filecheck %s --check-prefix=TYPE
// RUN: not tinyml-opt %s -p "fold-input-unit{input_unit=\"0:s10\"}" 2>&1 | filecheck %s --check-prefix=ZERO
// RUN: not tinyml-opt %s -p "fold-input-unit{input_unit=g0}" 2>&1 | filecheck %s --check-prefix=ZERO

func.func @three(%X: tensor<3x1xf32>) -> tensor<3x1xf32> {
  func.return %X : tensor<3x1xf32>
}
// UNKNOWN: unknown unit 'adc11', did you mean 'adc1
// LENGTH: the units '2xg16384' are for 2 elements, and do not repeat to the 3 of the input
// PARAMETER: the unit 'int8' has no parameter, got 'int8:3'
// TYPE: 's17' in the unit '0.1:s17' is not an integer type
// ZERO: a unit needs a finite scale above 0 and a finite offset
