"""Instructions of Cortex-M as records, and what they operate on."""
