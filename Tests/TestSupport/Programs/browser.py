"""Opens an address in headless Chromium or Firefox, and carries out commands from standard input, one per line. Each is
answered with one line of JSON.

    measure SECONDS        {"ages": [ms], "drawn": [ms], "gaps": [ms], "unreadable": n, "size": [w, h]}: the age of the
                           clock of `TestScreen clock` in each picture when it was presented by its metadata, and when
                           this program has read it; the times between presented pictures
    eval EXPRESSION        the value of an expression in the page
    click SELECTOR         clicks an element, as a person does
    frame SELECTOR         the commands that follow concern the page in that frame (Chromium only)
    hide SECONDS           minimizes the window for some seconds; whether the page was hidden (Chromium only)
    screenshot PATH        writes a picture of the page
    window WIDTH HEIGHT    changes the size of the window

Usage: browser.py ADDRESS PROFILE-FOLDER [firefox] [audible]
`audible` lets its sound be heard; otherwise it is played to nobody.
"""
import base64
import json
import os
import signal
import socket
import subprocess
import sys
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

MEASURE = """
const [seconds, done] = arguments, video = document.querySelector('video');
const columns = 18, rows = 4, size = 4, canvas = document.createElement('canvas');
canvas.width = columns * size;
canvas.height = rows * size;
const picture = canvas.getContext('2d', { willReadFrequently: true });
const ages = [], drawn = [], gaps = [];
let unreadable = 0, last = null;
const end = performance.now() + seconds * 1000;
// CLOCK_MONOTONIC in milliseconds at performance.now() = 0.
const origin = performance.timeOrigin - OFFSET;
function check(value) {
  let crc = 0xffff;
  for (const shift of [24, 16, 8, 0]) {
    crc ^= (value >>> shift & 0xff) << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1 ^ 0x1021) & 0xffff : crc << 1 & 0xffff;
  }
  return crc;
}
function read() {
  const w = video.videoWidth, h = video.videoHeight;
  picture.drawImage(video, w * 2 / 40, h * 4 / 45, w * 18 / 40, h * 8 / 45, 0, 0, canvas.width, canvas.height);
  const data = picture.getImageData(0, 0, canvas.width, canvas.height).data;
  const cell = (column, row) => {
    let sum = 0;
    for (const dx of [1, 2]) for (const dy of [1, 2]) sum += data[4 * ((row * size + dy) * canvas.width + column * size + dx) + 1];
    return sum > 4 * 128;
  };
  for (let column = 0; column < columns; column++) if (cell(column, 0) !== (column % 2 === 0)) return null;
  const word = row => { let value = 0; for (let column = 1; column <= 16; column++) value = value * 2 + cell(column, row); return value; };
  const value = (word(1) * 65536 + word(2)) >>> 0;
  return check(value) === word(3) ? value : null;
}
function step(now, data) {
  const shown = data.presentationTime, value = read();
  if (value === null) unreadable++;
  else {
    let age = (origin + shown) % 4294967296 - value;
    if (age < -2147483648) age += 4294967296;
    ages.push(Math.round(age * 10) / 10);
    drawn.push(Math.round((age + performance.now() - shown) * 10) / 10);
  }
  if (last !== null) gaps.push(Math.round(shown - last));
  last = shown;
  if (performance.now() < end) video.requestVideoFrameCallback(step);
}
video.requestVideoFrameCallback(step);
setTimeout(() => done({ ages, drawn, gaps, unreadable, size: [video.videoWidth, video.videoHeight] }), seconds * 1000 + 200);
"""


class Chromium:
    def __init__(self, address, profile, is_audible):
        options = Options()
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + profile,
                         "--window-size=1000,700", "--no-first-run", "--disable-background-networking"]:
            options.add_argument(argument)
        if not is_audible:
            options.add_argument("--mute-audio")
        # Nobody can add the authority of a test to those that Chromium trusts.
        options.accept_insecure_certs = address.startswith("https:")
        # Its processes end with the driver, and not with this one.
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_script_timeout(120)

    def open(self, address):
        self.driver.get(address)
        return self.driver.title

    def run(self, script):
        return self.driver.execute_script(script)

    def finish(self, script, argument):
        return self.driver.execute_async_script(script, argument)

    def click(self, selector):
        return self.driver.find_element("css selector", selector).click()

    def frame(self, selector):
        return self.driver.switch_to.frame(self.driver.find_element("css selector", selector))

    def hide(self, seconds):
        bounds = self.driver.get_window_rect()
        self.driver.minimize_window()
        time.sleep(seconds)
        is_hidden = self.driver.execute_script("return document.hidden")
        self.driver.set_window_rect(**bounds)
        return is_hidden

    def save_screenshot(self, path):
        return self.driver.save_screenshot(path)

    def set_size(self, width, height):
        return self.driver.set_window_size(width, height)

    def quit(self):
        self.driver.quit()


