"""ONNX files as checked Python values, without any trust in their content."""
