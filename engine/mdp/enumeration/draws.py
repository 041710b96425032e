"""Every outcome of a step that draws random numbers, by following each draw through all that it can give.

`EveryDraw` takes the place of the world's generator. A draw among n gives each of its n results in turn; a number from
[0, 1) that is compared with p splits there, true with probability p. A step is run again and again, each time along
another branch, until no branch is left: exact, as long as the step draws finitely often from finitely many results.
A run that is repeated must draw alike: if the planned draws come with other probabilities, or the first branch, run
once more, ends otherwise, something outside the generator decides, and `DrawsDiffer` is raised.

Numbers whose size enters the world (normal ones, or a uniform one that is stored) have no finite list of outcomes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

MOST_OUTCOMES = 4096
DRAWS = frozenset(name for name in vars(np.random.Generator) if not name.startswith("_"))


class NotFinite(Exception):
    """A draw that has no finite list of results, or a step with too many outcomes; the message says which."""


class DrawsDiffer(Exception):
    """A run that was repeated has drawn otherwise, or with another result; the message says which."""


class WatchedGenerator(np.random.Generator):
    """A generator that remembers whether anything was drawn from it."""

    drew = False

    def __getattribute__(self, name: str) -> Any:
        if name in DRAWS:
            self.drew = True
        return super().__getattribute__(name)


class EveryDraw(np.random.Generator):
    """A generator that gives each result of a draw in turn, branch by branch: see `every_outcome`."""

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(0))
        self._planned: list[tuple[int, tuple[float, ...]]] = []
        self._taken: list[tuple[int, tuple[float, ...]]] = []

    @property
    def probability(self) -> float:
        """Of the branch that the draws so far belong to."""
        return math.prod(chances[taken] for taken, chances in self._taken)

    def begin(self) -> None:
        """Begin the branch that was planned."""
        self._taken = []

    def plan(self, path: Sequence[tuple[int, tuple[float, ...]]]) -> None:
        """Begin with these draws: the number of the result and the probabilities of all, draw by draw."""
        self._planned = list(path)

    @property
    def path(self) -> list[tuple[int, tuple[float, ...]]]:
        """The draws of this branch so far. DrawsDiffer where they are fewer than planned."""
        if len(self._taken) < len(self._planned):
            raise DrawsDiffer("the same step draws fewer numbers when it is taken again")
        return self._taken

    def next_branch(self) -> bool:
        """Plan the next branch; False where there is none."""
        path = list(self.path)
        while path:
            taken, chances = path.pop()
            following = next((n for n in range(taken + 1, len(chances)) if chances[n] > 0.0), None)
            if following is not None:
                self._planned = [*path, (following, chances)]
                return True
        return False

    def one_of(self, chances: Sequence[float]) -> int:
        """Return the result that this branch takes, of several with these probabilities."""
        depth = len(self._taken)
        law = tuple(chances)
        if depth < len(self._planned):
            chosen, planned = self._planned[depth]
            if planned != law:
                raise DrawsDiffer("the same step draws from other probabilities when it is taken again")
        else:
            chosen = next(n for n, chance in enumerate(law) if chance > 0.0)
        self._taken.append((chosen, law))
        if depth >= MOST_OUTCOMES:
            raise NotFinite(f"more than {MOST_OUTCOMES} draws in one step")
        return chosen

    def integers(self, low: Any, high: Any = None, size: Any = None, dtype: Any = None, endpoint: bool = False) -> Any:
        """Return each integer in turn."""
        kind = np.dtype(np.int64 if dtype is None else dtype)

        def pick(low: Any, high: Any) -> Any:
            count = int(high) - int(low) + bool(endpoint)
            if count > MOST_OUTCOMES:
                raise NotFinite(f"a draw among {count:,} integers")
            drawn = int(low) + self.one_of([1.0 / count] * count)
            return drawn if kind == np.int64 else kind.type(drawn)

        return self._draw_array(size, pick, kind, *((0, low) if high is None else (low, high)))

    def random(self, size: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Return a number that is known as far as it has been compared."""
        if out is not None:
            raise NotFinite("numbers that are drawn into an array (out=)")
        return self._draw_array(size, lambda: _Uniform(self), object)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Return the same between two bounds."""

        def draw(low: Any, high: Any) -> _Uniform:
            return _Uniform(self, float(high) - float(low), float(low))

        return self._draw_array(size, draw, object, low, high)

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
    ) -> Any:
        """Return each entry in turn."""
        if axis or not (shuffle or replace):
            raise NotFinite("a choice along another axis, or in no order")
        entries = list(range(int(a))) if np.ndim(a) == 0 else list(a)
        left = list(range(len(entries)))

        def pick() -> Any:
            chances = [1.0 / len(left)] * len(left) if p is None else [float(p[n]) for n in left]
            whole = sum(chances)
            chosen = left[self.one_of([chance / whole for chance in chances])]
            if not replace:
                left.remove(chosen)
            return entries[chosen]

        return self._draw_array(size, pick, None)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """Return each number of successes in turn."""

        def count(n: Any, p: Any) -> int:
            tries, share = int(n), float(p)
            if tries >= MOST_OUTCOMES:
                raise NotFinite(f"a draw among {tries + 1:,} integers")
            chances = [math.comb(tries, k) * share**k * (1.0 - share) ** (tries - k) for k in range(tries + 1)]
            return self.one_of(chances)

        return self._draw_array(size, count, np.int64, n, p)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Every order in turn."""
        _require_first_axis(axis)
        for n in range(len(x) - 1, 0, -1):
            other = self.one_of([1.0 / (n + 1)] * (n + 1))
            kept = np.copy(x[n]) if isinstance(x, np.ndarray) else x[n]
            x[n], x[other] = x[other], kept

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """Return every order in turn."""
        _require_first_axis(axis)
        result = np.arange(x) if np.ndim(x) == 0 else np.array(x)
        self.shuffle(result)
        return result

    def __getattribute__(self, name: str) -> Any:
        if name in DRAWS and name not in EveryDraw.__dict__:
            raise NotFinite(f"a draw by '{name}' has no finite list of results")
        return super().__getattribute__(name)

    def _draw_array(self, size: Any, draw: Callable[..., Any], kind: Any, *bounds: Any) -> Any:
        """Return one draw, or one for each entry of an array of this size, or of the size of its bounds."""
        if size is None and not any(map(np.ndim, bounds)):
            return draw(*bounds)
        own = np.broadcast_shapes(*map(np.shape, bounds)) if size is None else size
        shape = (own,) if np.ndim(own) == 0 else tuple(own)
        columns = [np.broadcast_to(bound, shape).ravel().tolist() for bound in bounds]
        drawn = [draw(*(column[n] for column in columns)) for n in range(math.prod(shape))]
        if kind is not object:
            return np.array(drawn, dtype=kind).reshape(shape)
        result = np.empty(len(drawn), dtype=object)
        for n, one in enumerate(drawn):  # numpy itself would ask each for its size
            result[n] = one
        return result.reshape(shape)


