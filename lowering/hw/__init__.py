"""The lowering of scheduled programs to hardware: registers, combinational logic and memories."""
