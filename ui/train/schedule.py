"""When an item is due again: FSRS, exactly as its library computes it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fsrs import Scheduler

DRILLS = ("rule", "ruling", "contrast")
"""find the rule; give the ruling; which of two rules decides."""


@dataclass(frozen=True)
class Memory:
    """What is known of how well a trainee remembers an item.

    Attributes:
        due: when to ask again, in UTC.
        state: the library's card as JSON.
    """

    due: datetime
    state: str


@cache
def scheduler() -> "Scheduler":
    """The library's scheduler with its default parameters; without fuzz, so that a replay gives the same dates."""
    from fsrs import Scheduler

    return Scheduler(enable_fuzzing=False)


def reviewed(memory: Memory | None, rating: int, at: datetime) -> Memory:
    """The memory after a review.

    Args:
        memory: None for an item that is new.
        rating: 1 again, 2 hard, 3 good, 4 easy.
        at: when the review took place; with a time zone.
    """
    from fsrs import Card, Rating

    at = at.astimezone(UTC)
    # The library's own id is the clock's; a fixed one makes a replay give the same state to the letter.
    card = Card.from_json(memory.state) if memory else Card(card_id=0, due=at)
    card, _ = scheduler().review_card(card, Rating(rating), at)
    return Memory(card.due, card.to_json())
