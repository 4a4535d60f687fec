"""Tables for the terminal that fit 80 columns."""

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text


class TitledTable(Table):
    """A table whose title may be wider than its columns; rich would break it at their edge."""

    def __init__(self, title: str) -> None:
        super().__init__(box=SIMPLE_HEAD, padding=0, pad_edge=False, show_edge=False)
        self._heading = Text(title, style="italic")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self._heading
        yield from super().__rich_console__(console, options)


def narrow(title: str, *columns: str) -> Table:
    """The first column is text, the others are numbers."""
    table = TitledTable(title)
    for at, column in enumerate(columns):
        table.add_column(column, justify="right" if at else "left", no_wrap=True)
    return table
