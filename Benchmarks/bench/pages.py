"""Pages to read: dense text, plain pages and slides, drawn from a seed. The same seed draws the same page.

The words are in this file, so that a page does not change with the repository."""

import random

import numpy
from PIL import Image, ImageDraw, ImageFont

FONT_FOLDER = "/usr/share/fonts/truetype/dejavu/"

# Frequent words of English, with the lengths of prose.
WORDS = """
the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one
you were all her she there would their we him been has when who will no more if out so up said what its about than into
them can only other time new some could these two may first then do any like my now over such our man me even most made
after also did many before must through years where much your way well down should because each just those people how
too little state good very make world still see own men work long here get both between life being under never day same
another know while last might great year off come since against go came right used take three himself few house use
during without again place american around however home small found thought went say part once high general upon school
every united number does got away water until always almost enough government system better public head side face power
hand young less point country often important problem development business service company several interest
although information national different possible community information program process question special industry
together children among change history research available experience education evidence reason value figure material
condition society study measure government temperature particular individual relationship production local account
report record letter market paper table result surface language river mountain engine window village doctor captain
station morning evening winter summer garden kitchen teacher student machine picture colour column signal buffer screen
""".split()


def font(name, size):
    return ImageFont.truetype(f"{FONT_FOLDER}{name}.ttf", size)


def sentence(generator):
    """Returns the words of one sentence: a capital, now and then a comma or a number, and a full stop."""
    words = [
        str(generator.randrange(2, 2000)) if generator.random() < 0.02 else generator.choice(WORDS)
        for _ in range(generator.randint(6, 18))]
    words = [word + "," if generator.random() < 0.07 else word for word in words]
    return [words[0].capitalize(), *words[1:-1], words[-1].rstrip(",") + "."]


def prose(generator, width, face):
    """Yields the lines of endless paragraphs, each up to `width` pixels wide. A paragraph ends with a short line."""
    lengths = {}
    space = face.getlength(" ")
    while True:
        line, used = [], 0
        for word in (word for _ in range(generator.randint(2, 6)) for word in sentence(generator)):
            length = lengths.setdefault(word, face.getlength(word))
            if line and used + length > width:
                yield " ".join(line)
                line, used = [], 0
            line.append(word)
            used += length + space
        yield " ".join(line)


def paragraphs(draw, generator, box, face, step, colour):
    """Fills a box (left, top, right, bottom) with lines of prose, `step` pixels apart."""
    left, top, right, bottom = box
    for y, line in zip(range(top, bottom - step + 1, step), prose(generator, right - left, face)):
        draw.text((left, y), line, fill=colour, font=face)


def text(width, height, generator):
    """Dense text: three columns of words 11 pixels high, from edge to edge."""
    image = Image.new("RGB", (width, height), (255, 255, 255))
    draw = ImageDraw.Draw(image)
    face = font("DejaVuSans", 11)
    margin, gap = 8, 14
    column = (width - 2 * margin - 2 * gap) // 3
    for index in range(3):
        left = margin + index * (column + gap)
        paragraphs(draw, generator, (left, margin, left + column, height), face, 13, (20, 20, 20))
    return image


