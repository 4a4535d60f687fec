"""`python -m bench [COMMAND]`: what the proxy costs and saves, measured."""

import argparse
import sys
from typing import NoReturn

from bench.commands import load, micro, side_by_side

COMMANDS = (load, micro, side_by_side)

EXAMPLE = """examples:
  python -m bench --stub                              stub engine and proxy are started; exact counts are checked
  python -m bench --base-url http://127.0.0.1:8080 --direct http://127.0.0.1:8000
  python -m bench COMMAND --help                      options and an example of each"""


class _OneLineParser(argparse.ArgumentParser):
    """Bad usage is one line on standard error and exit status 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser() -> argparse.ArgumentParser:
    top = _OneLineParser(
        prog="python -m bench",
        description=__doc__,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=_OneLineParser)
    for command in COMMANDS:
        sub = commands.add_parser(
            command.NAME,
            help=command.HELP,
            description=command.DESCRIPTION,
            epilog=command.EXAMPLE,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.configure(sub)
        sub.set_defaults(run=command.run)
    return top


def main(argv: list[str] | None = None) -> int:
    """Run one command; the exit status is 0 for good, 1 for a check that failed, 2 for bad usage or input."""
    words = sys.argv[1:] if argv is None else argv
    # Without a command it is the load test, workloads, options and all.
    names = {command.NAME for command in COMMANDS}
    if not words or (words[0] not in names and words[0] not in ("-h", "--help")):
        words = [load.NAME, *words]
    args = parser().parse_args(words)
    status: int = args.run(args)
    return status


if __name__ == "__main__":
    sys.exit(main())
