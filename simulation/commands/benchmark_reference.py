"""`python -m simulation benchmark-reference`: the speed of the reference model."""

import argparse
from dataclasses import asdict

from simulation.benchmark_reference import speeds, table_seconds
from simulation.commands.options import add_json, out, write_json
from simulation.commands.tables import narrow

NAME = "benchmark-reference"
HELP = "requests per CPU second of the three reference schedulers, and of their step-by-step oracle"
EXAMPLE = "example: python -m simulation benchmark-reference --must 300000"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLE
    parser.add_argument(
        "--must", type=float, default=0.0, metavar="N", help="exit 1 if a scheduler does fewer requests per CPU second"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    found, seconds = speeds(), table_seconds()
    if str(args.json) != "-":
        table = narrow("Reference model: requests per CPU second", "policy", "req/s", "skipping", "stepping")
        for one in found:
            table.add_row(one.discipline, f"{one.load:g}", f"{one.skipping:,.0f}", f"{one.stepping:,.0f}")
        out.print(table)
        out.print(f"the published table once: {seconds:.2f} CPU s", highlight=False)
    write_json(args.json, {"reference": [asdict(one) for one in found], "table_cpu_s": seconds})
    return 0 if min(one.skipping for one in found) >= args.must else 1
