"""TLS for a dask cluster: without one of its certificates nobody can give its processes work or read their results.

A dask process runs what it is sent. Without TLS anybody who reaches a port of a scheduler or worker runs code as the
user who started it, and a stranger's scheduler can answer a client with code.

    a cluster of ours       a key and a certificate made for the run; SLURM jobs read them from files of the user alone
    a scheduler that runs   the certificates that dask's own configuration names, `distributed.comm.tls`
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.errors import BadFile, BadValue, MissingExtra, argument
from engine.files import read_text

ENCRYPTED = ("tls://", "wss://")


def make_certificates(without_tls: bool) -> Any:
    """Dask's `Security` with a key and a certificate of this run, None for none; MissingExtra where it cannot."""
    if without_tls:
        return None
    import distributed

    security: Any = distributed.Security
    try:
        return security.temporary()
    except ImportError as error:
        remedy = f"pip install 'caregrid[cluster]', or add {argument('without_tls', True)} where you trust everybody"
        raise MissingExtra("TLS needs the package 'cryptography'", remedy=remedy) from error


def save_certificates(security: Any, folder: Path) -> Any:
    """The same `Security`, its key and certificate in files of the user alone, for processes of other machines."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    for path, content in ((certificate, security.tls_ca_file), (key, security.tls_worker_key)):
        path.touch(mode=0o600, exist_ok=False)
        path.write_text(content)
    return _name_files(str(certificate), str(key))


def _name_files(certificate: str, key: str) -> Any:
    import distributed

    security: Any = distributed.Security
    roles = ("client", "scheduler", "worker")
    files = {f"tls_{role}_{what}": path for role in roles for what, path in (("cert", certificate), ("key", key))}
    return security(require_encryption=True, tls_ca_file=certificate, **files)


def describe_certificates(without_tls: bool) -> Any:
    """As `save_certificates`, with words in the place of files; None for none."""
    return None if without_tls else _name_files("CERTIFICATE", "KEY")


def read_certificates(scheduler: str, without_tls: bool) -> Any:
    """Dask's `Security` for a scheduler that runs already, of an address or a file; BadValue for one without TLS."""
    import distributed

    address = scheduler if "://" in scheduler else _read_address(scheduler)
    encrypted = address.startswith(ENCRYPTED)
    if not encrypted and not without_tls:
        remedy = f"start it with TLS, or add {argument('without_tls', True)} where you trust everybody"
        raise BadValue(f"{address} has no TLS: others can run code as you", place=argument("scheduler"), remedy=remedy)
    make: Any = distributed.Security
    security = make()
    named = security.get_tls_config_for_role("client")
    if encrypted and not all(named.get(what) for what in ("ca_file", "cert")):
        remedy = "name ca-file and client.cert in dask's configuration, distributed.comm.tls"
        raise BadValue("no certificate for this scheduler", place=argument("scheduler"), remedy=remedy)
    return security


def _read_address(path: str) -> str:
    try:
        address = json.loads(read_text(path))["address"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, BadFile):
            raise
        raise BadFile("it is no scheduler file", place=path, remedy="or give tls://HOST:PORT") from error
    return str(address)
