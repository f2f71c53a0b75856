"""How well a recording shows what was painted: which frame each picture shows, and its SSIM to that frame."""

import subprocess

import numpy

from workloads import BITS, CELL, Reference

# The constants of Wang et al., Image quality assessment: from error visibility to structural similarity (2004), for 8
# bits.
C1, C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2


def ssim(one, other):
    """Returns the mean SSIM of two lumas over blocks of 8 by 8 pixels that do not overlap."""
    height, width = (size // 8 * 8 for size in one.shape)

    def blocks(luma):
        return luma[:height, :width].reshape(height // 8, 8, width // 8, 8)

    a, b = blocks(one), blocks(other)
    mean_a, mean_b = a.mean((1, 3)), b.mean((1, 3))
    variance_a = (a * a).mean((1, 3)) - mean_a * mean_a
    variance_b = (b * b).mean((1, 3)) - mean_b * mean_b
    covariance = (a * b).mean((1, 3)) - mean_a * mean_b
    values = (2 * mean_a * mean_b + C1) * (2 * covariance + C2) / (
        (mean_a**2 + mean_b**2 + C1) * (variance_a + variance_b + C2))
    return float(values.mean())


def number(luma):
    """Returns the number of the frame that a picture shows."""
    cells = luma[: CELL, : BITS * CELL].reshape(CELL, BITS, CELL)[2:-2, :, 2:-2].mean((0, 2))
    return int(sum(1 << (BITS - 1 - bit) for bit in range(BITS) if cells[bit] > 126))


def lumas(path, width, height, filters):
    """Yields the lumas of a recording's pictures after ffmpeg's filters, which return pictures of this size."""
    command = ["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:v", "-fps_mode", "passthrough"]
    command += ["-vf", f"{filters},format=yuv420p", "-f", "rawvideo", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as decoder:
        length = width * height * 3 // 2
        while len(data := decoder.stdout.read(length)) == length:
            yield numpy.frombuffer(data, numpy.uint8, width * height).reshape(height, width)
    if decoder.returncode != 0:
        raise RuntimeError(f"{path}: ffmpeg ended with {decoder.returncode}")


def pictures(path, width, height, start, seconds):
    """Yields the lumas of a recording, `seconds` from `start` on."""
    return lumas(path, width, height, f"trim=start={start}:duration={seconds},setpts=N/30/TB")


def judge(path, workload, start, seconds):
    """Returns the number of pictures, of different painted frames, and the mean and the worst SSIM of a part of a
    recording.

    A grab can show the screen while a frame is being painted, so a picture is compared with the frame whose number it
    shows and with the next one, and the better value counts. This is the same for every program."""
    reference = Reference(workload)
    values, numbers = [], []
    last = None
    for luma in pictures(path, workload.width, workload.height, start, seconds):
        shown = number(luma)
        picture = luma.astype(numpy.float32)
        if last is not None and shown < last:
            raise RuntimeError(f"{path}: frame {shown} follows frame {last}")
        last = shown
        numbers.append(shown)
        candidates = [painted for painted in (reference.at(shown), reference.at(shown + 1)) if painted is not None]
        if not candidates:
            raise RuntimeError(f"{path}: a picture shows frame {shown}, which was not painted")
        values.append(max(ssim(picture, painted) for painted in candidates))
    if not values:
        raise RuntimeError(f"{path}: no picture after {start} s")
    return {
        "frames": len(values), "distinct": len(set(numbers)), "ssim_mean": float(numpy.mean(values)),
        "ssim_worst": min(values)}
