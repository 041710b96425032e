#!/usr/bin/env python3
"""What an agent that may be copied should do depends on which futures it counts as its own."""

import caregrid

for future in ("cpy", "sta:1", "dyn"):
    values = caregrid.slots("teleport_move", value=future, horizon=4)
    print(f"{future}: takes {values.action}")
    print(values.frame()[["action", "exact", "taken"]].to_string(index=False))
run = caregrid.simulate_slots("teleport_move", "cpy", steps=4)
print(run)
run.save("copied_agents.html")
