#!/usr/bin/env python3
"""Moves each clip to a folder and writes index.json to the same folder. See man 7 broadcast-extension."""
import json, os, shutil, struct, sys

HEADER = struct.Struct("<4sIBBHIqq")
index = []
print(json.dumps({"hello": 1}), flush=True)
while header := sys.stdin.buffer.read(HEADER.size):
    magic, length, kind, *_ = HEADER.unpack(header)
    payload = sys.stdin.buffer.read(length)
    if chr(kind) != "J":
        continue
    event = json.loads(payload)
    if event["event"] == "start":
        folder = os.path.expanduser(event["setup"]["folder"])
        os.makedirs(folder, exist_ok=True)
        print(json.dumps({"watch_url": "file://" + folder}), flush=True)
    elif event["event"] == "clip":
        name = os.path.basename(event["path"])
        shutil.move(event["path"], os.path.join(folder, name))
        index.append({"file": name, "start": event["start"], "duration": event["duration"]})
        with open(os.path.join(folder, "index.json"), "w") as file:
            json.dump(index, file, indent=1)
    elif event["event"] == "finish":
        break
