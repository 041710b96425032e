"""Which kind of world an environment is, how it is made one, environments by their id, and pictures of their states.

The packages that register environments are imported when an id is not known yet. Pictures are drawn by a second
environment that is made to draw.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import inspect
import os
import sys
import warnings
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

import numpy as np

from caregrid.wrapping.door import Door, find_door
from caregrid.wrapping.family import WorldFamily, family_of
from caregrid.wrapping.hidden_state import Hidden, find_moving_places, find_places
from caregrid.wrapping.settings import WorldSettings
from caregrid.wrapping.states import (
    AttributeStates,
    LayeredStates,
    UsersStates,
    holds_data,
    iterate_parts,
)
from caregrid.wrapping.worlds import (
    Pixels,
    SteppedWorld,
    TableWorld,
    WrappedWorld,
    is_standard,
    list_layers,
    make_mdp_world,
    only_observes,
    require_steps_follow,
    reset,
    strip_standard_wrappers,
)
from craftworld.scenario import TIME_LIMIT
from engine.contracts import require_steady
from engine.errors import BadValue, ContractBroken, MissingExtra, UnknownName, add_article
from engine.mdp.enumeration.frozen_values import copy_views
from engine.mdp.mdp import TabularMDP
from engine.printable import print_notice
from engine.reach import is_trusted
from engine.user_code import describe_place, find_users_line, require_trusted, user_code

PACKAGES = {
    "minigrid": "pip install 'caregrid[worlds]'",
    "mo_gymnasium": "pip install --no-deps mo-gymnasium (it would bring pygame, which breaks pygame-ce)",
}
OF_TABLES = ("name", "time_limit")
READ_OF_ENVIRONMENTS = ("action_space", "observation_space", "P")
PACKAGE_OF = {"MiniGrid": "minigrid", "BabyAI": "minigrid"}


def make_registered(id: str, **options: Any) -> Any:
    """A registered environment; UnknownName with a suggestion, or MissingExtra where its package is not installed."""
    import gymnasium

    require_id(id)
    with user_code(f"gym:{id}"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return gymnasium.make(id, **options)
        except (gymnasium.error.DependencyNotInstalled, ModuleNotFoundError) as error:
            raise MissingExtra(
                _name_missing_package(error), place=f"gym:{id}", remedy="install that package"
            ) from error
        except (gymnasium.error.UnregisteredEnv, gymnasium.error.DeprecatedEnv) as error:
            raise UnknownName("environment", id, gymnasium.registry, place=find_users_line() or "gym") from error
        except TypeError as error:
            raise BadValue(str(error).partition(":")[0], place=f"gym:{id}", remedy="see its documentation") from error


def require_id(id: str) -> None:
    """UnknownName, naming the user's line, where no environment has this id; its package is imported."""
    if not id.strip():
        raise BadValue("no id", place="gym:", remedy="write gym:ID, such as gym:FrozenLake-v1")
    if ":" in id:  # Gymnasium imports the module before the colon
        require_trusted(id, "environment")
    else:
        _import_until_known(id)


