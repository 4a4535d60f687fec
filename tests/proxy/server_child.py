"""A server in a process of its own, for tests that send it signals. It says what happens, and is told to go on.

python -m tests.proxy.server_child DRAIN_S GRACE_S
"""

import asyncio
import sys
import threading

from proxy import server
from tests.proxy.server_app import TalkingApp


def main() -> int:
    drain_s, grace_s = map(float, sys.argv[1:])
    server.LAST_WORDS_S = 0.5
    app = TalkingApp()

    def listening(port: int) -> None:
        loop = asyncio.get_running_loop()

        def listen_to_parent() -> None:
            for _ in sys.stdin:
                loop.call_soon_threadsafe(app.go_on.set)

        threading.Thread(target=listen_to_parent, daemon=True).start()
        say(f"listening {port}")

    def drain() -> None:
        app.draining = True
        say("draining")

    def reload() -> None:
        say("reloading")
        raise ValueError("a file that can't be read")

    return server.serve(
        app,
        host="127.0.0.1",
        port=0,
        limits=server.ServerLimits(drain_s=drain_s, grace_s=grace_s),
        on_drain=drain,
        on_reload=reload,
        on_listening=listening,
    )


def say(what: str) -> None:
    print(what, flush=True)


if __name__ == "__main__":
    sys.exit(main())
