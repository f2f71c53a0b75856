# The targets for users, packagers and CI. Each target that builds installs the Debian packages that it needs.
#
#   make          build the release
#   make demo     broadcast this desktop (or a virtual one) for 10 s into a file, and describe the file
#   make test     build, and run all tests except the slow fault tests, against real peers
#   make check    build, lint, and the unit tests that are fast: a minute at most from a built tree, for the daily work
#   make test-root     the few tests that only root can run; make test runs them first if root starts it
#   make test-desktops Wayland desktops of this year, in a folder with the newest Debian (root; the first time 20 minutes more)
#   make coverage line coverage of the unit tests, a table by module
#   make test-faults   fault injection: failing and misbehaving servers, packet loss, hundreds of starts (minutes)
#   make bench    measure against ffmpeg on this machine
#   make soak     broadcast for 30 minutes and watch memory, descriptors and the offset of sound to picture
#   make install  copy what make has built: PREFIX=/usr/local DESTDIR=. It builds and downloads nothing (sudo make install)
#   make dist     archive the sources with the Swift packages that they use: it builds without a network
#   make tarball  archive what make has built, with a script that installs it for one user without root
#   make deb      build Debian packages in a clean root of a release (root; SUITE=bookworm)
#   make test-deb install these packages into a new root, use them as an ordinary user, and remove them (root)
#   make animation     make the animation of README.md anew
#   make docs     regenerate man/*.1 and man/broadcast-recipes.7
#   make lint     compare the format of the Swift files with .swift-format

PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
# SwiftPM leaves a folder in TMPDIR for each manifest and library that it reads.
IN_BUILD_FOLDER = mkdir -p $(CURDIR)/.build/tmp && TMPDIR=$(CURDIR)/.build/tmp
# Where the headers of FFmpeg are, if the compiler does not look there (Fedora). It is opened at run time, and not linked.
HEADERS = $(addprefix -Xcc ,$(filter-out -I/usr/include/%-linux-gnu, \
	$(shell pkg-config --cflags-only-I libavcodec libswresample 2> /dev/null)))
# Tests and demo share one build. The installed and measured programs link Swift's libraries statically, so that they run
# without an installed Swift.
BUILD = $(IN_BUILD_FOLDER) $(SWIFT) build -c release $(HEADERS)
BIN = .build/release
# They look for no libraries beside themselves, are bound at once, export no symbols, and contain no path of this machine.
# Packed relocations need glibc 2.36.
PACKED := $(shell getconf GNU_LIBC_VERSION 2> /dev/null | awk '{ split($$2, v, "."); if (v[1] * 100 + v[2] >= 236) \
	print "-Xlinker -z -Xlinker pack-relative-relocs" }')
BUILD_STATIC = $(IN_BUILD_FOLDER) $(SWIFT) build -c release $(HEADERS) --static-swift-stdlib --scratch-path .build-static \
	--disable-local-rpath -Xswiftc -use-ld=lld -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now \
	-Xswiftc -Xfrontend -Xswiftc -function-sections -Xlinker --icf=all \
	-Xlinker --version-script=$(CURDIR)/packaging/program.map $(PACKED) \
	-Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=. -Xcc -ffile-prefix-map=$(CURDIR)=. \
	-Xcc -fstack-protector-strong
BIN_STATIC = .build-static/release
# Removes the symbols of the installed programs. A packager who keeps them sets STRIP=true.
STRIP ?= strip
# Checks for the packages of a build, and installs them. A packager sets CHECK_PACKAGES=true.
CHECK_PACKAGES ?= ./.ci/packages
# Where zsh looks for completions, in share/zsh.
ZSH_COMPLETIONS ?= site-functions

# The packages to build and run the program, and the packages that the demo, the tests and the benchmark need. libavcodec
# (for sound), libcurl and libsrt (for extensions), libsecret (for keyrings), libpipewire-0.3-0 (for Wayland desktops, where
# it is installed) and ca-certificates (for rtmps) are opened at run time.
BUILD_PACKAGES = pkg-config binutils libsecret-1-0 ca-certificates libx11-dev libx11-xcb-dev libxcb1-dev libxext-dev libxcomposite-dev libxdamage-dev libxfixes-dev libxi-dev libxrandr-dev libxss-dev libx264-dev libopenh264-dev libpulse-dev \
	libavcodec-dev libavutil-dev libswresample-dev libyuv-dev libpng-dev libsixel-dev libqrencode-dev libdbus-1-dev libtomlplusplus-dev libsrt-openssl-dev libsrtp2-dev libopus-dev libssl-dev libcurl4-openssl-dev libspa-0.2-dev libwayland-dev libxxhash-dev
