"""The chip `pulse` for tinyml: what it is (`chip`), its simulator (`runner`) and what it runs besides (`harness`)."""
