"""The interface of a program beside NAME_predict: functions for its callers, units, and what the header says."""
