"""Opens an address in headless Chromium, and carries out commands from standard input, one per line. Each is answered
with one line of JSON.

    measure SECONDS        {"ages": [ms], "drawn": [ms], "gaps": [ms], "unreadable": n, "size": [w, h]}: the age of the
                           clock of `TestScreen clock` in each picture when it was presented by its metadata, and when
                           this program has read it; the times between presented pictures
    eval EXPRESSION        the value of an expression in the page
    click SELECTOR         clicks an element, as a person does
    screenshot PATH        writes a picture of the page
    window WIDTH HEIGHT    changes the size of the window

Usage: browser.py ADDRESS PROFILE-FOLDER
"""
import json
import signal
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


def main():
    address, profile = sys.argv[1:]
    # Chromium's processes end with the driver, and not with this one.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    options = Options()
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + profile,
                     "--window-size=1000,700", "--mute-audio", "--no-first-run", "--disable-background-networking"]:
        options.add_argument(argument)
    # Nobody can add the authority of a test to those that Chromium trusts.
    options.accept_insecure_certs = address.startswith("https:")
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    try:
        driver.set_script_timeout(120)
        driver.get(address)
        print(json.dumps({"title": driver.title}), flush=True)
        for line in sys.stdin:
            name, _, rest = line.strip().partition(" ")
            if name == "measure":
                offset = time.time() * 1000 - time.monotonic() * 1000
                answer = driver.execute_async_script(MEASURE.replace("OFFSET", repr(offset)), float(rest))
            elif name == "eval":
                answer = driver.execute_script("return " + rest)
            elif name == "click":
                answer = driver.find_element("css selector", rest).click()
            elif name == "screenshot":
                answer = driver.save_screenshot(rest)
            elif name == "window":
                width, height = rest.split()
                answer = driver.set_window_size(int(width), int(height))
            else:
                answer = {"unknown": name}
            print(json.dumps(answer), flush=True)
    finally:
        driver.quit()


main()
