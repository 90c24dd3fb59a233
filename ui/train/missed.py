"""What is to be done again."""

from ui.train.progress import Progress


def missed_items(progress: Progress, profile: str, drill: str) -> set[str]:
    """The items of a drill whose last answer was wrong, or that the last exam to ask them got no answer to.

    An exam's question without an answer is no review: nothing was remembered or forgotten, the time was up.
    """
    found = progress.missed(profile, drill)
    last = {review.item: review.at for review in progress.reviews(profile) if review.drill == drill}
    for session in progress.sessions(profile):
        ended = session.finished if session.plan.exam and session.plan.drill == drill else None
        if ended is not None:
            left = [item.key for place, item in enumerate(session.items, 1) if place not in session.answers]
            found.update(key for key in left if key not in last or last[key] < ended)
    return found
