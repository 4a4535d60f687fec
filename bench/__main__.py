"""`python -m bench [COMMAND]`: what the proxy costs and saves, measured."""

import argparse
import importlib
import sys
from typing import NoReturn

COMMANDS = {
    "load": "load test (what runs without a command)",
    "micro": "CPU time of a key, a hit, a miss, a chunk, a lookup, a replay; two commits compared",
    "side-by-side": "the proxy beside nginx and other gateways, in one interleaved run on two cores",
    "soak": "half capacity for minutes, with clients that leave and an engine that breaks",
}
"""Each is a module of `bench.commands`. Only the one that runs is loaded: `micro` brings all of the proxy along."""

EXAMPLES = """examples:
  python -m bench --stub                              stub engine and proxy are started; exact counts are checked
  python -m bench --base-url http://127.0.0.1:8080 --direct http://127.0.0.1:8000
  python -m bench COMMAND --help                      options and an example of each"""


class _OneLineParser(argparse.ArgumentParser):
    """Bad usage is one line on standard error and exit status 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main(argv: list[str] | None = None) -> int:
    """Run one command; the exit status is 0 for good, 1 for a check that failed, 2 for bad usage or input."""
    words = sys.argv[1:] if argv is None else argv
    if words and words[0] in ("-h", "--help"):
        commands = "\n".join(f"  {name:14} {text}" for name, text in COMMANDS.items())
        print(f"usage: python -m bench [COMMAND] [options]\n\n{__doc__}\n\ncommands:\n{commands}\n\n{EXAMPLES}")
        return 0
    # Without a command it is the load test, workloads, options and all.
    name, rest = (words[0], words[1:]) if words and words[0] in COMMANDS else ("load", words)
    command = importlib.import_module(f"bench.commands.{name.replace('-', '_')}")
    parser = _OneLineParser(
        prog=f"python -m bench {name}",
        description=command.DESCRIPTION,
        epilog=command.EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.configure(parser)
    status: int = command.run(parser.parse_args(rest))
    return status


if __name__ == "__main__":
    sys.exit(main())
