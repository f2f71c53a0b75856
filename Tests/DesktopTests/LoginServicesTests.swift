import Desktop
import Testing

/// What needs systemd is tested with its user manager: `LoginServiceRootTests`.
struct LoginServicesTests {
    @Test(arguments: [
        ("/usr/bin/broadcast", "\"/usr/bin/broadcast\""), ("/opt/a b/x", "\"/opt/a b/x\""),
        ("/a$b`c\"", "\"/a\\\\$b\\\\`c\\\\\"\""), ("/100%", "\"/100%%\""), ("/a\\b", "\"/a\\\\\\\\b\""),
    ])
    func `A program in an entry is quoted`(program: String, quoted: String) {
        #expect(LoginServices.quoted(program) == quoted)
    }

    @Test(arguments: [
        "rtmp://host/app", "a b", "", "-", "--now", "../x", ".hidden", String(repeating: "n", count: 300),
    ])
    func `An address or an option is no name of a service`(name: String) {
        let services = LoginServices(environment: ["HOME": "/nonexistent"], program: "/usr/bin/broadcast")
        #expect(throws: LoginServices.Problem.unsuitableName(name)) { try services.status(name) }
    }
}
