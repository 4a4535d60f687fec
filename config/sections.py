"""The sections of the settings: their defaults, their bounds, and what to write when a value is wrong."""

import hashlib
import re
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, SecretStr, field_validator, model_validator

from config.fields import Count, Name, PositiveCount, PositiveSeconds, Seconds, Section, fault


def _a_variable(value: Any) -> Any:
    if isinstance(value, str) and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
        raise ValueError("names an environment variable, such as OPENAI_API_KEY; put the key itself into that variable")
    return value


EnvironmentVariable = Annotated[str, BeforeValidator(_a_variable)]


def _a_token(value: Any) -> Any:
    if isinstance(value, str):
        value = value.strip()  # a secret that was a file ends in a line's end
    if isinstance(value, str) and len(value) < 16:
        raise ValueError("too easy to guess: write at least 16 characters, such as `openssl rand -hex 24` prints")
    return value


Token = Annotated[SecretStr, BeforeValidator(_a_token)]


class TimeoutsSettings(Section):
    connect_s: PositiveSeconds = 5
    """To open a connection to the engine."""

    first_byte_s: PositiveSeconds = 600
    """From the end of the request to the first byte of the reply; a plain reply comes after its whole generation."""

    between_chunks_s: PositiveSeconds = 120
    """Silence within a reply."""

    total_s: PositiveSeconds = 3600
    """The whole exchange."""


