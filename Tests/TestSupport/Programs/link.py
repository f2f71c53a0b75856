"""A line between two network namespaces: a TUN device in each, and this program as the wire between them.

It does to the packets from near to far what a kernel's netem does, also where that module is missing, and it loses the
same ones in every run. The namespaces are nobody else's and are gone with the last process in them.

Run it under `unshare --net`. Commands on standard input, a line each: "loss PERCENT", "delay MILLISECONDS", "rate KBIT"
(0: as fast as it goes). It prints "ready DESCRIPTOR", its descriptor of the near namespace, while it is in the far one
itself; and each command once it holds.
"""

import ctypes
import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import sys
import time

# Bytes that wait for a narrow line; what comes beyond is lost, as in a router.
QUEUE = 64 * 1024


def device(name, own, other):
    descriptor = os.open("/dev/net/tun", os.O_RDWR)
    # TUNSETIFF with IFF_TUN | IFF_NO_PI.
    fcntl.ioctl(descriptor, 0x400454CA, struct.pack("16sH22x", name.encode(), 0x1001))
    for command in ("link set lo up", f"address add {own} peer {other} dev {name}", f"link set {name} up"):
        subprocess.run(["ip", *command.split()], check=True)
    return descriptor


class Line:
    """The way from near to far."""

    def __init__(self):
        self.settings = {"loss": 0.0, "delay": 0.0, "rate": 0.0}
        self.random = random.Random(5)
        self.free = 0.0
        self.waiting = []
        self.count = 0

    def take(self, packet, now):
        if self.random.random() * 100 < self.settings["loss"]:
            return
        seconds_per_byte = 8 / (self.settings["rate"] * 1000) if self.settings["rate"] else 0
        if seconds_per_byte and (self.free - now) > QUEUE * seconds_per_byte:
            return
        self.free = max(now, self.free) + len(packet) * seconds_per_byte
        self.count += 1
        heapq.heappush(self.waiting, (self.free + self.settings["delay"] / 1000, self.count, packet))

    def due(self, now):
        while self.waiting and self.waiting[0][0] <= now:
            yield heapq.heappop(self.waiting)[2]

    def rest(self, now):
        return max(0, self.waiting[0][0] - now) if self.waiting else None


def deliver(descriptor, packet):
    try:
        os.write(descriptor, packet)
    except OSError:
        # A packet that the other side does not take is lost.
        pass


def main():
    namespace = os.open("/proc/self/ns/net", os.O_RDONLY)
    near = device("near", "10.77.0.1", "10.77.0.2")
    # CLONE_NEWNET
    if ctypes.CDLL(None, use_errno=True).unshare(0x40000000) != 0:
        sys.exit("unshare: " + os.strerror(ctypes.get_errno()))
    far = device("far", "10.77.0.2", "10.77.0.1")
    print("ready", namespace, flush=True)
    line = Line()
    commands = b""
    while True:
        readable, _, _ = select.select([near, far, 0], [], [], line.rest(time.monotonic()))
        now = time.monotonic()
        if near in readable:
            line.take(os.read(near, 65536), now)
        if far in readable:
            deliver(near, os.read(far, 65536))
        if 0 in readable:
            data = os.read(0, 4096)
            if not data:
                return
            commands += data
            while b"\n" in commands:
                command, _, commands = commands.partition(b"\n")
                name, value = command.decode().split()
                line.settings[name] = float(value)
                print(name, value, flush=True)
        for packet in line.due(time.monotonic()):
            deliver(far, packet)


main()
