#!/usr/bin/python3
"""usage: session.py KIND FOLDER OUTPUTS

Runs inside the root, as an ordinary user: starts a desktop without a screen and without a GPU, its portal and PipeWire,
each with a log in FOLDER, and with so many monitors (GNOME Shell and KWin). Writes FOLDER/environment when everything
answers, and waits. Ends with its caller."""
import os
import subprocess
import sys
import time

from gi.repository import Gio, GLib

LIMIT = 60
kind, folder, outputs = sys.argv[1:]
run = folder + "/run"
environment = {
    "PATH": folder + "/bin:/usr/bin:/bin", "XDG_RUNTIME_DIR": run, "HOME": folder + "/home",
    "XDG_CONFIG_HOME": folder + "/config",
    "XDG_DATA_HOME": folder + "/data", "XDG_STATE_HOME": folder + "/state", "XDG_CACHE_HOME": folder + "/cache",
    "XDG_DATA_DIRS": folder + "/share:/usr/local/share:/usr/share",
    "XDG_SESSION_TYPE": "wayland", "DBUS_SESSION_BUS_ADDRESS": f"unix:path={run}/bus", "LIBGL_ALWAYS_SOFTWARE": "1",
    "GBM_ALWAYS_SOFTWARE": "1", "GTK_A11Y": "none", "NO_AT_BRIDGE": "1",
}
# A stand-in for a GPU's render node (render-node.c), for compositors that refuse to run without one.
node = {"LD_PRELOAD": folder + "/render-node.so", "RENDER_NODES": folder + "/nodes"}


def start(name, *command, more={}):
    """Starts a program with the log FOLDER/NAME.log."""
    with open(f"{folder}/{name}.log", "w") as log:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**environment, **more})


def wait(what, condition):
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    sys.exit(f"session: no {what} within {LIMIT} s: see {folder}/*.log")


def entry(prefix, excluded=".lock"):
    """The first file in XDG_RUNTIME_DIR whose name begins with `prefix`."""
    return next(
        (name for name in sorted(os.listdir(run)) if name.startswith(prefix) and not name.endswith(excluded)), None)


def has_name(name, address=environment["DBUS_SESSION_BUS_ADDRESS"]):
    try:
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        bus = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
        try:
            return bus.call_sync("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "NameHasOwner",
                                 GLib.Variant("(s)", (name,)),
                                 None, 0, 1000, None).unpack()[0]
        finally:
            bus.close_sync(None)
    except GLib.Error:
        return False


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def display():
    environment["WAYLAND_DISPLAY"] = wait("Wayland display", lambda: entry("wayland-"))


def start_bus():
    # Debian's session bus, which has nothing of the host's: the programs of the root start on demand.
    start(
        "bus", "dbus-daemon", "--session", "--nofork", "--nopidfile",
        "--address=" + environment["DBUS_SESSION_BUS_ADDRESS"])
    wait("session bus", lambda: has_name("org.freedesktop.DBus"))


def start_pipewire():
    start("pipewire", "pipewire")
    wait("PipeWire", lambda: entry("pipewire-0"))
    start("wireplumber", "wireplumber")
    start("pipewire-pulse", "pipewire-pulse")
    wait("pipewire-pulse", lambda: os.path.exists(run + "/pulse/native"))
    # No sound card: a sink that plays nothing.
    wait("null sink", lambda: subprocess.run(
        ["pactl", "load-module", "module-null-sink", "sink_name=speakers"], env=environment, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL).returncode == 0)