def _require_first_axis(axis: int) -> None:
    if axis:
        raise NotFinite("an order along another axis")


class _Uniform:
    """offset + scale u, u uniform on [low, high): a comparison with a number narrows it to one side."""

    __array_ufunc__ = None  # so that an array compared with it asks it, entry by entry
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, draws: EveryDraw, scale: float = 1.0, offset: float = 0.0, known: list[float] | None = None):
        self._draws, self._scale, self._offset = draws, scale, offset
        self._known = [0.0, 1.0] if known is None else known  # shared by everything that was computed from one draw

    def _below(self, number: Any) -> Any:
        if np.ndim(number):
            below = [self._below(entry) for entry in np.ravel(number)]
            return np.array(below, dtype=np.bool_).reshape(np.shape(number))
        if self._scale == 0.0:
            return self._offset < float(number)
        bound = (float(number) - self._offset) / self._scale
        is_low = self._split(bound)
        return is_low if self._scale > 0 else not is_low

    def _split(self, bound: float) -> bool:
        low, high = self._known
        if bound <= low or bound >= high:
            return bound >= high
        share = (bound - low) / (high - low)
        is_low = self._draws.one_of((share, 1.0 - share)) == 0
        self._known[:] = (low, bound) if is_low else (bound, high)
        return is_low

    def __lt__(self, number: Any) -> Any:
        return self._below(number)

    __le__ = __lt__

    def __gt__(self, number: Any) -> Any:
        below = self._below(number)
        return ~below if np.ndim(below) else not below

    __ge__ = __gt__

    def __eq__(self, number: object) -> bool:
        return False

    def __mul__(self, factor: float) -> _Uniform:
        factor = self._require_number(factor)
        return _Uniform(self._draws, self._scale * factor, self._offset * factor, self._known)

    __rmul__ = __mul__

    def __add__(self, amount: float) -> _Uniform:
        amount = self._require_number(amount)
        return _Uniform(self._draws, self._scale, self._offset + amount, self._known)

    __radd__ = __add__

    def __sub__(self, amount: float) -> _Uniform:
        return self + -amount

    def __rsub__(self, amount: float) -> _Uniform:
        return self * -1.0 + amount

    def __truediv__(self, divisor: float) -> _Uniform:
        return self * (1.0 / self._require_number(divisor))

    def __neg__(self) -> _Uniform:
        return self * -1.0

    def __floordiv__(self, divisor: float) -> int:
        return math.floor(self / divisor)

    def __floor__(self) -> int:
        low, high = sorted(self._offset + self._scale * end for end in self._known)
        for whole in range(math.floor(low) + 1, math.ceil(high)):
            if self._below(whole):
                return whole - 1
        return math.ceil(high) - 1

    def __int__(self) -> int:
        whole = math.floor(self)
        return whole + 1 if whole < 0 else whole

    def _require_number(self, number: Any) -> float:
        """A number that a uniform one is multiplied by, or added to: neither an array nor another uniform one."""
        return self._refuse() if isinstance(number, _Uniform) or np.ndim(number) else float(number)

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise NotFinite("a uniform number enters the world by its size")

    __float__ = __bool__ = __index__ = __pow__ = __rpow__ = __rtruediv__ = __round__ = __abs__ = _refuse
    __mod__ = __rmod__ = __divmod__ = __rfloordiv__ = __ceil__ = __trunc__ = __format__ = _refuse
    __array__ = __deepcopy__ = __copy__ = __reduce_ex__ = _refuse


def every_outcome(run: Callable[[EveryDraw], Any]) -> Iterator[tuple[float, Any]]:
    """Yield the probability and the result of each branch of a run that draws from the generator it is given.

    Raises NotFinite for draws without a finite list of results and for more than MOST_OUTCOMES branches; DrawsDiffer
    where a repeated run draws otherwise, or the first branch, repeated last, has another result.
    """
    draws = EveryDraw()
    first: tuple[list[tuple[int, tuple[float, ...]]], Any] | None = None
    for _ in range(MOST_OUTCOMES):
        draws.begin()
        result = run(draws)
        if first is None:
            first = list(draws.path), result
        yield draws.probability, result
        if not draws.next_branch():
            draws.plan(first[0])
            draws.begin()
            if run(draws) != first[1] or draws.path != first[0]:
                raise DrawsDiffer("the same draws lead to another result when the step is taken again")
            return
    raise NotFinite(f"more than {MOST_OUTCOMES} outcomes of one step")
