"""An answer as HTML: known questions, then the ranked rules as cards grouped by family."""

from collections.abc import Sequence

from index.cards import Face
from index.numbers import RuleNumber
from qa.answer import Answer, Family, Hit, Known, Reason
from qa.question import clean
from ui.text import UNMARKED, Marks, Writer, esc, question_address, ref, rule_address, term_address

OPEN = 5
"""The cards of this many best rules are open; the families after them are folded."""
REASONS = 4
"""At most this many reasons are told of each rule."""


def answer_html(answer: Answer, writer: Writer) -> str:
    """The whole answer."""
    marks = Marks.asked(answer.read_as or answer.question)
    rank = {hit.number: place for place, hit in enumerate(answer.hits, 1)}
    families = [(family, _family(family, writer, marks, rank, answer.settled is not False)) for family in answer.families]
    first = [html for family, html in families if rank[family.hits[0].number] <= OPEN]
    rest = [html for family, html in families if rank[family.hits[0].number] > OPEN]
    count = sum(len(f.hits) for f in answer.families if rank[f.hits[0].number] > OPEN)
    more = f'<details class="more"><summary>{_plural(count, "more rule")} that may matter</summary>{"".join(rest)}</details>'
    permalink = question_address(answer.read_as or answer.question)
    return (
        f'<section class="answer" aria-label="Answer" data-question="{esc(answer.question)}" data-permalink="{esc(permalink)}" '
        f'data-read-as="{esc(answer.read_as)}" data-rules="{" ".join(str(hit.number) for hit in answer.hits)}" '
        f'data-settled="{"no" if answer.settled is False else ""}">'
        f'<h1 class="asked" dir="auto" tabindex="-1">{esc(_shown(answer.question))}</h1>'
        f"{_notes(answer)}{_known(answer.known, writer)}{_cards(answer, writer)}{''.join(first)}{more if rest else ''}"
        f"{_terms(answer)}{_tools(permalink) if answer.hits else ''}</section>"
    )


def _shown(question: str, length: int = 300) -> str:
    text = " ".join(question.split())
    return text if len(text) <= length else f"{text[:length]} …"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _notes(answer: Answer) -> str:
    """What the user must know about this answer, one line each."""
    notes = []
    before = _before(answer)
    if before:
        notes.append(f'Read together with the question before: <q dir="auto">{esc(_shown(before, 100))}</q>')
    if answer.notice:
        notes.append(esc(answer.notice[0].upper() + answer.notice[1:]) + ".")
    if answer.settled is False and answer.hits:
        notes.append("The rules found may not settle this question. These are the nearest.")
    elif not answer.hits and not answer.notice:
        notes.append('No rule was found. Ask in other words, or look in <a href="/search">Search</a>.')
    return "".join(f'<p class="note" role="note">{note}</p>' for note in notes)


def _before(answer: Answer) -> str:
    """The earlier question with which a follow-up was read; empty for any other question."""
    own = clean(answer.question)
    return answer.read_as.removesuffix(own).strip() if own and answer.read_as.endswith(own) else ""


def _known(known: Sequence[Known], writer: Writer) -> str:
    """Questions of the bank that are the same case, with our ruling."""
    if not known:
        return ""
    items = "".join(
        f'<li><p class="known-question">{esc(item.question)}</p><p class="ruling">{writer.text(item.answer)}</p>'
        f'<p class="small">Decided by {", ".join(ref(n, title=writer.title(n)) for n in item.rules)}</p></li>'
        for item in known
    )
    return f'<section class="known" aria-label="Known questions"><h2>We know this case</h2><ul>{items}</ul></section>'


def _cards(answer: Answer, writer: Writer) -> str:
    """The cards that the question names, with their texts, and the names that may mean several."""
    faces = "".join(card_face(face, writer) for card in answer.cards for face in card.faces)
    doubts = "".join(
        f'<p class="small">“{esc(name.written)}” may mean {esc(" or ".join(name.names))}; write the whole name.</p>'
        for name in answer.unclear
    )
    if not faces and not doubts:
        return ""
    return f'<section class="named" aria-label="Cards in the question"><h2>Cards in the question</h2>{faces}{doubts}</section>'


def card_face(face: Face, writer: Writer) -> str:
    """A card's face with its text, folded open."""
    cost = f" {writer.text(face.mana_cost)}" if face.mana_cost else ""
    return (
        f'<details class="face" open><summary><b>{esc(face.name)}</b>{cost} '
        f'<span class="small">{esc(face.type_line)}</span></summary>'
        f'<p class="text">{writer.text(face.text)}</p></details>'
    )


def _family(family: Family, writer: Writer, marks: Marks, rank: dict[RuleNumber, int], sure: bool) -> str:
    """A family's cards; of one that is among the best, the weaker rules are folded, so that the next family is near."""
    cards = [_card(hit, writer, marks, rank[hit.number], sure) for hit in family.hits]
    ahead = sum(rank[hit.number] <= OPEN for hit in family.hits) or len(cards)
    name = f"{esc(family.number)} {esc(family.title)}"
    section = writer.title(family.number.head)
    above = f'<span class="section">{esc(section)}</span>' if section != family.title else ""
    heading = (
        f'<a class="ref" href="{esc(rule_address(family.number))}">{esc(family.number)} <span>{esc(family.title)}</span></a>'
    )
    rest = "".join(cards[ahead:])
    more = f"<details><summary>{len(cards) - ahead} more of {esc(family.number)}</summary>{rest}</details>" if rest else ""
    return f'<section class="family" aria-label="{name}"><h2>{heading}{above}</h2>{"".join(cards[:ahead])}{more}</section>'


