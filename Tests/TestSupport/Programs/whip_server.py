"""A server of WHIP (RFC 9725) by aiortc, another implementation of WebRTC: takes streams, and tells what it sees.

whip_server.py PORT [--host ADDRESS] [--token TOKEN] [--pli SECONDS] [--busy SECONDS] [--slow SECONDS] [--relay LINK --relay-ports FIRST-LAST]
With a relay, the answer has LINK as its header, and datagrams of media that do not come from these ports are dropped,
as by a firewall.
With --busy SECONDS, the first offer is answered with 503 and that Retry-After; with --slow SECONDS, an answer takes so
long. A POST to /moved is sent on, to localhost or to --redirect URL. Prints a JSON object a line: {"event": "ready"|"offer"|"picture"|"sound"|"end"|"refused", ...}. Pictures: the number, the
size, the mean luma, the longest time between two in milliseconds, and how old the clock of `TestScreen clock` was in
what was seen, each 33 ms, where it can be read, once a second. Sound: the loudest sample of each
second.
"""

import argparse
import asyncio
import binascii
import json
import signal
import time

import aioice
import numpy
from aiohttp import web
from aiortc import RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError

arguments = argparse.ArgumentParser()
arguments.add_argument("port", type=int)
arguments.add_argument("--host", default="127.0.0.1")
arguments.add_argument("--token")
arguments.add_argument("--redirect")
arguments.add_argument("--pli", type=float)
arguments.add_argument("--busy", type=int)
arguments.add_argument("--slow", type=float, default=0)
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


def clock(luma):
    """The clock of `TestScreen clock` in a picture: CLOCK_MONOTONIC in milliseconds; None if it cannot be read."""
    height, width = luma.shape

    def bits(row):
        line = luma[height * (5 + 2 * row) // 45]
        return [line[width * (5 + 2 * column) // 80] > 128 for column in range(18)]

    if bits(0) != [column % 2 == 0 for column in range(18)]:
        return None
    high, low, check = (int("".join("01"[bit] for bit in bits(row)[1:17]), 2) for row in (1, 2, 3))
    value = high << 16 | low
    return value if binascii.crc_hqx(value.to_bytes(4, "big"), 0xFFFF) == check else None


async def watch(track):
    count, last, loudest, keyframes, gap, previous, ages, shown = 0, 0.0, 0, 0, 0.0, None, [], None
    while True:
        try:
            frame = await track.recv()
        except MediaStreamError:
            tell("end", kind=track.kind, count=count)
            return
        count += 1
        if track.kind == "audio":
            loudest = max(loudest, int(numpy.abs(frame.to_ndarray()).max()))
        else:
            keyframes += bool(getattr(frame, "key_frame", False))
            now = time.monotonic()
            gap = max(gap, now - (previous or now))
            previous = now
            luma = frame.to_ndarray(format="gray")
            painted = clock(luma)
            if painted is not None:
                # Until now, the last picture was seen.
                while shown and shown[1] < now * 1000:
                    ages.append(round(shown[1]) - shown[0])
                    shown = (shown[0], shown[1] + 33)
                shown = (painted, now * 1000)
        if time.monotonic() - last < 1:
            continue
        last = time.monotonic()
        if track.kind == "audio":
            tell("sound", count=count, loudest=loudest, rate=frame.sample_rate, pts=frame.time)
            loudest = 0
        else:
            tell("picture", count=count, width=frame.width, height=frame.height, luma=round(float(luma.mean()), 1),
                 spread=round(float(luma.std()), 1), keyframes=keyframes, gap=round(gap * 1000), ages=ages, pts=frame.time)
            gap, ages = 0.0, []


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
    if options.busy:
        seconds, options.busy = options.busy, None
        tell("busy", time=time.monotonic())
        return web.Response(status=503, headers={"Retry-After": str(seconds)})
    connection = RTCPeerConnection()
    text = await request.text()
    tell("offer", profile=[line for line in text.splitlines() if "profile-level-id" in line], time=time.monotonic())
    await asyncio.sleep(options.slow)
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


async def moved(request):
    """Sends on to another host, as services do that have many servers."""
    return web.Response(status=307, headers={"Location": options.redirect or f"http://localhost:{options.port}/whip"})


async def delete(request):
    connection = sessions.pop(request.match_info["name"], None)
    if connection is None:
        return web.Response(status=404)
    tell("delete")
    await connection.close()
    return web.Response(status=200)


async def main():
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    application = web.Application()
    application.add_routes([web.post("/moved", moved), web.post("/whip", offer), web.delete("/session/{name}", delete)])
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, options.host, options.port).start()
    tell("ready")
    await stop.wait()
    await runner.cleanup()


asyncio.run(main())