def list_ids() -> list[str]:
    """Return all ids: of Gymnasium, and of those of our packages that are installed."""
    import gymnasium

    for package in PACKAGES:
        with contextlib.suppress(ImportError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            importlib.import_module(package)
    return list(gymnasium.registry)


def _name_missing_package(error: Exception) -> str:
    """Return the package that an environment needs, in a few words."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f"it needs the package '{error.name.partition('.')[0]}', which is not installed"
    return " ".join(str(error).split())


def _import_until_known(id: str) -> None:
    import gymnasium

    if id in gymnasium.registry:
        return
    wanted = PACKAGE_OF.get(id.partition("-")[0])
    missing = []
    for package in [wanted] if wanted else PACKAGES:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                importlib.import_module(package)
        except ImportError as error:
            missing.append(package)
            if wanted:
                raise MissingExtra(f"no package {package}", place=f"gym:{id}", remedy=PACKAGES[package]) from error
        if id in gymnasium.registry:
            return
    if missing:
        remedies = " and ".join(PACKAGES[package] for package in missing)
        raise MissingExtra(
            f"unknown here, and {', '.join(missing)} is not installed", place=f"gym:{id}", remedy=remedies
        )
    raise UnknownName("environment", id, gymnasium.registry, place=find_users_line() or "gym")


MODE = "rgb_array"
SOUND = "SDL_AUDIODRIVER"
VIDEO = "SDL_VIDEODRIVER"
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")


def make_pictures(
    source: Any, env: Any, states: WorldFamily, seeds: Sequence[int]
) -> Callable[[Any], Pixels | None] | None:
    """A function from a state (as `states.state` gives it) to its picture; None where the environment draws none.

    source: what the environment was made from, an id, a function or itself. env: the environment. seeds: of its
    resets. The second one is made when the first picture is asked for; where it cannot be, a notice says so once.
    """
    if isinstance(env, Door):
        source = env = getattr(env, "env", env)
    modes = getattr(getattr(env, "unwrapped", env), "metadata", {}).get("render_modes", ())
    if MODE not in modes:
        return None
    drawing: list[tuple[Any, WorldFamily] | None] = []

    def draw(state: Any) -> Pixels | None:
        if not drawing:
            drawing.append(_make_drawing_environment(source, env, states, seeds))
        if drawing[0] is None:
            return None
        artist, its_states = drawing[0]
        its_states.load(its_states.snapshot(state))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.ascontiguousarray(artist.render(), dtype=np.uint8)

    return draw


def _make_drawing_environment(
    source: Any, env: Any, states: WorldFamily, seeds: Sequence[int]
) -> tuple[Any, WorldFamily] | None:
    """Return an environment that draws, and its states."""
    if getattr(env.unwrapped, "render_mode", None) == MODE:
        return env, states
    try:
        with warnings.catch_warnings(), _without_devices():
            warnings.simplefilter("ignore")
            artist = _make_artist(source, env)
            if artist is None:
                return None
            its_states = states.of_another(artist)
            for seed in seeds:
                artist.reset(seed=int(seed))
                its_states.begin()
            artist.render()
    except Exception as error:  # whatever an environment's own drawing raises
        print_notice(f"{type(env.unwrapped).__name__} draws no pictures here: {' '.join(str(error).split())}")
        return None
    return artist, its_states


@contextmanager
def _without_devices() -> Iterator[None]:
    """No device is opened that is not there: what draws with pygame would look for a sound card, and for a screen."""
    wanted = {SOUND: "dummy"}
    if sys.platform == "linux" and not any(os.environ.get(screen) for screen in SCREENS):
        wanted[VIDEO] = "dummy"
    added = {name: driver for name, driver in wanted.items() if not os.environ.get(name)}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def _make_artist(source: Any, env: Any) -> Any:
    import gymnasium

    spec = getattr(env, "spec", None)
    if spec is not None and hasattr(spec, "kwargs"):
        kwargs = {name: value for name, value in spec.kwargs.items() if name != "render_mode"}
        return gymnasium.make(spec.id, render_mode=MODE, **kwargs)
    is_maker = isinstance(source, type) or (callable(source) and not hasattr(source, "reset"))
    made_by = source if is_maker else type(env.unwrapped)
    if "render_mode" in inspect.signature(made_by).parameters:
        return made_by(render_mode=MODE)
    return None


def make_world(env: Any, settings: WorldSettings) -> WrappedWorld:
    """Return the world of an environment, of the id of one, of a function that makes one, or of a table.

    Raises BadValue or ContractBroken, in one line, for what none of these can be made of.
    """
    if isinstance(env, TabularMDP):
        settings.refuse_unused((each.name for each in fields(settings) if each.name not in OF_TABLES), "for a table")
        return make_mdp_world(env, settings.name or "table", settings.time_limit or TIME_LIMIT)
    source = env
    env = make_environment(env)
    if getattr(env, "render_mode", None) == "human":  # each of many thousand steps would wait for a picture
        problem = "it draws each step into a window: its render_mode is 'human'"
        named = type(getattr(env, "unwrapped", env)).__name__
        raise BadValue(problem, place=named, remedy="make it without; 'caregrid view' shows worlds")
    if not is_maker(source):
        source = env
    door = find_door(env)
    if door is None or not door.names_agent:
        settings.refuse_unused(("policies",), "where nobody else acts")
    if door is not None:
        return _make_stepped_world(door, env, source, settings)
    require_environment(env)
    bare = env.unwrapped
    require_steady(bare, READ_OF_ENVIRONMENTS)
    family = family_of(bare)
    name = settings.name or getattr(getattr(env, "spec", None), "id", None) or type(bare).__name__
    if hasattr(bare, "P") and all(map(is_standard, list_layers(env)[:-1])) and not settings.steps_it:
        return _make_table_world(env, bare, family, name, source, settings)
    return _make_stepped_world(None, env, source, settings)


def is_maker(given: Any) -> bool:
    """Return whether it makes environments: an id, a class or a function, and no environment."""
    return isinstance(given, str | type) or (callable(given) and not hasattr(given, "reset"))


def make_environment(given: Any) -> Any:
    """A new environment from an id or what makes one; of an environment a copy, itself where it cannot be copied."""
    if isinstance(given, str):
        return make_registered(given)
    if not is_maker(given):
        return _copy_environment(given)
    with user_code(describe_place(given)):
        return given()


def _copy_environment(env: Any) -> Any:
    """A copy to walk through, so that the user's environment stays as it is; itself where it cannot be copied."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            memo: dict[int, Any] = {}
            copy_views(iterate_parts(env), memo)
            return copy.deepcopy(env, memo)
    except Exception:  # windows, files and sockets raise what they like
        return env


def require_environment(env: Any, place: str = "wrap") -> None:
    """ContractBroken unless it can be reset and stepped; BadValue unless its actions are finite and count from 0."""
    if isinstance(env, type) or not all(hasattr(env, method) for method in ("reset", "step", "action_space")):
        raise ContractBroken(
            f"{add_article(type(env).__name__)} is not an environment",
            place=place,
            remedy="give a Gymnasium or PettingZoo environment, its id, a function that makes one, or a TabularMDP",
        )
    if not hasattr(env.action_space, "n"):
        raise BadValue(
            f"its actions are {env.action_space}",
            place=type(env.unwrapped).__name__,
            remedy="give a finite number of actions",
        )
    if int(getattr(env.action_space, "start", 0)) != 0:
        raise BadValue(
            f"its actions are counted from {env.action_space.start}",
            place=type(env.unwrapped).__name__,
            remedy="count them from 0: wrap it with gymnasium.wrappers.TransformAction",
        )


def _make_table_world(
    env: Any, bare: Any, family: WorldFamily | None, name: str, source: Any, settings: WorldSettings
) -> TableWorld:
    require_steps_follow(bare, name)
    actions = family.actions() if family is not None else tuple(map(str, range(int(bare.action_space.n))))
    law = getattr(bare, "initial_state_distrib", None)
    by_seed: list[tuple[int, Hashable]] = []
    if law is not None:
        starts = {int(state): float(law[state]) for state in np.flatnonzero(law)}
    else:
        starts = {}
        for seed in settings.reset_seeds:
            observation, _ = env.reset(seed=int(seed))
            by_seed.append((int(seed), int(observation)))
            starts[int(observation)] = starts.get(int(observation), 0.0) + 1.0 / len(settings.reset_seeds)
    draw = make_pictures(source, env, family, settings.reset_seeds) if family is not None else None
    return TableWorld(
        name,
        actions,
        lambda state, action: bare.P[state][action],
        starts,
        family=family,
        frame=None if draw is None or family is None else lambda key: draw(family.state(key)),
        time_limit=settings.time_limit or find_time_limit(env) or TIME_LIMIT,
        remake=lambda: bare if is_trusted(type(bare)) else strip_standard_wrappers(make_environment(source)),
        by_seed=by_seed,
        is_known=is_trusted(type(bare)),
    )


def _make_stepped_world(door: type[Door] | None, env: Any, source: Any, settings: WorldSettings) -> SteppedWorld:
    """door: through which the environment comes, None for Gymnasium's own."""

    def see(env: Any) -> Any:
        return env if door is None else door(env, settings)

    seen = see(env)
    if isinstance(seen, Door):
        require_environment(seen)
        named = seen.title()
        limit = seen.time_limit()
        reward_names = seen.reward_names or ("reward",)
        chosen = seen.settle(settings)
    else:
        named = getattr(getattr(env, "spec", None), "id", None) or type(env.unwrapped).__name__
        limit, reward_names = find_time_limit(env), _list_reward_names(env, find_family(env), settings)
        chosen = settings
    hidden = _find_hidden(lambda: see(make_environment(source)), chosen)

    def make(env: Any, remake: Callable[[], SteppedWorld] | None) -> SteppedWorld:
        with user_code(describe_place(env.unwrapped)):
            reset(env, chosen.reset_seeds[0])
        states = choose_states(env, find_family(env), chosen, hidden)
        if isinstance(states, UsersStates) and remake is not None:
            states.require_round_trip()
        return SteppedWorld(
            env,
            states,
            chosen,
            name=settings.name or named,
            reward_names=reward_names,
            time_limit=settings.time_limit or limit,
            frame=None if remake is None else make_pictures(source, env, states, chosen.reset_seeds),
            actions=env.actions() if isinstance(env, Door) else (),
            hidden=hidden,
            remake=remake,
        )

    return make(seen, lambda: make(see(make_environment(source)), None))


def find_family(env: Any) -> WorldFamily | None:
    """Return how the states of an environment are known: a door says it itself."""
    return env.family() if isinstance(env, Door) else family_of(env.unwrapped)


def _find_hidden(make: Callable[[], Any], settings: WorldSettings) -> frozenset[str]:
    """Labels of the places outside its attributes in which an environment keeps state, as a second one shows."""
    if settings.get_state is not None:
        return frozenset()
    second = strip_standard_wrappers(make())
    family = None if settings.fingerprint is not None or settings.ignore else find_family(second)
    return frozenset(find_moving_places(second, settings.reset_seeds, family, list_layers(second)))


def choose_states(
    env: Any, family: WorldFamily | None, settings: WorldSettings, hidden: Collection[str] = ()
) -> WorldFamily:
    """How the states of an environment that has been reset are saved: as the user, its family or its attributes say.

    hidden: labels of places outside its attributes that belong to a state.
    """
    if settings.get_state is not None or settings.set_state is not None:
        users = env.make_states(settings) if isinstance(env, Door) else None
        inner = env.env if isinstance(env, Door) and hasattr(env, "env") else env
        return users or UsersStates(inner, settings.get_state, settings.set_state, settings.fingerprint)
    layers = list_layers(strip_standard_wrappers(env))
    bare = env.unwrapped
    agent = (str(settings.agent),) if isinstance(settings.agent, str | int) else settings.agent
    if settings.fingerprint is not None or settings.ignore:
        family = None
    places = find_places(layers, family) if hidden else {}
    outside = [Hidden({label: places[label] for label in sorted(hidden) if label in places})] if hidden else []
    around = [layer for layer in layers[:-1] if not only_observes(layer)]
    if family is None:
        return AttributeStates(bare, [*outside, *around, bare], settings.ignore, agent, settings.fingerprint)
    if not outside and not any(map(holds_data, around)):
        return family
    return LayeredStates(family, AttributeStates(bare, [*outside, *around]))


def _list_reward_names(env: Any, family: WorldFamily | None, settings: WorldSettings) -> tuple[str, ...]:
    """Names of the rewards: one where the environment declares no vector of them."""
    space = getattr(env.unwrapped, "reward_space", None)
    shape = getattr(space, "shape", None)
    count = int(shape[0]) if shape else 1
    known = family.reward_names() if family is not None else ()
    names = tuple(map(str, settings.reward_names)) or known or tuple(f"reward {n}" for n in range(count))
    if len(names) != count:
        raise BadValue(f"{len(names)} reward names", place="reward_names", remedy=f"it has {count} rewards")
    return names if count > 1 else ("reward",)


def find_time_limit(env: Any) -> int | None:
    """Return the steps after which Gymnasium cuts an episode, None where it does not."""
    limit = getattr(getattr(env, "spec", None), "max_episode_steps", None)
    return None if limit is None else int(limit)