class UpstreamSettings(Section):
    name: Name
    """Shown in metrics and logs, and used in `/upstream/NAME/…`."""

    url: str
    """Root of an OpenAI-compatible server, with or without a trailing `/v1`."""

    models: tuple[str, ...] = ("*",)
    """Models it serves, as names or globs."""

    aliases: dict[str, str] = Field(default_factory=dict)
    """Public name to the name this server knows. Re-pointing an alias starts with an empty cache for it."""

    api_key_env: EnvironmentVariable | None = None
    """Environment variable that holds this server's API key. Unset: the client's own `Authorization` is passed on."""

    revision: str = ""
    """Free text that is part of every key: change it when the weights behind an unchanged name change."""

    always_stream: bool = False
    """Ask for plain answers as streams too, so that a client who leaves ends the generation. llama.cpp needs it."""

    ask_usage: bool = True
    """Ask for token counts on streams that may be stored or shared. An engine that refuses `stream_options` by name is
    asked without it from then on."""

    max_concurrency: PositiveCount = 256
    """Requests under way at once; further ones wait."""

    max_queue: Count = 1024
    """Requests that may wait; beyond them the answer is 429."""

    queue_timeout_s: Seconds = 30
    """Longest wait for a place; after it the answer is 503."""

    timeouts: TimeoutsSettings = TimeoutsSettings()
    """Four clocks on each exchange."""

    stale_window_ms: Count = 50
    """A reused connection that closes within this time, without a byte, did not take the request: it is sent again."""

    drain: bool = False
    """Send it nothing new; what is under way finishes."""

    @field_validator("url")
    @classmethod
    def _root(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("write the engine's root with its scheme, such as http://127.0.0.1:8000")
        try:
            _ = parts.port
        except ValueError as exc:
            raise ValueError("the port must be a number from 0 to 65535") from exc
        if parts.username is not None or parts.password is not None:
            raise ValueError("write no credentials here: name a variable that holds the key in api_key_env")
        if parts.query or parts.fragment:
            raise ValueError("write the engine's root, without ? or #")
        if not parts.path.isascii():
            raise ValueError("percent-encode the path, as it goes over the wire: /%C3%A9 for /é")
        path = parts.path.rstrip("/")
        if re.search(r"/v1/.", path):
            raise ValueError("write the engine's root, up to and including /v1 at most, not one of its paths")
        return f"{parts.scheme}://{parts.netloc}{path.removesuffix('/v1')}"

    @field_validator("models")
    @classmethod
    def _some_models(cls, models: tuple[str, ...]) -> tuple[str, ...]:
        if not models or "" in models:
            raise ValueError("write at least one model name or glob; ['*'] is every model")
        return models

    @field_validator("aliases")
    @classmethod
    def _whole_aliases(cls, aliases: dict[str, str]) -> dict[str, str]:
        if "" in aliases or "" in aliases.values():
            raise ValueError("write `public name: name on the server`, both non-empty")
        return aliases


class StoreSettings(Section):
    kind: Literal["memory", "embedded", "redis"] = "memory"
    """Where answers are kept. Only `memory` is built so far."""

    max_entries: PositiveCount = 100_000
    """Answers kept; the least recently used leave first."""

    max_bytes: PositiveCount = 268_435_456
    """Bytes of answers kept."""

    max_entry_bytes: PositiveCount = 1_048_576
    """A longer answer is delivered, not stored."""

    path: Path | None = None
    """Folder of a store that survives restarts."""

    @field_validator("kind")
    @classmethod
    def _built(cls, kind: str) -> str:
        if kind != "memory":
            raise ValueError(f"the {kind} store is not built yet: write kind: memory")
        return kind

    @model_validator(mode="after")
    def _an_entry_fits(self) -> Self:
        if self.max_entry_bytes > self.max_bytes:
            raise fault(("max_entry_bytes",), "one entry may not be larger than max_bytes, the whole store")
        return self


class FlightsSettings(Section):
    max_bytes: PositiveCount = 134_217_728
    """Bytes held for all answers being generated; over it requests fly alone."""

    slow_reader_s: PositiveSeconds = 60
    """A reader who takes nothing for so long while others wait for it is cut off."""

    heartbeat_s: PositiveSeconds = 15
    """A stream silent for so long gets a comment, so that nobody between gives up."""


class TenantSettings(Section):
    name: Name
    """Shown in metrics and logs."""

    api_keys: tuple[str, ...] = Field(repr=False)
    """Keys its clients send: plain, or `sha256:` and the digest in hex. Only digests are kept."""

    models: tuple[str, ...] = ("*",)
    """Models it may ask, as names or globs."""

    requests_per_minute: PositiveCount | None = None
    """Beyond it the answer is 429. Unset: no limit."""

    @field_validator("api_keys")
    @classmethod
    def _hashed(cls, keys: tuple[str, ...]) -> tuple[str, ...]:
        if not keys:
            raise ValueError("write at least one key")
        return tuple(_hash_of(key) for key in keys)


def _hash_of(key: str) -> str:
    """`sha256:` and 64 hex digits, whatever form the key was written in."""
    algorithm, colon, digest = key.partition(":")
    if colon and algorithm.lower() == "sha256":
        if not re.fullmatch(r"[0-9a-fA-F]{64}", digest):
            raise ValueError("after `sha256:` write the 64 hex digits that `printf %s KEY | sha256sum` prints")
        return f"sha256:{digest.lower()}"
    if len(key) < 8:
        raise ValueError("too easy to guess: an API key has at least 8 characters")
    return f"sha256:{hashlib.sha256(key.encode()).hexdigest()}"


class EmbedderSettings(Section):
    provider: Literal["packaged", "fastembed", "openai"] = "packaged"
    """`packaged` needs no network; `fastembed` downloads the model once; `openai` asks an `/v1/embeddings` server."""

    model: str = Field(default="all-MiniLM-L6-v2", min_length=1)
    """Model name, as the provider knows it."""

    url: str | None = None
    """Root of the embeddings server (`openai` only)."""

    sha256: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")
    """Digest the model file must have. Unset: the packaged file's own."""

    deadline_ms: PositiveCount = 100
    """A lookup whose vector is later than this is a miss."""

    max_queue: PositiveCount = 256
    """Texts that may wait to be embedded; beyond them a lookup is a miss."""

    api_key_env: EnvironmentVariable | None = None
    """Environment variable that holds the embeddings server's API key."""

    @model_validator(mode="after")
    def _has_a_server(self) -> Self:
        if self.provider == "openai" and not self.url:
            raise fault(
                ("url",), "provider: openai needs the root of an embeddings server, such as http://127.0.0.1:8001"
            )
        if self.provider != "openai" and self.url:
            raise fault(("url",), f"provider: {self.provider} asks no server: write provider: openai, or leave url out")
        return self


class ServerSettings(Section):
    drain_s: Seconds = 2
    """After SIGTERM: time between saying "not ready" and accepting no more."""

    grace_s: Seconds = 30
    """After that: time for what is under way to finish."""

    head_timeout_s: PositiveSeconds = 10
    """Time for a complete request head, from its first byte; then 408. A new connection that sends none is closed."""

    body_timeout_s: PositiveSeconds = 30
    """In each such time a request body must bring 1 KiB, or its end; else 408."""

    idle_timeout_s: PositiveSeconds = 75
    """A connection without a request is closed after this."""

    send_timeout_s: PositiveSeconds = 60
    """A client that takes nothing of its reply for so long is cut off."""

    max_head_bytes: PositiveCount = 65_536
    """Request line and headers together; beyond it 431."""

    max_header_lines: PositiveCount = 200
    """Headers of a request; beyond it 431."""

    hit_lane: bool = True
    """Answer exact hits of bytes that were asked before in the protocol itself, at a quarter of the cost."""


class MetricsSettings(Section):
    public: bool = True
    """Whether `/metrics` needs no admin token."""
