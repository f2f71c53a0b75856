import CX11
import TestPatterns

/// A grey screen with a moving window of one conspicuous colour, and its menus, tooltips and dialogs. A seed makes the
/// movement repeatable.
///
/// Red and blue are 255 and green is 0: no other colour on the screen has less green than red and blue.
struct SecretScene: Scene {
    /// The behaviour of the window.
    enum Dance {
        /// It does not change.
        case none
        /// It moves, changes its size and stacking order, and is mapped and unmapped.
        case alone
        /// The same; it is also destroyed and created again.
        case reborn
    }

    let framesPerSecond = 25
    private static let grey = PatternColour(128, 128, 128)
    private let dance: Dance
    private let protection: SecretApplication.Protection
    private var application: SecretApplication?
    private var random: SplitMix64
    private var frame = 0

    /// Returns the scene of that name; nil if the name is that of another scene.
    init?(named name: String, protection: SecretApplication.Protection, seed: UInt64) {
        switch name {
        case "secret": dance = .none
        case "secret-dance": dance = .alone
        case "secret-reborn": dance = .reborn
        default: return nil
        }
        self.protection = protection
        random = SplitMix64(state: seed)
    }

    mutating func paint(on canvas: Canvas) {
        // The server paints exposed areas at once.
        XSetWindowBackground(canvas.display, canvas.window, canvas.pixel(Self.grey))
        XLowerWindow(canvas.display, canvas.window)
        canvas.fill(Self.grey, [.whole])
        canvas.synchronise()
        if application == nil {
            application = try? SecretApplication(
                colour: canvas.pixel(PatternColour(255, 0, 255)), protection: protection)
            application?.map()
            application?.synchronise()
            print("window 0x\(String(application?.window ?? 0, radix: 16))")
        }
    }

    mutating func advance(on canvas: Canvas) {
        guard let application else { return }
        frame += 1
        // Change something visible, whatever the window does.
        let shade = UInt8(100 + frame % 56)
        canvas.fill(PatternColour(shade, shade, shade), x: 0, y: 0, width: 32, height: 32)
        canvas.present(x: 0, y: 0, width: 32, height: 32)
        if dance != .none {
            let name = step(application, width: canvas.width, height: canvas.height)
            // The shade tells which picture shows which step.
            print("step \(frame) (shade \(shade)): \(name)")
        }
        application.synchronise()
    }

    /// Does the next step, and returns what it was.
    private mutating func step(_ application: SecretApplication, width: Int, height: Int) -> String {
        let x = Int.random(in: -40..<width - 60, using: &random)
        let y = Int.random(in: -20..<height - 60, using: &random)
        let size = (
            width: Int.random(in: 40..<width / 2, using: &random),
            height: Int.random(in: 30..<height / 2, using: &random)
        )
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<6:
            application.move(x: x, y: y)
            return "moved to \(x),\(y)"
        case 6..<8:
            application.resize(width: size.width, height: size.height)
            return "resized to \(size.width)x\(size.height)"
        case 8:
            application.raise()
            return "raised"
        case 9:
            application.lower()
            return "lowered"
        case 10, 11:
            if application.isMapped { application.unmap() } else { application.map() }
            return application.isMapped ? "mapped" : "unmapped"
        case 12:
            application.openMenu(x: x, y: y, width: size.width / 2, height: size.height / 2)
            return "menu of \(size.width / 2)x\(size.height / 2) at \(x),\(y)"
        case 13:
            application.openDialogue(x: x, y: y, width: size.width / 2, height: size.height / 2)
            return "dialogue of \(size.width / 2)x\(size.height / 2) at \(x),\(y)"
        case 14, 15:
            application.closePopUp()
            return "pop-up closed, \(application.popUpCount) left"
        case 16:
            // A tooltip that disappears at once.
            application.openMenu(x: x, y: y, width: 90, height: 40)
            while application.popUpCount > 0 { application.closePopUp() }
            return "tooltip at \(x),\(y), and no pop-up left"
        case 17:
            // Dragged: several positions between two pictures.
            for step in 0..<12 { application.move(x: x + step * 9, y: y + step * 5) }
            return "dragged from \(x),\(y)"
        case 18 where dance == .reborn:
            application.open()
            application.map()
            return "created again and mapped"
        default:
            if application.popUpCount > 4 { application.closePopUp() }
            return "\(application.popUpCount) pop-ups"
        }
    }
}
