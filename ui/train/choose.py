"""Which items a session asks, and in which order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ui.train.draw import drawn
from ui.train.schedule import Memory
from ui.train.session import Item, Plan


@dataclass(frozen=True)
class Candidate:
    """An item that passes the filters.

    Attributes:
        ahead: whether it goes before others that are new: its section is weak, or its rules are often mistaken.
    """

    item: Item
    level: int
    ahead: bool = False


def choose(candidates: Sequence[Candidate], memories: Mapping[str, Memory], plan: Plan, now: datetime) -> list[Item]:
    """What is due, the longest due first; then new items; then what will be due soonest. An exam goes by its seed alone.

    Args:
        memories: by item, the longest due first.
        plan: with a seed.
    """
    shuffled = sorted(candidates, key=lambda c: drawn(plan.seed or 0, c.item.key))
    if plan.exam:
        return [candidate.item for candidate in shuffled[: plan.length]]
    here = {candidate.item.key: candidate for candidate in shuffled}
    known = [here[key] for key in memories if key in here]
    due = [candidate for candidate in known if memories[candidate.item.key].due <= now][: plan.length]
    new = _new([c for c in shuffled if c.item.key not in memories], plan.length - len(due))
    later = [candidate for candidate in known if memories[candidate.item.key].due > now]
    chosen = [*due, *new, *later]
    return [candidate.item for candidate in chosen[: plan.length]]


def _new(shuffled: Sequence[Candidate], room: int) -> list[Candidate]:
    """New items for the room that is left: up to half of them from ahead; by level, so that a session begins gently."""
    ahead = [candidate for candidate in shuffled if candidate.ahead][: (room + 1) // 2]
    taken = {candidate.item.key for candidate in ahead}
    rest = [candidate for candidate in shuffled if candidate.item.key not in taken]
    chosen = [*ahead, *rest][:room]
    return sorted(chosen, key=lambda candidate: (candidate.item.key not in taken, candidate.level))
