"""What language agents are told: rules without secrets, texts that show the state, answers read by lines."""

import base64
import inspect
import re
import struct
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from caregrid.citations import WORKS
from caregrid.language.answers import read_action, read_plan
from caregrid.language.copied_situations import COPIED
from caregrid.language.episodes import LanguageEpisode, Message, TellingSettings
from caregrid.language.prompts import FORMS, OTHERS, SITUATION_PROMPTS, TURN_PROMPTS, WORLD_PROMPTS, PromptKind
from caregrid.language.self_reflection import SelfQuestion, SelfReflectionRun
from caregrid.language.situations import LetteredQuestion
from caregrid.language.texts import describe_shown, list_legend, read_shown, show_state, spell_fields
from caregrid.language.worlds import LanguageWorld
from craftworld.rollout import EpisodeReplay
from craftworld.scenario import Scenario
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from engine.agent import Transition
from engine.errors import CaregridError
from engine.mdp.tabulate import tabulate
from engine.randomness.counter_based import randrange

NAMES = tuple(SCENARIOS.names())
SECRETS = (
    "performance", "hidden", "intended", "supposed", "meant to", "side effect", "safety problem", "clockwise",
    "corner", "delusion", "deluding", "trap", "trick", "worse off", "paper", "benchmark", "suite", "gridworld",
)  # fmt: skip


@pytest.fixture(params=NAMES)
def scenario(request: pytest.FixtureRequest) -> Scenario:
    """A registered scenario."""
    return make_scenario(SCENARIOS[request.param])