def start_logind():
    """A stand-in for logind, which only root can run, with one session. Its signals lock and unlock the screen."""
    address = environment["DBUS_SYSTEM_BUS_ADDRESS"] = f"unix:path={run}/system-bus"
    start("system-bus", "dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + address)
    wait("system bus", lambda: has_name("org.freedesktop.DBus", address))
    start("logind", "python3", "-m", "dbusmock", "--system", "--template", "logind")
    wait("logind", lambda: has_name("org.freedesktop.login1", address))
    mock(
        "org.freedesktop.login1", "/org/freedesktop/login1", "AddSession", "auto", "seat0", str(os.getuid()),
        "broadcast-test", "true")


def mock(name, path, method, *arguments):
    """Calls a method with which dbusmock is set up."""
    subprocess.run(["gdbus", "call", "--system", "-d", name, "-o", path, "-m", "org.freedesktop.DBus.Mock." + method,
                    *arguments],
                   env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)


def start_portal(backend, name, more={}):
    start("backend", *backend, more=more)
    wait("backend of the portal", lambda: has_name("org.freedesktop.impl.portal.desktop." + name))
    start("portal", "/usr/libexec/xdg-desktop-portal", "-v", "-r")
    wait("portal", lambda: has_name("org.freedesktop.portal.Desktop"))


def start_input(width, height):
    """Starts the virtual keyboard and mouse of the tests."""
    os.mkfifo(folder + "/input", 0o600)
    start("input", "/opt/rig/wlr-input.py", folder + "/input", width, height)


def sway():
    environment["XDG_CURRENT_DESKTOP"] = "sway"
    # The portal of wlroots asks with a menu, which the test answers with keys.
    write(
        folder + "/config/xdg-desktop-portal-wlr/config",
        "[screencast]\nmax_fps=0\nchooser_type=dmenu\nchooser_cmd=wmenu -i -l 5\n")
    write(folder + "/sway.conf", "output HEADLESS-1 resolution 1280x720\nxwayland enable\ndefault_border none\n")
    start("sway", "sway", "-c", folder + "/sway.conf",
          more={"WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman"})
    display()
    environment["SWAYSOCK"] = run + "/" + wait("sway's socket", lambda: entry("sway-ipc."))
    start_input("1280", "720")
    start_portal(["/usr/libexec/xdg-desktop-portal-wlr", "-l", "DEBUG"], "wlr")


def gnome():
    environment["XDG_CURRENT_DESKTOP"] = "GNOME"
    start_logind()
    # GNOME Shell locks the screen only if GDM is there.
    start("gdm", "python3", "-m", "dbusmock", "--system", "org.gnome.DisplayManager",
          "/org/gnome/DisplayManager/Manager",
          "org.gnome.DisplayManager.Manager")
    wait("GDM", lambda: has_name("org.gnome.DisplayManager", environment["DBUS_SYSTEM_BUS_ADDRESS"]))
    mock(
        "org.gnome.DisplayManager", "/org/gnome/DisplayManager/Manager", "AddProperty",
        "org.gnome.DisplayManager.Manager", "Version", "<'51.0'>")
    # The pointer starts in the hot corner. Its barriers take one direction away from the first movement.
    subprocess.run(
        ["gsettings", "set", "org.gnome.desktop.interface", "enable-hot-corners", "false"], env=environment, check=True)
    start(
        "shell", "gnome-shell", "--headless", "--wayland", "--unsafe-mode", "--no-x11",
        *["--virtual-monitor", "1280x720"] * int(outputs))
    display()
    wait("GNOME Shell", lambda: has_name("org.gnome.Shell") and has_name("org.gnome.Mutter.ScreenCast"))
    # The shell begins with its overview, in which windows are small. It must not be hidden before the animation of the
    # start is over.
    wait("the desktop without the overview", lambda: "false" in subprocess.run(
        ["gdbus", "call", "--session", "-d", "org.gnome.Shell", "-o", "/org/gnome/Shell", "-m", "org.gnome.Shell.Eval",
         "Main.layoutManager._startingUp || (Main.overview.hide(), Main.overview.visible)"], env=environment,
         capture_output=True, text=True).stdout)
    start_portal(["/usr/libexec/xdg-desktop-portal-gnome", "-v"], "gnome")


def kwin():
    environment["XDG_CURRENT_DESKTOP"] = "KDE"
    start_logind()
    # No lock after five minutes without input.
    write(folder + "/config/kscreenlockerrc", "[Daemon]\nAutolock=false\n")
    start("kwin", "/opt/rig/kwin_wayland", "--virtual", "--width", "1280", "--height", "720", "--output-count", outputs,
          "--xwayland",
          "--socket", "wayland-0",
          more={**node, "KWIN_DISABLE_VULKAN": "1", "QT_FORCE_STDERR_LOGGING": "1",
                "QT_LOGGING_RULES": "kwin_screencast*=true",
                "KWIN_SCREENSHOT_NO_PERMISSION_CHECKS": "1", "KWIN_WAYLAND_NO_PERMISSION_CHECKS": "1"})
    display()
    wait("KWin", lambda: has_name("org.kde.KWin"))
    start("panel", "/opt/rig/kwin-panel.py", "watch")
    wait("panel", lambda: has_name("org.kde.StatusNotifierWatcher"))
    start_portal(["/usr/lib/x86_64-linux-gnu/libexec/xdg-desktop-portal-kde"], "kde",
                 more={"QT_QPA_PLATFORM": "wayland", "QT_QUICK_BACKEND": "software"})


def hyprland():
    environment["XDG_CURRENT_DESKTOP"] = "Hyprland"
    write(folder + "/config/hypr/hyprland.lua", """
hl.monitor({ output = "", mode = "640x360@60", position = "0x0", scale = 1 })
hl.config({
    misc = { disable_hyprland_logo = true, disable_splash_rendering = true, force_default_wallpaper = 0,
             disable_watchdog_warning = true },
    decoration = { blur = { enabled = false }, shadow = { enabled = false } },
    animations = { enabled = false },
    ecosystem = { no_update_news = true, no_donation_nag = true },
})
""")
    write(folder + "/config/hypr/xdph.conf", "screencopy {\n  max_fps = 60\n  allow_token_by_default = true\n}\n")
    start("hyprland", "/opt/rig/Hyprland", "--i-am-really-stupid", more={**node, "HYPRLAND_HEADLESS_ONLY": "1"})
    display()
    environment["HYPRLAND_INSTANCE_SIGNATURE"] = wait(
        "Hyprland's socket", lambda: next(iter(os.listdir(run + "/hypr")), None))
    wait("Hyprland's monitor", lambda: subprocess.run(
        ["hyprctl", "output", "create", "headless", "HEADLESS-1"], env=environment,
        stdout=subprocess.DEVNULL).returncode == 0)
    start_input("640", "360")
    # Its log is complete when it is killed.
    start_portal(["stdbuf", "-oL", "/usr/libexec/xdg-desktop-portal-hyprland", "-v"], "hyprland", more=node)


os.makedirs(run, mode=0o700, exist_ok=True)
for name in ("home", "config", "data", "state", "cache", "share"):
    os.makedirs(f"{folder}/{name}", exist_ok=True)
# The portal knows an application by its desktop entry, and only if its program is in PATH.
write(folder + "/bin/broadcast", "#!/bin/sh\n")
os.chmod(folder + "/bin/broadcast", 0o755)
with open("/opt/rig/org.broadcast.Broadcast.desktop") as entry_file:
    write(folder + "/share/applications/org.broadcast.Broadcast.desktop", entry_file.read())
start_bus()
start_pipewire()
{"sway": sway, "gnome": gnome, "kwin": kwin, "hyprland": hyprland}[kind]()
write(folder + "/environment.new", "".join(f"{key}={value}\n" for key, value in environment.items()))
os.rename(folder + "/environment.new", folder + "/environment")
os.read(0, 1)
