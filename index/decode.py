"""Turn the bytes of a rulebook into text."""

import unicodedata

BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
# What editions were saved in when they were not Unicode: Windows, then DOS, then old Macs.
LEGACY = ("cp1252", "cp437", "mac-roman")
TYPOGRAPHY = set("‘’“”–—•…™®©°−½¼\N{NO-BREAK SPACE}")


def decode(data: bytes) -> str:
    """The text of a rulebook in any encoding that an edition has had.

    A byte order mark decides; else UTF-16 without one (every other byte is zero), UTF-8 where valid, and
    otherwise the legacy encoding that makes the most sense: letters inside words, punctuation around them.
    """
    for bom, name in BOMS:
        if data.startswith(bom):
            return data.decode(name, errors="replace")
    head = data[:2000]
    if head.count(0) > len(head) // 3:
        return data.decode("utf-16-be" if head[:1] == b"\0" else "utf-16-le", errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return min((data.decode(name, errors="replace") for name in LEGACY), key=_oddity)


def _oddity(text: str) -> int:
    """How many characters outside ASCII do not fit: a letter fits in a lower-case word, typography anywhere."""
    odd = 0
    for i, char in enumerate(text):
        if char < "\x80":
            continue
        latin = unicodedata.name(char, "").startswith("LATIN ") and char != "ƒ"
        after_letter = text[i - 1 : i].isalpha()
        # "Dandân" and "Ætherling" fit; a capital inside a word, or a sign there other than an apostrophe, does not.
        fits = (latin and char.islower() == after_letter) or (char in TYPOGRAPHY and char != "\N{NO-BREAK SPACE}")
        if char in "–—" and after_letter and text[i + 1 : i + 2].islower():
            odd += 1  # a dash glued into a word, as in "Ma'r–f", is more likely a letter misread
        odd += not fits
    return odd
