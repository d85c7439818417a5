"""IR that is recorded and then emitted equals the IR that the emitter writes directly; the IR contains everything that
is recorded.
"""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from programs.paths import ROOT
from programs.spread import spread
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.rewriter import Rewriter

from tinyml.dialects import exact
from tinyml.dialects.context import context
from tinyml.dialects.formats.lookup import format_spelled
from tinyml.dialects.machine.emitter import Emitter
from tinyml.lowering.exact_to_arith import LowerExactToArithPass
from tinyml.tools.proofs.op_statements import OpStatement
from tinyml.tools.proofs.statements import statements
from tinyml.tools.tinyml_opt import main
from tinyml.transforms.ir import arithmetic
from tinyml.transforms.ir.arithmetic import OpFunction

FORMATS = ("fixed:8", "fixed:16", "posit:6", "minifloat:4", "codebook:4", "mxint:8", "affine:8")


def lowered(statement: OpStatement) -> OpFunction:
    return OpFunction.recorded(statement.op, [(domain[0], domain[-1]) for domain in statement.domains])


def live(module: ModuleOp) -> str:
    """The text of a module without unused arithmetic ops. The emitter emits some ops before it finds that their users
    are constant, so that these ops remain unused.
    """
    for op in reversed([*module.walk()]):
        if op.name.startswith("arith.") and all(result.first_use is None for result in op.results):
            Rewriter.erase_op(op)
    return str(module)


@pytest.mark.long
@pytest.mark.parametrize("format", FORMATS)
def test_recorded_and_emitted_at_once(format: str, monkeypatch: pytest.MonkeyPatch):
    names: set[str] = set()
    for statement in spread([*statements(format_spelled(context(), format))][::23], 12):
        recorded = lowered(statement).context.module
        recorded.verify()
        text = str(recorded)
        names |= {op.name for op in recorded.walk() if isinstance(op, exact.RecordedOp)}
        again = Parser(context(), text).parse_module()
        assert str(again) == text
        LowerExactToArithPass().apply(context(), again)
        again.verify()
        with monkeypatch.context() as direct:
            direct.setattr(arithmetic, "Recorder", Emitter)
            emitted = lowered(statement).context.module
        assert live(again) == live(emitted), statement.name
    assert len(names) > 2


@pytest.mark.long
@pytest.mark.parametrize("options", ["format=fixed width=8", "format=posit width=8", "format=affine"])
def test_a_program_that_is_printed_in_between(options: str, tmp_path: Path):
    """If `tinyml-opt` writes the dialect `exact` to a file and a second run continues from it, the module equals that
    of a single run.
    """
    source, data = ROOT / "docs/tour/tour.sd", ROOT / "docs/tour/val.npz"
    above = f"reals-to-formats{{data={data} {options}}},formats-to-buffers,buffers-to-loops,lower-num-to-exact"
    below = "lower-exact-to-arith,fold-rounding,simplify,licm"

    def printed(file: Path, passes: str) -> str:
        with redirect_stdout(text := io.StringIO()):
            assert not main([str(file), "-p", passes])
        return text.getvalue()

    between = tmp_path / "between.mlir"
    between.write_text(printed(source, above), "utf-8")
    assert "exact." in between.read_text("utf-8")
    assert printed(between, below) == printed(source, f"{above},{below}")
