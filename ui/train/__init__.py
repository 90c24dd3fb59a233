"""Judge training: drills, sessions, spaced repetition and progress on our own questions."""
