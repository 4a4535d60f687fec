"""A server with continuous batching: what one vLLM engine does with requests, step by step or event by event.

One class in one long file, because planning, stepping and jumping are three views of the same dozen numbers.

Rules, those of vLLM's v1 scheduler (written from its documentation and behaviour, checked against its source):
1. A step has a budget of tokens. Running sequences come first, in order of admission: one token for each that decodes,
   a chunk for each that prefills.
2. Blocks are taken as tokens are scheduled. When none is free, the running sequence admitted last is preempted: it
   gives back its blocks, goes to the head of the queue and computes everything anew, but for what it finds in the
   cache.
3. Unless somebody was preempted in this step, waiting requests are admitted in order, as long as the head of the queue
   finds a place, tokens of the budget and (reserve_prompt) room for all its tokens so far, not just the first chunk.
4. A full block is findable from the moment it is scheduled. The last token of a prompt is always computed.
5. With plan_ahead (asynchronous scheduling, vLLM's default), a step is planned when the one before it starts: it does
   not yet see the requests that came, or the places and blocks that became free, since then. An engine notes arrivals
   when it looks for them, just before a plan. No simulated clock is in step with that to the millisecond, so with
   noted_at_boundary a request belongs to the plan that was made nearest to it.

Event skipping: while all running sequences decode and nobody can be admitted, every step costs the same but for the KV
term, which grows by one token per sequence. So the engine jumps to the next finish, arrival or shortage of blocks; the
sum of the steps has a closed form. `step=True` takes every step by itself, for comparison.
"""

import heapq
import math
from collections import deque
from collections.abc import Iterable
from collections.abc import Sequence as Keys

from simulation.blocks import BlockPool
from simulation.cost import CostError, CostModel, Seen
from simulation.request import Request, WorkloadError, reason_against
from simulation.sequence import Sequence, block_keys
from simulation.settings import EngineSettings

# Times that differ by less are the same: without it, a jump and its single steps could land on two sides of an arrival.
_SAME_S = 1e-9


