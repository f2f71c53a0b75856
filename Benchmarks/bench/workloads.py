"""Screens of real text, and how they change: what TestScreen paints, and the reference for the picture's quality.

A workload consists of images and of frames. A frame copies parts of the images to the screen and then shows rectangles.
Each frame that changes anything also shows its number as 16 bright or dark cells in the top left corner, so a recorded
picture can be compared with the frame that it shows. Everything follows from the repository's files and from fixed
seeds.
"""

import glob
import os
import struct
import subprocess

import numpy
from PIL import Image, ImageDraw

import pages
from pages import font

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FPS = 30
# The number of the frame: one cell for each bit, the highest first.
CELL, BITS = 8, 16
NAMES = [
    "still", "text", "caret", "typing", "small", "scrolling", "dragging", "video", "everything", "photo", "noise",
    "slides", "output"]


def lines_of(pattern, count):
    """Returns lines of the repository's text files, in a fixed order."""
    result = []
    for path in sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True)):
        with open(path, encoding="utf-8") as file:
            result += file.read().splitlines()
        if len(result) >= count:
            break
    return result[:count]


def editor(width, height):
    """An editor with source text: comments, words of the language and strings in colours."""
    image = Image.new("RGB", (width, height), (253, 253, 250))
    draw = ImageDraw.Draw(image)
    size = 13
    face = font("DejaVuSansMono", size)
    step = size + 5
    draw.rectangle((0, 0, 46, height), fill=(238, 238, 234))
    words = {
        "let", "var", "func", "if", "guard", "return", "struct", "final", "class", "private", "package", "import",
        "for", "in", "case"}
    for row, text in enumerate(lines_of("Sources/Session/Session/*.swift", height // step)):
        y = 6 + row * step
        if y > height:
            break
        draw.text((8, y), f"{row + 1:4}", fill=(150, 150, 150), font=face)
        if text.strip().startswith("//"):
            draw.text((56, y), text, fill=(100, 120, 100), font=face)
            continue
        x = 56
        for word in text.replace("\t", "    ").split(" "):
            colour = (
                (150, 40, 120) if word in words else (30, 60, 160) if word[:1].isupper()
                else (170, 60, 20) if '"' in word else (30, 30, 34))
            draw.text((x, y), word, fill=colour, font=face)
            x += face.getlength(word + " ")
    return image


def terminal(width, height):
    """A terminal with the output of a build: coloured words on a dark background."""
    image = Image.new("RGB", (width, height), (22, 24, 28))
    draw = ImageDraw.Draw(image)
    size = 14
    face = font("DejaVuSansMono", size)
    step = size + 3
    colours = [(120, 200, 120), (220, 220, 215), (110, 160, 230), (220, 190, 90), (210, 110, 100), (160, 160, 160)]
    for row, text in enumerate(lines_of("docs/*.md", height // step)):
        x = 6
        for index, word in enumerate(text.split(" ")):
            draw.text((x, 4 + row * step), word, fill=colours[(len(word) * 7 + index + row) % len(colours)], font=face)
            x += face.getlength(word + " ")
    return image


def page(width, height, size=16):
    """A page of prose in a proportional font, with headings and a picture."""
    image = Image.new("RGB", (width, height), (255, 255, 255))
    draw = ImageDraw.Draw(image)
    text, head = font("DejaVuSerif", size), font("DejaVuSans-Bold", size + 8)
    y = 24
    margin = max(24, width // 12)
    for line in lines_of("docs/*.md", 4000):
        if y > height:
            break
        if line.startswith("#"):
            y += size
            draw.text((margin, y), line.lstrip("# "), fill=(20, 40, 90), font=head)
            y += size * 2
            continue
        row = ""
        for word in line.split(" "):
            if text.getlength(row + word) > width - 2 * margin:
                draw.text((margin, y), row, fill=(25, 25, 25), font=text)
                y += size + 8
                row = ""
            row += word + " "
        draw.text((margin, y), row, fill=(25, 25, 25), font=text)
        y += size + 8
    return image


def photograph(width, height, seed=3):
    """A picture with detail of every size, like a photograph: noise whose strength falls with its frequency."""
    generator = numpy.random.default_rng(seed)
    spectrum = numpy.hypot(*numpy.meshgrid(numpy.fft.fftfreq(height), numpy.fft.rfftfreq(width), indexing="ij"))
    spectrum[0, 0] = 1
    planes = []
    for _ in range(3):
        noise = generator.standard_normal((height, width))
        plane = numpy.fft.irfft2(numpy.fft.rfft2(noise) / spectrum**1.3, (height, width))
        planes.append(plane)
    # The three colours have most of their detail in common.
    planes = [planes[0] + 0.3 * plane for plane in planes]
    result = numpy.stack([(plane - plane.min()) / (plane.max() - plane.min()) * 255 for plane in planes], axis=2)
    return Image.fromarray(result.astype(numpy.uint8))


def desktop(width, height):
    """A wallpaper and three windows with text: an editor, a terminal and a page."""
    image = Image.new("RGB", (width, height), (40, 70, 110))
    for picture, place in [
        (editor(width * 11 // 20, height * 3 // 4), (width // 40, height // 12)),
        (terminal(width * 9 // 20, height // 2), (width // 2, height * 9 // 20)),
        (page(width * 2 // 5, height * 2 // 5, 14), (width * 23 // 40, height // 24)),
    ]:
        frame = Image.new("RGB", (picture.width + 2, picture.height + 26), (60, 64, 74))
        frame.paste(picture, (1, 25))
        ImageDraw.Draw(frame).text((10, 5), "~/broadcast", fill=(235, 235, 235), font=font("DejaVuSans", 12))
        image.paste(frame, place)
    return image


class Workload:
    """The images and the frames of one workload.

    A frame is a list of copies (image, x, y, width, height, to x, to y) and a list of shown rectangles (x, y, width,
    height). A frame without both changes nothing."""

    def __init__(self, name, width, height, seconds):
        if name not in NAMES:
            raise ValueError(f"no workload is called {name}")
        self.name, self.width, self.height = name, width, height
        self.count = min(int(seconds * FPS), (1 << BITS) - 1)
        self.images, self.frames = [], []
        getattr(self, name)()
        self.show_numbers()

    def show_numbers(self):
        """Adds its number to each frame that changes anything. Call it once, after the last frame."""
        self.numbers = self.add(self.number_image())
        for index, frame in enumerate(self.frames):
            if frame[0]:
                frame[0].append((self.numbers, 0, index * CELL, BITS * CELL, CELL, 0, 0))
                frame[1].append((0, 0, BITS * CELL, CELL))

    def add(self, image):
        self.images.append(numpy.asarray(image.convert("RGB")))
        return len(self.images) - 1

    def number_image(self):
        cells = numpy.zeros((len(self.frames) * CELL, BITS * CELL, 3), numpy.uint8)
        for index in range(len(self.frames)):
            for bit in range(BITS):
                if index >> (BITS - 1 - bit) & 1:
                    cells[index * CELL : (index + 1) * CELL, bit * CELL : (bit + 1) * CELL] = 255
        return Image.fromarray(cells)

    def start(self, image):
        """The first frame shows the whole image."""
        index = self.add(image)
        self.frames.append(([(index, 0, 0, self.width, self.height, 0, 0)], [(0, 0, self.width, self.height)]))
        return index

    def change(self, *copies, shown=None):
        """Adds a frame; without copies it changes nothing."""
        copies = list(copies)
        self.frames.append((copies, shown if shown is not None else [(x, y, w, h) for _, _, _, w, h, x, y in copies]))

    def still(self):
        self.start(desktop(self.width, self.height))

    def text(self):
        """A still page of dense text."""
        self.start(pages.page("text", 0, self.width, self.height))

    def caret(self):
        """A caret that blinks twice a second."""
        self.start(editor(self.width, self.height))
        carets = self.add(Image.new("RGB", (4, 32), (20, 20, 20)))
        paper = self.add(Image.new("RGB", (4, 32), (253, 253, 250)))
        x, y = self.width // 3, self.height // 2
        for index in range(1, self.count):
            self.change(*([(carets if index // 15 % 2 else paper, 0, 0, 2, 15, x, y)] if index % 15 == 0 else []))

    def typing(self):
        """Ten characters a second in an editor."""
        size = 13
        face = font("DejaVuSansMono", size)
        step, advance = size + 5, int(round(face.getlength("m")))
        first = self.height // step // 2
        background = editor(self.width, self.height)
        ImageDraw.Draw(background).rectangle((47, 6 + first * step, self.width, self.height), fill=(253, 253, 250))
        self.start(background)
        columns = (self.width - 120) // advance
        text = " ".join(line.strip() for line in lines_of("Sources/Network/RTMP/*.swift", 400))
        rows = [text[start : start + columns] for start in range(0, len(text), columns)][
            : self.height // step - first - 1]
        typed = Image.new("RGB", (self.width, len(rows) * step), (253, 253, 250))
        for row, line in enumerate(rows):
            for column, character in enumerate(line):
                ImageDraw.Draw(typed).text((56 + column * advance, row * step), character, fill=(30, 30, 34), font=face)
        source = self.add(typed)
        column = row = 0
        for index in range(1, self.count):
            if index % 3 or row == len(rows):
                self.change()
                continue
            x = 56 + column * advance
            self.change((source, x, row * step, advance, step, x, 6 + (first + row) * step))
            column += 1
            if column == columns:
                row, column = row + 1, 0

    def small(self):
        """A stopwatch that changes with every frame, on a desktop that does not."""
        self.start(desktop(self.width, self.height))
        face = font("DejaVuSansMono", 20)
        digits = Image.new("RGB", (150, 28 * self.count), (250, 250, 250))
        for index in range(self.count):
            ImageDraw.Draw(digits).text((6, index * 28 + 2), f"{index / FPS:10.2f}", fill=(180, 20, 20), font=face)
        source = self.add(digits)
        for index in range(1, self.count):
            self.change((source, 0, index * 28, 150, 28, self.width // 2, self.height // 3))

    def scrolling(self):
        """A long page that scrolls by 6 pixels a frame."""
        top = 40
        long = page(self.width, self.height + 6 * self.count)
        source = self.add(long)
        self.start(long.crop((0, 0, self.width, self.height)))
        for index in range(1, self.count):
            self.change((source, 0, top + 6 * index, self.width, self.height - top, 0, top))

    def dragging(self):
        """A window with text that is dragged over a desktop, on a loop that takes four seconds."""
        background = self.start(desktop(self.width, self.height))
        w, h = self.width * 2 // 5, self.height * 2 // 5
        window = self.add(terminal(w, h))
        old = None
        for index in range(1, self.count):
            angle = 2 * numpy.pi * index / (4 * FPS)
            x = int((self.width - w) * (0.5 + 0.4 * numpy.cos(angle)))
            y = int((self.height - h) * (0.5 + 0.4 * numpy.sin(angle)))
            copies = [(window, 0, 0, w, h, x, y)]
            left, upper, right, lower = x, y, x + w, y + h
            if old:
                copies.insert(0, (background, old[0], old[1], w, h, old[0], old[1]))
                left, upper = min(left, old[0]), min(upper, old[1])
                right, lower = max(right, old[0] + w), max(lower, old[1] + h)
            self.change(*copies, shown=[(left, upper, right - left, lower - upper)])
            old = (x, y)

    def video(self):
        """A video of 640 by 360 in a window: a zoom into the Mandelbrot set, to and fro."""
        self.start(desktop(self.width, self.height))
        count, (w, h) = 90, (640, 360)
        frames = subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i",
             f"mandelbrot=size={w}x{h}:rate={FPS}:end_scale=0.02:end_pts=200"]
            + ["-frames:v", str(count), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
            stdout=subprocess.PIPE, check=True,
        ).stdout
        source = self.add(Image.frombytes("RGB", (w, h * count), frames))
        for index in range(1, self.count):
            position = index % (2 * count - 2)
            position = min(position, 2 * count - 2 - position)
            self.change((source, 0, position * h, w, h, self.width // 3, self.height // 4))

    def everything(self):
        """The view moves over a large photograph: the whole screen changes with every frame."""
        reach = (400, 300)
        large = photograph(self.width + reach[0], self.height + reach[1])
        source = self.add(large)
        self.start(large.crop((0, 0, self.width, self.height)))
        for index in range(1, self.count):
            x, y = (
                abs((index * step + length) % (2 * length) - length) for step, length in ((5, reach[0]), (3, reach[1])))
            self.change((source, x, y, self.width, self.height, 0, 0))

    def photo(self):
        """A still photograph."""
        self.start(photograph(self.width, self.height, 7))

    def noise(self):
        """A still picture of text on dithered ground."""
        image = numpy.asarray(desktop(self.width, self.height)).astype(numpy.int16)
        image = image + numpy.random.default_rng(1).integers(-12, 13, image.shape)
        self.start(Image.fromarray(numpy.clip(image, 0, 255).astype(numpy.uint8)))

    def slides(self):
        """Another slide every two seconds, between two keyframes: a page, a photograph, an editor, a terminal."""
        made = [
            page(self.width, self.height, 28), photograph(self.width, self.height, 5), editor(self.width, self.height),
            terminal(self.width, self.height)]
        self.start(made[0])
        sources = [self.add(image) for image in made]
        for index in range(1, self.count):
            self.change(
                *([(sources[(index + 35) // 60 % 4], 0, 0, self.width, self.height, 0, 0)] if index % 60 == 25 else []))

    def output(self):
        """A terminal that scrolls by one line six times a second."""
        long = terminal(self.width, self.height + 17 * (self.count // 5 + 2))
        source = self.add(long)
        self.start(long.crop((0, 0, self.width, self.height)))
        top = 16
        for index in range(1, self.count):
            self.change(
                *([(source, 0, top + 17 * (index // 5), self.width, self.height - top, 0, top)] if index % 5 == 0
                  else []))

    def write(self, path):
        """Writes the file that `TestScreen replay` paints: 32-bit little-endian numbers, and pixels as B, G, R, 0."""
        with open(path, "wb") as file:
            file.write(
                struct.pack("<8I", 0x59414C50, 1, self.width, self.height, FPS, len(self.images), len(self.frames), 0))
            for image in self.images:
                height, width = image.shape[:2]
                file.write(struct.pack("<2I", width, height))
                pixels = numpy.zeros((height, width, 4), numpy.uint8)
                pixels[:, :, :3] = image[:, :, ::-1]
                file.write(pixels.tobytes())
            for copies, shown in self.frames:
                file.write(struct.pack("<2I", len(copies), len(shown)))
                for numbers in copies + shown:
                    file.write(struct.pack(f"<{len(numbers)}I", *numbers))


class Reference:
    """The painted picture after each frame, as luma: 8 bits, BT.709, limited range. Ask for frames in rising order."""

    def __init__(self, workload):
        self.workload = workload
        self.luma = [self.convert(image) for image in workload.images]
        self.kept = {}
        self.position = -1
        self.picture = numpy.zeros((workload.height, workload.width), numpy.float32)

    @staticmethod
    def convert(image):
        red, green, blue = (image[:, :, plane].astype(numpy.float32) for plane in range(3))
        return 16 + (0.2126 * red + 0.7152 * green + 0.0722 * blue) * (219 / 255)

    def at(self, number):
        """Returns the picture after the frame of that number, or None if it is older than the last few or does not
        exist."""
        while self.position < number < len(self.workload.frames):
            self.position += 1
            for image, x, y, width, height, to_x, to_y in self.workload.frames[self.position][0]:
                self.picture[to_y : to_y + height, to_x : to_x + width] = self.luma[image][
                    y : y + height, x : x + width]
            changed = self.workload.frames[self.position][0]
            self.kept[self.position] = self.picture.copy() if changed else self.kept[self.position - 1]
            self.kept.pop(self.position - 8, None)
        return self.kept.get(number)
