import RTMP
import Upload

/// Why a configuration, a manifest, a folder or the name of a destination cannot be used. A front end makes the
/// sentence.
package enum ConfigurationError: Error, Sendable, Equatable {
    /// The file cannot be read.
    case unreadable(path: String)
    /// The file is not UTF-8 text.
    case notText(path: String)
    /// The file is not TOML. The message is the parser's and quotes the file.
    case syntax(path: String, line: Int, message: String)
    case fault(ConfigurationFault)
    case manifest(ManifestProblem)
    case folder(path: String, FolderProblem)
    case setting(SettingProblem)
    case destination(DestinationProblem)
    /// The configuration at `path` has no profile of that name.
    case unknownProfile(String, known: [String], path: String)
}

/// An invalid value, with its position in a file.
package struct ConfigurationFault: Error, Sendable, Equatable {
    package var path: String
    /// Counted from 1.
    package var line: Int
    /// The full key, as in `destinations.mine.url`.
    package var key: String
    package var problem: Problem

    package init(path: String, line: Int, key: String, problem: Problem) {
        self.path = path
        self.line = line
        self.key = key
        self.problem = problem
    }

    /// The full key from its parts. A part without a name is `""`, as in the file.
    static func name(of path: [String]) -> String {
        path.map { $0.isEmpty ? "\"\"" : $0 }.joined(separator: ".")
    }

    package enum Problem: Sendable, Equatable {
        case unknownKey(known: [String])
        /// The key is an empty string.
        case unnamedKey
        case missing(Expected)
        case wrong(Expected)
        /// A value that is not one of the choices.
        case notAChoice(String, choices: [String])
        case notASize(String)
        /// The ending of a file that is not one of a known format.
        case notAnEnding(String)
        case notARule(String)
        /// `bitrate` and `quality` exclude each other.
        case bitrateAndQuality
        /// The destination has neither `extension` nor `service`.
        case noExtension
        /// An RTMP destination without a service needs a `url`.
        case noURL
        /// The address is not an RTMP address. The error does not contain it, since it may end in a key.
        case notAnRTMPAddress(RTMPURLError)
        /// The extension does not read this key, but these.
        case notRead(extension: String, reads: [String])
        /// The value is also given under another key.
        case givenTwice(other: String)
        /// One command cannot print all of these secrets.
        case severalSecrets([String])
        /// Not `socks5://HOST:PORT` or `http://HOST:PORT`. The error does not contain the text, which may have a
        /// password.
        case notAProxy
        case passwordInProxy
        /// Neither an IP address nor the name of an interface.
        case notASource(String)
        case unreadableCertificates(path: String)
        case unknownService(String, known: [String])
        case unknownExtension(String, known: [String])
        case unknownDestination(String, known: [String])
        case notAName
        case nameIsBuiltIn(String)
        /// The manifest has a setup program, but no questions for it to answer.
        case noQuestions
        /// Clips require the screen track.
        case clipsWithoutScreen
        /// The manifest requests neither picture nor sound.
        case nothingToSend
        case notAScheme(String)
        case notAPattern(String)
        /// `schemes` without the question `url`.
        case schemesWithoutURL
        /// The extension does not ask for this setting, but for these.
        case notAsked(extension: String, questions: [String])
        /// The value is secret and must not be in the configuration.
        case isSecret
        /// The stream key of a destination is not a key of the configuration.
        case streamKey(destination: String)
        /// The address contains a secret.
        case secretInAddress(AddressSecret, destination: String)
        /// The address of an RTMP destination contains a user name and a password.
        case passwordInRTMPAddress(destination: String)
    }

    /// The type of a value.
    package enum Expected: Sendable, Equatable {
        case table
        case text
        case boolean
        case integer(ClosedRange<Int>)
        /// A number in kbit/s, or a text with a unit.
        case bitrate(ClosedRange<Int>)
        case number(ClosedRange<Double>)
        /// An array of strings, each one of these choices unless they are empty.
        case texts(choices: [String])
        /// `[[key]]`
        case tables
        case oneOf([String])
    }
}

/// Why an extension's folder cannot be used.
package enum ManifestProblem: Error, Sendable, Equatable {
    case empty(path: String)
    case unreadable(path: String)
    /// errno
    case notThere(path: String, code: Int32)
    /// The program of this key cannot be executed.
    case notExecutable(path: String, key: String, program: String)
    /// Another user owns the file.
    case foreignOwner(path: String)
    /// Users other than the owner may write the file.
    case writableByOthers(path: String)
}

