"""`python -m simulation [COMMAND]`: what batching, caching and sharing would do under your load."""

import argparse
import os
import sys
from typing import NoReturn

from simulation.commands import benchmark, check, fit, frontend, plan, replay, study, validate
from simulation.cost import CostError
from simulation.request import WorkloadError

COMMANDS = (study, check, frontend, replay, fit, validate, plan, benchmark)

EXAMPLE = """examples:
  python -m simulation                      the batching study, with a report in results/
  python -m simulation check                are its recorded numbers still true?
  python -m simulation frontend --rate 10   what a cache and single flight are worth
  python -m simulation COMMAND --help       options and an example of each"""


class _OneLineParser(argparse.ArgumentParser):
    """Bad usage is one line on standard error and exit status 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser() -> argparse.ArgumentParser:
    top = _OneLineParser(
        prog="python -m simulation",
        description=__doc__,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=_OneLineParser)
    for command in COMMANDS:
        sub = commands.add_parser(command.NAME, help=command.HELP, description=command.HELP)
        command.configure(sub)
        sub.set_defaults(run=command.run)
    return top


def main(argv: list[str] | None = None) -> int:
    words = sys.argv[1:] if argv is None else argv
    # Without a command it is the study, options and all.
    if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help")):
        words = [study.NAME, *words]
    args = parser().parse_args(words)
    try:
        status: int = args.run(args)
        sys.stdout.flush()
    except (WorkloadError, CostError) as error:
        print(f"simulation {args.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"simulation {args.command}: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Whoever read the output has seen enough (`... | head`).
        _discard_output()
        return 141
    except OSError as error:
        # Files are looked after where they are written: this is standard output, a full disk for instance.
        _discard_output()
        print(f"simulation {args.command}: the result cannot be written ({error.strerror or error})", file=sys.stderr)
        return 2
    return status


def _discard_output() -> None:
    """What is still buffered must not be tried again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
