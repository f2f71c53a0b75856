#!/usr/bin/env python3
"""Receives a broadcast for the account that signed in, and discards it. See man 7 broadcast-extension."""
import json, struct, sys

HEADER = struct.Struct("<4sIBBHIqq")
print(json.dumps({"hello": 1}), flush=True)
while header := sys.stdin.buffer.read(HEADER.size):
    magic, length, kind, *_ = HEADER.unpack(header)
    payload = sys.stdin.buffer.read(length)
    if chr(kind) != "J":
        continue
    event = json.loads(payload)
    if event["event"] == "start":
        if not event["setup"]["token"].startswith("demo-"):
            print(json.dumps({"error": {"code": 401, "message": "Not Logged In"}}), flush=True)
            break
        print(json.dumps({"status": "signed in as " + event["setup"]["account"]}), flush=True)
    elif event["event"] == "finish":
        break
