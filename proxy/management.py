"""Paths that manage an engine: what a client of a shared proxy may not do to it."""

import re
from urllib.parse import unquote

# Method (or * for any) and path; a star stands for what follows.
MANAGEMENT = (
    ("*", "/api/pull"),
    ("*", "/api/push"),
    ("*", "/api/create"),
    ("*", "/api/copy"),
    ("*", "/api/delete"),
    ("*", "/api/blobs*"),
    ("*", "/v1/load_lora_adapter"),
    ("*", "/v1/unload_lora_adapter"),
    ("*", "/sleep"),
    ("*", "/wake_up"),
    ("*", "/reset_*"),
    ("*", "/collective_rpc"),
    ("*", "/update_*"),
    ("*", "/flush_cache"),
    ("*", "/release_memory*"),
    ("*", "/resume_memory*"),
    ("*", "/start_profile"),
    ("*", "/stop_profile"),
    ("POST", "/slots*"),
    ("POST", "/props"),
    # Further ones of the same kind: llama.cpp's router and adapters, SGLang's, and vLLM's.
    ("*", "/models/load"),
    ("*", "/models/unload"),
    ("POST", "/lora-adapters"),
    ("*", "/load_lora_adapter*"),
    ("*", "/unload_lora_adapter"),
    ("*", "/init_weight*"),
    ("*", "/send_weights_*"),
    ("*", "/get_weights_*"),
    ("*", "/destroy_weights_*"),
    ("*", "/set_internal_state"),
    ("*", "/abort_request*"),
    ("*", "/pause*"),
    ("*", "/resume*"),
    ("*", "/continue_generation"),
    ("*", "/open_session"),
    ("*", "/close_session"),
    ("*", "/configure_logging"),
    ("*", "/slow_down"),
    ("*", "/freeze_gc"),
    ("*", "/start_expert_distribution_record"),
    ("*", "/stop_expert_distribution_record"),
    ("*", "/dump_expert_distribution_record"),
    ("*", "/clear_hicache_storage_backend"),
    ("*", "/scale_elastic_ep"),
)


def manages(method: str, path: str) -> bool:
    """Whether the request would change the engine itself.

    The path is read as leniently as any engine might: percent-encoding, doubled slashes, dot segments, a trailing
    slash and capitals make no difference.
    """
    plain = _plain(path)
    return any(
        (wanted in ("*", method)) and (plain.startswith(name[:-1]) if name.endswith("*") else plain == name)
        for wanted, name in MANAGEMENT
    )


def _plain(path: str) -> str:
    for _ in range(2):  # decoded once by the server, and perhaps once more by an engine behind another proxy
        path = unquote(path)
    parts: list[str] = []
    for part in re.split(r"[/\\]+", path.partition("?")[0].lower()):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part.partition(";")[0])
    return "/" + "/".join(parts)
