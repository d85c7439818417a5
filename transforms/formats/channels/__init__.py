"""Partial execution: segments of a network as loops over channels (PEX, Liberis and Lane 2023).

`links` says which ops a loop consists of, `parts` what belongs to a channel of an operand, `nest` builds the loop, and
`sums` adds up what each channel contributes to the result.
"""
