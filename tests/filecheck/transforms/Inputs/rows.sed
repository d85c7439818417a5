# Prints each choice of a search and each candidate of its front on a line, without bodies and profiles.
s/ \{tdsl\.profile = [^}]*\}//g
s/, tdsl\.interface = .*>>//
s/ : f64//g
s/ attributes \{/&\n    /
s/ ?\{(name|loss) = /\n    {\1 = /g
/^ +%/d
