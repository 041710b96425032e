"""Recognise yourself: your actions, and how you would label, cluster, chat, predict and know.

    r = 1 where a > 0 and the trial looks like T, or a = 0 and it does not, else 0

`self_recognition` shows plays by their number in the canonical enumeration (`xenv.theory.enumerations`) and asks
whether the last action of each is the agent's. The others show trials of what the agent becomes by a
transformation: f, a supervised learner; g, a clusterer; h, a chatbot; the predictor of adversarial sequence
prediction; and i, a mechanical knowing agent. A transformation asks the agent about histories that show it things,
with these codes:

    f          image i as 2 i + 1, in the order of the training set; the guess is the action mod the number of labels,
               and the next reward is 1 if it was right, else -1; f(A)(I) = 1 for the label A takes, 0 for the others
    g          point c as 2 c + 1, with c the Cantor pairing of its coordinates' places among the rationals, reward 0;
               points are in one cluster where the agent takes the same action, mod the number of points
    h          letter k of the alphabet (1, 2, ...) as 2 k + 1; what the agent does meanwhile does not count; then 1,
               again after each letter it says: its action, mod one more than there are letters, is the next letter,
               and 0 ends its answer, which has at most `LONGEST` letters; all rewards are 0
    predictor  the evader's last bit b as 2 b + 1 (1 at first), with reward 1 if the last guess was right, -1 if it
               was wrong, 0 at first; the guess is the agent's action mod 2
    i          at step m = 1, 2, ..., with m - 1 <-> (k, t) Cantor's pairing, sentence k as 2 k + 1 with reward 0, for
               t + 1 turns; sentence k, if there is one, is enumerated where the last action is greater than 0

Trial n is shown as an even number; what a transformation shows the agent is odd, so that it can tell the two apart.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", "Examples
involving self-recognition" (Examples 11 and 12), which leaves the transformations open; the prediction game is B.
Hibbard's, "Adversarial sequence prediction", 2008.

Choices:
- trials are finitely many, shown in order again and again; `chat(my_trials)` in Python takes others, or more
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from xenv.theory.agents import HistoryAgent
from xenv.theory.enumerations import decode_play, encode_rational, pair_numbers, unpair_number
from xenv.theory.environments import ZERO, TheoryExample, sign
from xenv.theory.histories import Percept, Play
from xenv.theory.recognition import Recognition, show_listed_trials, show_trials

__all__ = ["chat", "clustering", "knowing_agent", "self_recognition", "sequence_prediction", "supervised_learning"]


def would_act_so(agent: HistoryAgent, number: int) -> bool:
    """Return whether the last action of p_n is what the agent would have done."""
    prompt, action = decode_play(number).decompose()
    return agent(prompt) == action


self_recognition = TheoryExample(
    lambda: Recognition(lambda turn: turn, would_act_so, lambda prompt: prompt.observations[-1] or None),
    is_merciful=True,
    n_observations=None,
)
"""Recognise yourself: is this what you would do?

    e(T, p a) = (r, n),   r = 1 where a > 0 and a' = T(p'), or a = 0 and a' != T(p'), else 0;   p_{n-1} = p' a'

The play p_n is shown as its number n in the canonical enumeration (`xenv.theory.enumerations`). p_0 = <0, 0, 0>
asks about the prompt at which it is shown: there no answer is right.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Incentivizing Self-recognition.
"""


class SupervisedTrial(NamedTuple):
    """<L, T, I, p>: labels 0 .. n_labels - 1, training set of (image, label), an image, each label's probability."""

    n_labels: int
    training: tuple[tuple[int, int], ...]
    image: int
    probabilities: tuple[Fraction, ...]


def label_image(
    agent: HistoryAgent, n_labels: int, training: tuple[tuple[int, int], ...], image: int
) -> tuple[Fraction, ...]:
    """Train f(A) and return the probability that it gives to each label of an image."""
    play, reward = Play(), ZERO
    for shown, label in training:
        prompt = play.prompt(Percept(reward, 2 * shown + 1))
        action = agent(prompt)
        play, reward = prompt.play(action), sign(action % n_labels == label)
    chosen = agent(play.prompt(Percept(reward, 2 * image + 1))) % n_labels
    return tuple(Fraction(label == chosen) for label in range(n_labels))


def matches_labels(agent: HistoryAgent, trial: SupervisedTrial) -> bool:
    """Return whether f(A) outputs the trial's probabilities."""
    return label_image(agent, trial.n_labels, trial.training, trial.image) == trial.probabilities


def make_supervised_trials() -> tuple[SupervisedTrial, ...]:
    """Return two labels, three training sets, two images, and all certain and the undecided probabilities."""
    certain, half = (Fraction(1), Fraction(0)), (Fraction(1, 2), Fraction(1, 2))
    return tuple(
        SupervisedTrial(2, training, image, probabilities)
        for training in ((), ((0, 0), (1, 1)), ((0, 1), (1, 0), (0, 1)))
        for image in (0, 1)
        for probabilities in (certain, certain[::-1], half)
    )


