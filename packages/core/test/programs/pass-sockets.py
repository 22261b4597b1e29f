"""Opens sockets and executes another program that inherits them, like systemd.

Arguments: the sockets with their names, such as `tcp:web,udp:web,unix=/run/x.sock:admin`, then the program.
"""

import os
import socket
import sys


def opened(kind: str) -> socket.socket:
    name, _, path = kind.partition("=")
    if name == "udp":
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        datagrams.bind(("127.0.0.1", 0))
        return datagrams
    if name == "udp6":
        datagrams = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        datagrams.bind(("::1", 0))
        return datagrams
    listener = socket.socket(socket.AF_UNIX if name == "unix" else socket.AF_INET)
    listener.bind(path if name == "unix" else ("127.0.0.1", 0))
    listener.listen()
    return listener


wanted = [entry.rpartition(":") for entry in sys.argv[1].split(",")]
sockets = [opened(kind) for kind, _, _ in wanted]
# Move the descriptors away first, because one of them can have the number of another's target.
for index, each in enumerate(sockets):
    os.dup2(each.fileno(), 100 + index)
for index in range(len(sockets)):
    os.dup2(100 + index, 3 + index, inheritable=True)
os.environ["LISTEN_FDS"] = str(len(sockets))
os.environ["LISTEN_PID"] = str(os.getpid())
os.environ["LISTEN_FDNAMES"] = ":".join(name for _, _, name in wanted)
os.execv(sys.argv[2], sys.argv[2:])
