"""Loops over elements in plain C."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml.dialects.layouts.element_loops import FUNCTIONS, Constant, ElementLoop, Operand, Step

_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "and": "&", "at_least": ">=", "greater": ">"}


def loop_signature(symbol: str, loop: ElementLoop) -> str:
    """The head of the function: the runs that it reads, then the result."""
    *read, result = (f"int{width}_t" for width in loop.widths)
    inputs = "".join(f"const {element} *x{number}, " for number, element in enumerate(read))
    return f"void {symbol}({inputs}{result} *out)"


def loop_in_c(loop: ElementLoop) -> str:
    """The body of the function."""
    lines, indent = [f"    for (int i = 0; i < {loop.count}; i++) {{"], 2
    if loop.lines > 1:
        runs = [*(f"x{number}" for number in range(len(loop.widths) - 1)), "out"]
        moves = "".join(f", {run} += {pitch}" for run, pitch in zip(runs, loop.pitches, strict=True) if pitch)
        lines.insert(0, f"    for (int line = 0; line < {loop.lines}; line++{moves})")
    for number, step in enumerate(loop.steps):
        indent -= step.name == "end"
        lines += [f"{'    ' * indent}{line}" for line in _statements(loop, number, step)]
        indent += step.name == "loop"
    return "\n".join([*_started(loop), *lines, "    }", *_ended(loop)])


def _started(loop: ElementLoop) -> Iterator[str]:
    """The statements before the loop of a reduction."""
    if loop.reduces:
        last = loop.steps[-1]
        yield f"    int32_t all = {_value(loop, last.operands[0])};"
        if last.name == "place":
            yield f"    int32_t place = {last.numbers[1]};"


def _ended(loop: ElementLoop) -> Iterator[str]:
    """The statements after the loop of a reduction."""
    if loop.reduces:
        yield f"    out[0] = (int{loop.widths[-1]}_t){'place' if loop.steps[-1].name == 'place' else 'all'};"


def _value(loop: ElementLoop, operand: Operand) -> str:
    if isinstance(operand, Constant):
        # The least integer has no literal.
        return str(operand.value) if operand.value > -(1 << 31) else f"({operand.value + 1} - 1)"
    step = loop.steps[operand]
    return f"x{step.numbers[0]}[0]" if step.name == "shared" else f"v{operand}"


def _statements(loop: ElementLoop, number: int, step: Step) -> Iterator[str]:
    operands, numbers, value = [_value(loop, one) for one in step.operands], step.numbers, f"const int32_t v{number} = "
    match step.name:
        case "load":
            run, offset, *strides = numbers
            terms = [f" + {stride} * i{at}" for stride, at in zip(strides, loop.around(number), strict=True) if stride]
            yield f"{value}x{run}[i{f' + {offset}' if offset else ''}{''.join(terms)}];"
        case "shared":
            # The steps that read it use the element's name.
            pass
        case "lookup":
            yield f"{value}x{numbers[0]}[{operands[0]}];"
        case "dot" | "distance":
            rows, pitch, vector, length = numbers
            factors = f"x{rows}[{pitch} * i + k]", f"x{vector}[k]"
            product = "{0} * {1}" if step.name == "dot" else "({0} - {1}) * ({0} - {1})"
            yield f"int32_t v{number} = 0;"
            yield f"for (int k = 0; k < {length}; k++)"
            yield f"    v{number} += {product.format(*factors)};"
        case "min" | "max":
            a, b = operands
            yield f"{value}{a} {'<' if step.name == 'min' else '>'} {b} ? {a} : {b};"
        case "select":
            yield f"{value}{operands[0]} ? {operands[1]} : {operands[2]};"
        case "left":
            yield f"{value}(int32_t)((uint32_t){operands[0]} << {numbers[0]});"
        case "right":
            yield f"{value}{operands[0]} >> {numbers[0]};"
        case "requantise":
            yield f"{value}tm_requantize_s32({operands[0]}, {numbers[0]}, {numbers[1]});"
        case "requantise_by":
            x, multiplier, shift = operands
            yield f"{value}{FUNCTIONS[step.name]}({x}, {multiplier}, (int8_t){shift});"
        case "leading_zeros" | "reciprocal":
            yield f"{value}{FUNCTIONS[step.name]}({operands[0]});"
        case "loop":
            yield f"for (int i{number} = 0; i{number} < {numbers[0]}; i{number}++) {{"
        case "carry":
            yield f"int32_t v{number} = {operands[0]};"
        case "next":
            yield f"{operands[0]} = {operands[1]};"
        case "end":
            yield "}"
        case "store":
            yield f"out[i] = (int{loop.widths[-1]}_t){operands[0]};"
        case "sum":
            yield f"all += {operands[1]};"
        case "greatest":
            yield f"all = {operands[1]} > all ? {operands[1]} : all;"
        case "place":
            yield f"if ({operands[1]} > all) {{"
            yield f"    all = {operands[1]};"
            yield f"    place = {numbers[0]} + i;"
            yield "}"
        case name:
            yield f"{value}{operands[0]} {_OPERATORS[name]} {operands[1]};"
