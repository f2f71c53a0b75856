import CX11
import Capture
import WindowPrivacy
import X11Client

extension X11Connection {
    /// Returns the window that matches a rule, among those that the user can select.
    ///
    /// - Throws: `noSuchWindow`, or `severalWindows`: the wrong one of two windows must not be shown.
    func window(matching rule: HiddenWindowRule) throws(CaptureError) -> Window {
        let properties = WindowProperties(connection: self)
        let reader = WindowReader(connection: self)
        func label(_ window: Window) -> String { "0x" + String(window, radix: 16) + " (\(properties.label(of: window)))" }
        let all = WindowTree(connection: self, properties: properties).listed()
        if case .window(let window) = rule { return window }
        let found = all.filter { reader.traits(of: $0).matches(rule) }
        try checkConnection()
        guard let first = found.first else { throw .noSuchWindow("\(rule)", known: all.prefix(20).map(label)) }
        guard found.count == 1 else { throw .severalWindows("\(rule)", found.prefix(20).map(label)) }
        return first
    }
}