DEMO_PACKAGES = $(BUILD_PACKAGES) xvfb pulseaudio pulseaudio-utils ffmpeg util-linux
TEST_PACKAGES = $(DEMO_PACKAGES) x11-xserver-utils xdotool xserver-xorg-core xserver-xorg-video-dummy openbox picom xterm \
	nginx-light libnginx-mod-rtmp stunnel4 openssl curl python3 tmux mpv bash zsh fish man-db mandoc lowdown xz-utils \
	pipewire pipewire-bin pipewire-pulse wireplumber libpipewire-0.3-dev mutter xwayland xdg-desktop-portal gnome-keyring dbus python3-gi libsecret-tools srt-tools dunst libnotify-bin libglib2.0-bin systemd procps \
	gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad gstreamer1.0-libav \
	chromium chromium-driver firefox-esr python3-selenium zbar-tools python3-aiortc python3-aiohttp python3-numpy coturn janus janus-tools ngircd

BENCH_PACKAGES = $(TEST_PACKAGES) gstreamer1.0-plugins-ugly python3-numpy python3-pil python3-matplotlib fonts-dejavu-core

# The shipped extensions, each a part of the program, with a manifest Extensions/NAME/extension.toml.
EXTENSIONS = hls lan srt whip

# make demo, make test and make coverage work as an ordinary user: started by root, they only install packages as root.
AS_USER = ./.ci/as-user
TESTS = $(BIN)/broadcastPackageTests.xctest --testing-library swift-testing --no-parallel

.PHONY: all build demo own-demo check own-check test own-test test-runner test-root test-build test-desktops own-desktop-program test-faults coverage bench soak animation install uninstall dist tarball deb test-deb docs check-docs lint clean

all: build

build:
	@$(CHECK_PACKAGES) $(BUILD_PACKAGES)
	$(BUILD_STATIC) --product broadcast --explicit-target-dependency-import-check error
	@./.ci/extensions $(BIN_STATIC) $(EXTENSIONS)
	@echo "Built $(BIN_STATIC)/broadcast. Install it with: sudo make install"

demo:
	@./.ci/packages $(DEMO_PACKAGES)
	@$(AS_USER) $(MAKE) --no-print-directory own-demo

own-demo:
	$(BUILD) --product broadcast
	$(BUILD) --product TestScreen
	@./.ci/demo $(BIN)

check:
	@./.ci/packages $(TEST_PACKAGES)
	@$(AS_USER) $(MAKE) --no-print-directory own-check

own-check: lint test-build
	@./.ci/tests --fast $(BIN)

test:
	@./.ci/packages $(TEST_PACKAGES)
	@if [ "$$(id -u)" -eq 0 ]; then $(MAKE) --no-print-directory test-root; fi
	@$(AS_USER) $(MAKE) --no-print-directory own-test

own-test: lint test-runner test-build
	@$(MAKE) --no-print-directory check-docs
	@./.ci/tests $(BIN)

# The tests of .ci/tests itself, with a test program that is a script.
test-runner:
	@python3 -B Tests/Runner/runner_tests.py

test-build:
	@rm -rf .build/tmp
	$(BUILD) --build-tests --explicit-target-dependency-import-check error

# Root gives files away and acts as another user. The program that it runs was built as an ordinary user.
test-root:
	@./.ci/packages $(TEST_PACKAGES)
	@$(AS_USER) $(MAKE) --no-print-directory test-build
	@cd "$$($(AS_USER) --folder)" && ./.ci/tests --root $(BIN)

DESKTOPS = /var/cache/broadcast-test/sid
test-desktops:
	@./.ci/packages $(DEMO_PACKAGES) debootstrap
	@$(AS_USER) $(MAKE) --no-print-directory own-desktop-program
	@mkdir -p $(dir $(DESKTOPS)) && Tests/Desktops/make-root $(DESKTOPS)
	@Tests/Desktops/run --root $(DESKTOPS) --program "$$($(AS_USER) --folder)/$(BIN)/broadcast" $(DESKTOPS_ARGUMENTS)
	@Tests/Desktops/build-inside $(DESKTOPS) "$$($(AS_USER) --folder)"
	@Tests/Desktops/run --root $(DESKTOPS) --program /opt/build/broadcast --inside $(DESKTOPS_ARGUMENTS)

