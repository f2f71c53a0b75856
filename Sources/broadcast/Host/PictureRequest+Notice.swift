import Capture

extension PictureRequest {
    /// What the user is told at the start: who will see what.
    var notice: String {
        switch self {
        case .screen(let request):
            switch request.selection {
            case .wholeScreen: "Everything on your screen, including notifications, will be visible."
            case .monitor(let name): "Everything on the monitor \(name), including notifications, will be visible."
            case .focusedMonitor: "Everything on the monitor that you work on, including notifications, will be visible."
            case .region: "Everything in that part of your screen, including notifications, will be visible."
            case .window, .activeWindow: "Everything in that window will be visible."
            }
        case .y4m, .feed: "Everything that the program shows will be visible."
        }
    }
}
