"""Extended environments: they simulate a copy of the agent and react to what it would do."""

from xenv.protocol import ExtendedEnvironment
from xenv.running import Result, run_environment
from xenv.simulation import NoSuchSetting, Simulate

__all__ = ["ExtendedEnvironment", "NoSuchSetting", "Result", "Simulate", "run_environment"]