own-desktop-program:
	$(BUILD) --product broadcast

# Packet loss needs network namespaces, which require root. Without root, those tests are skipped with a message.
test-faults:
	@./.ci/packages $(TEST_PACKAGES) iproute2
	@$(AS_USER) $(MAKE) --no-print-directory test-build
	@if [ "$$(id -u)" -eq 0 ]; then cd "$$($(AS_USER) --folder)" && $(TESTS) --filter '^FaultTests\.FaultTests/(LineFaults|WebRTCLineFaults)/'; fi
	@$(AS_USER) $(TESTS) --filter '^FaultTests\.' --skip '^FaultTests\.FaultTests/(LineFaults|WebRTCLineFaults)/'

coverage:
	@./.ci/packages $(TEST_PACKAGES)
	@$(AS_USER) ./.ci/coverage

bench:
	@./.ci/packages $(BENCH_PACKAGES)
	$(BUILD_STATIC) --product broadcast
	$(BUILD_STATIC) --product TestScreen
	$(BUILD_STATIC) --product PixelConversionBenchmark
	Benchmarks/run --broadcast $(BIN_STATIC)/broadcast --testscreen $(BIN_STATIC)/TestScreen \
		--pixel-conversion $(BIN_STATIC)/PixelConversionBenchmark $(BENCH_ARGUMENTS)

soak:
	@./.ci/packages $(BENCH_PACKAGES)
	$(BUILD_STATIC) --product broadcast
	$(BUILD_STATIC) --product TestScreen
	Benchmarks/soak --broadcast $(BIN_STATIC)/broadcast --testscreen $(BIN_STATIC)/TestScreen $(SOAK_ARGUMENTS)

# The folders of an installation.
SHARE = $(DESTDIR)$(PREFIX)/share
DOC = $(SHARE)/doc/broadcast
# The identifier of the application on the desktop.
APPLICATION = org.broadcast.Broadcast
UNITS = broadcast@.service broadcast-replay.service
UNIT_FOLDER = $(DESTDIR)$(PREFIX)/lib/systemd/user
LIB = $(DESTDIR)$(PREFIX)/lib/broadcast/extensions
INSTALL_PROGRAM = install -Dm755 -s --strip-program="$(STRIP)"

