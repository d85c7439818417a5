"""Training of a program's constants with the arithmetic that devices compute in: values by the evaluator, bit for bit,
derivatives straight through the roundings."""
