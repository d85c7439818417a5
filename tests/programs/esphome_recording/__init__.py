"""A component of ESPHome for tests; its platform `microphone` plays a file of samples of 16 bits."""
