"""Every setting of the proxy, and where its value comes from: flags over environment over YAML file over defaults."""

import re
import secrets
from collections.abc import Mapping
from importlib import resources
from ipaddress import IPv4Network, IPv6Network, ip_address
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from config.document import ConfigError, Document, Location, read_document, read_file
from config.environment import PREFIX, read_environment, variable
from config.faults import faults
from config.fields import PositiveCount, PositiveSeconds, Seconds, a_number, fault
from config.sections import (
    EmbedderSettings,
    FlightsSettings,
    MetricsSettings,
    ServerSettings,
    StoreSettings,
    TenantSettings,
    TimeoutsSettings,
    Token,
    UpstreamSettings,
)

__all__ = [
    "ConfigError",
    "EmbedderSettings",
    "FlightsSettings",
    "MetricsSettings",
    "ServerSettings",
    "Settings",
    "StoreSettings",
    "TenantSettings",
    "TimeoutsSettings",
    "UpstreamSettings",
    "exposed_key",
    "is_loopback",
    "key_from",
    "load_settings",
    "startup_warnings",
    "with_secrets",
]


class Settings(BaseSettings):
    """Plain and frozen: `Settings(...)` reads no file and no environment; `load_settings` does."""

    model_config = SettingsConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        env_ignore_empty=True,  # compose files pass `${X:-}`: an empty variable is an unset one
    )

    host: str = "127.0.0.1"
    """Address to listen on."""

    port: Annotated[int, BeforeValidator(a_number), Field(ge=0, le=65535)] = 8080
    """Port to listen on; 0 takes a free one."""

    upstream: str | None = None
    """Short for `upstreams` with one server at this URL and the defaults."""

    upstreams: tuple[UpstreamSettings, ...] = (UpstreamSettings(name="local", url="http://127.0.0.1:8000"),)
    """The engines, in order of preference."""

    upstream_client: Literal["auto", "http1", "aiohttp"] = "auto"
    """HTTP client towards the engines; `auto` takes our own for http and aiohttp for https."""

    max_body_bytes: PositiveCount = 33_554_432
    """Longest request body; beyond it 413."""

    pass_through: Literal["inference", "all"] = "inference"
    """`all` also forwards the paths that manage an engine (load, unload, sleep, reset …)."""

    forward_authorization: Literal["auto", "always", "never"] = "auto"
    """Whether the client's `Authorization` goes upstream; `auto`: to servers without `api_key_env`."""

    auth_ttl_s: Seconds = 300
    """Where the engine judges credentials: a hit is served for so long after it accepted one."""

    probe_s: PositiveSeconds = 5
    """Time between two probes of an engine; one that came back is asked again within it."""

    store: StoreSettings = StoreSettings()
    """Where answers are kept, and how many."""

    flights: FlightsSettings = FlightsSettings()
    """Answers being generated, shared by all who ask meanwhile."""

    tenants: tuple[TenantSettings, ...] = ()
    """Who may ask. Empty: anyone, each credential a tenant of its own."""

    tenant_secret: Token | None = None
    """Turns credentials into tenants. Unset: made at start."""

    trust_tenant_header: bool = False
    """Whether `x-tenant` from a trusted proxy names the tenant."""

    trusted_proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    """Addresses or networks whose forwarding headers count."""

    open: bool = False
    """Allow anyone who can reach the port to spend the keys in `api_key_env`."""

    embedder: EmbedderSettings = EmbedderSettings()
    """Turns prompts into vectors for families with semantic lookup."""

    server: ServerSettings = ServerSettings()
    """Limits on connections, and how the server stops."""

    metrics: MetricsSettings = MetricsSettings()
    """Prometheus metrics."""

    access_log: str = Field(default="-", min_length=1)
    """File for one JSON line a request; `-` is standard error, `off` is none."""

    admin_token: Token | None = None
    """Needed for `/admin/*` and `/dashboard`. Unset: made at start and printed."""

    admin_hosts: tuple[str, ...] = ()
    """Names under which an administrator reaches the proxy, besides localhost and any address."""

    policies: Path | None = None
    """File of the families. Unset: the packaged one."""

    strict_evidence: bool = False
    """Refuse a family with semantic lookup that names no evaluation."""

    workers: PositiveCount = 1
    """Processes. With the memory store each has its own cache."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments alone. `load_settings` merges the sources, because only there an error's place is known."""
        return (init_settings,)

    @model_validator(mode="before")
    @classmethod
    def _one_upstream(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("upstream") is not None:
            if data.get("upstreams"):
                raise fault(("upstream",), "write either `upstream` or `upstreams`, not both")
            return {**data, "upstreams": [{"name": "local", "url": data["upstream"]}]}
        return data

    @field_validator("access_log", mode="before")
    @classmethod
    def _off(cls, value: Any) -> Any:
        return "off" if value is False else value

    @field_validator("trusted_proxies", mode="before")
    @classmethod
    def _networks(cls, value: Any) -> Any:
        for item in value if isinstance(value, list | tuple) else ():
            if isinstance(item, str):
                try:
                    _network(item)
                except ValueError as exc:
                    raise ValueError(f"{exc}: write addresses or networks such as 10.0.0.7 or 10.0.0.0/8") from exc
        return value

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if not self.upstreams:
            raise fault(("upstreams",), "write at least one server")
        _no_name_twice("upstreams", [upstream.name for upstream in self.upstreams])
        _no_name_twice("tenants", [tenant.name for tenant in self.tenants])
        owner: dict[str, str] = {}
        for position, tenant in enumerate(self.tenants):
            for key in tenant.api_keys:
                if key in owner:
                    raise fault(("tenants", position, "api_keys"), f"one of these keys is also given for {owner[key]}")
                owner[key] = tenant.name
        if self.trust_tenant_header and not self.trusted_proxies:
            raise fault(("trust_tenant_header",), "needs trusted_proxies: write the addresses whose x-tenant counts")
        if exposed := exposed_key(self, self.host):
            raise fault(("host",), exposed)
        return self


def load_settings(config_path: Path | None, overrides: Mapping[str, Any]) -> Settings:
    """Read and check everything; `overrides` are the flags that were given, nested like the file.

    Without a path the packaged `proxy.yaml` is read, which equals the defaults.

    Raises:
        ConfigError: on the first source that can't be read, else on all faults together.
    """
    document = _read(config_path)
    environment = read_environment(Settings)
    merged = _overlay(_overlay(document.data, environment), overrides)
    try:
        return Settings(**merged)
    except ValidationError as exc:
        said = []
        for where, text in faults(exc, Settings):
            if merged.get("upstream") is not None and where[:1] == ("upstreams",):
                where, text = ("upstream",), text.replace("upstreams[0].url", "upstream", 1)
            said.append(f"{_place(where, document, environment, overrides)}: {text}")
        # The chained error would show the values, secrets among them.
        raise ConfigError("\n".join(said)) from None


def with_secrets(settings: Settings, others: Settings | None = None) -> Settings:
    """The settings with the secrets that nobody gave: those of `others`, else new ones for all processes of a start."""
    made = {
        name: getattr(others, name) if others is not None else SecretStr(secrets.token_urlsafe(32))
        for name in ("tenant_secret", "admin_token")
        if getattr(settings, name) is None
    }
    return settings.model_copy(update=made)


def exposed_key(settings: Settings, host: str) -> str | None:
    """What to write where a server bound to `host` lets anyone spend an upstream's API key; None if it does not."""
    spent = next((upstream.name for upstream in settings.upstreams if upstream.api_key_env), None)
    if spent is None or settings.tenants or settings.open or is_loopback(host):
        return None
    return (
        f"on {host} anyone who reaches the port could spend the API key of upstream {spent}: write "
        "`tenants:` with the keys of those who may, or host: 127.0.0.1, or open: true to allow everyone"
    )


_PRINTABLE = re.compile(r"[!-~]*")


def key_from(environment: Mapping[str, str], name: str | None) -> str | None:
    """The API key in the variable `name`, None without such a name; empty where the variable holds none.

    Without the blanks and the line's end around it that files and secrets have, which no header may hold.
    """
    if name is None:
        return None
    key = environment.get(name, "").strip()
    return key if _PRINTABLE.fullmatch(key) else ""


def startup_warnings(settings: Settings, environment: Mapping[str, str]) -> list[str]:
    """What is allowed, and yet worth a line when the proxy starts."""
    warnings = []
    for upstream in settings.upstreams:
        if upstream.api_key_env and not key_from(environment, upstream.api_key_env):
            unset = not environment.get(upstream.api_key_env, "").strip()
            why = "is not set" if unset else "holds a character that no key has"
            warnings.append(
                f"upstream {upstream.name}: the variable {upstream.api_key_env} {why}, so it gets no API key"
            )
    if settings.workers > 1:
        warnings.append(f"workers: {settings.workers} processes, and with the memory store each has its own cache")
    if settings.open and not is_loopback(settings.host):
        warnings.append(f"open: true: anyone who reaches {settings.host}:{settings.port} may spend the upstreams' keys")
    if all(upstream.drain for upstream in settings.upstreams):
        warnings.append("every upstream has drain: true, so nothing can be asked")
    return warnings


def _read(path: Path | None) -> Document:
    if path is None:
        return read_document(resources.files("config").joinpath("proxy.yaml").read_text("utf-8"), "config/proxy.yaml")
    document = read_file(path)
    if isinstance(policies := document.data.get("policies"), str):
        document.data["policies"] = path.parent / policies  # beside the file that names it, wherever we are started
    return document


def _overlay(lower: Mapping[str, Any], upper: Mapping[str, Any]) -> dict[str, Any]:
    """Sections merge, anything else is replaced; the two ways to name upstreams replace each other."""
    merged = dict(lower)
    for one, other in (("upstream", "upstreams"), ("upstreams", "upstream")):
        if upper.get(one):
            merged.pop(other, None)
    for key, value in upper.items():
        below = merged.get(key)
        merged[key] = _overlay(below, value) if isinstance(below, dict) and isinstance(value, Mapping) else value
    return merged


def _place(where: Location, document: Document, environment: Mapping[str, Any], flags: Mapping[str, Any]) -> str:
    """Where the value at `where` came from: a flag, a variable, or a line of the file."""
    if where and where[0] in flags:
        return "--" + str(where[0]).replace("_", "-")
    return variable(where, environment) or document.place(where)


def is_loopback(host: str) -> bool:
    """Whether a server bound to `host` can be reached from this machine only."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _network(text: str) -> IPv4Network | IPv6Network:
    return IPv6Network(text) if ":" in text else IPv4Network(text)


def _no_name_twice(section: str, names: list[str]) -> None:
    for position, name in enumerate(names):
        if name in names[:position]:
            raise fault((section, position, "name"), f"`{name}` is given twice")
