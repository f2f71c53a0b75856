"""An SRT server that acknowledges only when a packet arrives, made of an ordinary one.

    lazyack.py PORT SERVER

A relay for datagrams between one caller on 127.0.0.1:PORT and a server on 127.0.0.1:SERVER. It holds back the server's
acknowledgements (SRT control packets of type 2) until the caller sends a packet other than the answer to an
acknowledgement (type 6), and passes on the newest one then. So the end of each burst stays unacknowledged.
"""

import select
import socket
import sys

ACKNOWLEDGEMENT, ANSWER = 2, 6


def control_type(packet):
    """The type of a control packet; None for data."""
    first = int.from_bytes(packet[:2], "big")
    return first & 0x7FFF if first & 0x8000 else None


def main():
    port, server = (int(argument) for argument in sys.argv[1:3])
    front = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    front.bind(("127.0.0.1", port))
    back = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    back.connect(("127.0.0.1", server))
    for end in (front, back):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    caller, held = None, None
    while True:
        for end in select.select([front, back], [], [])[0]:
            if end is front:
                packet, caller = front.recvfrom(65536)
                back.send(packet)
                if held is not None and control_type(packet) != ANSWER:
                    front.sendto(held, caller)
                    held = None
                continue
            try:
                packet = back.recv(65536)
            except ConnectionRefusedError:
                continue
            if control_type(packet) == ACKNOWLEDGEMENT:
                held = packet
            elif caller is not None:
                front.sendto(packet, caller)


main()
