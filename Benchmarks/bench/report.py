"""Medians, ratios and limits."""

import os
import platform
import statistics


class Row:
    """One line of the table.

    `bar` and `goal` are limits for the ratio to the peer, usually ffmpeg, or for broadcast's own value."""

    def __init__(self, label, part, workload, value, unit, relative, bar, goal, tested="broadcast", peer="ffmpeg"):
        self.label, self.part, self.workload, self.value, self.unit = label, part, workload, value, unit
        self.relative, self.bar, self.goal = relative, bar, goal
        self.tested, self.peer = tested, peer


ROWS = [
    Row("CPU, unchanged screen", "cpu", "still", "cpu_percent", "%", True, 0.15, 0.05),
    Row("CPU, typing-sized changes", "cpu", "typing", "cpu_percent", "%", True, 0.45, 0.1),
    Row("CPU, whole screen changing", "cpu", "everything", "cpu_percent", "%", True, 0.95, 0.85),
    Row("peak memory, 1080p30", "cpu", None, "peak_mb", "MB", False, 96, 64),
    Row("peak memory, 720p30", "memory720", None, "peak_mb", "MB", False, 64, 50),
    # With sound, ffmpeg delays pictures to interleave them, so the comparison without sound is the strict one.
    Row("screen to player, no sound, median", "latency", "silent clock", "median_ms", "ms", True, 1.2, None),
    Row("screen to player, no sound, p95", "latency", "silent clock", "p95_ms", "ms", True, 1.2, None),
    Row("screen to player, median", "latency", "clock", "median_ms", "ms", True, 1.2, None),
    Row("screen to player, p95", "latency", "clock", "p95_ms", "ms", True, 1.2, None),
    Row("start to first packet", "cpu", None, "start_ms", "ms", False, 500, 200),
    Row("stop to closed", "cpu", None, "stop_ms", "ms", False, 1000, 300),
    # Without a limit: an order of magnitude for the manual page broadcast-extension(7).
    Row("CPU, raw pictures to a pipe, unchanged", "raw", "still", "cpu_percent", "%", None, None, None),
    Row("CPU, raw pictures to a pipe, changing", "raw", "everything", "cpu_percent", "%", None, None, None),
    Row("raw pictures to a pipe, changing", "raw", "everything", "megabytes_per_second", "MB/s", None, None, None),
    Row("frames a second at the player", "latency", None, "frames_per_second", "", None, None, None),
    # The second column is broadcast itself, on the same screen, without the rule.
    Row("CPU, typing, one window hidden : shown", "hidden", "typing", "cpu_percent", "%", True, 1.05, None, "hidden", "no rule"),
    Row("CPU, whole screen, one window hidden : shown", "hidden", "everything", "cpu_percent", "%", True, 1.05, None, "hidden", "no rule"),
    Row("bitrate, unchanged screen", "cpu", "still", "kbps", "kbit/s", None, None, None),
    Row("bitrate, whole screen changing", "cpu", "everything", "kbps", "kbit/s", None, None, None),
]


class Report:
    """The table and the JSON of one campaign."""

    def __init__(self, results, options):
        self.results = results
        self.options = options

    def values(self, row, program):
        return [
            result[row.value]
            for result in self.results
            if result["part"] == row.part and result["program"] == program and row.workload in (None, result.get("workload"))
        ]

    def summary(self, row):
        """Returns the medians of both programs and the value to compare with the limit.

        For memory, it uses the maximum. The result is None without measurements."""
        tested, peer = self.values(row, row.tested), self.values(row, row.peer)
        if not tested or not peer:
            return None
        middle = max if row.value == "peak_mb" else statistics.median
        mine, theirs = middle(tested), middle(peer)
        ratio = mine / theirs if theirs else float("inf")
        judged = {True: ratio, False: mine, None: None}[row.relative]
        return {"label": row.label, "broadcast": mine, "ffmpeg": theirs, "ratio": ratio, "bar": row.bar, "goal": row.goal, "judged": judged}

    def misses(self):
        """Returns the labels of the rows that exceed their limit."""
        summaries = filter(None, map(self.summary, ROWS))
        return [line["label"] for line in summaries if line["bar"] is not None and line["judged"] > line["bar"]]

    def table(self):
        head = ["", "broadcast", "ffmpeg", "ratio", "bar", "goal", ""]
        lines = [head] + [self.line(row, summary) for row in ROWS if (summary := self.summary(row))]
        widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
        text = "\n".join("  ".join(cell.ljust(width) if index == 0 else cell.rjust(width) for index, (cell, width) in enumerate(zip(line, widths))) for line in lines)
        return "\n".join([text, *self.pixel_lines(), self.conditions()])

    def line(self, row, summary):
        def limit(value):
            if value is None:
                return ""
            return f"{value:g} x" if row.relative else f"{value:g} {row.unit}"

        verdict = ""
        if summary["judged"] is not None:
            reached_goal = row.goal is not None and summary["judged"] <= row.goal
            verdict = "goal reached" if reached_goal else "ok" if summary["judged"] <= row.bar else "MISSED"
        numbers = [f"{summary[program]:.1f} {row.unit}".strip() for program in ("broadcast", "ffmpeg")]
        return [row.label, *numbers, f"{summary['ratio']:.2f}", limit(row.bar), limit(row.goal), verdict]

    def pixel_lines(self):
        for result in self.results:
            if result["part"] == "pixels":
                values = {key: value for key, value in result.items() if key not in ("part", "program")}
                yield "pixel conversion: " + (values.get("text") or ", ".join(f"{key} {value}" for key, value in values.items()))

    def conditions(self):
        kind = "ffmpeg against itself; " if self.options.peer_only else ""
        return (
            f"({kind}{self.options.rounds} rounds of {self.options.seconds:g} s in turn, medians, memory the highest; 1080p30, 6000 kbit/s, veryfast, "
            f"zerolatency, AAC 160 kbit/s, RTMP over loopback; 100 % is one of {os.cpu_count()} processors; {platform.machine()}, Linux {platform.release()})"
        )

    def as_json(self):
        return {"summary": list(filter(None, map(self.summary, ROWS))), "runs": self.results, "conditions": self.conditions()}