def _show_labellings(shown: Sequence[SupervisedTrial]) -> Recognition:
    return show_listed_trials(shown, matches_labels)


supervised_learning = TheoryExample(
    _show_labellings, sample=(make_supervised_trials(),), is_merciful=True, n_observations=None
)
"""Recognise how you would label an image, had you been trained on other ones.

    r = 1 where a > 0 and f(T) outputs p for I after training, or a = 0 and not, else 0; trial k of n is shown as 2 k

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Recognizing other aspects of oneself (Supervised learning); the transformation is `label_image`.

Choices:
- trials are finitely many, shown in order again and again; in Python, `supervised_learning(my_trials)` takes others
  or more
"""

Point: TypeAlias = tuple[Fraction, ...]
Clustering: TypeAlias = frozenset[frozenset[Point]]


class ClusteringTrial(NamedTuple):
    """<n, D, C>: the dimension, the points, a clustering of them."""

    dimension: int
    points: tuple[Point, ...]
    clusters: Clustering


def encode_point(point: Point) -> int:
    """Return the number of a point: the places of its coordinates, paired from the first on."""
    number = encode_rational(point[0])
    for coordinate in point[1:]:
        number = pair_numbers(number, encode_rational(coordinate))
    return number


def cluster_points(agent: HistoryAgent, points: tuple[Point, ...]) -> Clustering:
    """Return the clusters into which g(A) divides points."""
    actions = agent.answers(Percept(ZERO, 2 * encode_point(point) + 1) for point in points).actions
    groups: dict[int, set[Point]] = {}
    for point, action in zip(points, actions, strict=True):
        groups.setdefault(action % len(points), set()).add(point)
    return frozenset(map(frozenset, groups.values()))


def matches_clusters(agent: HistoryAgent, trial: ClusteringTrial) -> bool:
    """Return whether g(A) would cluster the points so."""
    return cluster_points(agent, trial.points) == trial.clusters


def list_clusterings(points: tuple[Point, ...]) -> Iterator[Clustering]:
    """Yield all ways to divide points into clusters."""
    if not points:
        yield frozenset()
        return
    first, rest = points[0], points[1:]
    for clusters in list_clusterings(rest):
        yield clusters | {frozenset({first})}
        for cluster in clusters:
            yield clusters - {cluster} | {cluster | {first}}


def make_clustering_trials() -> tuple[ClusteringTrial, ...]:
    """Return all clusterings of three points on a line and of three in the plane."""
    line = ((Fraction(0),), (Fraction(1, 2),), (Fraction(3),))
    plane = ((Fraction(0), Fraction(0)), (Fraction(1), Fraction(0)), (Fraction(1), Fraction(-2)))
    sets: tuple[tuple[Point, ...], ...] = (line, plane)
    return tuple(
        ClusteringTrial(len(points[0]), points, clusters)
        for points in sets
        for clusters in sorted(list_clusterings(points), key=_sort_clusters)
    )


def _sort_clusters(clusters: Clustering) -> list[list[Point]]:
    return sorted(sorted(cluster) for cluster in clusters)


def _show_clusterings(shown: Sequence[ClusteringTrial]) -> Recognition:
    return show_listed_trials(shown, matches_clusters)


clustering = TheoryExample(_show_clusterings, sample=(make_clustering_trials(),), is_merciful=True, n_observations=None)
"""Recognise how you would divide points into clusters.

    r = 1 where a > 0 and g(T) clusters D into C, or a = 0 and not, else 0; trial k of n is shown as 2 k

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Recognizing other aspects of oneself (Unsupervised learning); the transformation is `cluster_points`.

Choices:
- trials are finitely many, shown in order again and again; `clustering(my_trials)` in Python takes others, or more
"""

ALPHABET = "abcdefghijklmnopqrstuvwxyz ?!.,'"
LONGEST = 8
SILENCE = Percept(ZERO, 1)
Conversation: TypeAlias = tuple[str, ...]
"""What the user says, what the chatbot answers, and so on by turns."""


def converse(agent: HistoryAgent, said: Conversation) -> Conversation:
    """Return what h(A) answers to what a user says, one answer after the other."""
    play, answers = Play(), list[str]()
    for text in said:
        for letter in text:
            prompt = play.prompt(Percept(ZERO, 2 * (ALPHABET.index(letter) + 1) + 1))
            play = prompt.play(agent(prompt))
        answer = ""
        while True:
            prompt = play.prompt(SILENCE)
            action = agent(prompt)
            play, number = prompt.play(action), action % (len(ALPHABET) + 1)
            if number == 0 or len(answer) == LONGEST:
                break
            answer += ALPHABET[number - 1]
        answers.append(answer)
    return tuple(answers)


