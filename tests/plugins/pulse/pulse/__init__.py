"""The chip `pulse`: its description (`chip`), its simulator (`runner`) and additional kernels (`kernels`)."""