def plain(width, height, generator):
    """A plain page: a window with a title bar, a heading and some paragraphs, before a wallpaper of one colour."""
    image = Image.new("RGB", (width, height), tuple(generator.randint(30, 110) for _ in range(3)))
    draw = ImageDraw.Draw(image)
    left, top = generator.randint(width // 16, width // 6), generator.randint(height // 16, height // 8)
    right, bottom = width - left, height - top
    draw.rectangle((left, top, right, bottom), fill=(252, 252, 252), outline=(90, 90, 96))
    draw.rectangle((left, top, right, top + 32), fill=(224, 224, 228), outline=(90, 90, 96))
    draw.text((left + 14, top + 8), " ".join(sentence(generator)[:4]), fill=(60, 60, 64), font=font("DejaVuSans", 13))
    for index, colour in enumerate([(96, 190, 90), (236, 188, 70), (228, 92, 84)]):
        draw.ellipse((right - 24 - 24 * index, top + 9, right - 10 - 24 * index, top + 23), fill=colour)
    heading = " ".join(sentence(generator)[: generator.randint(3, 6)]).rstrip(".,")
    draw.text((left + 60, top + 72), heading, fill=(20, 40, 90), font=font("DejaVuSans-Bold", 30))
    face = font(generator.choice(["DejaVuSerif", "DejaVuSans"]), generator.randint(15, 18))
    y = top + 138
    for _ in range(generator.randint(2, 4)):
        end = min(y + 26 * generator.randint(3, 6), bottom - 30)
        paragraphs(draw, generator, (left + 60, y, right - 60, end), face, 26, (30, 30, 30))
        y = end + 26
    return image


def gradient(width, height, generator):
    """Returns a picture whose colour changes evenly from one corner to the opposite one."""
    start, end = (numpy.array([generator.randint(low, low + 70) for _ in range(3)]) for low in (10, 90))
    share = (numpy.arange(width)[None, :] / width + numpy.arange(height)[:, None] / height) / 2
    if generator.random() < 0.5:
        share = share[:, ::-1]
    pixels = start + (end - start) * share[:, :, None]
    return Image.fromarray(pixels.round().astype(numpy.uint8))


def bars(draw, generator, box):
    """Draws a chart of bars into a box (left, top, right, bottom)."""
    left, top, right, bottom = box
    count = generator.randint(4, 7)
    step = (right - left) // count
    for index in range(count):
        x, y = left + index * step, generator.randint(top, bottom - 40)
        colour = tuple(generator.randint(90, 250) for _ in range(3))
        draw.rectangle((x, y, x + step * 2 // 3, bottom), fill=colour)
        year = str(generator.randint(1990, 2030))
        draw.text((x, bottom + 8), year, fill=(240, 240, 240), font=font("DejaVuSans", 20))
    draw.line((left, bottom, right, bottom), fill=(240, 240, 240), width=3)


def shapes(draw, generator, box):
    """Draws circles, boxes and the lines between them into a box (left, top, right, bottom)."""
    left, top, right, bottom = box
    places = [
        (generator.randint(left, right - 180), generator.randint(top, bottom - 180))
        for _ in range(generator.randint(3, 6))]
    draw.line([(x + 70, y + 50) for x, y in places], fill=(240, 240, 240), width=4)
    for x, y in places:
        form = generator.choice([draw.ellipse, draw.rectangle])
        form((x, y, x + generator.randint(100, 180), y + generator.randint(80, 180)),
             fill=tuple(generator.randint(60, 250) for _ in range(3)), outline=(250, 250, 250), width=3)


def slides(width, height, generator):
    """A slide: large text and a chart or shapes on a gradient."""
    image = gradient(width, height, generator)
    draw = ImageDraw.Draw(image)
    title = " ".join(sentence(generator)[: generator.randint(3, 5)]).rstrip(".,")
    draw.text((110, 90), title, fill=(255, 255, 255), font=font("DejaVuSans-Bold", generator.randint(60, 76)))
    face = font("DejaVuSans", generator.randint(34, 42))
    for index in range(generator.randint(3, 6)):
        point = " ".join(sentence(generator)[: generator.randint(3, 6)]).rstrip(".,")
        draw.text((130, 270 + index * 110), "\u2022 " + point, fill=(235, 235, 240), font=face)
    box = (width * 3 // 5, 300, width - 120, height - 160)
    generator.choice([bars, shapes])(draw, generator, box)
    return image


KINDS = {"text": text, "plain": plain, "slides": slides}


def page(kind, number, width, height, seed=0):
    """Returns a page of one of the kinds."""
    return KINDS[kind](width, height, random.Random(f"{kind} {number} {seed}"))
