import CX11
import Capture
import Media

/// The size of an X screen, its monitors, and the areas that no monitor shows. A snapshot of the server's state.
struct ScreenLayout {
    /// The size of the root window.
    let size: PixelSize
    let monitors: [MonitorInformation]
    /// The areas of the root window that no monitor shows. Empty if the monitors are unknown.
    let deadParts: [PixelRect]

    init(_ connection: X11Connection) throws(CaptureError) {
        size = try connection.rootSize()
        let outputs = OutputList(connection)
        monitors = Self.monitors(connection, outputs: outputs)
        // A user-defined monitor can be a part of an output's area, or several outputs. An area counts as visible if a
        // monitor or an output shows it.
        let seen = monitors.map(\.rectangle) + outputs.screens.map(\.rectangle)
        deadParts = seen.isEmpty ? [] : PixelRect(size).subtracting(seen)
        try connection.checkConnection()
    }

    func monitor(named name: String) -> MonitorInformation? {
        monitors.first { $0.name == name }
    }

    /// Returns the monitor that shows the largest part of `rectangle`, or nil if no monitor shows any of it.
    func monitor(showing rectangle: PixelRect) -> MonitorInformation? {
        let best = monitors.max {
            $0.rectangle.intersection(rectangle).area < $1.rectangle.intersection(rectangle).area
        }
        return best.flatMap { $0.rectangle.intersects(rectangle) ? $0 : nil }
    }

    private static func monitors(_ connection: X11Connection, outputs: OutputList) -> [MonitorInformation] {
        var count: Int32 = 0
        guard connection.hasMonitors, let list = XRRGetMonitors(connection.display, connection.root, True, &count)
        else { return [] }
        defer { XRRFreeMonitors(list) }
        return (0..<Int(count)).compactMap { index in
            let entry = list[index]
            guard entry.width > 0, entry.height > 0, let name = connection.atomName(entry.name) else { return nil }
            let output = entry.noutput > 0 ? entry.outputs?.pointee : nil
            return MonitorInformation(
                name: name,
                rectangle: PixelRect(
                    x: Int(entry.x), y: Int(entry.y), width: Int(entry.width), height: Int(entry.height)),
                rotation: output.flatMap { outputs.rotation(of: $0) } ?? .normal, isPrimary: entry.primary != 0)
        }
    }
}

extension PixelRect {
    /// Returns the area of the rectangle without `others`, as rectangles that do not overlap.
    func subtracting(_ others: [PixelRect]) -> [PixelRect] {
        others.reduce([self]) { rest, other in rest.flatMap { $0.subtracting(other) } }.filter { !$0.isEmpty }
    }

    private func subtracting(_ other: PixelRect) -> [PixelRect] {
        let common = intersection(other)
        guard !common.isEmpty else { return [self] }
        return [
            PixelRect(x: x, y: y, width: width, height: common.y - y),
            PixelRect(x: x, y: common.maxY, width: width, height: maxY - common.maxY),
            PixelRect(x: x, y: common.y, width: common.x - x, height: common.height),
            PixelRect(x: common.maxX, y: common.y, width: maxX - common.maxX, height: common.height),
        ]
    }
}
