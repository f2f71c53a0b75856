#!/usr/bin/env python3
"""Signs in like OAuth's "loopback" flow: opens a page, and waits on a local port for the token that the page returns.

With a real service, the page is on the service's site. Here it is a local page with a form.
See man 7 broadcast-extension."""
import http.server, json, os, secrets, sys, urllib.parse, webbrowser

known = json.loads(os.environ["BROADCAST_SETUP"])
state = secrets.token_urlsafe(16)  # An answer without this value does not belong to our request.
answer = {}

PAGE = """<!doctype html><title>Sign in</title><form action="/back"><input type="hidden" name="state" value="%s">
Account <input name="account" value="%s"> <button name="allow" value="yes">Allow</button> <button name="allow" value="no">Refuse</button></form>"""


class Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        address = urllib.parse.urlparse(self.path)
        fields = {key: values[0] for key, values in urllib.parse.parse_qs(address.query).items()}
        if address.path == "/":
            text = PAGE % (state, known["setup"].get("account", ""))
        elif address.path == "/back" and secrets.compare_digest(fields.get("state", ""), state):
            answer.update(fields)
            text = "You may close this page."
        else:
            return self.send_error(404)
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Site)
url = f"http://127.0.0.1:{server.server_port}/"
print(f"Sign in at {url}", file=sys.stderr, flush=True)
if "BROWSER" in os.environ or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ:
    webbrowser.open(url)
try:
    while not answer:
        server.handle_request()
except KeyboardInterrupt:
    sys.exit(130)
if answer.get("allow") != "yes" or not answer.get("account"):
    print(json.dumps({"error": {"code": 401, "message": "The sign-in was refused."}}))
    sys.exit(1)
print(
    json.dumps(
        {
            "setup": {"account": answer["account"]},
            "secrets": {"token": "demo-" + secrets.token_urlsafe(16)},
            "watch_url": "https://example.com/" + urllib.parse.quote(answer["account"]),
        }
    )
)
