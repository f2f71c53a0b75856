"""A server of WHIP (RFC 9725) on Janus, an SFU in C: each stream is published in a room of its VideoRoom, and recorded.

janus_whip.py PORT FOLDER
Starts Janus with a configuration in FOLDER. Prints a JSON object a line: {"event": "ready"|"offer"|"up"|"delete", ...},
and after a session {"event": "recorded", "kind": "video"|"audio", "path": PATH}: Matroska or Ogg of what has arrived.
"""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import uuid

from aiohttp import ClientSession, web

port, folder = int(sys.argv[1]), sys.argv[2]
ROOM = 1234


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def tell(event, **values):
    print(json.dumps({"event": event, **values}), flush=True)


def configure(api):
    """Only the room and HTTP, on the loopback."""
    base = next(path for path in ("/usr/lib/x86_64-linux-gnu/janus", "/usr/lib/aarch64-linux-gnu/janus", "/usr/lib/janus")
                if os.path.isdir(path))
    def others(kind, wanted):
        return ",".join(name for name in sorted(os.listdir(f"{base}/{kind}")) if name.endswith(".so") and name != wanted)
    files = {
        "janus.jcfg": f"""
general: {{ configs_folder = "{folder}", plugins_folder = "{base}/plugins", transports_folder = "{base}/transports",
  events_folder = "{folder}", loggers_folder = "{folder}", debug_level = 3 }}
media: {{ }}
nat: {{ ice_enforce_list = "127.0.0.1", ice_ignore_list = "vmnet" }}
plugins: {{ disable = "{others('plugins', 'libjanus_videoroom.so')}" }}
transports: {{ disable = "{others('transports', 'libjanus_http.so')}" }}
""",
        "janus.transport.http.jcfg": f"""
general: {{ json = "compact", base_path = "/janus", http = true, port = {api}, ip = "127.0.0.1", https = false }}
admin: {{ admin_http = false, admin_https = false }}
""",
        "janus.plugin.videoroom.jcfg": f"""
room-{ROOM}: {{ description = "test", publishers = 4, fir_freq = 10, audiocodec = "opus", videocodec = "h264",
  record = true, rec_dir = "{folder}" }}
""",
    }
    for name, text in files.items():
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
            file.write(text)


class Janus:
    """The HTTP interface of Janus."""

    def __init__(self, client, url):
        self.client, self.url, self.answers = client, url, {}

    async def ask(self, path="", **fields):
        name = uuid.uuid4().hex
        async with self.client.post(self.url + path, json={"transaction": name, **fields}) as answer:
            return name, await answer.json()

    async def open(self):
        _, answer = await self.ask(janus="create")
        self.session = f"/{answer['data']['id']}"
        asyncio.ensure_future(self.listen())
        _, answer = await self.ask(self.session, janus="attach", plugin="janus.plugin.videoroom")
        self.handle = f"{self.session}/{answer['data']['id']}"

    async def listen(self):
        while True:
            try:
                async with self.client.get(f"{self.url}{self.session}?maxev=1") as answer:
                    event = await answer.json()
            except Exception:
                return
            if event.get("janus") == "webrtcup":
                tell("up")
            if event.get("janus") == "error":
                return
            if event.get("transaction") in self.answers:
                self.answers[event["transaction"]].set_result(event)

    async def publish(self, offer):
        name = uuid.uuid4().hex
        self.answers[name] = asyncio.get_running_loop().create_future()
        message = {"janus": "message", "transaction": name, "jsep": {"type": "offer", "sdp": offer},
                   "body": {"request": "joinandconfigure", "room": ROOM, "ptype": "publisher", "record": True,
                            "filename": "stream"}}
        async with self.client.post(self.url + self.handle, json=message) as answer:
            await answer.json()
        event = await asyncio.wait_for(self.answers[name], 20)
        return event.get("jsep", {}).get("sdp"), event

    async def close(self):
        await self.ask(self.session, janus="destroy")


async def main():
    api = free_port()
    configure(api)
    log = open(f"{folder}/janus.log", "wb")
    server = subprocess.Popen(["janus", "-F", folder, "--disable-colors"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    sessions = {}
    async with ClientSession() as client:
        url = f"http://127.0.0.1:{api}/janus"
        for _ in range(200):
            try:
                async with client.get(url + "/info") as answer:
                    if answer.status == 200:
                        break
            except OSError:
                await asyncio.sleep(0.1)

        async def offer(request):
            text = await request.text()
            tell("offer", profile=[line for line in text.splitlines() if "profile-level-id" in line])
            janus = Janus(client, url)
            await janus.open()
            answer, event = await janus.publish(text)
            if answer is None:
                tell("refused", reason=json.dumps(event))
                return web.Response(status=400)
            name = str(len(sessions))
            sessions[name] = janus
            return web.Response(status=201, text=answer, content_type="application/sdp",
                                headers={"Location": "/session/" + name})

        async def delete(request):
            janus = sessions.get(request.match_info["name"])
            if janus is None:
                return web.Response(status=404)
            tell("delete")
            await janus.close()
            asyncio.ensure_future(convert())
            return web.Response(status=200)

        async def convert():
            await asyncio.sleep(1)
            for name in sorted(os.listdir(folder)):
                if not name.endswith(".mjr"):
                    continue
                kind = "video" if "video" in name else "audio"
                target = f"{folder}/{name[:-4]}.{'mkv' if kind == 'video' else 'opus'}"
                await (await asyncio.create_subprocess_exec("janus-pp-rec", f"{folder}/{name}", target, stdout=log,
                                                            stderr=log)).wait()
                tell("recorded", kind=kind, path=target)

        application = web.Application()
        application.add_routes([web.post("/whip", offer), web.delete("/session/{name}", delete)])
        runner = web.AppRunner(application)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        tell("ready")
        stop = asyncio.get_running_loop().create_future()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, lambda: stop.done() or stop.set_result(None))
        await stop
        server.terminate()
        server.wait()


asyncio.run(main())
