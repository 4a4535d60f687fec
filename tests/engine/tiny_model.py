"""Builds a model of random weights that the real llama.cpp server can serve: 2 layers, a vocabulary of bytes, 1 MB.

    python -m tests.engine.tiny_model OUT.gguf

What it says is noise, the same noise for the same prompt at temperature 0, and each token is at most one byte, so its
text is often not UTF-8: what the server makes of that is part of the test.
"""

import sys
from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt

WIDTH, HIDDEN, LAYERS, HEADS, CONTEXT = 64, 128, 2, 2, 2048
CONTROL = ("<s>", "</s>", "<|user|>", "<|assistant|>", "<|system|>")
CHAT_TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
SEED = 7


def byte_letters() -> list[str]:
    """The 256 letters in which GPT-2 writes bytes: a printable one stands for itself, others are moved to U+0100 on.

    The table of openai/gpt-2's `encoder.py`, `bytes_to_unicode`, in the order of the bytes.
    """
    printable = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    letters, moved = [], 0
    for byte in range(256):
        letters.append(chr(byte if byte in printable else 256 + moved))
        moved += byte not in printable
    return letters


def build(path: Path) -> None:
    """Write the model to `path`."""
    words = byte_letters()
    pairs = [("t", "h"), ("a", "n"), ("i", "n"), ("Ġ", "t")]  # the loader wants some merges
    vocabulary = [*CONTROL, *words, *(left + right for left, right in pairs)]
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_name("tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(vocabulary))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(vocabulary)
    writer.add_token_types(
        [gguf.TokenType.CONTROL if word in CONTROL else gguf.TokenType.NORMAL for word in vocabulary]
    )
    writer.add_token_merges([f"{left} {right}" for left, right in pairs])
    writer.add_bos_token_id(vocabulary.index("<s>"))
    writer.add_eos_token_id(vocabulary.index("</s>"))
    writer.add_add_bos_token(True)
    writer.add_chat_template(CHAT_TEMPLATE)
    for name, tensor in _tensors(len(vocabulary)):
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _tensors(words: int) -> list[tuple[str, npt.NDArray[np.float32]]]:
    """Names and weights, (out, in) float32."""
    draw = np.random.default_rng(SEED)

    def noise(*shape: int) -> npt.NDArray[np.float32]:
        return draw.normal(0, 0.3, shape).astype(np.float32)

    ones = np.ones(WIDTH, np.float32)
    tensors = [("token_embd.weight", noise(words, WIDTH)), ("output_norm.weight", ones)]
    tensors.append(("output.weight", noise(words, WIDTH)))
    for layer in range(LAYERS):
        block = f"blk.{layer}."
        tensors += [(f"{block}{part}_norm.weight", ones) for part in ("attn", "ffn")]
        tensors += [(f"{block}attn_{part}.weight", noise(WIDTH, WIDTH)) for part in ("q", "k", "v", "output")]
        tensors += [(f"{block}ffn_{part}.weight", noise(HIDDEN, WIDTH)) for part in ("gate", "up")]
        tensors.append((f"{block}ffn_down.weight", noise(WIDTH, HIDDEN)))
    return tensors


if __name__ == "__main__":
    build(Path(sys.argv[1]))
