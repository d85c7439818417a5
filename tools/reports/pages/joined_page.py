"""The report page of programs that share an arena: `report.html` in the folder that `tinyml compile --with` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinyml.tools.reports.pages.html import page, paragraph, section, table

if TYPE_CHECKING:
    from tinyml.tools.driver.shared_programs import SharedPrograms


def joined_page(found: SharedPrograms) -> str:
    """The text of the HTML page."""
    heading = f"{found.name} on {found.target}"
    rows = [*found.alone.items(), ("together", found.arena.bytes)]
    memory = table(["program", "arena alone, bytes"], rows, caption="Arenas of the programs")
    checked = f"Checked: {', '.join(found.arena.checked)}." if found.arena.checked else ""
    content = section("memory", "Memory", *map(paragraph, found.lines()), memory, paragraph(checked) if checked else "")
    files = [[name, f"{name}.h", f"{name}.json"] for name in found.alone]
    interface = table(["program", "header", "interface as data"], files, caption="Files of the programs")
    calls = (
        f"{found.name}.c contains all programs, and {found.name}.h includes all headers. Call the functions one after "
        "another, and read the scores of a program before you call another."
    )
    content += section("interface", "C interface", paragraph(calls), interface)
    return page(f"{heading}: tinyml", content, heading=heading)
