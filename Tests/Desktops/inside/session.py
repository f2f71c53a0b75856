#!/usr/bin/python3
"""usage: session.py KIND FOLDER

Runs inside the root, as an ordinary user: starts a desktop without a screen and without a GPU, its portal and PipeWire,
each with a log in FOLDER. Writes FOLDER/environment when everything answers, and waits. Ends with its caller."""
import os
import subprocess
import sys
import time

from gi.repository import Gio, GLib

LIMIT = 60
kind, folder = sys.argv[1:]
run = folder + "/run"
environment = {
    "PATH": folder + "/bin:/usr/bin:/bin", "XDG_RUNTIME_DIR": run, "HOME": folder + "/home", "XDG_CONFIG_HOME": folder + "/config",
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
    return next((name for name in sorted(os.listdir(run)) if name.startswith(prefix) and not name.endswith(excluded)), None)


def has_name(name, address=environment["DBUS_SESSION_BUS_ADDRESS"]):
    try:
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        bus = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
        try:
            return bus.call_sync("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "NameHasOwner", GLib.Variant("(s)", (name,)),
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
    start("bus", "dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + environment["DBUS_SESSION_BUS_ADDRESS"])
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


def start_portal(backend, name, more={}):
    start("backend", *backend, more=more)
    wait("backend of the portal", lambda: has_name("org.freedesktop.impl.portal.desktop." + name))
    start("portal", "/usr/libexec/xdg-desktop-portal", "-v", "-r")
    wait("portal", lambda: has_name("org.freedesktop.portal.Desktop"))


def sway():
    environment["XDG_CURRENT_DESKTOP"] = "sway"
    # The portal of wlroots asks with a menu, which the test answers with keys.
    write(folder + "/config/xdg-desktop-portal-wlr/config",
          f"[screencast]\nmax_fps=0\nchooser_type=dmenu\nchooser_cmd={folder}/chooser\n")
    write(folder + "/chooser", f"#!/bin/sh\ncat > {folder}/choices\ngrep -m 1 -F \"$(cat {folder}/choice)\" {folder}/choices\n")
    os.chmod(folder + "/chooser", 0o755)
    write(folder + "/choice", "Monitor: HEADLESS-1")
    write(folder + "/sway.conf", "output HEADLESS-1 resolution 1280x720\nxwayland enable\ndefault_border none\n")
    start("sway", "sway", "-c", folder + "/sway.conf",
          more={"WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman"})
    display()
    environment["SWAYSOCK"] = run + "/" + wait("sway's socket", lambda: entry("sway-ipc."))
    start_portal(["/usr/libexec/xdg-desktop-portal-wlr", "-l", "DEBUG"], "wlr")


def gnome():
    environment["XDG_CURRENT_DESKTOP"] = "GNOME"
    environment["DBUS_SYSTEM_BUS_ADDRESS"] = f"unix:path={run}/system-bus"
    # GNOME Shell needs logind, which only root can run.
    start("system-bus", "dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + environment["DBUS_SYSTEM_BUS_ADDRESS"])
    wait("system bus", lambda: has_name("org.freedesktop.DBus", environment["DBUS_SYSTEM_BUS_ADDRESS"]))
    start("logind", "python3", "-m", "dbusmock", "--system", "--template", "logind")
    wait("logind", lambda: has_name("org.freedesktop.login1", environment["DBUS_SYSTEM_BUS_ADDRESS"]))
    start("shell", "gnome-shell", "--headless", "--wayland", "--virtual-monitor", "1280x720", "--unsafe-mode", "--no-x11")
    display()
    wait("GNOME Shell", lambda: has_name("org.gnome.Shell") and has_name("org.gnome.Mutter.ScreenCast"))
    # The shell begins with its overview, in which windows are small.
    wait("the desktop without the overview", lambda: "false" in subprocess.run(
        ["gdbus", "call", "--session", "-d", "org.gnome.Shell", "-o", "/org/gnome/Shell", "-m", "org.gnome.Shell.Eval",
         "Main.overview.hide(); Main.overview.visible"], env=environment, capture_output=True, text=True).stdout)
    start_portal(["/usr/libexec/xdg-desktop-portal-gnome", "-v"], "gnome")


def kwin():
    environment["XDG_CURRENT_DESKTOP"] = "KDE"
    start("kwin", "/opt/rig/kwin_wayland", "--virtual", "--width", "1280", "--height", "720", "--xwayland", "--no-lockscreen", "--socket", "wayland-0",
          more={**node, "KWIN_DISABLE_VULKAN": "1", "QT_FORCE_STDERR_LOGGING": "1", "QT_LOGGING_RULES": "kwin_screencast*=true",
                "KWIN_SCREENSHOT_NO_PERMISSION_CHECKS": "1", "KWIN_WAYLAND_NO_PERMISSION_CHECKS": "1"})
    display()
    wait("KWin", lambda: has_name("org.kde.KWin"))
    start_portal(["/usr/lib/x86_64-linux-gnu/libexec/xdg-desktop-portal-kde"], "kde",
                 more={"QT_QPA_PLATFORM": "wayland", "QT_QUICK_BACKEND": "software"})


def hyprland():
    environment["XDG_CURRENT_DESKTOP"] = "Hyprland"
    write(folder + "/config/hypr/hyprland.lua", """
hl.monitor({ output = "", mode = "1280x720@60", position = "0x0", scale = 1 })
hl.config({ misc = { disable_hyprland_logo = true, disable_splash_rendering = true, force_default_wallpaper = 0 } })
""")
    write(folder + "/config/hypr/xdph.conf", f"screencopy {{\n  max_fps = 60\n  allow_token_by_default = true\n  custom_picker_binary = {folder}/picker\n}}\n")
    # A choice is screen:NAME, or class:NAME for the first window of that class, of which the portal gives a list.
    write(folder + "/picker", f"""#!/bin/sh
choice=$(cat {folder}/choice)
case $choice in class:*)
    line=$(printf %s "$XDPH_WINDOW_SHARING_LIST" | sed 's/\\[HA>\\]/\\n/g' | grep -m 1 -F "[HC>]${{choice#class:}}[HT>]")
    choice=window:${{line%%\\[HC>*}};;
esac
echo "[SELECTION]r/$choice"
""")
    os.chmod(folder + "/picker", 0o755)
    write(folder + "/choice", "screen:HEADLESS-1")
    start("hyprland", "/opt/rig/Hyprland", "--i-am-really-stupid", more={**node, "HYPRLAND_HEADLESS_ONLY": "1"})
    display()
    environment["HYPRLAND_INSTANCE_SIGNATURE"] = wait("Hyprland's socket", lambda: next(iter(os.listdir(run + "/hypr")), None))
    wait("Hyprland's monitor", lambda: subprocess.run(
        ["hyprctl", "output", "create", "headless", "HEADLESS-1"], env=environment, stdout=subprocess.DEVNULL).returncode == 0)
    start_portal(["/usr/libexec/xdg-desktop-portal-hyprland", "-v"], "hyprland", more=node)


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
