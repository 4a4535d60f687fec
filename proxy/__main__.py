"""`python -m proxy`, and the console script `askonce`: hands over to `cli/`."""

import argparse
import os
import sys
import threading
from types import ModuleType
from typing import NoReturn

from proxy.cli import check, embedder, explain, serve

EXAMPLES = """\
examples:
  python -m proxy --demo                                   see it work, without an engine
  python -m proxy --upstream http://127.0.0.1:8000         in front of one engine, with the defaults
  python -m proxy --config proxy.yaml --policies policies.yaml
  python -m proxy check --policies policies.yaml           validate, and say what each family does

then point an OpenAI client at it: OpenAI(base_url="http://127.0.0.1:8080/v1")
"""

COMMANDS: dict[str, ModuleType] = {"check": check, "explain": explain, "embedder": embedder}


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit status is 0 for good, 1 for a check that failed, 2 for bad usage or input."""
    given = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(
        prog="python -m proxy",
        description="An OpenAI-compatible proxy that asks a model once.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if not given or given[0].startswith("-"):
        serve.configure(parser)
        if given and given[0] in ("-h", "--help"):
            parser.usage = "python -m proxy [options]\n       python -m proxy {check,explain,embedder} --help"
        return serve.run(parser.parse_args(given))
    commands = parser.add_subparsers(dest="command", required=True)
    for name, module in COMMANDS.items():
        module.configure(commands.add_parser(name, help=module.HELP, description=module.HELP))
    parsed = parser.parse_args(given)
    return int(COMMANDS[parsed.command].run(parsed))


def leave(status: int) -> NoReturn:
    """End the process with this exit status.

    Not by Python's own way while a daemon thread runs, such as an embedder that loads or hangs: Python would end it
    inside its library, and that aborts the process.
    """
    if any(thread.daemon for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


def run() -> NoReturn:
    """The command `askonce`."""
    leave(main())


if __name__ == "__main__":
    run()
