"""From a scenario and a formulation to exact solutions, sweeps and episodes."""
