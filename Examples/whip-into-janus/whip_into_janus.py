#!/usr/bin/python3
"""An endpoint of WHIP (RFC 9725) before Janus: each broadcast is published in a room of its plug-in VideoRoom.

    sudo apt install janus python3-aiohttp && sudo systemctl start janus
    ./whip_into_janus.py --room 7001 &
    broadcast start --to whip:http://127.0.0.1:8089/whip

The room is made if Janus has none of that number. Viewers open the page `videoroomtest` of Janus' demos with it, or any
other client of the plug-in.
"""

import argparse
import asyncio
import hmac
import json
import signal
import sys
import uuid

from aiohttp import ClientError, ClientSession, web

PLUGIN = "janus.plugin.videoroom"


class Refused(Exception):
    """Janus does not do what it was asked for."""


class Session:
    """One session of Janus' HTTP interface, with a handle of VideoRoom."""

    def __init__(self, client, url, tell):
        self.client, self.url, self.tell, self.answers = client, url, tell, {}
        self.session = None

    async def post(self, path, **fields):
        async with self.client.post(self.url + path, json={"transaction": uuid.uuid4().hex, **fields}) as answer:
            reply = await answer.json()
        if reply.get("janus") == "error":
            raise Refused(reply["error"].get("reason", "error"))
        return reply

    async def open(self):
        reply = await self.post("", janus="create")
        self.session = f"/{reply['data']['id']}"
        asyncio.ensure_future(self.listen())
        reply = await self.post(self.session, janus="attach", plugin=PLUGIN)
        self.handle = f"{self.session}/{reply['data']['id']}"

    async def listen(self):
        """Reads the events of the session until it ends."""
        while True:
            try:
                async with self.client.get(f"{self.url}{self.session}?maxev=1") as answer:
                    event = await answer.json()
            except (ClientError, ValueError):
                return
            if event.get("janus") == "error":
                return
            if event.get("janus") == "webrtcup":
                self.tell("up")
            waiting = self.answers.pop(event.get("transaction"), None)
            if waiting and not waiting.done():
                waiting.set_result(event)

    async def ensure_room(self, room):
        reply = await self.post(
            self.handle, janus="message",
            body={"request": "create", "room": room, "description": "broadcast", "publishers": 4, "videocodec": "h264",
                  "audiocodec": "opus", "fir_freq": 0})
        result = reply["plugindata"]["data"]
        # 427: it exists.
        if "error_code" in result and result["error_code"] != 427:
            raise Refused(result["error"])

    async def publish(self, offer, room):
        """Returns Janus' answer to the session description."""
        name = uuid.uuid4().hex
        # The event can arrive before the answer to the request.
        waiting = self.answers[name] = asyncio.get_running_loop().create_future()
        await self.post(
            self.handle, janus="message", transaction=name, jsep={"type": "offer", "sdp": offer},
            body={"request": "joinandconfigure", "room": room, "ptype": "publisher", "display": "broadcast"})
        event = await asyncio.wait_for(waiting, 20)
        if "jsep" not in event:
            raise Refused(event.get("plugindata", {}).get("data", {}).get("error", "no answer"))
        return event["jsep"]["sdp"]

    async def end(self):
        """Ends it also in Janus, as far as that answers."""
        if self.session:
            try:
                await self.post(self.session, janus="destroy")
            except (Refused, ClientError):
                pass


class Endpoint:
    """The HTTP side of WHIP."""

    def __init__(self, client, options, tell):
        self.client, self.options, self.tell, self.sessions = client, options, tell, {}

    def is_allowed(self, request):
        if not self.options.token:
            return True
        given = request.headers.get("Authorization", "")
        return hmac.compare_digest(given.encode(), b"Bearer " + self.options.token.encode())

    async def offer(self, request):
        if not self.is_allowed(request):
            return web.Response(status=401)
        if "Origin" in request.headers:
            # A page in a browser must not publish here.
            return web.Response(status=403)
        text = await request.text()
        self.tell("offer", profile=[line for line in text.splitlines() if "profile-level-id" in line])
        session = Session(self.client, self.options.janus, self.tell)
        try:
            await session.open()
            await session.ensure_room(self.options.room)
            answer = await session.publish(text, self.options.room)
        except (Refused, ClientError, asyncio.TimeoutError) as problem:
            self.tell("refused", reason=str(problem) or "Janus does not answer")
            await session.end()
            return web.Response(status=503, text=f"Janus: {problem}\n")
        name = uuid.uuid4().hex
        self.sessions[name] = session
        return web.Response(status=201, text=answer, content_type="application/sdp",
                            headers={"Location": "/session/" + name})

    async def delete(self, request):
        session = self.sessions.pop(request.match_info["name"], None)
        if session is None:
            return web.Response(status=404)
        await session.end()
        self.tell("delete")
        return web.Response(status=200)


def print_event(event, **values):
    print(json.dumps({"event": event, **values}), flush=True)


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--janus", default="http://127.0.0.1:8088/janus", help="the HTTP interface of Janus")
    parser.add_argument("--room", type=int, default=7001, help="the number of the room")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on")
    parser.add_argument("--port", type=int, default=8089)
    parser.add_argument("--token", help="what a broadcaster must send as a bearer token")
    return parser.parse_args(arguments)


async def serve(options, tell=print_event):
    """Serves until a signal ends it."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with ClientSession() as client:
        endpoint = Endpoint(client, options, tell)
        application = web.Application()
        application.add_routes([web.post("/whip", endpoint.offer), web.delete("/session/{name}", endpoint.delete)])
        runner = web.AppRunner(application)
        await runner.setup()
        await web.TCPSite(runner, options.host, options.port).start()
        tell("ready")
        await stop.wait()
        for session in list(endpoint.sessions.values()):
            await session.end()
        await runner.cleanup()


if __name__ == "__main__":
    options = parse(sys.argv[1:])
    try:
        asyncio.run(serve(options))
    except OSError as problem:
        sys.exit(f"whip_into_janus: {problem.strerror or problem}")
