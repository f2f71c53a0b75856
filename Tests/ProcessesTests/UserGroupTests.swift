import Glibc
import Processes
import Testing

@Suite struct UserGroupTests {
    @Test func `a group of this user alone has its name and no other members`() {
        #expect(UserGroup.isOwn(name: "ada", members: [], isFirst: true, user: "ada"))
        #expect(UserGroup.isOwn(name: "ada", members: ["ada"], isFirst: true, user: "ada"))
        #expect(!UserGroup.isOwn(name: "ada", members: ["ada", "bob"], isFirst: true, user: "ada"))
        #expect(!UserGroup.isOwn(name: "users", members: [], isFirst: true, user: "ada"))
        #expect(!UserGroup.isOwn(name: "ada", members: [], isFirst: false, user: "ada"))
    }

    @Test func `a group that does not exist is nobody's`() {
        #expect(!UserGroup.isOwn(4_000_000_000))
    }

    @Test func `what everybody may write is not the owner's alone`() {
        var status = stat()
        status.st_gid = 4_000_000_000
        for (mode, isOwn) in [(0o700, true), (0o755, true), (0o775, false), (0o757, false)] as [(mode_t, Bool)] {
            status.st_mode = mode
            #expect(status.isWritableByOwnerOnly == isOwn)
        }
    }
}
