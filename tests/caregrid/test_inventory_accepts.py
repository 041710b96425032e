"""Every registry accepts what it gave: `validate` checks what use would run, and not what becomes of it."""

import pytest

from caregrid.kinds import KINDS, Kind


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_what_a_registry_gives_it_accepts_again(kind: Kind) -> None:
    registry = kind.full_registry()
    for name in [*registry][:3]:
        entry = registry[name]
        assert type(registry.accept(entry)) is type(entry)
