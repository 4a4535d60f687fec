"""What is askonce's own: health, metrics, and what an administrator may ask. Starlette, behind the hot paths."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import orjson
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from proxy.admin_access import AdminAccess
from proxy.edge import Receive, Scope, refusal
from proxy.errors import BadRequest, NotFound, ProxyError
from proxy.headers import request_id
from proxy.metrics import Metrics
from proxy.outlet import Message, Send

Check = Callable[[], tuple[bool, dict[str, Any]]]
"""Whether requests can be answered, and the detail for `/readyz`."""


class MethodNotAllowed(ProxyError):
    """One of our own paths, asked in a way it does not know."""

    status = 405
    type = "invalid_request_error"
    code = "method_not_allowed"


def admin_app(
    *,
    access: AdminAccess,
    ready: Check,
    metrics: Metrics,
    metrics_public: bool,
    purge: Callable[[str | None], int],
    families: Callable[[], Sequence[str]],
    explain: Callable[[bytes], Awaitable[dict[str, Any]]],
) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    """The application for `/healthz`, `/readyz`, `/metrics` and `/admin/*`.

    `purge` drops the answers of one family, or of all, and says how many were stored; `families` names those there are.
    """

    async def healthz(request: Request) -> Response:
        return _json({"status": "ok"})

    async def readyz(request: Request) -> Response:
        usable, detail = ready()
        return _json(detail, 200 if usable else 503)

    async def exposition(request: Request) -> Response:
        if not metrics_public:
            access.check(_fields(request))
        return Response(metrics.render(), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def purged(request: Request) -> Response:
        """Drop stored answers: `{"all": true}` or `{"family": "capitals"}`."""
        wanted = await _changing(request, access)
        if wanted.get("all") is True:
            dropped = purge(None)
        elif isinstance(family := wanted.get("family"), str):
            if family not in (known := families()):
                raise BadRequest(f"No family has this name: write one of {', '.join(known)}.", param="family")
            dropped = purge(family)
        else:
            raise BadRequest('Write {"all": true} or {"family": "NAME"}.')
        return _json({"dropped": dropped})

    async def explained(request: Request) -> Response:
        access.check(_fields(request))
        return _json(await explain(await request.body()))

    async def on_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, ProxyError)
        reply = refusal(error)
        return Response(reply.body, error.status, {name.decode(): value.decode() for name, value in reply.headers})

    async def on_unknown(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if error.status_code == MethodNotAllowed.status:
            wrong_method = await on_error(request, MethodNotAllowed("This path does not take this method."))
            wrong_method.headers.update(error.headers or {})
            return wrong_method
        return await on_error(request, NotFound("askonce has no such path."))

    own = Starlette(
        routes=[
            Route("/healthz", healthz),
            Route("/readyz", readyz),
            Route("/metrics", exposition),
            Route("/admin/purge", purged, methods=["POST"]),
            Route("/admin/explain", explained, methods=["POST"]),
        ],
        exception_handlers={ProxyError: on_error, HTTPException: on_unknown},
    )

    async def with_request_id(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await own(scope, receive, send)
            return
        echoed = request_id([value for name, value in scope["headers"] if name == b"x-request-id"]).encode("ascii")

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (b"x-request-id", echoed)]}
            await send(message)

        await own(scope, receive, send_with_id)

    return with_request_id


async def _changing(request: Request, access: AdminAccess) -> dict[str, Any]:
    """The body of a call that changes something."""
    access.check_change(_fields(request))
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise BadRequest("Send the body as application/json.", code="not_json")
    try:
        body = orjson.loads(await request.body())
    except orjson.JSONDecodeError:
        raise BadRequest("The body is not JSON.", code="invalid_json") from None
    if not isinstance(body, dict):
        raise BadRequest("The body must be a JSON object.")
    return body


def _fields(request: Request) -> dict[bytes, bytes]:
    return dict(request.scope["headers"])


def _json(body: dict[str, Any], status: int = 200) -> Response:
    return Response(orjson.dumps(body), status, media_type="application/json", headers={"cache-control": "no-store"})
