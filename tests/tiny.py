"""A small rulebook in our own words and a small encoder, so that tests need neither the real text nor a model."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from index.encoder import Progress, Vectors, normalise
from index.words import tokens

TINY = """Magic: The Gathering Comprehensive Rules

These rules are effective as of March 4, 2025.

Introduction

A small rulebook for tests.

Contents

1. Game Concepts
100. General
101. Golden Rules
5. Turn Structure
510. Combat Damage Step
7. Additional Rules
702. Keyword Abilities
704. State-Based Actions
Glossary
Credits

1. Game Concepts

100. General

100.1. Games of this kind need two players or more.

100.1a A game for two has exactly two players.

100.1b With more than two players, see section 7, “Additional Rules.”

101. Golden Rules

101.1. A card that says otherwise wins over a rule.

101.2. An effect that forbids wins over one that allows.
Example: One card lets you play two lands, another forbids all lands. You play none.

5. Turn Structure

510. Combat Damage Step

510.1. Each attacker and each blocker assigns damage, as rules 510.1a–b tell.

510.1a An attacker that nobody blocks hits the player it attacks.

510.1b A blocked attacker shares its damage among its blockers. For trample see rule 702.19.

510.2. All assigned damage is dealt at the same moment.

7. Additional Rules

702. Keyword Abilities

702.2. Deathtouch

702.2a Deathtouch is a static ability.

702.2b Any damage from a source with deathtouch kills a creature. See rule 704.5h.

702.2c A single point from such a source is enough to count as lethal damage. See rules 510.1a–b and 702.19b.

702.19. Trample

702.19a Trample is a static ability of attackers.

702.19b The attacker gives each blocker lethal damage first, then the rest may hit the player.
Example: A 5/5 with trample meets a 2/2. Two points go to the blocker and three to the player.
Example: A 4/4 with trample and deathtouch meets a 6/6. One point is enough; three go to the player.

702.19c Without any blocker left, all its damage may hit the player.

702.21. Ward

702.21a Ward triggers when an opponent targets the permanent; the spell is countered unless its cost is paid.

704. State-Based Actions

704.1. The game checks these by itself.

704.5. These are the state-based actions:

704.5g A creature with lethal damage marked on it is destroyed.

704.5h A creature hurt by deathtouch is destroyed.

704.5i A planeswalker without loyalty goes to the graveyard.

Glossary

Attack
To send a creature into combat. See rule 510, “Combat Damage Step.”

Deathtouch
A keyword that makes any damage deadly. See rule 702.2, “Deathtouch.”

Lethal Damage
1. Enough damage to destroy a creature. See rule 704.5g.
2. For trample, see rule 702.19b.

Trample
A keyword about damage that is left over. See rule 702.19, “Trample.”

Ward
A keyword that protects. See rule 702.21, “Ward.”

Credits

Nobody in particular.
"""


NO_BANK = Path("/there/is/no/bank")
"""Our own questions are about the real rules; a few would find their rules even in this small rulebook."""


class HashEncoder:
    """Words hashed into 64 places: the more words two texts share, the nearer they are."""

    name = "hash-64"
    sha256 = "0" * 64

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        self.encoded += texts
        rows = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in tokens(text):
                rows[row, int(hashlib.md5(word.encode()).hexdigest(), 16) % 64] += 1
        if progress:
            progress(len(texts))
        return normalise(rows)
