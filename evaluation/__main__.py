"""`python -m evaluation [COMMAND]`: how often would the cache be wrong, and which policy is safe?"""

import argparse
import sys
from typing import NoReturn

from evaluation.commands import calibrate, check, compare, replay, score, study
from evaluation.dataset import DataError
from policies.load import PolicyError
from proxy.cache.embedder import EmbedderUnavailable

COMMANDS = (study, check, score, calibrate, compare, replay)

EXAMPLE = """examples:
  python -m evaluation                      every embedder and guard on the shipped sets; report in results/
  python -m evaluation check                are its recorded numbers still true?
  python -m evaluation score --data rows.jsonl
                                            your policy on your labelled prompts
  python -m evaluation calibrate rows.jsonl thresholds that keep a promise, with evidence
  python -m evaluation COMMAND --help       options and an example of each"""


class _OneLineParser(argparse.ArgumentParser):
    """Bad usage is one line on standard error and exit status 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser() -> argparse.ArgumentParser:
    top = _OneLineParser(
        prog="python -m evaluation",
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
    except (DataError, PolicyError, EmbedderUnavailable) as error:
        print(f"evaluation {args.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"evaluation {args.command}: interrupted; the vectors made so far are kept", file=sys.stderr)
        return 130
    return status


if __name__ == "__main__":
    sys.exit(main())
