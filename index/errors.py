"""The one error class of the project."""


class RulesError(Exception):
    """Something a user can put right; the text says what is wrong and what to do.

    Every ``__main__`` catches it once, prints its text on one line and exits with code 1.
    """
