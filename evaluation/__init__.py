"""How often the cache would be wrong, and which policy is safe."""
