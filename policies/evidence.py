"""Whether a family's evidence speaks of the family as it is now. Pure.

An evidence file is what `python -m evaluation calibrate` writes: for each family what was calibrated (a digest of every
setting that decides a semantic hit), with which embedder, for which promise, and what the labels proved.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeGuard

from policies.model import FamilyPolicy

_DECIDING = ("threshold", "floor", "guards", "lexicon", "multi_turn", "top_k")


def policy_digest(family: FamilyPolicy) -> str:
    """Digest of what decides whether the family serves a similar prompt. Lifetimes, batching and `mode` don't."""
    semantic = family.semantic.model_dump(mode="json", include=set(_DECIDING))
    deciding = {
        "match": family.match.model_dump(mode="json"),
        "normalize": sorted(set(family.normalize)),
        "semantic": {**semantic, "guards": sorted(set(family.semantic.guards))},
    }
    return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()


def check_evidence(family: FamilyPolicy, path: Path, embedder: str | None = None) -> str | None:
    """What is wrong with the file that a family's threshold rests on, or None.

    Args:
        embedder: sha256 of the model file in use; None where it isn't known.
    """
    try:
        evidence = json.loads(path.read_text("utf-8"))
    except OSError:
        return "there is no such file"
    except ValueError:
        return "not JSON: write a file of `python -m evaluation calibrate`"
    named = evidence.get("families") if isinstance(evidence, dict) else None
    if not isinstance(named, dict) or not isinstance(named.get(family.name), dict):
        return f"says nothing of family {family.name}"
    return _wrong(family, named[family.name], embedder)


def _wrong(family: FamilyPolicy, said: Mapping[str, Any], embedder: str | None) -> str | None:
    bound, budget = said.get("false_hit_bound"), said.get("max_false_hit")
    if not _is_rate(bound) or not _is_rate(budget):
        return "proves no bound: write a file of `python -m evaluation calibrate`"
    if said.get("threshold") != family.semantic.threshold:
        return f"is for a threshold of {said.get('threshold')}, not {family.semantic.threshold}: calibrate again"
    if said.get("policy") != policy_digest(family):
        return f"is for other {', '.join(_DECIDING[1:])}, match or normalize than the family has now: calibrate again"
    if embedder is not None and said.get("embedder_sha256") != embedder:
        return (
            f"is for the embedder {str(said.get('embedder_sha256'))[:16]}, in use is {embedder[:16]}: calibrate again"
        )
    if bound > budget:
        return f"proves a false-hit rate of at most {bound:.2%}, and promises {budget:.2%}: keep mode: off"
    return None


def _is_rate(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
