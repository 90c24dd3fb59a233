"""Whether an address is free to serve at."""

import os
import socket

from index.errors import RulesError


def check_port(host: str, port: int) -> None:
    """Make sure that the address is free, before anything heavy is loaded.

    Raises:
        RulesError: it is not; says what to do.
    """
    try:
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            return
    except OSError as error:
        hint = (
            "choose another with --port" if error.errno != 13 else "ports below 1024 need rights; choose a higher one with --port"
        )
        raise RulesError(f"port {port} on {host} can't be used ({os.strerror(error.errno or 0)}); {hint}") from None
