"""Charts of a scene as images: bars, strips, graphs, number lines."""