def _split(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def _list_runs(text: str, length: int) -> set[tuple[str, ...]]:
    words = _split(text)
    return {tuple(words[n : n + length]) for n in range(len(words) - length + 1)}


def test_rules_give_away_no_secret_and_name_no_paper(scenario: Scenario) -> None:
    rules = f"{scenario.write_rules()} {scenario.write_wishes()}"
    assert not [secret for secret in SECRETS if secret in rules.lower()]
    titles = re.findall(r"title = \{(.*?)\}, ", WORKS)
    authors = " ".join(re.findall(r"author = \{(.*?)\}, ", WORKS))
    families = {*re.findall(r"(?:^| and )([A-Z]\w+), ", authors)}
    assert len(titles) > 10 < len(families)
    assert not families & {*re.findall(r"[A-Z]\w+", rules)}
    assert not [title for title in titles if title.lower() in rules.lower()]
    assert "_" not in scenario.name or scenario.name.replace("_", " ") not in rules.lower()
    assert not _list_runs(scenario.problem, 6) & _list_runs(rules, 6)
    hidden = type(scenario).performance
    if hidden is not Scenario.performance:
        assert not _list_runs(inspect.getdoc(hidden) or "", 6) & _list_runs(rules, 6)


def test_legends_give_away_no_secret(scenario: Scenario) -> None:
    replay = EpisodeReplay(scenario)
    legend = list_legend(scenario, scenario.scene(replay.start))
    assert "you" in legend.values()
    assert not [name for name in legend.values() for secret in SECRETS if secret in name]


def test_whoever_acts_is_told_what_every_glyph_on_the_board_means(scenario: Scenario) -> None:
    state = EpisodeReplay(scenario).start
    scene = scenario.scene(state)
    assert {glyph for row in scenario.board(state) for glyph in row} - {" "} <= {*list_legend(scenario, scene)}


@pytest.mark.slow_cases("workshop_shared")
def test_two_states_that_go_on_have_one_text_only_where_hidden_fields_differ(scenario: Scenario) -> None:
    if scenario.replay_only:
        states = _list_walked_states(scenario)
    else:
        table = tabulate(scenario)
        states = [state for number, state in enumerate(table.states) if not table.terminal[number]]
        states = [*dict.fromkeys(states)]
    texts = Counter(spell_fields(describe_shown(scenario, state)) for state in states)
    told = {
        tuple(value for name, value in zip(state._fields, state, strict=True) if name not in scenario.hidden)
        for state in states
    }
    assert len(texts) == len(told)


def _list_walked_states(scenario: Scenario) -> list[Any]:
    """Some states of a world that is too large for a table."""
    replay = EpisodeReplay(scenario, seed=3)
    found = [replay.state]
    while possible := replay.available():
        replay.take(possible[randrange(len(possible), 11, replay.steps)])
        found.append(replay.state)
    return [*dict.fromkeys(found)]


@pytest.mark.parametrize("show", ["text", "json", "picture"])
def test_a_state_is_read_back_from_what_is_shown(scenario: Scenario, show: str) -> None:
    state = EpisodeReplay(scenario).start
    shown = show_state(scenario, state, 3, 24, scenario.actions, -1.5, show)
    back = read_shown(shown.text)
    assert (back.step, back.limit, back.reward) == (3, 24, -1.5)
    assert spell_fields(back.fields) == spell_fields(describe_shown(scenario, state))
    assert not {*back.fields} & {*scenario.hidden}
    assert bool(shown.picture) is (show == "picture")


def test_the_picture_is_a_png_of_the_board() -> None:
    scenario = make_scenario(SCENARIOS["garden"])
    [start] = scenario.starts()
    uri = show_state(scenario, start, 1, 9, scenario.actions, None, "picture").picture
    data = base64.b64decode(uri.removeprefix("data:image/png;base64,"))
    width, height = struct.unpack(">II", data[16:24])
    rows, columns = scenario.grid.shape
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert width >= 32 * columns
    assert height >= 32 * rows
    assert b"IDAT" in data
    assert len(zlib.decompress(data[data.index(b"IDAT") + 4 :])) > width


def test_texts_that_were_not_shown_are_refused_in_one_line() -> None:
    for text in ("", "{", "{}", "Step 1 of", "Step a of b.\nState: {}", "Step 1 of 2.\nState: ["):
        with pytest.raises(CaregridError, match="no state can be read") as caught:
            read_shown(text)
        assert "\n" not in str(caught.value)


def test_a_scenario_without_rules_is_refused() -> None:
    for name, options in (("mail_round", {"person": "Ann"}), ("kitchen_salt", {"role": "other"})):
        with pytest.raises(CaregridError, match="no rules in words"):
            make_scenario(SCENARIOS[name], **options).write_rules()


@pytest.mark.parametrize("name", WORLD_PROMPTS.list_names())
def test_prompt_sets_fill_without_a_gap_left(name: str) -> None:
    texts = WORLD_PROMPTS.find(name)
    filled = texts.fill("system", rules="RULES {x}", limit="7", others="", form=texts.fill("form: move", example="up"))
    assert "RULES {x}" in filled
    assert "ACTION: " in filled
    assert "7" in filled


def _write_set(kind: PromptKind) -> str:
    """A set with every section and gap."""
    return "\n".join(
        f"[{title}]\n{' '.join(f'{{{gap}}}' for gap in sorted(gaps))}" for title, gaps in kind.gaps.items()
    )


@pytest.mark.parametrize(
    ("kind", "old", "new", "said"),
    [
        (TURN_PROMPTS, "{observations}", "", "section [system] lacks {observations}"),
        (TURN_PROMPTS, "{shown}", "{shown} {actions}", "use {shown}; write"),
        (SITUATION_PROMPTS, "{situation}", "", "section [question] lacks {situation}"),
        (SITUATION_PROMPTS, "[question]", "[turn]", "unknown section 'turn'"),
        (SITUATION_PROMPTS, "[reminder]\n", "[reminder]\nsay {it}", "use no gap; write {{ for a brace"),
    ],
)
def test_other_kinds_of_sets_have_their_own_sections(kind: PromptKind, old: str, new: str, said: str) -> None:
    text = _write_set(kind)
    kind.parse("mine", text)
    with pytest.raises(CaregridError) as caught:
        kind.parse("mine", text.replace(old, new, 1))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[turn]", "[trun]", "unknown section 'trun'"),
        ("[turn]\n{shown}", "", "no section"),
        ("{shown}", "{shown} {secret}", "a gap in section"),
        ("{shown}", "{shown", "a gap in section"),
        ("{shown}", "{shown.__class__}", "cannot be filled"),
        ("{shown}", "nothing", "lacks {shown}"),
        ("[reminder]", "[turn]\n{shown}\n[reminder]", "is there twice"),
        ("[system]", "hello\n[system]", "text before the first section"),
    ],
)
def test_mistakes_in_prompt_sets_are_one_line(old: str, new: str, said: str) -> None:
    text = _write_set(WORLD_PROMPTS)
    WORLD_PROMPTS.parse("mine", text)
    with pytest.raises(CaregridError) as caught:
        WORLD_PROMPTS.parse("mine", text.replace(old, new, 1))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


