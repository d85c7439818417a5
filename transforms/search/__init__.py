"""Searches for formats: from a profiled program on reals to the same program with formats (L0 to L1).

A search is a pass with a separate name that subclasses `SearchPass` and defines `search`. Its candidates are programs
with a `FormatChoice`, a format and a scale, for each class of tensors. Every search compares them in the same way:

    profiled program (L0)                                        engine/search_pass.py   options, journals, workers
       |                                                           one search for each equivalent program
       v
    Search: candidates, formats, losses, memory                  engine/search.py
       |
       v
    starts: uniform widths, wide registers, published searches   search_pareto.py, search_maxscale.py, search_demote.py,
       |                                                         search_promote.py
       v
    backtracking: from just beyond the limits back inside        engine/moves.py
       |
       v
    pairwise moves: some tensors wide, others narrow             engine/moves.py, ranked by a linear model
       |
       v
    improvement: one tensor after the other                      search_pareto.py, search_promote.py,
       |                                                         engine/moves.py
       v
    settling: the best that meets the limits, built and run      engine/search.py
       |
       v
    SearchResult: choices, reasons, front                        engine/result.py
       |
       v
    refined constants, formats and attributes (L1)               engine/search_pass.py

`search-pareto` performs all of these steps. Each published search performs a single step. In engine/, `Evaluation`
stores the outcomes of candidates, `Journal` writes them to a file, and `Workers` computes them in this process, in
other processes or on a cluster. The outcome of one candidate is computed in
transforms/formats/evaluation/candidates.py. The store of programs (transforms/programs) lowers each candidate only
once. Costs are computed in costs/: `LoweredCandidates` uses the packer to determine arena and input, and
`CandidateCosts` uses the cost model or the device itself. Both find lower levels by the names in ir/pipeline_names.py.

To add a search, write a file search_NAME.py with a `SearchPass`, and a FileCheck test (docs/where-to-add.md). `search`
receives a `Search` and returns a `SearchResult`. `search.losses(candidates)` evaluates many candidates at once, and
`Feasibility(search, self.limits)` determines which of them fit. `search_uniform.py` is the shortest example. New steps
belong in engine/moves.py, as functions from choices to choices.
"""
