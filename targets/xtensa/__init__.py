"""The Xtensa LX106 core."""