# The links of extensions to the program are relative, except where PREFIX/lib is a link to another place.
# Only copies, so that it works as root without Swift and without a network.
install:
	@test -x "$(BIN_STATIC)/broadcast" || \
		{ echo "$(BIN_STATIC)/broadcast does not exist. Run make first, and then make install." >&2; exit 1; }
	$(INSTALL_PROGRAM) "$(BIN_STATIC)/broadcast" "$(DESTDIR)$(PREFIX)/bin/broadcast"
	for name in $(EXTENSIONS); do \
		install -Dm644 Extensions/$$name/extension.toml "$(LIB)/$$name/extension.toml" && \
		ln -sfn ../../../../bin/broadcast "$(LIB)/$$name/broadcast-$$name" || exit 1; \
		[ -n "$(DESTDIR)" ] || [ -x "$(LIB)/$$name/broadcast-$$name" ] || \
		ln -sfn "$(PREFIX)/bin/broadcast" "$(LIB)/$$name/broadcast-$$name" || exit 1; done
	for section in 1 5 7; do install -Dm644 -t "$(SHARE)/man/man$$section" man/*.$$section || exit 1; done
	install -Dm644 -t "$(DOC)" README.md CHANGELOG.md SECURITY.md LICENSE
	install -Dm644 -t "$(DOC)/docs" docs/*.md docs/control.schema.json
	for file in $$(find Examples -type f); do mode=644; [ ! -x "$$file" ] || mode=755; \
		install -Dm$$mode "$$file" "$(DOC)/$$file" || exit 1; done
	install -Dm644 -t "$(DOC)/docs" docs/animation.webp
	install -Dm644 -t "$(DOC)/docs/plots" docs/plots/*.svg
	install -Dm644 -t "$(DOC)/packaging/apparmor" packaging/apparmor/broadcast-extensions
	install -Dm644 completions/broadcast.bash "$(SHARE)/bash-completion/completions/broadcast"
	install -Dm644 -t "$(SHARE)/zsh/$(ZSH_COMPLETIONS)" completions/_broadcast
	install -Dm644 -t "$(SHARE)/fish/vendor_completions.d" completions/broadcast.fish
	rm -f "$(SHARE)/applications/broadcast.desktop"
	install -Dm644 -t "$(SHARE)/applications" packaging/desktop/$(APPLICATION).desktop packaging/desktop/$(APPLICATION).Live.desktop
	for unit in $(UNITS); do install -d "$(UNIT_FOLDER)" && \
		sed 's#/usr/bin/#$(PREFIX)/bin/#' packaging/systemd/$$unit > "$(UNIT_FOLDER)/$$unit" && \
		chmod 644 "$(UNIT_FOLDER)/$$unit" || exit 1; done
	install -Dm644 -t "$(SHARE)/metainfo" packaging/desktop/$(APPLICATION).metainfo.xml
	install -Dm644 -t "$(SHARE)/icons/hicolor/scalable/apps" packaging/desktop/$(APPLICATION).svg
	install -Dm644 -t "$(SHARE)/icons/hicolor/symbolic/apps" packaging/desktop/$(APPLICATION)-symbolic.svg

uninstall:
	for section in 1 5 7; do for page in man/*.$$section; do rm -f "$(SHARE)/man/man$$section/$${page##*/}"; done; done
	rm -f "$(DESTDIR)$(PREFIX)/bin/broadcast" "$(SHARE)/bash-completion/completions/broadcast" "$(SHARE)/zsh/$(ZSH_COMPLETIONS)/_broadcast" \
		"$(SHARE)/fish/vendor_completions.d/broadcast.fish" "$(SHARE)/applications/$(APPLICATION).desktop" "$(SHARE)/applications/$(APPLICATION).Live.desktop" \
		"$(SHARE)/applications/broadcast.desktop" "$(SHARE)/metainfo/$(APPLICATION).metainfo.xml" \
		"$(SHARE)/icons/hicolor/scalable/apps/$(APPLICATION).svg" "$(SHARE)/icons/hicolor/symbolic/apps/$(APPLICATION)-symbolic.svg"
	for unit in $(UNITS); do rm -f "$(UNIT_FOLDER)/$$unit"; done
	rm -rf "$(DOC)"
	for name in $(EXTENSIONS); do rm -rf "$(LIB)/$$name"; done

# VERSION is the one of the program.
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' man/pages.toml)
DIST = .build-dist/broadcast-$(VERSION).tar.xz
dist:
	@./packaging/make-dist $(DIST)
	@echo "Packed $(DIST)"

TARBALL = .build-dist/broadcast-$(VERSION)-$(shell uname -m).tar.xz
tarball:
	@./packaging/make-tarball $(TARBALL)
	@echo "Packed $(TARBALL)"

SUITE ?= bookworm
deb: dist
	@./packaging/make-deb $(SUITE) $(DIST) .build-dist

test-deb: deb
	@./.ci/packages $(DEMO_PACKAGES) nginx-light libnginx-mod-rtmp debootstrap
	@./packaging/try-deb $(SUITE) .build-dist/$(SUITE)

animation:
	@./.ci/packages $(TEST_PACKAGES) fonts-dejavu-core
	$(BUILD) --product broadcast
	@./.ci/animation $(BIN) docs/animation.webp

docs:
	@./.ci/packages lowdown
	$(BUILD) --product broadcast
	@./.ci/docs $(BIN) man

check-docs:
	@./.ci/docs $(BIN) .build/docs
	@for page in man/*.1 .build/docs/*.1 man/broadcast-recipes.7; do cmp -s man/$${page##*/} .build/docs/$${page##*/} \
		|| { echo "$${page##*/} is out of date: run make docs and commit." >&2; exit 1; }; done

lint:
	$(SWIFT) format lint --strict --recursive --parallel Sources Tests Examples Benchmarks Fuzz/Sources Fuzz/Package.swift Package.swift
	@# The formatter does not break comments.
	@! LC_ALL=C.UTF-8 grep -rnE '^.{121,}$$' --include='*.swift' Sources Tests Examples Benchmarks Fuzz/Sources \
		| grep -E '^[^:]*:[0-9]+: *//'

clean:
	rm -rf .build .build-static .build-coverage
