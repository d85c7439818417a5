"""FPGAs, for which programs are compiled to hardware modules."""
