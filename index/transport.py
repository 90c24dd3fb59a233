"""Get something over HTTP: with time-outs, a size limit, tries after passing failures, and failures in plain words."""

import random
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from types import TracebackType
from typing import BinaryIO

import httpx

from index.errors import RulesError

AGENT = "rules-lawyer"
RETRIED = (429, 500, 502, 503, 504)

Progress = Callable[[int, int | None], None]
"""Told the bytes that have arrived, and the total where the server gave one."""


@dataclass(frozen=True)
class Patience:
    """How long to wait, in seconds, and how often to try."""

    connect: float = 5.0
    read: float = 30.0
    whole: float = 300.0
    tries: int = 3
    pause: float = 0.5


@dataclass(frozen=True)
class Reply:
    """What a server sent, without the content.

    Attributes:
        address: where it came from in the end, after redirects.
        etag: the ETag header; empty where there was none.
        last_modified: the Last-Modified header; empty where there was none.
        remedy: the transport's, for the message where the status is not the wanted one.
    """

    status: int
    address: str
    etag: str
    last_modified: str
    remedy: str = ""

    def require(self, status: int) -> None:
        """Refuse any other status.

        Raises:
            RulesError: the status is another one.
        """
        if self.status != status:
            phrase = httpx.codes.get_reason_phrase(self.status)
            raise RulesError(f"{self.address} answers {self.status} {phrase}".rstrip() + self.remedy)


class Transport:
    """Opens addresses; a context manager.

    Args:
        patience: time-outs and tries.
        remedy: what every message ends with, for example "; try again later".
        thing: what is being brought, for the message "no rulebook is that large".

    Raises:
        RulesError: the network settings (proxy, certificates) can't be used.
    """

    def __init__(self, patience: Patience, remedy: str, thing: str) -> None:
        self._patience, self._remedy, self._thing = patience, remedy, thing
        timeout = httpx.Timeout(patience.read, connect=patience.connect)
        headers = {"User-Agent": AGENT, "Accept": "*/*"}
        try:
            self._client = httpx.Client(timeout=timeout, follow_redirects=True, max_redirects=5, headers=headers)
        except (ValueError, ImportError, OSError, httpx.InvalidURL) as error:  # from the proxy and certificate variables
            reason = " ".join(str(error).split())
            raise RulesError(f"the network settings can't be used ({reason}); check HTTPS_PROXY and SSL_CERT_FILE") from error

    def __enter__(self) -> "Transport":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._client.close()

    def get(
        self, address: str, most: int, headers: dict[str, str] | None = None, progress: Progress | None = None
    ) -> tuple[Reply, bytes]:
        """What an address sends.

        Args:
            most: bytes that are taken at the most.

        Raises:
            RulesError: no connection, cut off, too slow, or too large. A status such as 404 is no error here.
        """
        sink = BytesIO()
        return self.save(address, sink, most, headers, progress), sink.getvalue()

    def save(
        self,
        address: str,
        sink: BinaryIO,
        most: int,
        headers: dict[str, str] | None = None,
        progress: Progress | None = None,
    ) -> Reply:
        """Write what an address sends to a file that can be rewound; tried again after passing failures.

        Raises:
            RulesError: as ``get``.
        """
        for attempt in range(self._patience.tries):
            last = attempt == self._patience.tries - 1
            sink.seek(0)
            sink.truncate()
            try:
                reply = self._once(address, sink, most, headers or {}, progress)
                if reply.status not in RETRIED or last:
                    return reply
            except (httpx.HTTPError, httpx.InvalidURL, ValueError, OverflowError) as error:
                if last or not _passing(error):
                    raise RulesError(f"{_explained(error, address)}{self._remedy}") from error
            time.sleep(self._patience.pause * 2**attempt * random.uniform(0.5, 1.5))
        raise AssertionError("unreachable: the last try returns or raises")

    def _once(self, address: str, sink: BinaryIO, most: int, headers: dict[str, str], progress: Progress | None) -> Reply:
        end = time.monotonic() + self._patience.whole
        taken = 0
        with self._client.stream("GET", address, headers=headers) as response:
            total = _length(response)
            if response.status_code == 200:
                for chunk in response.iter_bytes():
                    taken += len(chunk)
                    if taken > most or (total or 0) > most:
                        large = f"{address} sends more than {most // 2**20} MB; no {self._thing} is that large"
                        raise RulesError(large + self._remedy)
                    if time.monotonic() > end:
                        slow = f"{address} sends too slowly: not whole after {self._patience.whole:g} s"
                        raise RulesError(slow + self._remedy)
                    sink.write(chunk)
                    if progress:
                        progress(response.num_bytes_downloaded, total)
                if total is not None and response.num_bytes_downloaded != total:
                    raise httpx.RemoteProtocolError("fewer bytes than Content-Length says", request=response.request)
            etag, modified = response.headers.get("ETag", ""), response.headers.get("Last-Modified", "")
            return Reply(response.status_code, str(response.url), etag, modified, self._remedy)


def _length(response: httpx.Response) -> int | None:
    length = response.headers.get("Content-Length", "")
    return int(length) if length.isascii() and length.isdigit() and len(length) < 16 else None


def _passing(error: Exception) -> bool:
    """Whether the failure may be gone at the next try; a name that can't be resolved means: offline."""
    return isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError) and not _is_resolution(error)


def _is_resolution(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, socket.gaierror):
            return True
        error = error.__cause__ or error.__context__
    return False


def _explained(error: Exception, address: str) -> str:
    """A transport failure in plain words."""
    if _is_resolution(error):
        return f"the name in {address} can't be resolved; is there a network?"
    # The socket module raises the last two for a port above 65535 and for a name that is too long.
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol | ValueError | OverflowError):
        return f"{address[:200]!r} is not an address that can be opened (http:// or https://)"
    if isinstance(error, httpx.TimeoutException):
        return f"{address} does not answer in time"
    if isinstance(error, httpx.TooManyRedirects):
        return f"{address} redirects in circles"
    if isinstance(error, httpx.RemoteProtocolError | httpx.ReadError):
        return f"the connection to {address} was cut off before all had arrived"
    if isinstance(error, httpx.DecodingError):
        return f"{address} sends data that can't be decompressed"
    reason = " ".join(str(error).split()) or type(error).__name__
    return f"no connection to {address} ({reason})"
