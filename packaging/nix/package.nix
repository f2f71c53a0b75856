# A Nix expression for the source archive that make dist writes. Use it with callPackage:
#
#   pkgs.callPackage ./package.nix { source = ./broadcast-0.1.0.tar.xz; swift = mySwift; }
#
# Tried: nix-instantiate parses it. Not tried: a build. Nixpkgs has Swift 5.10, so `swift` must be a package of Swift 6.2
# or later (https://www.swift.org/install/linux) that is patched for Nix. NixOS has no /usr/lib/systemd/user: add the
# package to systemd.packages, so that broadcast service finds its units.
{
  lib,
  stdenv,
  source,
  swift,
  pkg-config,
  curl,
  dbus,
  ffmpeg,
  libpng,
  libopus,
  libpulseaudio,
  libsecret,
  libsixel,
  libyuv,
  makeWrapper,
  openh264,
  openssl,
  pipewire,
  qrencode,
  srt,
  srtp,
  tomlplusplus,
  wayland,
  x264,
  xorg,
  xxHash,
}:

stdenv.mkDerivation {
  pname = "broadcast";
  version = "0.1.0";
  src = source;

  nativeBuildInputs = [ makeWrapper pkg-config swift ];
  buildInputs = [
    curl
    dbus
    ffmpeg
    libpng
    libopus
    libpulseaudio
    libsixel
    libyuv
    openh264
    openssl
    pipewire
    qrencode
    srt
    srtp
    tomlplusplus
    wayland
    x264
    xorg.libX11
    xorg.libXScrnSaver
    xorg.libXcomposite
    xorg.libXdamage
    xorg.libXext
    xorg.libXfixes
    xorg.libXi
    xorg.libXrandr
    xorg.libxcb
    xxHash
  ];

  buildPhase = "make build CHECK_PACKAGES=true HOME=$TMPDIR";
  installPhase = "make install PREFIX=$out STRIP=true";
  # They are opened at run time.
  postFixup = ''
    wrapProgram $out/bin/broadcast --prefix LD_LIBRARY_PATH : ${lib.makeLibraryPath [ curl ffmpeg libpulseaudio libsecret pipewire srt ]}
  '';

  meta = {
    description = "Show a Linux desktop live from the command line";
    # The sources are GPL-2.0-or-later; the program contains code under the Apache License 2.0.
    license = lib.licenses.gpl3Plus;
    platforms = [ "x86_64-linux" "aarch64-linux" ];
    mainProgram = "broadcast";
  };
}