PIECES = (
    "ACTION:", "ACTION: ", "action:", "Action: ", "PLAN: ", "up", "down", "take the hammer", "take", "hammer", "*", "`",
    "\n", "\r\n", "\r", "\u2028", "\x0b", "\x85", "\x0c", "\t", " ", "", ",", ".", "<b>", "#A  G#", "\x1b[31m", "é",
    "\u202e", "\U0001f600", "State: {}", "[system]", "ACTION: up\n", "\nACTION: down",
)  # fmt: skip
ACTIONS = ("up", "down", "take the hammer", "take")


def _read_by_characters(answer: str) -> str | None:
    """The same rule as a machine of characters: the last line whose first characters after blanks are the mark."""
    found, line, lines = None, "", []
    for letter in answer + "\n":
        if letter in "\r\n":
            lines.append(line)
            line = ""
        else:
            line += letter
    for line in lines:
        begin = 0
        while begin < len(line) and line[begin] in " \t":
            begin += 1
        if line[begin : begin + 7] == "ACTION:":
            name = line[begin + 7 :]
            while name[:1] in (" ", "\t"):
                name = name[1:]
            while name[-1:] in (" ", "\t"):
                name = name[:-1]
            found = name
    return next((action for action in ACTIONS if action == found), None)


def test_a_hundred_thousand_answers_are_read_as_the_rule_says() -> None:
    read = Counter[str | None]()
    for number in range(100_000):
        length = randrange(9, 71, number)
        answer = "".join(PIECES[randrange(len(PIECES), 72, number, place)] for place in range(length))
        expected = _read_by_characters(answer)
        assert read_action(answer, ACTIONS) == expected, repr(answer)
        read[expected] += 1
    assert len(read) == len(ACTIONS) + 1
    assert min(read.values()) >= 50


def test_an_answer_of_megabytes_is_read() -> None:
    filler = "ACTION: down or up, and then\n" * 100_000
    assert read_action(filler + "ACTION: up", ACTIONS) == "up"
    assert read_action("ACTION: up" + "\n" * 3_000_000, ACTIONS) == "up"
    assert read_action("ACTION: up\n" + filler, ACTIONS) is None


def test_plans_are_read_whole_or_not_at_all() -> None:
    assert read_plan("first\nPLAN: up, take the hammer,down", ACTIONS) == ["up", "take the hammer", "down"]
    assert read_plan("PLAN: up, sideways", ACTIONS) is None
    assert read_plan("PLAN:", ACTIONS) is None
    assert read_plan("ACTION: up", ACTIONS) is None


def test_the_first_texts_of_all_worlds_are_pinned() -> None:
    """A change in what is told is a change in what was measured: it must be seen."""
    told = []
    for name in NAMES:
        scenario = make_scenario(SCENARIOS[name])
        start = max(scenario.starts().items(), key=lambda each: each[1])[0]
        replay = EpisodeReplay(scenario)
        told += [f"== {name}", scenario.write_rules(), scenario.write_wishes()]
        told.append(show_state(scenario, start, 1, 10, replay.available(), None, "text").text)
    pinned = Path(__file__).parent / "first_texts.txt"
    assert "\n".join(told) + "\n" == pinned.read_text(encoding="utf-8")


def test_the_prompt_sets_are_pinned() -> None:
    """All sets of all kinds, filled with one world, one game of turns and one situation."""
    told: list[str] = []

    def tell(title: str, messages: Sequence[Message]) -> None:
        told.extend([f"== {title}", *(f"[{each.role}]\n{each.text}" for each in messages)])

    for prompts in WORLD_PROMPTS.list_names():
        for said, form in zip(OTHERS, (*FORMS, FORMS[0]), strict=True):
            episode = LanguageEpisode(LanguageWorld("garden"), TellingSettings(prompts, others=said, form=form), 0)
            episode.answer("no action")
            tell(f"worlds, {prompts}, {said}, {form}", episode.messages())
    history = (Transition(0, 1, -0.25, 4), Transition(4, 0, 9.0, 2))
    for prompts in TURN_PROMPTS.list_names():
        run = SelfReflectionRun("crying_baby", 3, prompts=prompts)
        first, later = SelfQuestion(2, 2, 0, (), 1), SelfQuestion(2, 2, 0, history, 1)
        tell(f"turns, {prompts}", [*run.tell(first), *run.tell(later)[1:], run.remind(later)])
    for prompts in SITUATION_PROMPTS.list_names():
        texts = SITUATION_PROMPTS.find(prompts)
        tell(f"situations, {prompts}", LetteredQuestion(COPIED[0], 0, 1).tell(texts))
        told.append(texts.fill("reminder"))
    pinned = Path(__file__).parent / "prompt_sets.txt"
    assert "\n".join(told) + "\n" == pinned.read_text(encoding="utf-8")
