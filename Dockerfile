FROM python:3.11-slim AS build
WORKDIR /src
COPY pyproject.toml requirements.lock README.md LICENSE ./
COPY config config
COPY policies policies
COPY proxy proxy
COPY bench bench
COPY evaluation evaluation
COPY simulation simulation
# pip installs from outside, so the environment that is copied below holds no installer.
RUN python -m venv --without-pip /venv \
    && python -m pip --python /venv/bin/python install --no-cache-dir --constraint requirements.lock .

FROM python:3.11-slim
RUN useradd --system --uid 10001 --no-create-home askonce
COPY --from=build /venv /venv
COPY config/docker.yaml /etc/askonce/proxy.yaml
# What the packaged families name as their evidence is looked for from here.
WORKDIR /askonce
COPY results/evaluation results/evaluation
# onnxruntime's own builds report to Microsoft unless told not to, before it is loaded.
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 ORT_DISABLE_TELEMETRY=1
USER 10001
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen(f\"http://127.0.0.1:{os.environ.get('ASKONCE_PORT') or 8080}/healthz\", timeout=2)"]
# Exec form: SIGTERM reaches the proxy itself, which drains and exits with 0. The settings are part of it, so that flags
# of `docker run` are added to them (a later --config wins) rather than putting the proxy back on its own loopback.
ENTRYPOINT ["python", "-m", "proxy", "--config", "/etc/askonce/proxy.yaml"]
