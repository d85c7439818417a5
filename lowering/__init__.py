"""The passes between the levels of the IR, the pipelines, and the frontends and exporters of models.

* `frontends/` imports models as programs. It contains most of the code of this package, and no pass.
* A file `A_to_B.py` defines the pass `lower-A-to-B`. The folders contain what one or several of these passes need: `c/`
  is for `lower-arith-to-c`, `hw/` for `lower-rtl-to-hw`, `loops/` for `lower-tdsl-to-loops`, `memref/` for
  `lower-scratch-to-memref` and `tosa/` for `lower-tdsl-to-tosa`.
* `pipeline_steps.py` lists the steps of the pipelines. `pipelines.py` makes each pipeline a pass, whose options are in
  `options.py`, and `added_steps.py` is the table of the steps that other packages add.
* `exporters/` writes programs to files.

Passes whose input and output have the same level are in `transforms/`.
"""
