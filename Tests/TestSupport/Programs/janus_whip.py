"""Janus, an SFU in C, behind the endpoint of WHIP in Examples/whip-into-janus: each stream is recorded.

janus_whip.py PORT FOLDER
Starts Janus with a configuration in FOLDER. Prints what the endpoint prints, and after a session
{"event": "recorded", "kind": "video"|"audio", "path": PATH}: Matroska or Ogg of what has arrived.
"""

import asyncio
import os
import socket
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../Examples/whip-into-janus"))
sys.dont_write_bytecode = True
import whip_into_janus

port, folder = int(sys.argv[1]), sys.argv[2]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def configure(api):
    """Only the room and HTTP, on the loopback. Rooms that clients make are recorded."""
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
room-1234: {{ description = "test", publishers = 4, fir_freq = 10, audiocodec = "opus", videocodec = "h264",
  record = true, rec_dir = "{folder}" }}
""",
    }
    for name, text in files.items():
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
            file.write(text)


def wait_for(url):
    for _ in range(200):
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    sys.exit("Janus does not answer")


async def convert(log):
    # Janus closes the files a moment after the session.
    await asyncio.sleep(1)
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".mjr"):
            continue
        kind = "video" if "-video" in name else "audio"
        target = f"{folder}/{name[:-4]}.{'mkv' if kind == 'video' else 'opus'}"
        program = await asyncio.create_subprocess_exec(
            "janus-pp-rec", f"{folder}/{name}", target, stdout=log, stderr=log)
        await program.wait()
        whip_into_janus.print_event("recorded", kind=kind, path=target)


def main():
    api = free_port()
    configure(api)
    with open(f"{folder}/janus.log", "wb") as log:
        server = subprocess.Popen(
            ["janus", "-F", folder, "--disable-colors"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_for(f"http://127.0.0.1:{api}/janus/info")

        def tell(event, **values):
            whip_into_janus.print_event(event, **values)
            if event == "delete":
                asyncio.ensure_future(convert(log))

        options = whip_into_janus.parse(
            ["--janus", f"http://127.0.0.1:{api}/janus", "--room", "1234", "--port", str(port)])
        asyncio.run(whip_into_janus.serve(options, tell))
        server.terminate()
        server.wait()


main()
