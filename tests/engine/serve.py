"""The real llama.cpp server in a process of its own, until its standard input ends.

python -m tests.engine.serve MODEL.gguf
"""

import socket
import sys

import xllamacpp


def main(model: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {"tiny"}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = 4096
    params.n_parallel = 4
    params.endpoint_slots = True
    params.endpoint_metrics = True
    params.ctx_shift = True  # lets it generate for as long as a test needs
    params.cpuparams.n_threads = 1  # more would spin on a busy machine
    server = xllamacpp.Server(params)
    print(f"listening {server.listening_address}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
