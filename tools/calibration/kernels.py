"""Prints the costs of the runtime's kernels (`make kernels`)."""

from tinyml.tools.calibration.kernel_calls import AXPY, DENSE, DISTANCE, NEAR, NEAR_PACKED, PACKED, ROW, STRIDED, TABLE
from tinyml.tools.calibration.kernel_costs import (
    AVR_LENGTHS,
    AVR_LIMITS,
    AVR_STEPS,
    CORTEX_M,
    CORTEX_M_KERNELS,
    CORTEX_M_LIMITS,
    FUNCTION_LIMITS,
    LEVELS,
    PRODUCT_LIMITS,
    PRODUCTS,
    N,
    avr_cost,
    cycles_in_loop,
    cycles_of_function,
    instructions_per_mac,
    time_of_product,
)


def print_functions(optimize: str = "-Os") -> None:
    print(f"ATmega328P, {optimize}: cycles per element")
    for (function, source, result), limit in FUNCTION_LIMITS.items():
        cycles = cycles_of_function(function, source, result, optimize)
        print(f"{f'{function}, {source} -> {result}':<48}{cycles:>7.1f}{limit:>7}")


def print_avr(optimize: str = "-Os") -> None:
    print(f"ATmega328P, {optimize}: cycles per entry")
    heads = "".join(f"{f'loop n={n}':>12}{'call':>7}" for n in AVR_LENGTHS)
    print(f"{'tm_ or tm_dot_':<21}{'step':>5}{heads}{'limit':>7}{'bytes':>7}{'stack':>7}")
    base = avr_cost(None, 0, optimize)
    for kernel in (*DENSE, *PACKED, *STRIDED, *TABLE, *ROW, *NEAR, *NEAR_PACKED, *DISTANCE, *AXPY):
        row = f"{kernel.name:<21}{AVR_STEPS[kernel.name]:>5}"
        for n in AVR_LENGTHS:
            call = (avr_cost(kernel, n, optimize).time - base.time) / n
            row += f"{cycles_in_loop(kernel, n, optimize):>12.2f}{call:>7.2f}"
        whole = avr_cost(kernel, N, optimize)
        print(f"{row}{AVR_LIMITS.get(kernel.name, ''):>7}{whole.code:>7}{whole.stack - base.stack:>7}")


def print_cortex_m() -> None:
    print("Cortex-M: instructions per multiply-accumulate")
    columns = [(device, level) for device in CORTEX_M for level in LEVELS]
    print(f"{'':<30}", *(f"{f'{device[7:]} {level}':>7}" for device, level in columns), " limit")
    for kernel in CORTEX_M_KERNELS:
        figures = " ".join(f"{instructions_per_mac(kernel, *column):>7.2f}" for column in columns)
        limits = ", ".join(f"{device[7:]} {most}" for (device, name), most in CORTEX_M_LIMITS.items() if name == kernel)
        print(f"{kernel:<30} {figures}  {limits}".rstrip())


def print_products() -> None:
    print("Generated code for a matrix of 64 x 64: cycles (uno) or instructions per product")
    columns = [(device, level) for device in ("uno", *CORTEX_M) for level in LEVELS]
    print(f"{'':<20}", *(f"{f'{device[-6:]} {level}':>10}" for device, level in columns), " limit")
    for name in PRODUCTS:
        figures = " ".join(f"{time_of_product(device, name, level):>10.2f}" for device, level in columns)
        limits = ", ".join(f"{device} {most}" for (device, formats), most in PRODUCT_LIMITS.items() if formats == name)
        print(f"{name:<20} {figures}  {limits}".rstrip())


if __name__ == "__main__":
    print_avr()
    print()
    print_functions()
    print()
    print_cortex_m()
    print()
    print_products()
