"""The engine's rules once more, written for no virtue but plainness: every block by itself, every step by itself.

The oracle of test_engine.py. Nothing is shared with simulation.engine but the cost model and the names of settings.
"""

from dataclasses import dataclass, field

from simulation.cost import CostModel
from simulation.request import Request
from simulation.settings import EngineSettings


@dataclass
class Block:
    name: object = None
    holders: int = 0


@dataclass
class Job:
    index: int
    request: Request
    computed: int = 0
    generated: int = 0
    decodes: bool = False  # its prefill, or the one after a preemption, is complete
    blocks: list[Block] = field(default_factory=list)
    finished: bool = False

    @property
    def known(self) -> int:
        return self.request.prompt_tokens + self.generated

    def name_of(self, block: int) -> object:
        ids = self.request.hash_ids
        return ("shared", ids[block]) if block < len(ids) else ("own", self.index, block)


@dataclass
class Result:
    scheduled: dict[int, float] = field(default_factory=dict)
    first: dict[int, float] = field(default_factory=dict)
    last: dict[int, float] = field(default_factory=dict)
    cached: dict[int, int] = field(default_factory=dict)
    preemptions: dict[int, int] = field(default_factory=dict)
    steps: int = 0
    blocks_free_at_end: int = 0


class Cache:
    def __init__(self, total: int, size: int) -> None:
        self.size = size
        self.free = [Block() for _ in range(total)]  # the first is taken first
        self.by_name: dict[object, list[Block]] = {}

    def take(self, job: Job, count: int) -> None:
        for _ in range(count):
            block = self.free.pop(0)
            if block.name is not None:
                copies = self.by_name[block.name]
                copies[:] = [other for other in copies if other is not block]
                if not copies:
                    del self.by_name[block.name]
                block.name = None
            block.holders = 1
            job.blocks.append(block)

    def find(self, job: Job) -> list[Block]:
        found: list[Block] = []
        # The last token is always computed, so a block that holds it is of no use.
        while (len(found) + 1) * self.size <= job.known - 1:
            copies = self.by_name.get(job.name_of(len(found)))
            if not copies:
                break
            found.append(copies[0])
        return found

    def share(self, job: Job, found: list[Block]) -> None:
        for block in found:
            if not block.holders:
                self.free = [other for other in self.free if other is not block]
            block.holders += 1
            job.blocks.append(block)

    def name_full(self, job: Job, computed: int) -> None:
        for position in range(computed // self.size):
            block = job.blocks[position]
            if block.name is None:
                block.name = job.name_of(position)
                self.by_name.setdefault(block.name, []).append(block)

    def give_back(self, job: Job) -> None:
        for block in reversed(job.blocks):
            block.holders -= 1
            if not block.holders:
                self.free.append(block)
        job.blocks = []


def run(requests: list[Request], cost: CostModel, settings: EngineSettings) -> Result:
    """hash_ids must be of the engine's own block size."""
    assert settings.blocks is not None
    size = settings.block_tokens
    cache = Cache(settings.blocks - 1, size)
    cap = settings.long_prefill_tokens or settings.max_num_batched_tokens
    jobs = [Job(index, request) for index, request in enumerate(requests)]
    coming = list(jobs)
    waiting: list[Job] = []
    running: list[Job] = []
    result = Result(preemptions=dict.fromkeys(range(len(jobs)), 0))
    clock = seen = 0.0

    def needs(job: Job, upto: int) -> int:
        return -(-upto // size) - len(job.blocks)

    while coming or waiting or running:
        horizon = (seen + clock) / 2 if settings.noted_at_boundary else seen
        while coming and coming[0].request.arrival_s <= horizon + 1e-9:
            waiting.append(coming.pop(0))
        if not waiting and not running:
            clock = seen = max(clock, coming[0].request.arrival_s)
            continue

        # Plan.
        held = [job for job in running if job.finished]
        budget = settings.max_num_batched_tokens
        plan: list[tuple[Job, int, bool]] = []
        preempted = False
        for job in list(running):
            if job.finished or job not in running or not budget:
                continue
            tokens = min(job.known - job.computed, budget, cap)
            while needs(job, job.computed + tokens) > len(cache.free):
                preempted = True
                victim = running.pop()
                cache.give_back(victim)
                if not victim.finished:
                    victim.computed = 0
                    victim.decodes = False
                    waiting.insert(0, victim)
                    result.preemptions[victim.index] += 1
                if victim is job:
                    break
            if job not in running:
                break
            cache.take(job, needs(job, job.computed + tokens))
            if settings.prefix_caching:
                cache.name_full(job, job.computed + tokens)
            plan.append((job, tokens, job.decodes))
            budget -= tokens
        while waiting and budget and not preempted and len(running) < settings.max_num_seqs:
            job = waiting[0]
            found = cache.find(job) if settings.prefix_caching else []
            idle = sum(not block.holders for block in found)
            tokens = min(job.known - len(found) * size, budget, cap)
            fits = job.known if settings.reserve_prompt else len(found) * size + tokens
            if -(-fits // size) - len(found) + idle > len(cache.free):
                break
            waiting.pop(0)
            cache.share(job, found)
            job.computed = len(found) * size
            cache.take(job, needs(job, job.computed + tokens))
            if settings.prefix_caching:
                cache.name_full(job, job.computed + tokens)
            running.append(job)
            plan.append((job, tokens, False))
            budget -= tokens
            if job.index not in result.scheduled:
                result.scheduled[job.index] = max(clock, job.request.arrival_s)
                result.cached[job.index] = job.computed
        for job in held:
            if job in running:
                running.remove(job)
                cache.give_back(job)
        if not plan:
            seen = clock
            continue

        # Execute.
        decoding = [job for job, _, decodes in plan if decodes]
        prompts = [(job, tokens) for job, tokens, decodes in plan if not decodes]
        started = clock
        clock += cost.step(
            len(decoding),
            sum(job.computed + 1 for job in decoding),
            len(prompts),
            sum(tokens for _, tokens in prompts),
            sum(tokens * (job.computed + tokens) for job, tokens in prompts),
        )
        seen = started if settings.plan_ahead else clock
        result.steps += 1
        for job, tokens, _ in plan:
            job.computed += tokens
            if job.computed == job.known:
                job.generated += 1
                job.decodes = True
                result.first.setdefault(job.index, clock)
                if job.generated == job.request.output_tokens:
                    job.finished = True
                    result.last[job.index] = clock
        if not settings.plan_ahead:
            for job in [job for job in running if job.finished]:
                running.remove(job)
                cache.give_back(job)
    result.blocks_free_at_end = len(cache.free)
    return result
