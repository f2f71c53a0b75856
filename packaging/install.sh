#!/bin/sh
# usage: ./install.sh [--uninstall] [FOLDER]
#
# Installs broadcast from this folder into FOLDER: ~/.local, if none is named. Nothing outside of it is changed, and no
# root is needed. Run it again to update: a broadcast that runs goes on. --uninstall removes the files, and leaves
# settings and recordings.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
action=install
if [ "${1:-}" = --uninstall ]; then
    action=uninstall
    shift
fi
case ${1:-} in
-h | --help)
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "$0"
    exit 0
    ;;
-*)
    echo "install.sh: there is no option $1. See install.sh --help." >&2
    exit 64
    ;;
esac
if [ $# -gt 1 ]; then
    echo "install.sh: name one folder at most. See install.sh --help." >&2
    exit 64
fi
prefix=${1:-${HOME:?"HOME is not set: name a folder"}/.local}
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
case $prefix in *[\&\#\\\ ]*)
    echo "install.sh: the folder $prefix contains a space, &, # or \\, which systemd units cannot name. Choose another one." >&2
    exit 64
    ;;
esac

if [ $action = uninstall ]; then
    [ -d "$prefix" ] || exit 0
    cd "$prefix"
    # Folders that are empty then, but never the one that they are in.
    while IFS= read -r file; do
        rm -f "./$file"
        rmdir -p "$(dirname "$file")" 2> /dev/null || true
    done < "$here/list"
    echo "Removed broadcast from $prefix. Settings and recordings are left."
    exit 0
fi

if [ "$(uname -m)" != "$(cat "$here/machine")" ]; then
    echo "install.sh: this archive is for $(cat "$here/machine"), and this machine is $(uname -m). Build the sources instead." >&2
    exit 69
fi
missing=$(LC_ALL=C ldd "$here/files/bin/broadcast" 2>&1 | sed -n 's/^[[:space:]]*\(.*\) => not found.*/\1/p; s/.*\(version .* not found\).*/\1/p' |
    sort -u)
if [ -n "$missing" ]; then
    echo "install.sh: these libraries are missing, or have another version:" >&2
    printf '%s\n' "$missing" | sed 's/^/    /' >&2
    echo "Install the packages that contain them. If your system has only other versions, build the sources instead." >&2
    exit 69
fi
mkdir -p "$prefix"
while IFS= read -r file; do
    mkdir -p "$(dirname "$prefix/$file")"
    # A program that runs keeps its old file.
    cp -P "$here/files/$file" "$prefix/$file.new"
    case $file in
    share/systemd/user/*) sed "s#/.local/bin/#$prefix/bin/#" "$here/files/$file" > "$prefix/$file.new" ;;
    esac
    mv -f "$prefix/$file.new" "$prefix/$file"
    # The links of extensions to the program lead elsewhere if the folder lib is a link.
    case $file in
    lib/broadcast/extensions/*/broadcast-*) [ -x "$prefix/$file" ] || ln -sfn "$prefix/bin/broadcast" "$prefix/$file" ;;
    esac
done < "$here/list"
echo "Installed broadcast $("$prefix/bin/broadcast" --version) in $prefix."
case :$PATH: in
*:"$prefix/bin":*) ;;
*) echo "Your shell does not look there yet. Add this line to ~/.profile, and log in again: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
echo "Try it: broadcast doctor"
