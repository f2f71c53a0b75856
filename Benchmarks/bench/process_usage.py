"""The resource usage of a process and its children, from /proc."""

import os

TICKS = os.sysconf("SC_CLK_TCK")


def tree(pid):
    """Returns the process ID and those of all its living descendants."""
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
    """Returns the user and system seconds of the process, its living descendants and its children that were reaped."""
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
    """Returns the user and system seconds of the process, without its children."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return sum(map(int, file.read().rpartition(")")[2].split()[11:13])) / TICKS


def bytes_read(pid):
    """Returns the number of bytes that the process read with read(2) and similar calls."""
    with open(f"/proc/{pid}/io", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("rchar"))


def wakeups(pid):
    """Returns how often the threads of the process and of its living descendants waited for something and woke up."""
    total = 0
    for member in tree(pid):
        for task in os.listdir(f"/proc/{member}/task"):
            try:
                with open(f"/proc/{member}/task/{task}/status", encoding="ascii", errors="replace") as file:
                    total += sum(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches"))
            except OSError:
                pass
    return total


def peak_megabytes(pid):
    """Returns the peak resident memory (VmHWM) of the process plus its living descendants, in MB (10^6 bytes)."""
    total = 0
    for member in tree(pid):
        try:
            with open(f"/proc/{member}/status", encoding="ascii", errors="replace") as file:
                total += sum(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
        except OSError:
            pass
    return total * 1024 / 1e6


def memory_megabytes(pid):
    """Returns the memory of the process and its living descendants in MB (10^6 bytes).

    `own_mb` is RssAnon plus RssShmem: what the programs allocated, without the files that they map. `pss_mb` is the
    proportional share of everything (PSS)."""
    own = pss = 0
    for member in tree(pid):
        try:
            with open(f"/proc/{member}/status", encoding="ascii", errors="replace") as file:
                own += sum(int(line.split()[1]) for line in file if line.startswith(("RssAnon", "RssShmem")))
            with open(f"/proc/{member}/smaps_rollup", encoding="ascii", errors="replace") as file:
                pss += sum(int(line.split()[1]) for line in file if line.startswith("Pss:"))
        except OSError:
            pass
    return {"own_mb": own * 1024 / 1e6, "pss_mb": pss * 1024 / 1e6}
