"""Schedules of ops with the least peak memory."""