def _card(hit: Hit, writer: Writer, marks: Marks, rank: int, sure: bool) -> str:
    number = hit.number
    text = writer.text(hit.rule.text, marks)
    best = ' <span class="badge">best match</span>' if rank == 1 and sure else ""
    return (
        f'<article class="card" tabindex="-1" data-number="{number}" aria-label="Rule {number}">'
        f"<header><h3>{ref(number, css='ref number')}</h3>{best}"
        f'<span class="rank" title="Place in the answer">#{rank}</span></header>'
        f'<p class="text">{text}</p>{examples(hit.rule.examples, writer, marks)}'
        f"<footer>{_why(hit, writer)}{siblings(hit, writer)}</footer></article>"
    )


def examples(texts: Sequence[str], writer: Writer, marks: Marks = UNMARKED, *, opened: bool = False) -> str:
    """A rule's examples, folded."""
    if not texts:
        return ""
    items = "".join(f'<p class="text">{writer.text(text, marks)}</p>' for text in texts)
    fold = " open" if opened else ""
    return f'<details class="examples"{fold}><summary>{_plural(len(texts), "example")}</summary>{items}</details>'


def siblings(hit: Hit, writer: Writer) -> str:
    """The other rules of the family, one click away."""
    family = writer.corpus.family(hit.number)
    if len(family) < 2:
        return ""
    links = []
    for rule in family[:30]:
        letter = rule.number.letter or str(rule.number)
        here = rule.number == hit.number
        current = f"<b>{esc(letter)}</b>"
        links.append(current if here else ref(rule.number, letter, title=f"Rule {rule.number}", css="ref sibling"))
    return f'<nav class="siblings" aria-label="The family of {hit.number}">{" ".join(links)}</nav>'


def _why(hit: Hit, writer: Writer) -> str:
    told = reasons(hit.reasons)
    path = " · ".join(f"{ref(s.start)} {esc(s.relation)} {ref(s.end)}" for s in hit.path)
    way = f'<span class="path">Path: {path}</span>' if path else ""
    return f'<p class="why"><span class="label">Why:</span> {writer.text("; ".join(told))}.{way}</p>' if told or way else ""


def reasons(found: Sequence[Reason]) -> list[str]:
    """Why a rule is there, in plain words, the strongest first, each thing once."""
    told = [_told(reason) for reason in sorted(found, key=lambda reason: (_strength(reason), reason.rank))]
    return list(dict.fromkeys(told))[:REASONS]


_STRENGTH = ("number", "question", "term", "phrase", "citation", "together", "meaning", "words")
_FOUND = {"meaning": ("is near in meaning", "is nearest in meaning"), "words": ("shares words", "shares most words")}
SAME = 0.8
"""From this likeness on, a known question is the same situation; below, it is a similar one."""


def _strength(reason: Reason) -> int:
    kind = "question" if "question" in reason.via.partition(":")[0] else reason.kind
    return _STRENGTH.index(kind) if kind in _STRENGTH else len(_STRENGTH)


def _told(reason: Reason) -> str:
    if reason.kind == "number":
        return f"you asked for {reason.via}"
    if reason.kind == "term":
        return f"the question names “{reason.via}”"
    if reason.kind == "phrase":
        return f"the question speaks of “{reason.via}”"
    if reason.kind == "citation":
        return reason.via
    if reason.kind == "together":
        return f"it often decides beside {reason.via}"
    passage = reason.via.partition(":")[0]
    kind = reason.kind
    if kind == "cards":  # the question with its cards' texts in the place of their names
        kind, _, passage = passage.partition("-")
    if passage == "question":
        same = kind == "meaning" and reason.score >= SAME
        return "same situation as a known question" if same else "it decides a similar known question"
    verb = _FOUND.get(kind, (kind, kind))[reason.rank == 1]
    what = {"glossary": "its glossary entry", "example": "an example"}.get(passage, "its text")
    return f"{what} {verb}" + (" with the cards’ texts" if reason.kind == "cards" else "")


def _terms(answer: Answer) -> str:
    """The glossary entries of the terms that the question names."""
    if not answer.terms:
        return ""
    links = ", ".join(f'<a class="term" href="{esc(term_address(t.term))}">{esc(t.term)}</a>' for t in answer.terms)
    return f'<p class="terms"><span class="label">Glossary:</span> {links}</p>'


def _tools(permalink: str) -> str:
    """Copying, the permalink and feedback."""
    return (
        '<div class="tools" role="group" aria-label="Take this answer with you">'
        '<button type="button" data-copy="text">Copy as text</button>'
        '<button type="button" data-copy="markdown">Copy as Markdown</button>'
        f'<a class="button" data-permalink-link href="{esc(permalink)}">Permalink</a></div>'
        '<form class="feedback" aria-label="Was this helpful?"><fieldset><legend>Was this helpful?</legend>'
        '<button type="submit" name="helpful" value="yes">Yes</button>'
        '<button type="submit" name="helpful" value="no">No</button>'
        '<label>Right rule, if you know it <input name="number" inputmode="text" autocomplete="off" maxlength="20" '
        'placeholder="702.19b"></label></fieldset><p class="said" role="status"></p></form>'
    )


def earlier_html(turns: Sequence[tuple[str, str, Sequence[str]]]) -> str:
    """The questions before in this chat, newest first, with their best rules.

    Args:
        turns: of each question how it was asked, how it was read, and the numbers of its best rules.
    """
    if not turns:
        return ""
    items = "".join(
        f'<li><a href="{esc(question_address(read_as))}" dir="auto">{esc(_shown(asked, 120))}</a> '
        f'<span class="small">{" ".join(ref(number) for number in numbers)}</span></li>'
        for asked, read_as, numbers in reversed(turns)
    )
    return f'<section class="earlier" aria-label="Earlier in this chat"><h2>Earlier in this chat</h2><ol>{items}</ol></section>'
