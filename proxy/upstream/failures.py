"""What can go wrong with an upstream, in the same words for both clients, and the one rule of asking again."""

from proxy.errors import UpstreamConnectTimeout, UpstreamFailed, UpstreamTimeout, UpstreamUnreachable

MAX_HEAD_BYTES = 65536
"""Of a reply, its informational replies and its trailers: what may be read without a byte of body in it."""


def unreachable() -> UpstreamUnreachable:
    return UpstreamUnreachable("No connection to the upstream could be made.")


def connect_timeout() -> UpstreamTimeout:
    return UpstreamConnectTimeout("The upstream did not accept the connection in time.")


def first_byte_timeout() -> UpstreamTimeout:
    return UpstreamTimeout("The upstream did not begin its reply in time.")


def between_chunks_timeout() -> UpstreamTimeout:
    return UpstreamTimeout("The upstream fell silent in the middle of its reply.")


def total_timeout() -> UpstreamTimeout:
    return UpstreamTimeout("The upstream took too long over the whole exchange.")


def no_reply() -> UpstreamFailed:
    return UpstreamFailed("The upstream closed the connection without a reply.")


def stale() -> UpstreamUnreachable:
    return UpstreamUnreachable("The upstream closed the connection before it can have read the request.")


def cut_short() -> UpstreamFailed:
    return UpstreamFailed("The upstream closed the connection before the end of its reply.")


def not_http() -> UpstreamFailed:
    return UpstreamFailed("The upstream's reply is not valid HTTP/1.1.")


def client_closed() -> UpstreamFailed:
    return UpstreamFailed("The connection to the upstream was closed by askonce itself.")


def closed_unread(
    *, reused: bool, answered: bool, sent_at: float | None, lost_at: float, stale_window_s: float
) -> bool:
    """Whether a lost request surely was never processed: its connection was already being closed when it went out.

    Only a *reused* connection can be stale. After any byte of a reply, and later than `stale_window_s` after the
    request's last byte (`sent_at`, None while it is not out), a generation may have been lost: it is not paid twice.
    """
    return reused and not answered and (sent_at is None or lost_at - sent_at <= stale_window_s)
