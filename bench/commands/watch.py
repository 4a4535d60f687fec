"""Live progress of a run."""

import time

from rich.progress import Progress

from bench.crew import Watch
from bench.reading import OUTCOMES
from bench.session import Case, Tell
from bench.worker import Progress as Told


def watcher(progress: Progress) -> Tell:
    """One bar, which each run takes over: of its requests if they are counted, else of its time."""
    task = progress.add_task("", total=None, told="")

    def tell(title: str, case: Case) -> Watch:
        began_s = time.monotonic()
        requests, seconds = case.loop.requests, case.loop.seconds
        counted = requests is not None and requests < 10**9
        progress.reset(task, total=requests if counted else seconds, description=title, told="")

        def watch(told: Told) -> None:
            done = sum(told.outcomes.values())
            words = [f"{told.outcomes[name]:,} {name}" for name in OUTCOMES if told.outcomes.get(name)]
            words += [f"{told.errors:,} errors"] if told.errors else []
            elapsed_s = time.monotonic() - began_s
            completed = done + told.errors if counted else elapsed_s
            progress.update(task, completed=completed, told=f"{done / elapsed_s:,.0f}/s: {', '.join(words)}")

        return watch

    return tell