class Firefox:
    """Firefox by Marionette (firefox-source-docs.mozilla.org/testing/marionette/Protocol.html), because Debian has no
    geckodriver. Scripts see the elements of the page, but none of its own variables."""

    SETTINGS = {
        "app.update.enabled": False, "datareporting.policy.dataSubmissionEnabled": False,
        "browser.shell.checkDefaultBrowser": False, "marionette.port": 0,
    }

    def __init__(self, _, profile, is_audible):
        os.makedirs(profile)
        volume = {"media.volume_scale": "1.0" if is_audible else "0.0"}
        with open(profile + "/user.js", "w", encoding="utf-8") as file:
            for name, value in {**self.SETTINGS, **volume}.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        # It must end with this process, also if nobody can ask it to.
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "--", "firefox-esr", "--headless", "--no-remote", "--profile", profile,
             "--marionette"], stdin=subprocess.DEVNULL, stdout=sys.stderr)
        self.buffer, self.number = b"", 0
        try:
            self.socket = socket.create_connection(("127.0.0.1", self.port(profile + "/MarionetteActivePort")), 120)
            self.message()
            self.ask("WebDriver:NewSession", capabilities={"alwaysMatch": {"acceptInsecureCerts": True}})
            self.ask("WebDriver:SetTimeouts", script=120000)
        except BaseException:
            self.quit()
            raise

    def port(self, path):
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError("Firefox has ended")
            if os.path.exists(path):
                with open(path, encoding="ascii") as file:
                    text = file.read()
                if text:
                    return int(text)
            time.sleep(0.1)
        raise RuntimeError("Firefox does not listen")

    def receive(self):
        data = self.socket.recv(65536)
        if not data:
            raise RuntimeError("Firefox has closed the connection")
        self.buffer += data

    def message(self):
        while b":" not in self.buffer:
            self.receive()
        length, _, self.buffer = self.buffer.partition(b":")
        while len(self.buffer) < int(length):
            self.receive()
        text, self.buffer = self.buffer[:int(length)], self.buffer[int(length):]
        return json.loads(text)

    def ask(self, name, **values):
        self.number += 1
        text = json.dumps([0, self.number, name, values]).encode()
        self.socket.sendall(b"%d:%b" % (len(text), text))
        _, _, error, result = self.message()
        if error:
            raise RuntimeError(error["message"])
        return result.get("value") if isinstance(result, dict) else result

    def open(self, address):
        self.ask("WebDriver:Navigate", url=address)
        return self.ask("WebDriver:GetTitle")

    def run(self, script):
        return self.ask("WebDriver:ExecuteScript", script=script, args=[])

    def finish(self, script, argument):
        return self.ask("WebDriver:ExecuteAsyncScript", script=script, args=[argument])

    def click(self, selector):
        element = self.ask("WebDriver:FindElement", using="css selector", value=selector)
        return self.ask("WebDriver:ElementClick", id=next(iter(element.values())))

    def save_screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("WebDriver:TakeScreenshot", full=False)))
        return True

    def set_size(self, width, height):
        return self.ask("WebDriver:SetWindowRect", width=width, height=height)

    def quit(self):
        self.process.terminate()
        try:
            self.process.wait(3)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def main():
    address, profile, *kind = sys.argv[1:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    browser = (Firefox if "firefox" in kind else Chromium)(address, profile, "audible" in kind)
    try:
        print(json.dumps({"title": browser.open(address)}), flush=True)
        for line in sys.stdin:
            name, _, rest = line.strip().partition(" ")
            if name == "measure":
                offset = time.time() * 1000 - time.monotonic() * 1000
                answer = browser.finish(MEASURE.replace("OFFSET", repr(offset)), float(rest))
            elif name == "eval":
                answer = browser.run("return " + rest)
            elif name == "click":
                answer = browser.click(rest)
            elif name == "frame":
                answer = browser.frame(rest)
            elif name == "hide":
                answer = browser.hide(float(rest))
            elif name == "screenshot":
                answer = browser.save_screenshot(rest)
            elif name == "window":
                answer = browser.set_size(*map(int, rest.split()))
            else:
                answer = {"unknown": name}
            print(json.dumps(answer), flush=True)
    finally:
        browser.quit()


main()
