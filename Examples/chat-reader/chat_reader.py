#!/usr/bin/env python3
"""Passes on what people write in an IRC channel as comments (RFC 1459, IRCv3). See man 7 broadcast-extension."""
import json
import random
import re
import socket
import ssl
import struct
import sys
import threading
import time

HEADER = struct.Struct("<4sIBBHIqq")


def reply(**fields):
    print(json.dumps(fields), flush=True)


def events(stream):
    while header := stream.read(HEADER.size):
        magic, length, kind, *_ = HEADER.unpack(header)
        assert magic == b"BXS1", magic
        payload = stream.read(length)
        if chr(kind) == "J":
            yield json.loads(payload)


def connect(setup):
    host, port = setup["server"].rsplit(":", 1)
    connection = socket.create_connection((host, int(port)), timeout=30)
    if setup.get("tls") != "no":
        connection = ssl.create_default_context().wrap_socket(connection, server_hostname=host)
    return connection


def unescape(value):
    """The value of a message tag (IRCv3, message tags)."""
    return re.sub(r"\\(.?)", lambda part: {":": ";", "s": " ", "r": "\r", "n": "\n"}.get(part[1], part[1]), value)


def parse(line):
    """The tags, the sender, the command and its parameters of a message."""
    tags = {}
    if line.startswith("@"):
        text, _, line = line[1:].partition(" ")
        tags = dict(tag.partition("=")[::2] for tag in text.split(";"))
    sender = ""
    if line.startswith(":"):
        sender, _, line = line[1:].partition(" ")
    line, colon, last = line.partition(" :")
    command, *parameters = line.split() or [""]
    return tags, sender.partition("!")[0], command.upper(), parameters + ([last] if colon else [])


def read(setup):
    """Reads the channel until the connection ends. Returns false if the channel cannot be read at all."""
    channel = "#" + setup["channel"].lower()
    with connect(setup) as connection:
        def send(line):
            connection.sendall((line + "\r\n").encode())

        # Servers without tags ignore the first line. Those of Twitch let a justinfan read without an account.
        send("CAP REQ :twitch.tv/tags")
        send("CAP END")
        name = setup.get("nickname") or f"justinfan{random.randrange(10_000, 100_000)}"
        send(f"NICK {name}")
        send(f"USER {name} 0 * :reader")
        stream = connection.makefile("rb")
        # A line has at most 8191 bytes of tags and 512 others.
        while line := stream.readline(16_384):
            tags, sender, command, parameters = parse(line.decode(errors="replace").rstrip("\r\n"))
            if command == "PING":
                send("PONG :" + (parameters[-1] if parameters else ""))
            elif command == "001":
                send(f"JOIN {channel}")
            elif command == "JOIN" and sender.lower() == name.lower():
                # A server asks for a sign of life every few minutes.
                connection.settimeout(600)
                reply(ready=True)
                reply(status=f"reads {channel} at {setup['server']}")
            elif command in ("433", "432"):
                name = f"reader{random.randrange(10_000, 100_000)}"
                send(f"NICK {name}")
            elif command.isdigit() and command >= "400" and (command == "465" or channel in map(str.lower, parameters)):
                reply(error={"code": 404, "message": f"The channel cannot be read: {parameters[-1]}", "retry": False})
                return False
            elif command == "PRIVMSG" and len(parameters) == 2 and parameters[0].lower() == channel:
                text = parameters[1]
                # CTCP: /me is an action, everything else is for programs.
                if text.startswith("\x01"):
                    if not text.startswith("\x01ACTION "):
                        continue
                    text = text[8:].rstrip("\x01")
                reply(comment={"from": unescape(tags.get("display-name", "")) or sender, "text": text})
    return True


def keep_reading(setup):
    wait = 1
    while True:
        began = time.monotonic()
        try:
            if not read(setup):
                return
            reason = "the server closed the connection"
        except (OSError, ValueError) as error:
            reason = str(error)
        wait = 1 if time.monotonic() - began > 60 else min(wait * 2, 60)
        reply(ready=False)
        reply(status=f"{reason}; tries again in {wait} s")
        time.sleep(wait)


reply(hello=1, ready=False)
for event in events(sys.stdin.buffer):
    if event["event"] == "start":
        # It ends with the program, which ends with the broadcast.
        threading.Thread(target=keep_reading, args=(event["setup"],), daemon=True).start()
