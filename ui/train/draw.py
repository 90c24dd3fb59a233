"""Drawing at random by a seed."""

from hashlib import sha256


def drawn(seed: int | None, identity: str) -> str:
    """What things are sorted by to be drawn; one that is added later moves no other."""
    return sha256(f"{seed}:{identity}".encode("utf-8", "replace")).hexdigest()
