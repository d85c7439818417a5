"""Import of ONNX files of networks that were trained for few bits: QONNX, and QCDQ as Brevitas writes it."""
