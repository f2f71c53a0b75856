"""How soon a new page is readable: screens whose whole page changes at an interval, and the age of the page at which a
recording shows it how well.

The age of a page counts from the first picture after the painter put the page on the screen. It is found like this:

- The painter prints when the screen showed each page (CLOCK_MONOTONIC). Each page contains the number of its frame, and
  the recording has the number and the timestamp of each picture.
- The delay of a page is the timestamp of the first picture that shows it, minus the time at which it was painted. It
  has a constant part (the difference of the two clocks and the program's latency) and up to one frame interval between
  the painting and the next grab. The smallest delay of a run is the program's usual one.
- The age is 0 at the first picture that shows the page, if the delay is at most `SLACK` longer than usual. If a program
  holds a page back for longer, for example because its buffer has no room, the age is 0 at the time of painting plus
  the usual delay. The pictures that still show the page before then count, too, compared with the new page.

So neither a program's latency, which the part latency measures, nor the moment of its grabs changes the result. A
program gains nothing by showing a page late. From the age 0 on, the picture that a viewer sees is compared at each tick
of 1/30 s, so a picture that was left out does not count less than one that was sent. All of this is the same for every
program.
"""

import bisect
import subprocess

import numpy

import pages
from quality import lumas, number, ssim
from report import AGES, LEVELS
from workloads import BITS, CELL, FPS, Reference, Workload

INTERVALS = [2.0, 2.3]
BITRATES = [1500, 3000, 6000]
# One frame interval for the moment of the grab, and another one for a painter or a program that waits for a processor.
SLACK = 2 / FPS


class Behind(RuntimeError):
    """The recording lacks the end of the last page: the machine was too busy for the program."""


class Pages(Workload):
    """Pages of one kind: another one after each interval, for so many seconds after the first page."""

    def __init__(self, kind, interval, width, height, seconds, seed):
        self.name, self.width, self.height = kind, width, height
        self.images, self.frames = [], []
        # The number of frames for which a page is shown.
        self.step = round(interval * FPS)
        self.interval = self.step / FPS
        count = max(1, int(seconds / self.interval))
        # The numbers of the frames that show a new page. The first page has none before it and is not measured.
        self.changes = [self.step * index for index in range(1, count + 1)]
        self.start(pages.page(kind, 0, width, height, seed))
        for index in range(1, count + 1):
            for _ in range(self.step - 1):
                self.change()
            source = self.add(pages.page(kind, index, width, height, seed))
            self.change((source, 0, 0, width, height, 0, 0))
        self.show_numbers()


def painting_times(text):
    """Returns the time in seconds at which the screen showed each frame, from the output of `TestScreen replay`."""
    lines = (line.split() for line in text.splitlines() if line.startswith("frame "))
    return {int(frame): int(nanoseconds) / 1e9 for _, frame, nanoseconds in lines}


def timestamps(path):
    """Returns the timestamps of a recording's pictures and those of its keyframes, in seconds."""
    command = ["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time,flags", "-of"]
    text = subprocess.run([*command, "csv=p=0", path], stdout=subprocess.PIPE, check=True, text=True).stdout
    packets = [line.split(",") for line in text.split()]
    return [float(packet[0]) for packet in packets], [float(packet[0]) for packet in packets if "K" in packet[1]]


def shown_frames(path, workload):
    """Returns the number of the frame that each picture of a recording shows."""
    width, height = BITS * CELL, CELL
    numbers = [number(luma) for luma in lumas(path, width, height, f"crop={width}:{height}:0:0")]
    if sorted(numbers) != numbers or not {0, *workload.changes} >= set(numbers):
        raise RuntimeError(f"{path}: the pictures show the frames {sorted(set(numbers))} or not in this order")
    return numbers


def delays(times, numbers, painted, changes):
    """Returns how much later than painted the first picture shows each page, on the clock of the recording."""
    result = []
    for page in changes:
        position = bisect.bisect_left(numbers, page)
        if position == len(numbers):
            raise Behind(f"no picture shows frame {page}")
        result.append(times[position] - painted[page])
    return result


def beginnings(delay_of_pages, painted, changes):
    """Returns the timestamp at which the age of each page is 0."""
    usual = min(delay_of_pages)
    return [
        painted[page] + (delay if delay <= usual + SLACK else usual) for delay, page in zip(delay_of_pages, changes)]


def pictures_at(times, start, end):
    """Returns which picture a viewer sees at each tick from `start` until before `end`: the last one until then."""
    count = round((end - start) * FPS)
    return [max(bisect.bisect_right(times, start + (tick + 0.5) / FPS) - 1, 0) for tick in range(count)]


def similarities(path, workload, pairs):
    """Returns the SSIM of each pair of a picture and a page. The pages must not fall as the pictures rise."""
    reference = Reference(workload)
    wanted = {}
    for picture, page in sorted(set(pairs)):
        wanted.setdefault(picture, []).append(page)
    result = {}
    for picture, luma in enumerate(lumas(path, workload.width, workload.height, "null")):
        for page in wanted.get(picture, []):
            result[picture, page] = ssim(luma.astype(numpy.float32), reference.at(page))
    return result


def describe(curve, start, keyframes):
    """Returns the figures of one page from its SSIM at each tick. A figure is None if the page has no such time.

    `keyframe` is the age of the page at the next keyframe in seconds: 0 if the page began with one."""
    next_keyframe = next((time for time in keyframes if time > start - 0.5 / FPS), None)
    return {
        "ssim": [curve[tick] if tick < len(curve) else None for tick in (round(age * FPS) for age in AGES)],
        "ssim_worst": min(curve), "ssim_mean": float(numpy.mean(curve)),
        "until": [next((tick / FPS for tick, value in enumerate(curve) if value >= level), None) for level in LEVELS],
        "keyframe": None if next_keyframe is None else max(next_keyframe - start, 0)}


def judge(path, workload, painted):
    """Returns the mean and the worst SSIM of all pages but the first, and the figures of each page.

    `painted` has the time at which each frame was painted, see `painting_times`."""
    times, keyframes = timestamps(path)
    numbers = shown_frames(path, workload)
    if len(times) != len(numbers):
        raise RuntimeError(f"{path}: {len(times)} pictures, of which {len(numbers)} were decoded")
    delay_of_pages = delays(times, numbers, painted, workload.changes)
    starts = beginnings(delay_of_pages, painted, workload.changes)
    ends = starts[1:] + [starts[-1] + workload.interval]
    if times[-1] < ends[-1] - 2 / FPS:
        raise Behind("the recording ends before the last page does")
    seen = [pictures_at(times, start, end) for start, end in zip(starts, ends)]
    values = similarities(
        path, workload, [(picture, page) for page, row in zip(workload.changes, seen) for picture in row])
    curves = [[values[picture, page] for picture in row] for page, row in zip(workload.changes, seen)]
    return {
        "ssim_mean": float(numpy.mean(sum(curves, []))), "ssim_worst": min(map(min, curves)),
        "late_ms": 1000 * (max(delay_of_pages) - min(delay_of_pages)),
        "pages": [
            {"late_ms": 1000 * (delay - min(delay_of_pages)), **describe(curve, start, keyframes)}
            for delay, curve, start in zip(delay_of_pages, curves, starts)]}
