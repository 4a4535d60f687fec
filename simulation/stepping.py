"""The oracle of the reference model: every step is walked and every sequence counted down, with no shortcut.

Hundreds of times slower than `simulation.schedulers`, and simple enough to be read against the description there.
"""

from simulation.schedulers import ON_TIME_S, Discipline, Server, Timeline
from simulation.workload import Workload


def walk(discipline: Discipline, work: Workload, server: Server) -> Timeline:
    """What `schedulers.RUN[discipline]` computes, the long way."""
    slots = 1 if discipline == "sequential" else server.slots
    count = len(work)
    scheduled, first, finish = [0.0] * count, [0.0] * count, [0.0] * count
    running: dict[int, int] = {}  # row -> tokens still to come; a static batch keeps the finished, at 0
    now, waiting, paid = 0.0, 0, 0
    while waiting < count or running:
        if not running:
            now = max(now, work.arrival_s[waiting])
        admitted: list[int] = []
        if discipline != "static" or not running:
            while waiting < count and len(running) < slots and work.arrival_s[waiting] <= now + ON_TIME_S:
                scheduled[waiting] = now
                running[waiting] = work.output_tokens[waiting]
                admitted.append(waiting)
                waiting += 1
        now += sum(work.prompt_tokens[row] for row in admitted) * server.prompt_token_s
        now += server.decode_s[len(running)]
        paid += len(running)
        for row in admitted:
            first[row] = now
        for row, left in running.items():
            running[row] = max(0, left - 1)
        ended = [row for row, left in running.items() if not left]
        if discipline == "static" and len(ended) < len(running):
            ended = []
        for row in ended:
            finish[row] = now
            del running[row]
    return Timeline(scheduled, first, finish, paid)
