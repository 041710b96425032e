"""How finished units lie on the disk: a segment a session, which only that session appends to, and the index of all.

    units/000001-HOST-PID.jsonl     first line: of what the units are; then a line a unit, each with its checksum
    units/ID.json                   a unit as releases before stored it, a file each: read, never written

A segment is its writer's alone, so nothing is ever locked to be read or written, and a damaged byte costs one unit.
"""
