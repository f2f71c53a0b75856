"""A server of WHIP (RFC 9725) by aiortc, another implementation of WebRTC: takes streams, and tells what it sees.

whip_server.py PORT [--token TOKEN] [--pli SECONDS] [--relay LINK --relay-ports FIRST-LAST]
With a relay, the answer has LINK as its header, and datagrams of media that do not come from these ports are dropped,
as by a firewall.
Prints a JSON object a line: {"event": "offer"|"picture"|"sound"|"keyframe"|"end"|"refused", ...}. Pictures: the number,
the size and the mean luma, once a second. Sound: the loudest sample of each second.
"""

import argparse
import asyncio
import json
import sys
import time

import aioice
import numpy
from aiohttp import web
from aiortc import RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError

arguments = argparse.ArgumentParser()
arguments.add_argument("port", type=int)
arguments.add_argument("--token")
arguments.add_argument("--pli", type=float)
arguments.add_argument("--relay")
arguments.add_argument("--relay-ports")
options = arguments.parse_args()
sessions = {}


if options.relay:
    first, last = map(int, options.relay_ports.split("-"))
    received = aioice.ice.StunProtocol.datagram_received

    def only_relayed(protocol, data, address):
        if first <= address[1] <= last:
            received(protocol, data, address)

    aioice.ice.StunProtocol.datagram_received = only_relayed


def tell(event, **values):
    print(json.dumps({"event": event, **values}), flush=True)


async def watch(track):
    count, last, loudest, keyframes = 0, 0.0, 0, 0
    while True:
        try:
            frame = await track.recv()
        except MediaStreamError:
            tell("end", kind=track.kind, count=count)
            return
        count += 1
        if track.kind == "audio":
            loudest = max(loudest, int(numpy.abs(frame.to_ndarray()).max()))
        elif getattr(frame, "key_frame", False):
            keyframes += 1
        if time.monotonic() - last < 1:
            continue
        last = time.monotonic()
        if track.kind == "audio":
            tell("sound", count=count, loudest=loudest, rate=frame.sample_rate, pts=frame.time)
            loudest = 0
        else:
            luma = frame.to_ndarray(format="gray")
            tell("picture", count=count, width=frame.width, height=frame.height, luma=round(float(luma.mean()), 1),
                 spread=round(float(luma.std()), 1), keyframes=keyframes, pts=frame.time)


async def ask(connection):
    while connection.connectionState not in ("closed", "failed"):
        await asyncio.sleep(options.pli)
        for receiver in connection.getReceivers():
            if receiver.track.kind == "video":
                for source in list(receiver._RTCRtpReceiver__remote_streams):
                    await receiver._send_rtcp_pli(source)


async def offer(request):
    if options.token and request.headers.get("Authorization") != "Bearer " + options.token:
        tell("refused")
        return web.Response(status=401)
    connection = RTCPeerConnection()
    text = await request.text()
    tell("offer", profile=[line for line in text.splitlines() if "profile-level-id" in line])
    connection.on("track", lambda track: asyncio.ensure_future(watch(track)))
    connection.on("connectionstatechange", lambda: tell("state", state=connection.connectionState))
    await connection.setRemoteDescription(RTCSessionDescription(sdp=text, type="offer"))
    await connection.setLocalDescription(await connection.createAnswer())
    name = str(len(sessions))
    sessions[name] = connection
    if options.pli:
        asyncio.ensure_future(ask(connection))
    return web.Response(
        status=201, text=connection.localDescription.sdp, content_type="application/sdp",
        headers={"Location": "/session/" + name} | ({"Link": options.relay} if options.relay else {}))


async def delete(request):
    connection = sessions.pop(request.match_info["name"], None)
    if connection is None:
        return web.Response(status=404)
    tell("delete")
    await connection.close()
    return web.Response(status=200)


application = web.Application()
application.add_routes([web.post("/whip", offer), web.delete("/session/{name}", delete)])
web.run_app(application, host="127.0.0.1", port=options.port, print=None, handle_signals=True)
sys.exit(0)
