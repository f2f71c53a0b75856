import CTestCast
import Glibc

/// Sends a screen cast over PipeWire without a compositor. Prints `node ID SERIAL`, and then obeys the lines on its
/// standard input (`Command`), each of which it answers with a line. It ends with its standard input.
@main
struct TestCast {
    static func main() {
        let options: Options
        do {
            options = try Options(arguments: Array(CommandLine.arguments.dropFirst()))
        } catch {
            complain("\(error)")
            exit(64)
        }
        guard let cast = Cast(options) else {
            complain("PipeWire does not answer")
            exit(69)
        }
        answer("node \(cast.node) \(cast.serial)")
        cast.beginAdvancing()
        while let line = readLine() { answer(cast.obey(line)) }
        exit(0)
    }

    private static func answer(_ text: String) {
        print(text)
        fflush(nil)
    }

    private static func complain(_ text: String) {
        var line = "TestCast: \(text)\n"
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

/// What is sent, and how.
struct Options {
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    var width = 640
    var height = 360
    var format = "BGRx"
    var rate = 120
    var padding = 0
    var buffers = 8
    var mostBuffers = 16
    /// The name of the node.
    var name = "test-cast"
    /// The buffers have no memory until readers have begun so often.
    var startsWithoutMemory = 0
    /// `cursor`, `crop`, `transform` and `header`: the metadata that buffers have.
    var metadata: Set<String> = ["header"]
    var usesMemoryPointers = false

    init(arguments: [String]) throws(Problem) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Problem(description: "\(name) lacks a value") }
            switch name {
            case "--size":
                guard let size = Numbers.size(value) else { throw Problem(description: "--size \(value)") }
                (width, height) = size
            case "--format": format = value
            case "--padding": padding = Int(value) ?? 0
            case "--buffers": buffers = Int(value) ?? 8
            case "--most-buffers": mostBuffers = Int(value) ?? 16
            case "--name": self.name = value
            case "--starts-without-memory": startsWithoutMemory = Int(value) ?? 0
            case "--rate": rate = Int(value) ?? rate
            case "--metadata": metadata = Set(value.split(separator: ",").map(String.init))
            case "--memory": usesMemoryPointers = value == "memptr"
            default: throw Problem(description: "no option \(name)")
            }
        }
    }
}

/// Numbers in commands.
enum Numbers {
    /// `640x360`
    static func size(_ text: some StringProtocol) -> (Int, Int)? {
        let parts = text.split(separator: "x").compactMap { Int($0) }
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
}
