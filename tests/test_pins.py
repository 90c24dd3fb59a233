"""Where pinned rules stand in other editions: invented rulebooks for each kind of look-alike, then the real ones."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from index.bank import BANK, PINS, bank_for
from index.corpus import Corpus, Rule, Section, Source
from index.errors import RulesError
from index.numbers import RuleNumber
from index.parse import parse
from index.pins import FORMAT, Pins
from index.placing import MOVED, SAME, places
from tests.test_bank import ROW, write

DRAWS = {"504": "Draw", "504.1": "One card is drawn.", "504.2": "Second, the player whose turn it is gets priority and may act."}
BLOCKS = {"509": "Blocks", "509.1": "Blockers are named."}
NEVER_HOLDS = "If it left before its effect dealt the damage, look at it as it last was to see whether it had {}."
MELDED = "When a glued permanent leaves, its two cards go to the same zone and lie there in any order that their owner likes."
LAYER = "Within layer {}, effects are applied in a row of smaller layers as told below, and by their timestamps within each."
FACE = "The wearer may turn it face up whenever it could act: it shows what that costs, pays it, and turns the {} card over."


def book(year: int, *parts: dict[str, str]) -> Corpus:
    """A rulebook from numbers: of sections with their titles, and of rules with their texts."""
    lines = {RuleNumber.parse(number): text for part in parts for number, text in part.items()}
    rules = tuple(Rule(number, text) for number, text in sorted(lines.items()) if number.rule is not None)
    sections = tuple(Section(number, text) for number, text in sorted(lines.items()) if number.rule is None)
    return Corpus(date(year, 1, 1), Source("file"), rules, sections)


def placed(new: Corpus, old: Corpus) -> dict[str, str]:
    """Where the rules of a new edition stand in an old one; headings and rules that stay are left out."""
    found = places(Pins.of(new), old)
    rules = {str(rule.number): found.get(rule.number) for rule in new if not rule.is_heading}
    return {
        number: str(place.number) if place else "" for number, place in rules.items() if not place or str(place.number) != number
    }


def test_a_short_rule_stays_in_its_section_though_another_has_its_very_words() -> None:
    new = book(2026, DRAWS, BLOCKS, {"509.2": DRAWS["504.2"]})
    fourth = {**BLOCKS, "509.4": DRAWS["504.2"].replace("Second", "Fourth")}
    old = book(2022, DRAWS, fourth)
    assert placed(new, old) == {"509.2": "509.4"}
    main = {"505": "Main", "505.1": "There are two."}
    new = book(2026, DRAWS, BLOCKS, main, {"505.6": DRAWS["504.2"].replace("Second", "Fourth"), "509.2": DRAWS["504.2"]})
    old = book(2022, DRAWS, main, {"505.5": DRAWS["504.2"].replace("Second", "Third")}, fourth)
    assert placed(new, old) == {"505.6": "505.5", "509.2": "509.4"}


def test_the_same_words_in_two_places_are_each_found_at_home() -> None:
    words = "“{rN}” means “when a lore counter is put on it and makes the count N or more, do this.”"
    symbols = {"107": "Symbols", "107.15": "A symbol stands for a chapter.", "107.15a": words}
    new = book(2026, symbols, {"714": "Sagas", "714.2": "Sagas have chapters.", "714.2b": words})
    old = book(2022, symbols, {"715": "Sagas", "715.2": "Sagas have chapters.", "715.2b": words})
    assert placed(new, old) == {"714.2": "715.2", "714.2b": "715.2b"}
    assert placed(new, book(2021, symbols)) == {"714.2": "", "714.2b": ""}  # one place is not both


def test_a_keyword_has_its_own_rule_or_none() -> None:
    title = {"702": "Keywords"}
    names = {"702.2": "Venom", "702.15": "Leech", "702.80": "Blight"}
    new = book(2026, title, names, {f"{n}c": NEVER_HOLDS.format(name.lower()) for n, name in names.items()})
    reworded = NEVER_HOLDS.format("leech").replace("If it left", "If a permanent has left the battlefield")
    old = book(2019, title, names, {"702.2c": NEVER_HOLDS.format("venom"), "702.15c": reworded})
    assert placed(new, old) == {"702.80c": ""}
    assert places(Pins.of(new), old)[RuleNumber.parse("702.15c")].changed


@pytest.mark.parametrize("text", [FACE, "See rule 708, “What lies face down,” about how to play such cards and what they are."])
def test_a_keyword_that_is_not_there_yet_is_never_another(text: str) -> None:
    mask = {"702": "Keywords", "702.37": "Mask", "702.37e": text.format("masked")}
    veil = {"702": "Keywords", "702.168": "Veil", "702.168d": text.format("veiled")}
    assert placed(book(2026, mask, veil), book(2022, mask)) == {"702.168d": ""}
    # Nor where the other keyword's rule is named by no question.
    pins = Pins.of(book(2026, mask, veil))
    assert RuleNumber.parse("702.168d") not in places(pins.only([RuleNumber.parse("702.168d")]), book(2022, mask))


def test_a_rule_that_moves_as_a_whole_is_followed() -> None:
    glued = {"713": "Glued Cards", "713.1": "Some cards can be glued to each other, back to back, as their text tells."}
    new = book(2026, {"712": "Double Cards", "712.1": "Some cards have no back.", "712.21a": MELDED}, glued)
    old = book(2022, {"712": "Double Cards", "712.1": "Some cards have no back."}, glued, {"713.4a": MELDED})
    assert placed(new, old) == {"712.21a": "713.4a"}
    reworded = MELDED.replace("that their owner likes", "that its owner likes")
    old = book(2019, {"712": "Double Cards", "712.1": "Some cards have no back."}, glued, {"713.4a": reworded})
    assert placed(new, old) == {"712.21a": ""}


def test_what_fits_another_family_about_as_well_has_not_moved() -> None:
    passed = "In the first round packs go to the left, in the second to the right, and in the third to the left again."
    leaders = {"903": "Leaders", "903.1": "Each deck has a leader.", "903.13": "Leader Draft"}
    plots = {"905": "Plot Draft", "905.1": "Plots are drafted."}
    new = book(2026, leaders, plots, {"903.13c": passed, "905.1b": passed.replace("again", "once more")})
    old = book(2019, {"903": "Leaders", "903.1": "Each deck has a leader."}, plots, {"905.1b": passed})
    assert placed(new, old) == {"903.13c": ""}
    shared = {"801": "Packs", "801.1": "Packs are drafted."}
    new = book(2026, leaders, plots, shared, {"903.13c": passed, "905.1b": passed.replace("again", "once more")})
    assert placed(new, book(2013, shared, {"801.3": passed})).items() >= {"903.13c": "", "905.1b": ""}.items()  # whose was it?
    new = book(2026, leaders, plots, {"903.13c": passed, "905.1b": passed})
    old = book(2010, {"801": "Drafts", "801.3": passed})  # either may be its new name
    assert placed(new, old).items() >= {"903.13c": "", "905.1b": ""}.items()


def test_two_rules_never_share_a_place() -> None:
    new = book(2026, {"613": "Layers", "613.2": LAYER.format(1), "613.4": LAYER.format(7)})
    old = book(2019, {"613": "Layers", "613.3": LAYER.format(7)})
    assert placed(new, old) == {"613.2": "", "613.4": "613.3"}


@pytest.mark.parametrize(("now", "then"), [("Ending Turns and Phases", "Ending the Turn"), ("Library", "LIBRARY")])
def test_a_section_may_be_renamed(now: str, then: str) -> None:
    words = "All that waits leaves the game, and the player whose turn it is throws away cards until seven are left."
    new, old = book(2026, {"724": now, "724.1": words}), book(2019, {"716": then, "716.1": words.replace("seven", "eight")})
    assert placed(new, old) == {"724.1": "716.1"}


def test_a_keyword_may_be_renamed_and_a_family_become_a_section() -> None:
    guard = "{} is a static ability of Auras: if what it enchants would be destroyed, it is destroyed instead."
    hand = "A hand is what a player holds; of more than seven cards the rest is thrown away as the turn ends."
    new = book(2026, {"402": "Hand", "402.2": hand, "702": "Keywords", "702.89": "Ghost", "702.89a": guard.format("Ghost")})
    old = book(2003, {"217": "Zones", "217.3": "Hand", "217.3b": hand, "502": "Keywords", "502.8": "Idol"})
    assert placed(new, old) == {"402.2": "217.3b", "702.89a": ""}
    old = book(2013, {"402": "Hand", "402.2": hand, "702": "Keywords", "702.87": "Idol", "702.87a": guard.format("Idol")})
    assert placed(new, old) == {"702.89a": "702.87a"}


def test_a_family_may_lose_its_heading() -> None:
    words = "If the effect of a spell has a number that varies, the number is found once, as the spell resolves, and kept."
    new = book(2026, {"611": "Lasting Effects", "611.2": "Some effects last as long as they say.", "611.2d": words})
    old = book(
        2006,
        {
            "418": "Lasting Effects",
            "418.3": "From Spells",
            "418.3c": words.replace("varies", "changes").replace(", and kept", ""),
        },
    )
    assert placed(new, old) == {"611.2": "", "611.2d": "418.3c"}


def test_an_edition_stands_in_itself(tiny_corpus: Corpus) -> None:
    other = replace(tiny_corpus, edition=date(2030, 1, 1))
    assert {n: p.number for n, p in places(Pins.of(tiny_corpus), other).items()} == {n: n for n in tiny_corpus.by_number}
    assert 0 < MOVED < SAME < 1


# --- the file


def test_names_are_kept_in_the_file(tmp_path: Path, tiny_corpus: Corpus) -> None:
    pins = Pins.of(tiny_corpus).only([RuleNumber.parse("702.19b")])
    (tmp_path / PINS).write_text(pins.to_json())
    assert Pins.read(tmp_path / PINS) == pins
    data = json.loads((tmp_path / PINS).read_text())
    assert data["format"] == FORMAT
    assert {"702", "702.19", "101"} <= data["names"].keys()


@pytest.mark.parametrize("change", [{"format": 1}, {"format": FORMAT + 1}, {"format": None}])
def test_pins_of_another_form_are_refused(tmp_path: Path, tiny_corpus: Corpus, change: dict[str, int | None]) -> None:
    data = {**json.loads(Pins.of(tiny_corpus).to_json()), **change}
    bank = write(tmp_path / "bank", ROW)
    (bank / PINS).write_text(json.dumps({key: value for key, value in data.items() if value is not None}))
    with pytest.raises(RulesError, match=r"pins\.json is of another form \(not 2\); write it anew: python -m index pins"):
        bank_for(tiny_corpus, bank)


@pytest.mark.parametrize("change", [{"names": 3}, {"names": {"x": "0"}}, {"rules": {"702.2": "zz"}}, {"edition": "soon"}])
def test_damaged_pins_are_named(tmp_path: Path, tiny_corpus: Corpus, change: dict[str, object]) -> None:
    (tmp_path / PINS).write_text(json.dumps({**json.loads(Pins.of(tiny_corpus).to_json()), **change}))
    with pytest.raises(RulesError, match=r"pins\.json can't be read"):
        Pins.read(tmp_path / PINS)
    (tmp_path / PINS).write_text("[]")
    with pytest.raises(RulesError, match=r"pins\.json can't be read"):
        Pins.read(tmp_path / PINS)


# --- the real editions

REAL = {
    "2024-11-08": """701.18d=701.14d 701.18e=701.14e 701.58h=701.56h 701.11a= 715.2b=715.2b 720.1= 720.2= 720.2b= 722.1= 722.2b=
        724.2a=721.2a""",
    "2022-10-07": """509.2=509.4 505.6=505.5 714.2b=715.2b 107.15a=107.15a 716.2a=717.2a 107.16a=107.16a 702.168d= 701.58b=
        701.58h= 701.40h=701.34g 720.1= 720.2= 722.1= 722.2= 712.21=713.4 712.21e=713.4e 702.89a=702.89a 702.166d= 308.1=308.1""",
    "2019-05-03": """702.2e=702.2e 702.15c=702.15c 702.80b= 702.90d= 903.13c= 905.1b=905.1b 613.2= 613.4=613.3 111.2=110.5a
        111.8=110.5g 119.1=118.1 206.3a=700.8a 724.1a=716.1a 724.2a= 505.6=505.5 711.2a=710.2a""",
    "2013-04-29": "702.111a= 702.168a= 724.1c=713.1b 702.15c= 905.6=",
    "2003-03-15": "702.3a= 702.12a= 404.3=217.4c 402.2=217.3b",
}
"""Rules of 2026-04-17 and where they stand; nothing where the edition has no such rule."""


@pytest.mark.parametrize("edition", REAL)
def test_look_alikes_of_the_real_editions_are_told_apart(rules_data: Path, edition: str) -> None:
    corpus, _ = parse((rules_data / "cr" / f"{edition}.txt").read_bytes())
    found = {str(number): str(place.number) for number, place in places(Pins.read(BANK / PINS), corpus).items()}
    wanted = dict(case.split("=") for case in REAL[edition].split())
    assert {number: found.get(number, "") for number in wanted} == wanted
    assert len(set(found.values())) == len(found)


def test_the_pinned_edition_stands_in_itself_by_its_words_too(rules_data: Path) -> None:
    corpus, _ = parse((rules_data / "cr" / "2026-04-17.txt").read_bytes())
    pins = Pins.read(BANK / PINS)
    for edition in (corpus.edition, date(2030, 1, 1), None):
        found = places(pins, replace(corpus, edition=edition))
        assert [number for number, place in found.items() if place.number != number or place.likeness < 1] == []
        assert found.keys() == pins.sketches.keys()
