"""Medians, ratios and limits."""

import os
import platform
import statistics

# The ages of a page in seconds at which the part switch reports the SSIM, and the SSIMs for which it reports the time
# until they are reached.
AGES = [0, 0.1, 0.2, 0.3, 0.5, 0.8, 1.1, 1.4, 1.7]
LEVELS = [0.95, 0.97]
# The options that the JSON keeps, because the tables name them.
KEPT_OPTIONS = ["rounds", "seconds", "pages_seed"]


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
    Row("screen to player, sparse changes, median", "latency", "sparse clock", "median_ms", "ms", False, 14, 10),
    Row("screen to player, sparse changes, p95", "latency", "sparse clock", "p95_ms", "ms", False, 25, 20),
    Row("start to first packet", "cpu", None, "start_ms", "ms", False, 500, 200),
    Row("stop to closed", "cpu", None, "stop_ms", "ms", False, 1000, 300),
    # Without a limit: an order of magnitude for the manual page broadcast-extension(7).
    Row("CPU, raw pictures to a pipe, unchanged", "raw", "still", "cpu_percent", "%", None, None, None),
    Row("CPU, raw pictures to a pipe, changing", "raw", "everything", "cpu_percent", "%", None, None, None),
    Row("raw pictures to a pipe, changing", "raw", "everything", "megabytes_per_second", "MB/s", None, None, None),
    Row("frames a second at the player", "latency", "clock", "frames_per_second", "", None, None, None),
    Row("wake-ups a second, unchanged screen", "wakeups", "constant", "wakeups", "", None, None, None),
    Row("the same with variable pacing", "wakeups", "variable", "wakeups", "", None, None, None),
    # The second column is broadcast itself, on the same screen, without the rule.
    Row("CPU, typing, one window hidden : shown", "hidden", "typing", "cpu_percent", "%", True, 1.05, None, "hidden",
        "no rule"),
    Row("CPU, whole screen, one window hidden : shown", "hidden", "everything", "cpu_percent", "%", True, 1.05, None,
        "hidden", "no rule"),
    Row("bitrate, unchanged screen", "cpu", "still", "kbps", "kbit/s", None, None, None),
    Row("bitrate, whole screen changing", "cpu", "everything", "kbps", "kbit/s", None, None, None),
]


# The highest cost relative to ffmpeg, at a picture that is at least as good.
QUALITY_BARS = {"still": 0.15, "typing": 0.25, "small": 0.5, "scrolling": 0.75, "everything": 0.9}


