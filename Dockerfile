# syntax=docker/dockerfile:1
FROM python:3.11-slim AS build
WORKDIR /src
COPY pyproject.toml requirements.lock README.md LICENSE ./
COPY config config
COPY policies policies
COPY proxy proxy
COPY bench bench
COPY evaluation evaluation
COPY simulation simulation
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --constraint requirements.lock .

FROM python:3.11-slim
RUN useradd --system --uid 10001 --no-create-home askonce
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1
USER 10001
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/healthz', timeout=2)"]
# Exec form: SIGTERM reaches the proxy itself, which drains and exits with 0.
ENTRYPOINT ["python", "-m", "proxy"]
