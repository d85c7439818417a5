"""The frontend for TensorFlow Lite: .tflite files, quantised or in floats."""
