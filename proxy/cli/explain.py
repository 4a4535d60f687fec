"""`python -m proxy explain`: what a running proxy would do with a request, and why."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from rich.markup import escape
from rich.table import Table

HELP = "Say what a running proxy would do with a request: family, key, permissions, candidates, verdicts."
EXAMPLE = """\
example:
  ASKONCE_ADMIN_TOKEN=… python -m proxy explain request.json --key sk-…

request.json holds the body as a client would send it; - reads it from standard input.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Where the proxy is, and as whom to ask."""
    parser.epilog = EXAMPLE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("request", metavar="FILE", help="JSON body of the request, or - for standard input")
    parser.add_argument("--proxy", metavar="URL", default="http://127.0.0.1:8080", help="root (default: %(default)s)")
    parser.add_argument("--path", default="/v1/chat/completions", help="path it would go to (default: %(default)s)")
    parser.add_argument("--key", help="API key of the client to explain it for (default: none)")
    parser.add_argument("--token", help="admin token (default: $ASKONCE_ADMIN_TOKEN)")
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Ask the proxy and print its answer."""
    token = arguments.token or os.environ.get("ASKONCE_ADMIN_TOKEN")
    if not token:
        print("explain needs the admin token: --token, or ASKONCE_ADMIN_TOKEN", file=sys.stderr)
        return 2
    try:
        text = sys.stdin.read() if arguments.request == "-" else Path(arguments.request).read_text("utf-8")
        body = json.loads(text)
    except (OSError, ValueError) as error:
        print(f"{arguments.request}: {error}", file=sys.stderr)
        return 2
    described: dict[str, Any] = {"path": arguments.path, "body": body}
    if arguments.key:
        described["headers"] = {"authorization": f"Bearer {arguments.key}"}
    try:
        reply = httpx.post(
            f"{arguments.proxy.rstrip('/')}/admin/explain",
            json=described,
            headers={"authorization": f"Bearer {token}"},
            timeout=30,
        )
    except httpx.HTTPError as error:
        print(f"nothing answers at {arguments.proxy}: {error}", file=sys.stderr)
        return 2
    if reply.status_code != 200:
        print(_message(reply), file=sys.stderr)
        return 1
    if arguments.json:
        print(reply.text)
    else:
        _print(reply.json())
    return 0


def _message(reply: httpx.Response) -> str:
    try:
        return str(reply.json()["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return f"the proxy answered {reply.status_code}"


def _print(told: dict[str, Any]) -> None:
    console = Console()
    table = Table(show_header=False, box=None)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name in ("family", "tenant", "model", "upstreams", "key", "key_parts", "permits", "exact"):
        value = told[name]
        shown = ", ".join(f"{k}: {v}" for k, v in value.items()) if isinstance(value, dict) else value
        table.add_row(name, escape(str(shown)))
    semantic = dict(told["semantic"])
    candidates = semantic.pop("candidates", [])
    table.add_row("semantic", escape(", ".join(f"{k}: {v}" for k, v in semantic.items())))
    console.print(table)
    if candidates:
        listed = Table(title="candidates, nearest first", title_justify="left")
        for column in ("similarity", "text", "verdict", "conflict"):
            listed.add_column(column, overflow="fold")
        for one in candidates:
            conflict = one["conflict"] or {}
            quoted = f"{conflict['cached']} / {conflict['asked']}" if conflict else ""
            listed.add_row(
                f"{one['similarity']:.4f}", escape(one["text"]), one["refused"] or "may answer", escape(quoted)
            )
        console.print(listed)
