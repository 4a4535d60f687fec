"""What may be answered from cache, and how far: families of requests, as data. Pure: no asyncio, no HTTP."""