def matches_conversation(agent: HistoryAgent, conversation: Conversation) -> bool:
    """Return whether the even-numbered texts are what h(A) would say to the odd-numbered ones."""
    answered = conversation[1::2]
    return converse(agent, conversation[0::2])[: len(answered)] == answered


def make_conversations() -> tuple[Conversation, ...]:
    """Return two questions with each of some answers, and longer conversations."""
    answers = ("", "a", "b", "a" * LONGEST, "me")
    short = [(question, answer) for question in ("hi", "who?") for answer in answers]
    return (*short, *(("hi", answer, "who?", answer) for answer in answers))


def _show_conversations(shown: Sequence[Conversation]) -> Recognition:
    return show_listed_trials(shown, matches_conversation)


chat = TheoryExample(_show_conversations, sample=(make_conversations(),), is_merciful=True, n_observations=None)
"""Recognise what you would say in a conversation.

    r = 1 where a > 0 and h(T) would give the answers, or a = 0 and not, else 0; trial k of n is shown as 2 k

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Recognizing other aspects of oneself (The Turing Test); the transformation is `converse`.

Choices:
- trials are finitely many, shown in order again and again; `chat(my_trials)` in Python takes others, or more
"""


class PredictionTrial(NamedTuple):
    """The bits of an evader, and guesses at them."""

    bits: tuple[int, ...]
    guesses: tuple[int, ...]


def predict_bits(agent: HistoryAgent, bits: tuple[int, ...]) -> tuple[int, ...]:
    """Return the agent's guesses at the bits, each made before the bit is shown."""
    play, percept, guesses = Play(), Percept(ZERO, 1), list[int]()
    for bit in bits:
        prompt = play.prompt(percept)
        action = agent(prompt)
        guesses.append(action % 2)
        play, percept = prompt.play(action), Percept(sign(action % 2 == bit), 2 * bit + 1)
    return tuple(guesses)


def matches_guesses(agent: HistoryAgent, trial: PredictionTrial) -> bool:
    """Return whether the predictor that A makes would guess so."""
    return predict_bits(agent, trial.bits) == trial.guesses


def make_prediction_trials() -> tuple[PredictionTrial, ...]:
    """Four sequences of three bits, each with all guesses."""
    sequences = ((0, 0, 0), (0, 1, 0), (1, 1, 1), (1, 1, 0))
    every = tuple(itertools.product((0, 1), repeat=3))
    return tuple(PredictionTrial(bits, guesses) for bits in sequences for guesses in every)


def _show_predictions(shown: Sequence[PredictionTrial]) -> Recognition:
    return show_listed_trials(shown, matches_guesses)


sequence_prediction = TheoryExample(
    _show_predictions, sample=(make_prediction_trials(),), is_merciful=True, n_observations=None
)
"""Recognise what you would predict of a sequence that evades you.

    r = 1 where a > 0 and T's predictor would guess so, or a = 0 and not, else 0; trial k of n is shown as 2 k

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Recognizing other aspects of oneself (Adversarial sequence prediction); the transformation is `predict_bits`.

Choices:
- trials are finitely many, shown in order again and again; in Python, `sequence_prediction(my_trials)` takes others
  or more
"""

SENTENCES = ("0=0", "0=1", "K(0=0)", "K(0=1)", "~K(0=1)", "K(0=0)->0=0", "K(K(0=0))", "Ax K(x=x)")
"""Sentences in the language of Epistemic Arithmetic: A is "for all", ~ "not", K "it is known that"."""


def enumerate_sentence(agent: HistoryAgent, n_sentences: int, step: int) -> int | None:
    """Return the number of the sentence that i(A) enumerates at a step, or None where it enumerates none."""
    sentence, times = unpair_number(step - 1)
    if sentence >= n_sentences:
        return None
    actions = agent.answers(Percept(ZERO, 2 * sentence + 1) for _ in range(times + 1)).actions
    return sentence if actions[-1] > 0 else None


def knows(agent: HistoryAgent, n_sentences: int, sentence: int, steps: int) -> bool:
    """Return whether i(A) enumerates a sentence in that many steps."""
    return any(enumerate_sentence(agent, n_sentences, step) == sentence for step in range(1, steps + 1))


def _show_sentences(sentences: tuple[str, ...]) -> Recognition:
    count = len(sentences)
    return show_trials(count, lambda agent, turn: knows(agent, count, turn % count, turn // count + 1))


knowing_agent = TheoryExample(_show_sentences, sample=(SENTENCES,), is_merciful=True, n_observations=None)
"""Say what you know, knowing how often you were asked.

    r = 1 where a > 0 and i(T) enumerates phi in at most n steps, or a = 0 and it does not, else 0

Sentence k is shown as 2 k, again and again; n is how often phi was shown, this time included.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning",
Recognizing other aspects of oneself (Mechanical knowing agent); i is `enumerate_sentence`.

Choices:
- the agent is rewarded if its answer is right; taken literally, the paper rewards it, whatever it answers, if the
  sentence is enumerated
"""
