import Capture
import Credentials
import Encode
import Media
import PortalCapture
import PulseCapture
import RTMP
import UserConfiguration
import X11Capture

/// One thing that the doctor examined.
package struct Finding: Sendable, Equatable {
    package enum Level: String, Sendable, Equatable, Codable {
        case ok
        /// A broadcast is possible, with less than the user may expect.
        case warning
        /// A broadcast fails, or its viewers miss something.
        case wrong
    }

    /// What was examined. Scripts read these names: they are added, never changed.
    package enum Subject: String, Sendable, Equatable, Codable {
        case display
        case sharedMemory = "shared-memory"
        case windows
        case portal
        case permissions
        case pipeWire = "pipewire"
        case portalBackend = "portal-backend"
        case sharedMonitor = "shared-monitor"
        case sound
        case microphone
        case keyring
        case notifications
        case certificates
        case clock
        case folders
        case configuration
        case extensions
        case disk
        case encoder
        case destination
        case server
        case line
    }

    package var subject: Subject
    package var level: Level
    package var fact: Fact

    package init(_ subject: Subject, _ level: Level, _ fact: Fact) {
        (self.subject, self.level, self.fact) = (subject, level, fact)
    }
}

/// What the doctor found out. `Presentation` has its words.
package enum Fact: Sendable, Equatable {
    case screen(DisplayAbilities)
    case capture(CaptureError)
    case sharesMemory
    case copiesPictures
    /// Whether windows can be captured while others cover them; `isComposited`: a compositing manager runs.
    case coveredWindows(isPossible: Bool, isComposited: Bool)
    case portal(PortalAbilities)
    case backends(PortalBackends)
    /// What the desktop remembers as denied to this program.
    case denials([PortalDenial])
    /// PipeWire runs; its session manager, nil if none runs.
    case pipeWire(sessionManager: String?)
    /// What a start shares without a dialog; nil if the first start asks.
    case remembered(RememberedChoice?)
    /// The sources that a broadcast would record. `delay`: how much later a person at the computer hears it.
    case sound(output: String?, delay: Duration?)
    case microphone(String?)
    case noSoundServer
    /// The library that records sound cannot be opened: the name of its file.
    case noSoundLibrary(String)
    case keyring(SecretService.State)
    case noSessionBus
    case notifications(isRunning: Bool)
    case certificates(path: String?)
    /// The clock is before the time at which this program was built, by this much.
    case clockBehind(Duration)
    case clockPlausible
    case folders(runtime: String)
    /// `destinations`: how many are configured; nil if there is no file.
    case configuration(path: String, destinations: Int?)
    case invalidConfiguration(ConfigurationError)
    case extensions([String])
    case unusableExtension(name: String, ConfigurationError)
    /// A library that these extensions need for servers cannot be opened; the name of its file.
    case missingLibrary(String, extensions: [String])
    case space(Space)
    case cannotWrite(folder: String, code: Int32)
    case speed([EncodingSpeed])
    case encoderFails
    case soundEncoderFails(EncodeError)
    case destination(name: String)
    case server(address: String, RTMPExamination)
    case serverProblem(RTMPError)
    /// Only a broadcast finds out whether this destination works.
    case notContacted
    case line(LineCapacity)
    /// `usesKey`: the test sent a stream with the user's key, which the service does not show.
    case lineProblem(RTMPError, usesKey: Bool)
    /// A test of the line to this destination would go live.
    case noLineTest(name: String)
}

/// The room for recordings in a folder.
package struct Space: Sendable, Equatable {
    package var folder: String
    package var free: Int
    /// Bytes per second that were written and flushed.
    package var speed: Int
    /// The bytes per second of a recording.
    package var rate: Int

    package init(folder: String, free: Int, speed: Int, rate: Int) {
        (self.folder, self.free, self.speed, self.rate) = (folder, free, speed, rate)
    }

    /// How long a recording can be.
    package var time: Duration { .seconds(free / max(1, rate)) }
}

/// How fast this machine encodes pictures that move as a whole.
package struct EncodingSpeed: Sendable, Equatable {
    package var size: PixelSize
    package var framesPerSecond: Int

    package init(size: PixelSize, framesPerSecond: Int) {
        (self.size, self.framesPerSecond) = (size, framesPerSecond)
    }
}
