import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// The page of the `lan` extension, in real Chromium and with guests that nobody wants.
    struct LANBroadcastTests {
        private static let token = "sesame-opens-this"

        /// A second player by WHEP, beside that of the page.
        private static let anotherPlayer = """
            (() => { const peer = window.other = new RTCPeerConnection(); \
            peer.addTransceiver('video', { direction: 'recvonly' }); \
            peer.createOffer().then(offer => peer.setLocalDescription(offer)) \
            .then(() => fetch('whep?socket=nonsense', { method: 'POST', body: peer.localDescription.sdp })) \
            .then(response => { window.otherAddress = response.headers.get('Location'); return response.text(); }) \
            .then(sdp => peer.setRemoteDescription({ type: 'answer', sdp })); return true; })()
            """

        /// Configures the destination `room` on 127.0.0.1. Returns its port.
        private func configure(_ studio: Studio) throws -> Int {
            let port = try freePort()
            try studio.broadcast.writeConfiguration(
                """
                [destinations.room]
                extension = "lan"
                setup.bind = "127.0.0.1"
                setup.port = "\(port)"
                """)
            return port
        }

        /// Stores the secret of the address, so that tests know it.
        private nonisolated(nonsending) func setUp(_ studio: Studio) async throws -> Int {
            let port = try configure(studio)
            let setup = try studio.broadcast.start(
                ["setup", "room", "--secret-from-stdin", "token", "--plain-file"], input: .pipe)
            try await setup.write(Array(Self.token.utf8))
            setup.closeInput()
            #expect(try await setup.waitForExit() == .exited(0), "\(setup.standardError)")
            return port
        }

        @Test func `Chromium plays the address that the start prints, with sound on request, until the end`()
            async throws
        {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let port = try configure(studio)
                let session = try await studio.startLive(["--to", "room"])
                let address = try #require(
                    session.standardError.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+\/[-\w]{22}\//).map { String($0.0) },
                    "\(session.standardError)")
                #expect(address.contains(":\(port)/") && session.standardError.contains("only this computer can watch"))
                let browser = try await Browser.open(address, in: studio.peers)
                try await browser.wait(for: "WebRTC", "session?.peer.connectionState === 'connected'")
                let silent = try await browser.measure(seconds: 4)
                #expect(silent.size == [640, 360] && silent.ages.count > 20 && silent.unreadable == 0, "\(silent)")
                try await browser.wait(for: "the viewer", "$('viewers').textContent === '1 viewer'")
                #expect(try await studio.status()?.destinations.first?.viewers == 1)
                // Another player counts, whatever it says about a socket.
                #expect(try await browser.evaluate(Self.anotherPlayer))
                try await browser.wait(for: "the other player", "$('viewers').textContent === '2 viewers'")
                #expect(try await browser.evaluate("!!fetch(otherAddress, { method: 'DELETE' })"))
                try await browser.wait(for: "its end", "$('viewers').textContent === '1 viewer'")
                // The window is 1000 pixels wide. The point in the middle stays there.
                let width = "video.getBoundingClientRect().width"
                for (button, expected) in [("size", 640), ("larger", 960), ("larger", 1280), ("smaller", 960)] {
                    try await browser.click("#\(button)")
                    #expect(try await browser.evaluate(width) == Double(expected), "\(button)")
                }
                #expect(
                    try await browser.evaluate(
                        "(stage => Math.abs(stage.scrollTop * 2 + stage.clientHeight - stage.scrollHeight) < 4)($('stage'))"
                    ))
                try await browser.click("#size")
                #expect(try await browser.evaluate("\(width) === $('stage').clientWidth"))
                try await browser.wait(for: "the latency", "/^Live, .* behind$/.test($('latency').textContent)")

                try await expectEdge(of: browser)

                // A click lets the sound be heard.
                #expect(try await browser.evaluate("video.muted"))
                try await browser.click("#sound")
                try await browser.wait(for: "a beep", "!video.muted && \(Self.energy) > 0.01")
                let loud = try await browser.measure(seconds: 2)
                #expect(loud.ages.count > 5 && loud.unreadable == 0, "\(loud)")
                #expect(try await browser.evaluate("byRTC"))

                #expect(try await studio.broadcast.run(["pause"]).status == .exited(0))
                try await browser.wait(for: "the pause", "$('notice').textContent.includes('paused')")
                #expect(try await studio.broadcast.run(["resume"]).status == .exited(0))
                try await browser.wait(for: "the end of the pause", "$('notice').textContent === ''")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                try await browser.wait(for: "the end", "$('notice').textContent.includes('has ended')")
                #expect(try await session.waitForExit() == .exited(0))
                // The secret of the address is not in the log.
                let log = try await studio.broadcast.run(["logs"])
                #expect(log.output.contains("room: live") && !log.output.contains(address), "\(log)")
                try await browser.close()
            }
        }

        /// Expects that a page which was hidden for five seconds shows the newest picture again.
        private nonisolated(nonsending) func expectEdge(of browser: Browser) async throws {
            #expect(try await browser.hide(seconds: 5))
            let ages = try await browser.measure(seconds: 2).ages.sorted()
            #expect(ages.count > 5 && ages[ages.count / 2] < 2000, "\(ages)")
        }

        /// Counts the pictures that each player by WebRTC has decoded, and how many of them are keyframes: `counts` has
        /// both by player.
        private static let counting = """
            (() => { window.counts = new Map(); \
            setInterval(async () => { for (const peer of [session?.peer, window.other]) if (peer) \
            for (const one of (await peer.getStats()).values()) if (one.type === 'inbound-rtp') \
            counts.set(peer, [one.framesDecoded, one.keyFramesDecoded]); }, 50); return true; })()
            """

        @Test func `Who joins sees the picture without a keyframe that the others would get, too`() async throws {
            try await withStudio(["still"], width: 640, height: 360) { studio in
                let port = try await setUp(studio)
                _ = try await studio.startLive(["--keyframe-interval", "60", "--to", "room"])
                let browser = try await Browser.open(
                    "http://127.0.0.1:\(port)/\(Self.token)/", in: studio.peers)
                try await browser.wait(for: "WebRTC", "session?.works")
                #expect(try await browser.evaluate(Self.counting))
                try await browser.wait(for: "the first picture", "counts.get(session.peer)?.[1] > 0")
                let before: Int = try await browser.evaluate("counts.get(session.peer)[1]")
                for _ in 0..<3 {
                    #expect(try await browser.evaluate(Self.anotherPlayer))
                    try await browser.wait(for: "its picture", "counts.get(other)?.[1] > 0")
                    #expect(try await browser.evaluate("!!fetch(otherAddress, { method: 'DELETE' })"))
                }
                // What the last one had asked for would have arrived at both.
                let seen: Int = try await browser.evaluate("counts.get(session.peer)[0]")
                try await browser.wait(for: "another picture", "counts.get(session.peer)[0] > \(seen)")
                #expect(try await browser.evaluate("counts.get(session.peer)[1]") == before)
            }
        }

        /// The energy of the sound that has been played from WebRTC.
        private static let energy = """
            (session.peer.getStats().then(all => { window.energy = \
            [...all.values()].reduce((sum, one) => sum + (one.totalAudioEnergy || 0), 0); }), window.energy || 0)
            """

        @Test func `Where WebRTC does not arrive, the page plays what its socket brings, with sound beside it`()
            async throws
        {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let port = try await setUp(studio)
                let session = try await studio.startLive(["--to", "room"])
                let page = "http://127.0.0.1:\(port)/\(Self.token)/"
                let browser = try await Browser.open(page + "#mse", in: studio.peers)
                let silent = try await browser.measure(seconds: 4)
                #expect(silent.size == [640, 360] && silent.ages.count > 20 && silent.unreadable == 0, "\(silent)")
                #expect(try await browser.evaluate("!byRTC && sound === null"))
                try await browser.click("#sound")
                try await browser.wait(
                    for: "sound", "sound.context.state === 'running' && sound.next > sound.context.currentTime")
                try await browser.wait(for: "the viewer", "$('viewers').textContent === '1 viewer'")
                try await expectEdge(of: browser)
                // A viewer whom no datagram of the server reaches: the connection is made, and nothing comes.
                _ = try await browser.evaluate(
                    """
                    (byRTC = true, patience = 500, edge = null, reconnect(), \
                    RTCPeerConnection.prototype.setRemoteDescription = async () => {}, true)
                    """, as: Bool.self)
                try await browser.wait(for: "the socket", "!byRTC && edge !== null && video.videoWidth === 640")
                #expect(try await browser.measure(seconds: 2).ages.count > 5)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await session.waitForExit() == .exited(0))
                try await browser.close()
            }
        }

        @Test(arguments: ["", "#mse"])
        func `A capture that stands still for 300 ms costs viewers no more than that`(way: String) async throws {
            try await withStudio(["clock"], width: 640, height: 360, hasSound: false) { studio in
                let port = try await setUp(studio)
                // No keyframe comes by itself.
                let session = try await studio.startLive(["--keyframe-interval", "60", "--to", "room"])
                let browser = try await Browser.open(
                    "http://127.0.0.1:\(port)/\(Self.token)/\(way)", in: studio.peers)
                #expect(try await browser.measure(seconds: 2).ages.count > 10)
                async let measurement = browser.measure(seconds: 8)
                for _ in 0..<4 {
                    try await Task.sleep(for: .seconds(1))
                    studio.screen.peer.signal(SIGSTOP)
                    try await Task.sleep(for: .milliseconds(300))
                    studio.screen.peer.signal(SIGCONT)
                }
                let measured = try await measurement
                // A group of pictures that is lost would be missed until the page asks for a keyframe.
                #expect(measured.unreadable == 0 && measured.ages.count > 60, "\(measured)")
                #expect((measured.gaps.max() ?? .infinity) < 1000, "\(measured.gaps)")
                #expect(try await browser.evaluate("byRTC") == way.isEmpty)
                #expect(try await studio.status()?.destinations.first?.dropped == 0)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await session.waitForExit() == .exited(0))
            }
        }

        @Test func `Firefox plays the page, with sound on request`() async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let port = try await setUp(studio)
                let session = try await studio.startLive(["--to", "room"])
                let browser = try await Browser.open(
                    "http://127.0.0.1:\(port)/\(Self.token)/", with: .firefox, in: studio.peers)
                func text(of element: String) -> String { "document.querySelector('\(element)').textContent" }
                let video = "document.querySelector('video')"
                // Without its codec from Cisco, Firefox has no H.264 by WebRTC, and the socket takes over.
                try await browser.wait(for: "a picture", "\(video).videoWidth === 640")
                let silent = try await browser.measure(seconds: 4)
                #expect(silent.size == [640, 360] && silent.ages.count > 20 && silent.unreadable == 0, "\(silent)")
                try await browser.wait(for: "the viewer", "\(text(of: "#viewers")) === '1 viewer'")
                try await browser.wait(for: "the latency", "/^Live, .* behind$/.test(\(text(of: "#latency")))")
                let source = try await browser.evaluate("\(video).src", as: String.self)
                try await browser.click("#sound")
                try await browser.wait(for: "the sound", "\(text(of: "#sound")) === 'Sound off'")
                try await browser.wait(
                    for: "the picture again",
                    "\(video).src !== '\(source)' && \(video).readyState >= 3 && \(video).currentTime > 0")
                #expect(try await browser.measure(seconds: 2).ages.count > 5)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                try await browser.wait(for: "the end", "\(text(of: "#notice")).includes('has ended')")
                #expect(try await session.waitForExit() == .exited(0))
                try await browser.close()
            }
        }

        @Test func `Players of HLS get pictures and sound, and a page without another way plays it`() async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let port = try await setUp(studio)
                let session = try await studio.startLive(["--to", "room"])
                let page = "http://127.0.0.1:\(port)/\(Self.token)/"
                let browser = try await Browser.open(page + "#hls", in: studio.peers)
                let path = studio.path("hls.mp4")
                let player = try studio.peers.start(
                    "ffmpeg",
                    ["ffmpeg", "-v", "error", "-i", page + "live.m3u8", "-t", "4", "-c", "copy", path])
                #expect(try await player.waitForExit() == .exited(0), "\(player.standardError)")
                let media = studio.media("hls.mp4")
                try await media.expectDecodable()
                let probe = try await FFProbe.probe(path, in: studio.peers)
                #expect(Set(probe.streams.map(\.codec)) == ["h264", "opus"], "\(probe.streams)")
                // The sound belongs to the pictures.
                let clock = try await media.clock()
                let delays = clock.soundDelays(
                    BeepFinder.beeps(in: try await AudioDecoder.decode(path, in: studio.peers)))
                #expect(delays.count >= 2 && delays.areInTime(within: 0.1), "\(delays)")

                try await browser.wait(
                    for: "some segments", "byHLS && video.videoWidth === 640 && video.currentTime > 5")
                let seen = try await browser.measure(seconds: 2)
                #expect(seen.ages.count > 5 && seen.unreadable == 0, "\(seen)")
                try await browser.wait(for: "the viewer", "$('viewers').textContent === '1 viewer'")
                try await browser.click("#sound")
                try await browser.wait(for: "sound", "!video.muted && video.webkitAudioDecodedByteCount > 1000")
                try await browser.close()
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await session.waitForExit() == .exited(0))
            }
        }

        @Test func `A stream with B-frames is not sent by WebRTC, and plays`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                let port = try await setUp(studio)
                let session = try await studio.startLive(["--to", "room", "--latency", "normal"])
                let browser = try await Browser.open("http://127.0.0.1:\(port)/\(Self.token)/", in: studio.peers)
                try await browser.wait(for: "a picture", "!byRTC && video.videoWidth === 320")
                #expect(try await browser.measure(seconds: 2).ages.count > 5)
                try await browser.close()
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await session.waitForExit() == .exited(0))
            }
        }

        @Test func `A page goes on by itself when the broadcast is started again`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                let port = try await setUp(studio)
                let first = try await studio.startLive(["--to", "room"])
                let browser = try await Browser.open("http://localhost:\(port)/\(Self.token)/", in: studio.peers)
                try await browser.wait(for: "a picture", "video.videoWidth === 320")
                // Without an end that the page could be told.
                _ = try await first.killNow()
                try await browser.wait(for: "word of it", "$('notice').textContent.includes('Connection lost')")
                let second = try await studio.startLive(["--to", "room"])
                try await browser.wait(for: "the picture again", "$('notice').textContent === ''")
                #expect(try await browser.measure(seconds: 2).ages.count > 5)
                try await browser.close()
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await second.waitForExit() == .exited(0))
            }
        }

        private nonisolated(nonsending) func guests(_ mode: String, _ port: Int, of studio: Studio) async throws
            -> [String: Any]
        {
            let program = SharedDesktop.program("lan_guests.py")
            let broadcaster = try #require(try await studio.status()?.pid)
            let peer = try studio.peers.start(
                "guests", ["/usr/bin/python3", program, mode, "\(port)", Self.token, "\(broadcaster)"])
            #expect(try await peer.waitForExit(deadline: .seconds(100)) == .exited(0), "\(peer.standardError)")
            return try #require(
                try JSONSerialization.jsonObject(with: Data(peer.standardOutput.utf8)) as? [String: Any])
        }

        @Test func `Guests without the secret, from other sites, and with too much of anything are refused`()
            async throws
        {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                let port = try await setUp(studio)
                let session = try await studio.startLive(["--to", "room"])
                let result = try await guests("unwanted", port, of: studio)
                #expect(result["page"] as? Int == 200 && result["policy"] as? Bool == true, "\(result)")
                #expect(result["redirect"] as? Int == 308 && result["again"] as? Int == 200, "\(result)")
                let nothing = try #require(result["nothing"] as? [Int])
                #expect(nothing.allSatisfy { $0 == 404 || $0 == 400 } && nothing.count == 7, "\(nothing)")
                #expect(result["body"] as? String == "" && result["long"] as? Int == 0, "\(result)")
                // No session for another site, for no description, for one that is too long, and without a decoder.
                #expect(result["offers"] as? [Int] == [404, 406, 404, 406, 404], "\(result)")
                for key in [
                    "foreign", "garbage", "unmasked", "large", "binary", "flood", "nonsense", "slow", "endless",
                    "hidden",
                    "gone",
                ] {
                    #expect(result[key] as? Bool == true, "\(key): \(result)")
                }
                #expect((result["refused"] as? Int ?? 0) >= 30, "\(result)")
                // Each kind is in the log once, with the address that it came from.
                let log = try await studio.broadcast.run(["logs"]).output
                for reason in [
                    "the secret of the address is missing or wrong", "the request names another computer",
                    "a page of another site asked", "that is no HTTP", "the request is too long",
                    "the request took too long", "too many connections are open", "no page sends such a message",
                ] {
                    let count = log.ranges(of: "A guest at 127.0.0.1 was refused: \(reason).").count
                    #expect(count == 1, "\(reason): \(log)")
                }
                // Nobody of them counts as a viewer, and the broadcast goes on.
                try await session.wait(for: "no viewer") { try await studio.status()?.destinations.first?.viewers == 0 }
                #expect(try await studio.status()?.destinations.first?.state == "live")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
            }
        }

        @Test func `Twenty viewers get the same, beside one who reads nothing and one at 200 kbit/s`() async throws {
            try await withStudio(["everything"], width: 640, height: 360, hasSound: false) { studio in
                let port = try await setUp(studio)
                let session = try await studio.startLive(["--to", "room", "--bitrate", "2000"])
                let result = try await guests("crowd", port, of: studio)
                let (least, most) = (result["least"] as? Int ?? 0, result["most"] as? Int ?? 0)
                // They joined one after another, at the same group of pictures or the next.
                #expect(least >= 1_000_000 && Double(most) < 2 * Double(least), "\(result)")
                #expect((result["slow"] as? Int ?? .max) < least / 2, "\(result)")
                // In megabytes, when all had joined and at the end.
                let memory = try #require(result["memory"] as? [Double])
                #expect(memory[1] < 40 && memory[1] - memory[0] < 8, "\(result)")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await session.waitForExit() == .exited(0))
            }
        }

        /// Both sizes of the code: a window of 50 lines, and one of 30.
        @Test(arguments: [50, 30]) func `A phone can read the address from the terminal`(lines: Int) async throws {
            try await withStudio(["clock"], width: 800, height: 860, hasSound: false) { studio in
                _ = try configure(studio)
                // The captured screen shows the terminal too.
                let script = "exec \(studio.broadcast.binary) start --to room"
                let environment = studio.broadcast.environment.merging(["LANG": "C.UTF-8"]) { $1 }
                _ = try studio.peers.start(
                    "xterm",
                    [
                        "xterm", "-u8", "-fa", "DejaVu Sans Mono", "-fs", "8", "-geometry", "100x\(lines)+0+0", "-e",
                        "sh", "-c",
                        script,
                    ], environment: environment)
                let picture = try studio.peers.makeFolder("picture") + "/screen.png"
                var address: String?
                try await waitUntil("the code on the screen") {
                    address = try await studio.status()?.destinations.first?.watchUrl
                    guard let address else { return false }
                    try await studio.peers.run(
                        "ffmpeg",
                        [
                            "ffmpeg", "-v", "error", "-y", "-f", "x11grab", "-i",
                            studio.broadcast.environment["DISPLAY"] ?? "",
                            "-frames:v", "1", picture,
                        ])
                    let reader = try studio.peers.start("zbarimg", ["zbarimg", "--quiet", "--raw", picture])
                    _ = try await reader.waitForExit()
                    return reader.standardOutput.contains(address + "\n")
                }
                #expect(address?.hasPrefix("http://127.0.0.1:") == true)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
            }
        }

        @Test func `--bind names the address to listen on, and one that is none is refused`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                let session = try await studio.startLive(["--to", "lan", "--bind", "127.0.0.1"])
                #expect(try await studio.status()?.destinations.first?.watchUrl?.hasPrefix("http://127.0.0.1:") == true)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await session.waitForExit() == .exited(0))
                let refused = try await studio.broadcast.run(["start", "--to", "lan", "--bind", "lo"])
                #expect(refused.status != .exited(0), "\(refused)")
                expectSentence(in: refused.errors, saying: ["bind"])
            }
        }

        @Test func `Who adds lan to a recording gets the address for viewers`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                let port = try configure(studio)
                let session = try await studio.startLive(["--to", "a.mp4"])
                let added = try await studio.broadcast.run(["add-destination", "room"])
                #expect(added.status == .exited(0) && added.output == "room\n", "\(added)")
                #expect(added.errors.contains("room: live, watch it at http://127.0.0.1:\(port)/"), "\(added)")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await session.waitForExit() == .exited(0))
            }
        }

        @Test func `A recording keeps all its sound while viewers get it in shorter pieces`() async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                _ = try configure(studio)
                let session = try await studio.startLive(["--to", studio.path("a.mp4")])
                try await studio.waitUntilElapsed(2, of: session)
                #expect(try await studio.broadcast.run(["add-destination", "room"]).status == .exited(0))
                try await studio.waitUntilElapsed(4.5, of: session)
                #expect(try await studio.broadcast.run(["remove-destination", "room"]).status == .exited(0))
                try await studio.waitUntilElapsed(6.5, of: session)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await session.waitForExit() == .exited(0))
                let media = studio.media("a.mp4")
                let clock = try await media.clock()
                let beeps = BeepFinder.beeps(in: try await AudioDecoder.decode(media.path, in: media.peers))
                let delays = clock.soundDelays(beeps)
                #expect(delays.count >= 5 && delays.areInTime(within: 0.04), "\(delays)")
                let probe = try await FFProbe.probe(media.path, in: studio.peers)
                let (video, audio) = (try #require(probe.video), try #require(probe.audio))
                #expect(abs(audio.seconds - video.seconds) < 0.1, "\(audio.seconds), \(video.seconds)")
            }
        }

        @Test func `With a certificate, the page and its stream come by HTTPS`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                let certificates = try await Certificates.make(in: studio.peers)
                let pair = try await certificates.server(names: "DNS:localhost")
                let port = try configure(studio)
                func configuration(host: String) -> String {
                    """
                    [destinations.room]
                    extension = "lan"
                    setup.bind = "127.0.0.1"
                    setup.port = "\(port)"
                    setup.host = "\(host)"
                    setup.certificate = "\(pair.certificate)"
                    setup.key = "\(pair.key)"
                    """
                }
                try studio.broadcast.writeConfiguration(configuration(host: "localhost"))
                let session = try await studio.startLive(["--to", "room"])
                let address = try #require(try await studio.status()?.destinations.first?.watchUrl)
                #expect(address.hasPrefix("https://localhost:\(port)/"))
                #expect(session.standardError.contains("the connection is encrypted)"), "\(session.standardError)")
                // curl verifies the certificate.
                for (url, status) in [(address, "200"), (address.replacing("https:", with: "http:"), "000")] {
                    let curl = try studio.peers.start(
                        "curl",
                        [
                            "curl", "-sS", "--noproxy", "*", "--cacert", certificates.authority, "-o", "/dev/null",
                            "-w",
                            "%{http_code}", url,
                        ])
                    _ = try await curl.waitForExit()
                    #expect(curl.standardOutput == status, "\(url): \(curl.standardError)")
                }
                for way in ["", "#mse"] {
                    let browser = try await Browser.open(address + way, in: studio.peers)
                    try await browser.wait(for: "the picture", "video.videoWidth === 320 && !video.paused")
                    #expect(try await browser.evaluate("location.protocol === 'https:'"))
                    let seen = try await browser.measure(seconds: 2)
                    #expect(seen.ages.count > 10 && seen.unreadable == 0, "\(seen)")
                    try await browser.close()
                }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await session.waitForExit() == .exited(0))

                try studio.broadcast.writeConfiguration(configuration(host: "other.example"))
                let other = try await studio.startLive(["--to", "room"])
                #expect(
                    other.standardError.contains("browsers will warn: the certificate is not for other.example"),
                    "\(other.standardError)")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await other.waitForExit() == .exited(0))
                try "".write(toFile: pair.key, atomically: true, encoding: .utf8)
                let refused = try await studio.broadcast.run(["start", "--to", "room"])
                #expect(refused.status == .exited(78), "\(refused)")
                expectSentence(in: refused.errors, saying: ["no private key", pair.key])
            }
        }

        @Test func `A wrong setting and a port that is taken are named`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                let port = try configure(studio)
                let holder = try studio.peers.start(
                    "holder", ["/usr/bin/python3", "-m", "http.server", "--bind", "127.0.0.1", "\(port)"])
                try await holder.wait(for: "its port") { isListening(port) }
                let taken = try await studio.broadcast.run(["start", "--to", "room"])
                #expect(taken.status == .exited(69), "\(taken)")
                expectSentence(in: taken.errors, saying: ["another program uses the port \(port)"])
                try studio.broadcast.writeConfiguration(
                    "[destinations.room]\nextension = \"lan\"\nsetup.bind = \"example.com\"\n")
                let wrong = try await studio.broadcast.run(["start", "--to", "room"])
                #expect(wrong.status == .exited(78), "\(wrong)")
                expectSentence(in: wrong.errors, saying: ["bind", "example.com"])
            }
        }
    }
}
