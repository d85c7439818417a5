"""The Xtensa cores LX6 and LX7 of the ESP32 family."""
