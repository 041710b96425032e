"""Pictures of scenes: text, raster, window and film; sees engine.scene and nothing else of ours."""
