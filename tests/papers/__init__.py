"""The five papers item by item: what each reports, the command here, and a verdict (`make papers`, `docs/papers/`)."""