/// Why one of this program's folders cannot be used.
package enum FolderProblem: Error, Sendable, Equatable {
    /// errno
    case cannotCreate(code: Int32)
    case notOurs
    /// This is root, and the folder is, or would be, among the files of another user.
    case ofAnotherUser
}

/// Session settings that exclude each other or are out of range.
package enum SettingProblem: Error, Sendable, Equatable {
    /// The name of a setting in a sentence.
    package struct Setting: Sendable, Equatable {
        /// The option, with the unit of its value: `--bitrate (kbit/s)`.
        package let option: String

        package init(option: String) {
            self.option = option
        }
    }

    /// Why a setting has no effect.
    package enum Ineffectiveness: Sendable, Equatable {
        /// No destination takes an encoded picture.
        case noEncodedPicture
        /// No destination takes sound.
        case noSound
        /// No destination takes encoded sound.
        case noEncodedSound
        /// The picture does not come from the screen.
        case noScreen
        /// The sound of applications is off.
        case noApplicationSound
        /// The formats of all destinations have a constant frame rate.
        case constantFrameRate
        /// No destination connects to a server.
        case noServer
    }

    case outOfRange(Setting, ClosedRange<Double>, value: Double)
    case bitrateAndQuality
    case withoutEffect(Setting, Ineffectiveness)
    case unknownPreset(String, known: [String])
    /// A file of pictures replaces the screen.
    case pictureFileAndScreen
    /// A file of sound replaces the sound of the applications.
    case soundFileAndApplications
    /// Pictures and sound cannot both come from standard input.
    case twoStandardInputs
}

/// Why a target of `--to` cannot be resolved to a destination.
package enum DestinationProblem: Error, Sendable, Equatable {
    /// There is no destination, service, extension or file of that name.
    case unknown(String, known: [String])
    /// The target is for an extension that is shipped with this program and that no folder for extensions contains.
    case notInstalled(String)
    case address(AddressProblem)
    case format(FormatProblem)
    case output(OutputProblem)
    case duplicate(DuplicateDestination)
    /// The proxy has a user name, and the environment has no password.
    case proxyWithoutPassword
    /// The connections of an extension cannot use this setting of the network, by its key.
    case networkNotSupported(String, setting: String)
    case notSignedIn(String)
    /// A user name is stored, and its password is not.
    case passwordMissing(String, user: String)
    /// A required answer is missing.
    case notSetUp(String, question: String, prompt: String)
    /// The folder of a destination cannot be created; errno. `configuration`: its file if the destination is
    /// configured.
    case cannotCreateFolder(path: String, destination: String, configuration: String?, code: Int32)
    /// The manifest requires a feature that does not exist.
    case unsupported(name: String, ExtensionProblem)
    case credentials(CredentialProblem)
}

/// Why the address of a destination cannot be used.
package enum AddressProblem: Sendable, Equatable {
    /// The word is like an address, and is none. The error does not contain it, since it may end in a key.
    case mistyped
    /// The extension `rtmp` has no address.
    case missing
    /// An address of an extension that takes none. `questions`: the keys of its answers.
    case takenByName(extension: String, questions: [String])
    /// No extension accepts addresses of this scheme. `source`: the origin of the address; nil for the command line.
    case unknownScheme(String, source: String?)
    /// The address is not an RTMP address; the reason. `source`: the origin of the address; nil for the command line.
    case notRTMP(RTMPURLError, source: String?)
    /// A secret in an address on the command line.
    case secret(AddressSecret, extension: String)
    /// A user name and a password in an RTMP address on the command line.
    case passwordInRTMPAddress
    /// An RTMP address on the command line has no stream key.
    case withoutKey
}

/// Why the format and the destinations do not fit.
package enum FormatProblem: Sendable, Equatable {
    /// The ending of a file does not determine its format.
    case unknownEnding(path: String, ending: String)
    /// A path is no folder, and its name has no ending.
    case withoutEnding(path: String)
    /// The user chose a format for files and standard output, but no destination is one of these.
    case withoutFile
    /// Separate sound tracks were chosen, and no file or standard output has room for them.
    case separateTracksWithoutFile
    /// 4:4:4 is for files and standard output. `live`: the destination.
    case fullChroma(live: String)
    /// Lossless video is for files and standard output. `live`: the destination.
    case lossless(live: String)
}

/// Why standard output is no destination.
package enum OutputProblem: Sendable, Equatable {
    case closed
    case terminal
}

/// What was given twice.
package enum DuplicateDestination: Sendable, Equatable {
    case output
    case name(String)
    case file(String)
    /// The address without secrets.
    case address(String)
    /// Two destinations of the configuration with one address, by their names.
    case configured(String, String)
}
