"""Boards at a serial port, which run the sketch `Stream` of a model's Arduino library."""
