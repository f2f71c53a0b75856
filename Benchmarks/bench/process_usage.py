"""What a process and its children use, from /proc."""

import os

TICKS = os.sysconf("SC_CLK_TCK")


def tree(pid):
    """The pid and those of all its descendants that live now."""
    pids = [pid]
    for parent in pids:
        try:
            for task in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{task}/children", encoding="ascii") as file:
                    pids += map(int, file.read().split())
        except OSError:
            pass
    return pids


def cpu_seconds(pid):
    """User and system seconds of the process, its living descendants and the children that it has waited for."""
    total = 0
    for member in tree(pid):
        try:
            with open(f"/proc/{member}/stat", encoding="ascii", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
            total += sum(map(int, fields[11:15]))
        except OSError:
            pass
    return total / TICKS


def own_cpu_seconds(pid):
    """User and system seconds of the process itself, without its children."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return sum(map(int, file.read().rpartition(")")[2].split()[11:13])) / TICKS


def bytes_read(pid):
    """Bytes that the process itself has got of read(2) and the like."""
    with open(f"/proc/{pid}/io", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("rchar"))


def peak_megabytes(pid):
    """The sum of the peaks of resident memory (VmHWM) of the process and its living descendants, in MB of 1 000 000 bytes."""
    total = 0
    for member in tree(pid):
        try:
            with open(f"/proc/{member}/status", encoding="ascii", errors="replace") as file:
                total += sum(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
        except OSError:
            pass
    return total * 1024 / 1e6