class Engine:
    """One engine; times in seconds on the workload's clock.

    Requests are submitted in order of arrival. `run_until(t)` advances to the first step boundary at or after t, which
    is safe while no request arriving before t is still to be submitted. The lists are per request, in order of
    submission; times are nan until they happen. What a preemption repeats is not counted again: scheduled_s and
    first_token_s are the first ones, cached_tokens the prefix found at the first admission.
    """

    def __init__(
        self, cost: CostModel, settings: EngineSettings | None = None, *, step: bool = False, hash_tokens: int = 16
    ) -> None:
        settings = settings or EngineSettings()
        settings.check()
        self.cost = cost
        self.settings = settings
        self.clock = 0.0
        self.steps = 0
        self.prefilled_tokens = 0
        self.arrival_s: list[float] = []
        self.prompt_tokens: list[int] = []
        self.output_tokens: list[int] = []
        self.scheduled_s: list[float] = []
        self.first_token_s: list[float] = []
        self.last_token_s: list[float] = []
        self.cached_tokens: list[int] = []
        self.preemptions: list[int] = []
        self.pool = BlockPool(settings.usable_blocks)
        # (clock, running, waiting, blocks in use) after each step or jump, if somebody sets it to a list; then no jump
        # passes a full second, so that the state at each is in it.
        self.series: list[tuple[float, int, int, int]] | None = None

        self._step_by_step = step
        self._hash_tokens = hash_tokens
        self._block = settings.block_tokens
        self._max_running = settings.max_num_seqs
        self._budget = settings.max_num_batched_tokens
        self._chunk = settings.long_prefill_tokens or settings.max_num_batched_tokens
        self._decode_s: list[float] = [cost.decode_s(count) for count in range(settings.max_num_seqs + 1)]
        if min(self._decode_s[1:]) <= 0:
            raise CostError(f"cost {cost.name}: takes no time for {settings.max_num_seqs} sequences or fewer")

        self._arriving: deque[Sequence] = deque()  # submitted, not yet seen by the scheduler
        self._waiting: deque[Sequence] = deque()
        self._running: dict[int, Sequence] = {}  # by ticket, in order of admission
        self._finished: list[Sequence] = []  # done, but their places and blocks are not free yet (plan_ahead)
        self._late: list[Sequence] = []  # decoding sequences that the current step's budget left out
        self._prefilling = 0
        self._decoding = 0
        self._kv_tokens = 0  # of the decoding sequences, before the next step
        self._grows = [0] * self._block  # decoding sequences that need a block in a step, by step modulo block size
        self._ends: list[tuple[int, int, Sequence]] = []  # heap of (last step, ticket, sequence); stale ones stay in it
        self._visible_s = 0.0  # arrivals up to here are in what the next step was planned from
        self._tickets = 0
        self._largest_kv = 0
        self._largest_decoding = 0
        self._largest_prompt = 0

    @property
    def outstanding(self) -> int:
        """Requests submitted and not finished at the engine's clock."""
        return len(self._arriving) + len(self._waiting) + len(self._running) - len(self._finished)

    def submit(self, request: Request) -> int:
        """Returns the request's index in the lists.

        Raises:
            WorkloadError: the request can never fit, or arrives before one submitted earlier.
        """
        index = len(self.arrival_s)
        arrival, prompt, output = request.arrival_s, request.prompt_tokens, request.output_tokens
        problem = reason_against(arrival, prompt, output, self.arrival_s[-1] if index else -math.inf)
        if problem:
            raise WorkloadError(problem, index)
        # The last token is emitted but never computed.
        need = (prompt + output - 2) // self._block + 1
        if need > self.pool.total:
            raise WorkloadError(
                f"{prompt} prompt and {output} output tokens need {need} blocks of the KV cache, which has "
                f"{self.pool.total}; shorten the request or give the engine more blocks",
                index,
            )
        if not self.settings.chunked_prefill and prompt + output - 1 > self._budget:
            raise WorkloadError(
                f"without chunked prefill its {prompt + output - 1} tokens (prompt, and output after a preemption) "
                f"must fit max_num_batched_tokens ({self._budget})",
                index,
            )
        try:
            keys = self._keys(request)
        except ValueError as error:
            raise WorkloadError(str(error), index) from None
        self._arriving.append(Sequence(index, prompt, output, keys))
        self.arrival_s.append(arrival)
        self.prompt_tokens.append(prompt)
        self.output_tokens.append(output)
        self.scheduled_s.append(math.nan)
        self.first_token_s.append(math.nan)
        self.last_token_s.append(math.nan)
        self.cached_tokens.append(0)
        self.preemptions.append(0)
        return index

    def warm(self, requests: Iterable[Request]) -> None:
        """Fill the cache with the prompts of requests served before the clock started, the last the freshest.

        Raises:
            WorkloadError: their hashes do not go with the engine's blocks.
        """
        for index, request in enumerate(requests):
            try:
                keys = self._keys(request)
            except ValueError as error:
                raise WorkloadError(str(error), index) from None
            if len(keys) <= self.pool.total:
                found = self.pool.hits(keys, len(keys))
                table = self.pool.hold(keys, found)
                new = min(len(keys) - found, self.pool.free)
                self.pool.take(new)
                table.extend(self.pool.enter(key) for key in keys[found : found + new])
                self.pool.give_back(table, 0)

    def run_until(self, until_s: float = math.inf) -> None:
        arriving, waiting, arrivals = self._arriving, self._waiting, self.arrival_s
        while self.clock < until_s:
            horizon = self._visible_s + _SAME_S
            if self.settings.noted_at_boundary:
                horizon += (self.clock - self._visible_s) / 2
            while arriving and arrivals[arriving[0].index] <= horizon:
                waiting.append(arriving.popleft())
            if waiting or self._running:
                self._advance(until_s)
            elif arriving and arrivals[arriving[0].index] < until_s:
                self.clock = self._visible_s = max(self.clock, arrivals[arriving[0].index])
            else:
                return

    def finish(self) -> None:
        """Run until nothing is left, then warn if a step was larger than what the costs were measured on."""
        self.run_until()
        self.cost.warn_beyond(self.largest)

    @property
    def largest(self) -> Seen:
        return Seen(self._largest_decoding, self._largest_kv, self._largest_prompt)

    def _keys(self, request: Request) -> Keys[int]:
        if not request.hash_ids or not self.settings.prefix_caching:
            return ()
        return block_keys(request.hash_ids, self._hash_tokens, self._block, request.prompt_tokens)

    # One step, or as many equal ones as nothing can disturb.

    def _advance(self, until_s: float) -> None:
        pool = self.pool
        step = self.steps
        finished = self._finished
        held = bool(finished)
        budget = self._budget
        due = self._grows[step % self._block]
        chunks: list[tuple[Sequence, int]] = []
        preempted = False
        if self._prefilling or due > pool.free:
            preempted, budget = self._schedule_running(chunks)
        else:
            if due:
                pool.take(due)
            budget -= self._decoding
        if self._waiting and not preempted:
            self._admit(chunks, budget)
        if held:
            self._release_finished()
            if not self._decoding and not chunks:
                # Nothing could be planned ahead; the engine looks again, at its clock.
                self._visible_s = self.clock
                if self.series is not None:
                    self._note(self.series)
                return

        decoding = self._decoding
        kv_tokens = self._kv_tokens + decoding
        seconds = self._decode_s[decoding] + self.cost.kv_token_s * kv_tokens
        count = 1
        if chunks:
            prompt_tokens = context = 0
            for sequence, tokens in chunks:
                prompt_tokens += tokens
                context += tokens * (sequence.computed + tokens)
            seconds += self.cost.prefill_s(decoding, len(chunks), prompt_tokens, context)
            seconds += self.cost.mixed_kv_token_s * kv_tokens
            self.prefilled_tokens += prompt_tokens
            if prompt_tokens > self._largest_prompt:
                self._largest_prompt = prompt_tokens
        elif not decoding:
            self._visible_s = self.clock
            return
        elif not (self._step_by_step or (self._waiting and (held or preempted))):
            # The next plan may admit whom this one could not: for blocks just freed, or because it preempted.
            count = self._jump(seconds, until_s)
        growth = self.cost.kv_token_s * decoding
        start = self.clock
        last = seconds + growth * (count - 1)
        self.clock = clock = start + count * seconds + growth * (count * (count - 1) // 2)
        self._visible_s = clock - last if self.settings.plan_ahead else clock
        self.steps = step = step + count
        self._kv_tokens += count * decoding
        if kv_tokens + (count - 1) * decoding > self._largest_kv:
            self._largest_kv = kv_tokens + (count - 1) * decoding
        if decoding > self._largest_decoding:
            self._largest_decoding = decoding

        ends = self._ends
        while ends and ends[0][0] < step:
            end, _, sequence = heapq.heappop(ends)
            if sequence.end == end:
                self._leave_decode(sequence)
                finished.append(sequence)
        if self._late:
            for sequence in self._late:
                self._enter_decode(sequence)
            self._late.clear()
        for sequence, tokens in chunks:
            sequence.computed += tokens
            if sequence.computed == sequence.prompt_tokens + sequence.generated:
                self._prefilled(sequence)
        if finished:
            for sequence in finished:
                self.last_token_s[sequence.index] = clock
            if not self.settings.plan_ahead:
                self._release_finished()
        if self.series is not None:
            self._note(self.series)

    def _note(self, series: list[tuple[float, int, int, int]]) -> None:
        series.append((self.clock, len(self._running) - len(self._finished), len(self._waiting), self.pool.used))

    def _jump(self, seconds: float, until_s: float) -> int:
        """How many steps may be taken at once, the first of which is planned and takes `seconds`; takes the blocks."""
        step = self.steps
        ends = self._ends
        while ends[0][2].end != ends[0][0]:
            heapq.heappop(ends)
        count = ends[0][0] - step + 1
        if count > 1:
            decoding = self._decoding
            growth = self.cost.kv_token_s * decoding
            if until_s < math.inf:
                count = min(count, _steps_to(until_s - self.clock, seconds, growth))
            if self._arriving and not self._waiting:
                gap = self.arrival_s[self._arriving[0].index] - self.clock - _SAME_S
                count = min(count, self._steps_to_see(gap, seconds, growth) if gap > 0 else 1)
            if self.series is not None:
                # The step that ends beyond the second is one of the next jump.
                count = min(count, max(1, _steps_to(math.floor(self.clock) + 1 - self.clock, seconds, growth) - 1))
        if count > 1:
            count = self._grow(count)
        return count

    def _steps_to_see(self, gap: float, seconds: float, growth: float) -> int:
        """The fewest steps after which the next plan sees a request that comes in `gap` seconds."""
        count = _steps_to(gap, seconds, growth)
        if not self.settings.plan_ahead:
            return count
        if self.settings.noted_at_boundary:
            before = (count - 1) * seconds + growth * ((count - 1) * (count - 2) // 2)
            if gap <= before + (seconds + growth * (count - 1)) / 2:
                return count
        return count + 1

    def _grow(self, count: int) -> int:
        """Take the blocks of the steps after the next one, up to `count` in all; fewer if blocks run out."""
        grows, block = self._grows, self._block
        free = self.pool.free
        cycles, rest = divmod(count - 1, block)
        if cycles * self._decoding > free:
            cycles, rest = free // self._decoding, block
        # In `block` steps every decoding sequence takes one block.
        taken = cycles * self._decoding
        first = self.steps + 1
        count = cycles * block + 1
        for offset in range(first, first + rest):
            due = grows[offset % block]
            if taken + due > free:
                break
            taken += due
            count += 1
        if taken:
            self.pool.take(taken)
        return count

    # Planning.

    def _schedule_running(self, chunks: list[tuple[Sequence, int]]) -> tuple[bool, int]:
        """Rules 1 and 2, one sequence at a time; returns whether somebody was preempted, and the budget left."""
        pool, block, step = self.pool, self._block, self.steps
        budget = self._budget
        preempted = False
        done = {sequence.ticket for sequence in self._finished}
        for ticket, sequence in list(self._running.items()):
            if ticket in done:
                continue
            if ticket not in self._running:
                break  # preempted below, and so is everyone behind it
            decodes = sequence.end >= 0
            if not budget:
                if decodes:
                    self._delay(sequence)
                continue
            if decodes:
                tokens = 1
                computed = sequence.computed + step - sequence.entered
            else:
                computed = sequence.computed
                tokens = min(sequence.prompt_tokens + sequence.generated - computed, budget, self._chunk)
            need = -(-(computed + tokens) // block) - -(-computed // block)
            while need > pool.free:
                preempted = True
                if self._preempt_last() is sequence:
                    break
            else:
                if need:
                    pool.take(need)
                budget -= tokens
                if not decodes:
                    self._enter_full_blocks(sequence, computed + tokens)
                    chunks.append((sequence, tokens))
        return preempted, budget

    def _admit(self, chunks: list[tuple[Sequence, int]], budget: int) -> None:
        """Rule 3."""
        pool, block, running, waiting = self.pool, self._block, self._running, self._waiting
        while waiting and budget and len(running) < self._max_running:
            sequence = waiting[0]
            total = sequence.prompt_tokens + sequence.generated
            keys = sequence.keys
            hits = idle = own = 0
            if keys or sequence.run:
                limit = (total - 1) // block
                hits = pool.hits(keys, limit)
                idle = pool.idle(keys, hits)
                if sequence.run and hits == sequence.run_after:
                    own = min(pool.left_of(sequence.run), limit - hits)
            computed = (hits + own) * block
            tokens = total - computed
            if tokens > budget and not self.settings.chunked_prefill:
                return
            tokens = min(tokens, budget, self._chunk)
            fits = total if self.settings.reserve_prompt else computed + tokens
            if -(-fits // block) - hits + idle > pool.free:
                return
            waiting.popleft()
            if hits:
                sequence.table = pool.hold(keys, hits)
            if own:
                pool.hold_run(sequence.run, own)
            sequence.run = 0
            pool.take(-(-(computed + tokens) // block) - hits - own)
            sequence.computed = computed
            if keys:
                self._enter_full_blocks(sequence, computed + tokens)
            budget -= tokens
            self._tickets += 1
            sequence.ticket = self._tickets
            running[self._tickets] = sequence
            self._prefilling += 1
            chunks.append((sequence, tokens))
            index = sequence.index
            if self.scheduled_s[index] != self.scheduled_s[index]:
                self.scheduled_s[index] = max(self.clock, self.arrival_s[index])
                self.cached_tokens[index] = computed

    def _enter_full_blocks(self, sequence: Sequence, computed: int) -> None:
        table, keys = sequence.table, sequence.keys
        for position in range(len(table), min(computed // self._block, len(keys))):
            table.append(self.pool.enter(keys[position]))

    def _preempt_last(self) -> Sequence:
        _, sequence = self._running.popitem()
        if sequence in self._finished:
            # Its last token is on its way; only the blocks it still held are wanted.
            self._finished.remove(sequence)
            self._give_back(sequence)
            return sequence
        if sequence.end >= 0:
            # Not yet scheduled in this step: it holds the blocks of what it computed before.
            decoded = self.steps - sequence.entered
            self._leave_decode(sequence)
            sequence.generated += decoded
            sequence.computed += decoded
        else:
            self._prefilling -= 1
        block = self._block
        keyed = len(sequence.table)
        full = sequence.computed // block - keyed
        partly = 1 if sequence.computed % block else 0
        if self.settings.prefix_caching:
            sequence.run = self.pool.give_back_findable(sequence.table, full, partly)
            sequence.run_after = keyed
        else:
            self.pool.give_back(sequence.table, full + partly)
        sequence.table = []
        sequence.computed = 0
        self.preemptions[sequence.index] += 1
        self._waiting.appendleft(sequence)
        return sequence

    # A sequence's way: prefill, decode, done.

    def _prefilled(self, sequence: Sequence) -> None:
        """The last chunk of a prefill was computed in the step that just ended, and with it a token."""
        self._prefilling -= 1
        sequence.generated += 1
        index = sequence.index
        if self.first_token_s[index] != self.first_token_s[index]:
            self.first_token_s[index] = self.clock
        if sequence.generated == sequence.output_tokens:
            self._finished.append(sequence)
        else:
            self._enter_decode(sequence)

    def _enter_decode(self, sequence: Sequence) -> None:
        step = self.steps
        sequence.entered = step
        sequence.end = end = step + sequence.output_tokens - sequence.generated - 1
        heapq.heappush(self._ends, (end, sequence.ticket, sequence))
        self._grows[(step - sequence.computed) % self._block] += 1
        self._decoding += 1
        self._kv_tokens += sequence.computed

    def _leave_decode(self, sequence: Sequence) -> None:
        """Before step self.steps."""
        sequence.end = -1
        self._grows[(sequence.entered - sequence.computed) % self._block] -= 1
        self._decoding -= 1
        self._kv_tokens -= sequence.computed + self.steps - sequence.entered

    def _delay(self, sequence: Sequence) -> None:
        """No token of the budget is left for this decoding sequence: it stands still for one step."""
        decoded = self.steps - sequence.entered
        self._leave_decode(sequence)
        sequence.computed += decoded
        sequence.generated += decoded
        self._late.append(sequence)

    def _release_finished(self) -> None:
        finished = self._finished
        if len(finished) > 1:
            finished.sort(key=_by_ticket)
        for sequence in finished:
            self._give_back(sequence)
            del self._running[sequence.ticket]
        finished.clear()

    def _give_back(self, sequence: Sequence) -> None:
        # The last token was never computed.
        held = -(-(sequence.prompt_tokens + sequence.output_tokens - 1) // self._block)
        self.pool.give_back(sequence.table, held - len(sequence.table))


def _by_ticket(sequence: Sequence) -> int:
    return sequence.ticket


def _steps_to(gap: float, seconds: float, growth: float) -> int:
    """The fewest steps that last `gap` seconds or more: the first takes `seconds`, each further one `growth` more."""
    if gap <= seconds:
        return 1
    if growth:
        half = seconds - growth / 2
        count = math.ceil((math.sqrt(half * half + 2 * growth * gap) - half) / growth)
    else:
        count = math.ceil(gap / seconds)
    # The root is rounded; the sum decides.
    while count > 1 and (count - 1) * seconds + growth * ((count - 1) * (count - 2) // 2) >= gap:
        count -= 1
    while count * seconds + growth * (count * (count - 1) // 2) < gap:
        count += 1
    return count


def simulate(
    requests: Iterable[Request],
    cost: CostModel,
    settings: EngineSettings | None = None,
    *,
    step: bool = False,
    hash_tokens: int = 16,
) -> Engine:
    """Run a whole workload through one engine; the engine holds the results, per request in the given order."""
    engine = Engine(cost, settings, step=step, hash_tokens=hash_tokens)
    for request in requests:
        engine.submit(request)
    engine.finish()
    return engine
