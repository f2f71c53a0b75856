import CX11
import Media

/// The areas that the outputs of an X screen show: RandR's outputs and their CRTCs (RandR 1.5, 7.2 and 7.3).
struct OutputList {
    /// An area of the root window that is sent to outputs.
    struct Screen {
        var rectangle: PixelRect
        var rotation: MonitorInformation.Rotation
        var outputs: [RROutput]
    }

    let screens: [Screen]

    init(_ connection: X11Connection) {
        guard let resources = XRRGetScreenResourcesCurrent(connection.display, connection.root) else {
            screens = []
            return
        }
        defer { XRRFreeScreenResources(resources) }
        screens = (0..<Int(resources.pointee.ncrtc)).compactMap { index in
            guard let crtc = XRRGetCrtcInfo(connection.display, resources, resources.pointee.crtcs[index]) else {
                return nil
            }
            defer { XRRFreeCrtcInfo(crtc) }
            let information = crtc.pointee
            guard information.mode != 0, information.width > 0, information.height > 0 else { return nil }
            return Screen(
                rectangle: PixelRect(
                    x: Int(information.x), y: Int(information.y), width: Int(information.width),
                    height: Int(information.height)),
                rotation: Self.rotation(information.rotation),
                outputs: (0..<Int(information.noutput)).map { information.outputs[$0] })
        }
    }

    func rotation(of output: RROutput) -> MonitorInformation.Rotation? {
        screens.first { $0.outputs.contains(output) }?.rotation
    }

    private static func rotation(_ rotation: Rotation) -> MonitorInformation.Rotation {
        switch Int32(rotation) & 0xf {
        case RR_Rotate_90: .left
        case RR_Rotate_180: .inverted
        case RR_Rotate_270: .right
        default: .normal
        }
    }
}