class Report:
    """The table and the JSON of one campaign."""

    def __init__(self, results, options):
        self.results = results
        self.options = options

    def values(self, row, program):
        return [
            result[row.value]
            for result in self.results
            if result["part"] == row.part and result["program"] == program
            and row.workload in (None, result.get("workload"))
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
        return {
            "label": row.label, "broadcast": mine, "ffmpeg": theirs, "ratio": ratio, "bar": row.bar, "goal": row.goal,
            "judged": judged}

    def misses(self):
        """Returns the labels of the rows that exceed their limit."""
        summaries = filter(None, map(self.summary, ROWS))
        return [line["label"] for line in summaries if line["bar"] is not None and line["judged"] > line["bar"]]

    def table(self):
        head = ["", "broadcast", "ffmpeg", "ratio", "bar", "goal", ""]
        lines = [head] + [self.line(row, summary) for row in ROWS if (summary := self.summary(row))]
        widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
        text = "\n".join(
            "  ".join(cell.ljust(width) if index == 0 else cell.rjust(width)
                      for index, (cell, width) in enumerate(zip(line, widths))) for line in lines)
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
                yield "pixel conversion: " + (", ".join(f"{key} {value}" for key, value in values.items()))

    def conditions(self):
        kind = "ffmpeg against itself; " if self.options.peer_only else ""
        return (
            f"({kind}{self.options.rounds} rounds of {self.options.seconds:g} s in turn, medians, memory the highest; "
            f"1080p30, 6000 kbit/s, veryfast, zerolatency, AAC 160 kbit/s, RTMP over loopback; "
            f"100 % is one of {os.cpu_count()} processors; {platform.machine()}, Linux {platform.release()})"
        )

    def runs(self, part):
        """Returns the runs of a part: workload, then program, then one for each round."""
        runs = {}
        for result in self.results:
            if result["part"] == part:
                runs.setdefault(result["workload"], {}).setdefault(result["program"], []).append(result)
        return runs

    def quality(self):
        """Returns the medians of the part quality: workload and bitrate, then program, then figure."""
        return {
            name: {
                program: {key: (min if key == "ssim_worst" else statistics.median)(run[key] for run in rounds)
                          for key in rounds[0] if key not in ("part", "workload", "program", "round")}
                for program, rounds in programs.items()
            }
            for name, programs in self.runs("quality").items()
        }

    def quality_misses(self):
        """Returns the workloads at which the cost relative to ffmpeg exceeds its bar, or the picture is worse than
        ffmpeg's."""
        misses = []
        for name, programs in self.quality().items():
            bar = QUALITY_BARS.get(name.split()[0])
            if bar and "ffmpeg" in programs and "broadcast" in programs:
                cost, is_sharper = self.compare(programs["broadcast"], programs["ffmpeg"])
                if cost > bar or not is_sharper:
                    misses.append(name)
        return misses

    @staticmethod
    def compare(tested, peer):
        """Returns the ratio of the processor times, and whether the picture is at least as good: in the mean and the
        worst SSIM, and in the number of different frames that it shows."""
        margin = 0.0005
        is_sharper = (
            tested["ssim_mean"] + margin >= peer["ssim_mean"] and tested["ssim_worst"] + margin >= peer["ssim_worst"])
        is_sharper = is_sharper and tested["distinct"] >= 0.98 * peer["distinct"] - 1
        return tested["cpu_percent"] / peer["cpu_percent"], is_sharper

    def markdown(self):
        """Returns the part quality as a table. A ratio in brackets is a cost at a worse picture, which compares
        nothing."""
        lines = [
            "| screen, kbit/s | program | CPU | of ffmpeg's | X server | SSIM mean | worst | pictures | different "
            "| kbit/s | memory | PSS |"]
        lines.append("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
        for name, programs in self.quality().items():
            for program, run in programs.items():
                ratio = ""
                if "ffmpeg" in programs and program != "ffmpeg":
                    cost, is_sharper = self.compare(run, programs["ffmpeg"])
                    ratio = f"{cost:.2f}" if is_sharper else f"({cost:.2f})"
                lines.append(
                    f"| {name} | {program} | {run['cpu_percent']:.1f} % | {ratio} | {run['server_percent']:+.1f} % "
                    f"| {run['ssim_mean']:.4f} | {run['ssim_worst']:.4f} | {run['frames']:.0f} "
                    f"| {run['distinct']:.0f} | {run['kbps']:.0f} | {run['own_mb']:.0f} MB | {run['pss_mb']:.0f} MB |"
                )
        return "\n".join(lines + ["", self.quality_conditions()])

    def comparison(self):
        """Returns the part quality at its lowest bitrate as a short table: broadcast and ffmpeg, one line for each
        screen."""
        quality = self.quality()
        lowest = min(int(name.split()[1]) for name in quality)
        lines = [
            "| screen | CPU | ffmpeg | ratio | SSIM mean / worst | ffmpeg |", "| --- | --- | --- | --- | --- | --- |"]
        for name, programs in quality.items():
            if int(name.split()[1]) != lowest or not {"broadcast", "ffmpeg"} <= programs.keys():
                continue
            ours, theirs = programs["broadcast"], programs["ffmpeg"]
            cost, is_sharper = self.compare(ours, theirs)
            ratio = f"{cost:.2f}" if is_sharper else f"({cost:.2f})"
            pictures = " | ".join(f"{run['ssim_mean']:.4f} / {run['ssim_worst']:.4f}" for run in (ours, theirs))
            lines.append(
                f"| {name.split()[0]} | {ours['cpu_percent']:.0f} % | {theirs['cpu_percent']:.0f} % | {ratio} "
                f"| {pictures} |")
        return "\n".join(lines)

    def switch(self):
        """Returns the figures of the part switch: pages, interval and bitrate, then program, then figure."""
        return {
            name: {program: self.new_pages(rounds) for program, rounds in programs.items()}
            for name, programs in self.runs("switch").items()
        }

    @staticmethod
    def new_pages(rounds):
        """Returns the figures of one program. Each page of each round counts alike.

        A time until an SSIM is the median of the pages, and None if most of them do not reach it. The SSIM at an age is
        None if the pages are not shown for so long."""
        pages = [page for run in rounds for page in run["pages"]]
        times = [
            statistics.median(float("inf") if time is None else time for time in column)
            for column in zip(*(page["until"] for page in pages))]
        return {
            "ssim": [None if None in column else statistics.mean(column)
                     for column in zip(*(page["ssim"] for page in pages))],
            "ssim_worst": min(page["ssim_worst"] for page in pages),
            "ssim_mean": statistics.mean(run["ssim_mean"] for run in rounds),
            "until": [None if time == float("inf") else time for time in times],
            "late_ms": max(run["late_ms"] for run in rounds),
            "cpu_percent": statistics.median(run["cpu_percent"] for run in rounds),
            "kbps": statistics.median(run["kbps"] for run in rounds)}

    @staticmethod
    def compare_pages(tested, peer):
        """Returns the ratio of the processor times, and whether new pages are at least as readable: at each age, in the
        mean and in the worst picture."""
        margin = 0.005
        ours, theirs = (
            [value for value in run["ssim"] if value is not None] + [run["ssim_mean"], run["ssim_worst"]]
            for run in (tested, peer))
        is_sharper = all(mine + margin >= other for mine, other in zip(ours, theirs))
        return tested["cpu_percent"] / peer["cpu_percent"], is_sharper

    def switch_table(self):
        """Returns the part switch as a table. A ratio in brackets is a cost at a worse picture, which compares
        nothing."""
        head = ["pages, s, kbit/s", "program", *(f"{age:g} s" for age in AGES), "worst", "mean"]
        head += [*(f"until {level:g}" for level in LEVELS), "late", "CPU", "of ffmpeg's", "kbit/s"]
        rows = [head, ["---"] * len(head)]
        for name, programs in self.switch().items():
            for program, run in programs.items():
                ratio = ""
                if "ffmpeg" in programs and program != "ffmpeg":
                    cost, is_sharper = self.compare_pages(run, programs["ffmpeg"])
                    ratio = f"{cost:.2f}" if is_sharper else f"({cost:.2f})"
                values = ["" if value is None else f"{value:.3f}" for value in run["ssim"]]
                values += [f"{run['ssim_worst']:.3f}", f"{run['ssim_mean']:.3f}"]
                values += ["never" if time is None else f"{time:.2f} s" for time in run["until"]]
                values += [f"{run['late_ms']:.0f} ms", f"{run['cpu_percent']:.1f} %", ratio, f"{run['kbps']:.0f}"]
                rows.append([name, program, *values])
        return "\n".join([*(f"| {' | '.join(row)} |" for row in rows), "", self.switch_conditions()])

    def switch_conditions(self):
        return (
            f"1920x1080, 30 frames a second, veryfast, zerolatency, RTMP over loopback, no sound; "
            f"{self.options.rounds} rounds of {self.options.seconds:g} s in turn, from the first second on; "
            f"pages of the seed {self.options.pages_seed}. SSIM of the luma to the painted page, the mean of all pages "
            f"at that age; the worst picture; the mean of all pictures; the median time until an SSIM. *late* is the "
            f"longest delay of a page minus the shortest one. CPU is the median of all processor time, with the start; "
            f"100 % is one of {os.cpu_count()} processors. A ratio in brackets: the picture is worse than ffmpeg's."
        )

    def document(self, path):
        """Replaces the tables in a document: what is between the lines `<!-- NAME -->` and `<!-- end of NAME -->`.

        A table without measurements stays."""
        with open(path, encoding="utf-8") as file:
            text = file.read()
        tables = [("comparison", self.comparison), ("quality", self.markdown)] if self.quality() else []
        tables += [("switch", self.switch_table)] if self.switch() else []
        for name, table in tables:
            start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
            if start in text and end in text:
                text = text[: text.index(start) + len(start)] + "\n" + table() + "\n\n" + text[text.index(end) :]
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def quality_conditions(self):
        return (
            f"1920x1080, 30 frames a second, veryfast, zerolatency, RTMP over loopback, no sound; "
            f"{self.options.rounds} rounds of {self.options.seconds:g} s in turn, "
            f"medians, the worst SSIM of all rounds; 100 % is one of {os.cpu_count()} processors. "
            f"SSIM of the luma to the painted picture. "
            f"A ratio in brackets: the picture is worse than ffmpeg's. The X server's use is what the program adds."
        )

    def plot(self, folder):
        """Writes cost and picture of each screen as SVG files."""
        import matplotlib

        matplotlib.use("svg")
        from matplotlib import pyplot

        quality = self.quality()
        for figure, label in [
                ("cpu_percent", "CPU, % of a processor"), ("ssim_worst", "worst SSIM to the painted picture")]:
            programs = sorted({program for run in quality.values() for program in run})
            axes = pyplot.subplots(figsize=(9, 0.5 * len(quality) + 1.5))[1]
            for index, program in enumerate(programs):
                places = [row + (index - (len(programs) - 1) / 2) * 0.8 / len(programs) for row in range(len(quality))]
                axes.barh(
                    places, [run.get(program, {}).get(figure, 0) for run in quality.values()], 0.8 / len(programs),
                    label=program)
            axes.set_yticks(range(len(quality)), list(quality))
            axes.invert_yaxis()
            axes.set_xlabel(label)
            if figure == "ssim_worst":
                axes.set_xlim(min(run["ssim_worst"] for runs in quality.values() for run in runs.values()) - 0.01, 1)
            axes.legend(fontsize="small")
            axes.figure.tight_layout()
            axes.figure.savefig(os.path.join(folder, f"{figure}.svg"), metadata={"Date": None})
            pyplot.close(axes.figure)

    def as_json(self):
        measured = {name: getattr(self.options, name) for name in KEPT_OPTIONS}
        return measured | {
            "summary": list(filter(None, map(self.summary, ROWS))), "quality": self.quality(),
            "switch": self.switch(), "runs": self.results, "conditions": self.conditions()}
