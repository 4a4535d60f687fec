"""Tables for the terminal that fit 80 columns."""

from rich.box import SIMPLE_HEAD
from rich.table import Table


def narrow(title: str, *columns: str) -> Table:
    """The first column is text, the others are numbers."""
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=0, pad_edge=False, show_edge=False)
    for at, column in enumerate(columns):
        table.add_column(column, justify="right" if at else "left", no_wrap=True)
    return table
