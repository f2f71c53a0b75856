import CX11
import Capture
import WindowPrivacy

extension X11Connection {
    /// Returns the window that matches a rule, among those that the user can select.
    ///
    /// - Throws: `noSuchWindow`, or `severalWindows`: the wrong one of two windows must not be shown.
    func window(matching rule: HiddenWindowRule) throws(CaptureError) -> Window {
        if case .window(let window) = rule { return window }
        let properties = WindowProperties(connection: self)
        func label(_ window: Window) -> String {
            "0x" + String(window, radix: 16) + " (\(properties.label(of: window)))"
        }
        let found = try windows(matching: rule)
        guard let first = found.first else {
            throw .noSuchWindow(
                "\(rule)", known: WindowTree(connection: self, properties: properties).listed().prefix(20).map(label))
        }
        guard found.count == 1 else { throw .severalWindows("\(rule)", found.prefix(20).map(label)) }
        return first
    }

    /// Returns all windows that match a rule, among those that the user can select.
    func windows(matching rule: HiddenWindowRule) throws(CaptureError) -> [Window] {
        let reader = WindowReader(connection: self)
        let found = WindowTree(connection: self, properties: WindowProperties(connection: self)).listed().filter {
            reader.traits(of: $0).matches(rule)
        }
        try checkConnection()
        return found
    }
}
