"""Reads the clock that `TestScreen clock` paints. Tests/TestPatterns/ClockPattern.swift uses the same layout."""

COLUMNS, ROWS = 18, 4
CELL = 3  # pixels of a cell in the scaled picture, in each direction; the middle one is read
FRAME_BYTES = COLUMNS * CELL * ROWS * CELL
# Crops the clock from the screen and scales it down.
FILTER = f"crop=iw*18/40:ih*8/45:iw/20:ih*4/45,scale={COLUMNS * CELL}:{ROWS * CELL}:flags=area,format=gray"


def check(value):
    """Returns the CRC-16 (0x1021, from 0xFFFF) of the value's four bytes."""
    crc = 0xFFFF
    for byte in value.to_bytes(4, "big"):
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ (0x1021 if crc & 0x8000 else 0)) & 0xFFFF
    return crc


def milliseconds(frame):
    """Returns the painted CLOCK_MONOTONIC in milliseconds modulo 2^32, or None if it is unreadable or torn."""
    rows = [
        [frame[(row * CELL + CELL // 2) * COLUMNS * CELL + column * CELL + CELL // 2] for column in range(COLUMNS)]
        for row in range(ROWS)]
    white, black = sum(rows[0][0::2]) / 9, sum(rows[0][1::2]) / 9
    if white - black < 60:
        return None
    bits = [[level * 2 > white + black for level in row] for row in rows]
    if bits[0] != [column % 2 == 0 for column in range(COLUMNS)] or any(
            bits[row][0] != (row % 2 == 0) or bits[row][17] == bits[row][0] for row in (1, 2, 3)):
        return None
    words = [sum(bit << 15 - place for place, bit in enumerate(row[1:17])) for row in bits[1:]]
    value = words[0] << 16 | words[1]
    return value if words[2] == check(value) else None
