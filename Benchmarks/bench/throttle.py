"""usage: throttle.py TARGET_PORT KBIT

A line of so many kbit/s to a server on this machine: listens on a free port of 127.0.0.1, prints it, and passes on what
clients send at that speed. Answers are passed on at once."""

import asyncio
import socket
import sys


async def copy(reader, writer, rate=None):
    try:
        while data := await reader.read(4096):
            writer.write(data)
            await writer.drain()
            if rate:
                await asyncio.sleep(len(data) / rate)
    except OSError:
        pass
    writer.close()


async def main():
    target, rate = int(sys.argv[1]), int(sys.argv[2]) * 1000 / 8

    async def serve(reader, writer):
        try:
            answers, to = await asyncio.open_connection("127.0.0.1", target)
        except OSError:
            return writer.close()
        await asyncio.gather(copy(reader, to, rate), copy(answers, writer))

    listener = socket.socket()
    # The receive buffer belongs to the line: it must not hold seconds of it. Accepted sockets inherit its size.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
    listener.bind(("127.0.0.1", 0))
    server = await asyncio.start_server(serve, sock=listener, limit=16384)
    print(listener.getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
