import Foundation

/// Headless Chromium or Firefox with a page, driven by `Programs/browser.py`.
package struct Browser: Sendable {
    /// What viewers of the page saw for some seconds.
    package struct Measurement: Decodable, Sendable {
        /// How old the clock of `TestScreen clock` was in each picture when it was presented, in milliseconds.
        package let ages: [Double]
        /// The times between presented pictures in milliseconds.
        package let gaps: [Double]
        /// Pictures without a readable clock.
        package let unreadable: Int
        /// The width and height of the video.
        package let size: [Int]
    }

    package enum Engine: Sendable {
        case chromium
        /// Expressions see the elements of the page, but none of its own variables.
        case firefox
    }

    package let peer: Peer

    /// Opens the address. Returns when the page is loaded.
    nonisolated(nonsending) package static func open(
        _ address: String, with engine: Engine = .chromium, in peers: Peers
    ) async throws -> Browser {
        let folder = try peers.makeFolder("browser")
        let command = ["/usr/bin/python3", "-u", SharedDesktop.program("browser.py"), address, folder + "/profile"]
        // Debian's own Python: only that one has python3-selenium.
        let peer = try peers.start(
            "browser", command + (engine == .firefox ? ["firefox"] : []),
            environment: ["HOME": folder, "PATH": "/usr/bin:/bin", "TMPDIR": folder], input: .pipe)
        _ = try await peer.waitForOutputLine(containing: "title", deadline: .seconds(90))
        return Browser(peer: peer)
    }

    /// Ends the browser, which writes to the test's folder until then.
    nonisolated(nonsending) package func close() async throws {
        peer.closeInput()
        _ = try await peer.waitForExit()
    }

    /// Carries out a command, and returns the line of JSON that answers it.
    nonisolated(nonsending) private func ask(_ command: String) async throws -> Data {
        func lines() -> [Substring] { peer.standardOutput.split(separator: "\n", omittingEmptySubsequences: true) }
        let count = lines().count
        try await peer.write(Array((command + "\n").utf8))
        try await peer.wait(for: "the answer to \(command)") { lines().count > count }
        return Data(lines()[count].utf8)
    }

    /// Reads the clock in each presented picture.
    nonisolated(nonsending) package func measure(seconds: Double) async throws -> Measurement {
        try JSONDecoder().decode(Measurement.self, from: await ask("measure \(seconds)"))
    }

    /// The value of a JavaScript expression in the page.
    nonisolated(nonsending) package func evaluate<Value: Decodable>(
        _ expression: String, as type: Value.Type = Value.self
    ) async throws -> Value {
        try JSONDecoder().decode([Value].self, from: await ask("eval [\(expression)]"))[0]
    }

    /// Clicks an element, as a person does: pages may start sound then.
    nonisolated(nonsending) package func click(_ selector: String) async throws {
        _ = try await ask("click \(selector)")
    }

    /// Lets what follows concern the page in a frame. Chromium only.
    nonisolated(nonsending) package func enter(frame selector: String) async throws {
        _ = try await ask("frame \(selector)")
    }

    /// Minimizes the window for some seconds, which hides the page as another tab does. Returns whether the page was
    /// hidden meanwhile. Chromium only.
    nonisolated(nonsending) package func hide(seconds: Double) async throws -> Bool {
        try JSONDecoder().decode(Bool.self, from: await ask("hide \(seconds)"))
    }

    /// Waits until a JavaScript expression is true.
    nonisolated(nonsending) package func wait(for what: String, _ expression: String) async throws {
        try await peer.wait(for: what) { try await evaluate("!!(\(expression))", as: Bool.self) }
    }
}
