#!/usr/bin/env python3
"""Counts the samples of each track and writes a summary at the end. See man 7 broadcast-extension."""
import collections, json, os, struct, sys

HEADER = struct.Struct("<4sIBBHIqq")
summary = {"samples": collections.Counter(), "bytes": collections.Counter(), "keyframes": 0, "gaps": 0, "events": []}


def reply(**fields):
    print(json.dumps(fields), flush=True)


def frames(stream):
    while header := stream.read(HEADER.size):
        magic, length, kind, track, flags, sequence, pts, dts = HEADER.unpack(header)
        assert magic == b"BXS1", magic
        yield chr(kind), track, flags, pts, stream.read(length)


reply(hello=1)
path = os.path.expanduser("~/frame-counter.json")
for kind, track, flags, pts, payload in frames(sys.stdin.buffer):
    if kind == "J":
        event = json.loads(payload)
        summary["events"].append(event["event"])
        if event["event"] == "start":
            path = event["setup"].get("summary", path)
            names = {track["id"]: track["name"] for track in event["tracks"]}
    elif kind == "S":
        summary["samples"][names[track]] += 1
        summary["bytes"][names[track]] += len(payload)
        summary["keyframes"] += names[track] == "screen" and flags & 1
        summary["gaps"] += flags >> 1 & 1
        if summary["samples"][names[track]] % 30 == 0:
            reply(status=f"{pts / 1e9:.1f} s, {summary['samples'][names[track]]} {names[track]} samples")
with open(path, "w") as file:
    json.dump(summary, file, indent=1)
