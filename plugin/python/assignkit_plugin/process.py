"""A plugin's process: the handshake of go-plugin, mutual TLS, the end, and the log."""

from __future__ import annotations

import base64
import datetime
import faulthandler
import json
import logging
import os
import signal
import sys
import threading
from concurrent import futures

import grpc
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from .columns import MAX_MESSAGE

PROTOCOL_VERSION = 1
THREADS = 8


def run(service, stdout: int) -> None:
    """Serves until standard input ends, and then ends the process. stdout is where the host reads the handshake."""
    faulthandler.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for the host, which ends its plugins itself
    threading.Thread(target=_end_with_host, daemon=True).start()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JSONLines())
    logging.basicConfig(level=logging.DEBUG, handlers=[handler])

    host, folder = os.environ.get("PLUGIN_CLIENT_CERT"), os.environ.get("PLUGIN_UNIX_SOCKET_DIR")
    if not host or not folder:
        sys.exit("the host has set no PLUGIN_CLIENT_CERT or no PLUGIN_UNIX_SOCKET_DIR, and a plugin needs both")
    key, certificate = _certificate()
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    credentials = grpc.ssl_server_credentials([(key, pem)], root_certificates=host.encode(), require_client_auth=True)
    limits = [("grpc.max_receive_message_length", MAX_MESSAGE), ("grpc.max_send_message_length", MAX_MESSAGE)]
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=THREADS), options=limits)
    service.add_to(server)
    path = os.path.join(folder, "plugin.sock")
    server.add_secure_port("unix:" + path, credentials)
    server.start()
    der = base64.b64encode(certificate.public_bytes(serialization.Encoding.DER)).decode().rstrip("=")
    os.write(stdout, f"1|{PROTOCOL_VERSION}|unix|{path}|grpc|{der}\n".encode())
    server.wait_for_termination()


def _end_with_host() -> None:
    """Ends the process when standard input does, which the host holds open for as long as it wants the plugin, and lives."""
    while os.read(0, 4096):
        pass
    os._exit(0)


def _certificate() -> tuple[bytes, x509.Certificate]:
    """A certificate that lives as long as the process, and its key as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    usages = [x509.ExtendedKeyUsageOID.SERVER_AUTH, x509.ExtendedKeyUsageOID.CLIENT_AUTH]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))  # clocks step
        .not_valid_after(now + datetime.timedelta(days=30 * 365))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return pem, certificate


class JSONLines(logging.Formatter):
    """Log records as lines that hosts read, in the form of go-hclog. They cut off lines above 8 KiB, so these stay below."""

    PLAIN = frozenset(vars(logging.makeLogRecord({})))
    LEVELS = ((logging.ERROR, "error"), (logging.WARNING, "warn"), (logging.INFO, "info"), (logging.NOTSET, "debug"))

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.datetime.fromtimestamp(record.created, datetime.timezone.utc)
        fields = {
            "@level": next(name for level, name in self.LEVELS if record.levelno >= level),
            "@message": record.getMessage()[:2000],
            "@timestamp": moment.isoformat(timespec="microseconds").replace("+00:00", "Z"),
        }
        for key, value in vars(record).items():  # what was given as extra
            if key not in self.PLAIN and key not in fields and len(fields) < 12:
                fields[key] = str(value)[:200]
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)[-2000:]
        line = json.dumps(fields, ensure_ascii=False)
        return line if len(line.encode()) < 8000 else json.dumps({k: fields[k][:500] for k in ("@level", "@message", "@timestamp")})
