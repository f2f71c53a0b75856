import Glibc

/// Groups of users (group(5)).
package enum UserGroup {
    /// The largest entry of a user or a group that is read, in bytes.
    private static let largestEntry = 1 << 16

    /// True if the group is this user's alone: it has the user's name, is the user's first group, and has no other
    /// members. Many systems make one for each user, and let it write what the user creates (USERGROUPS_ENAB in
    /// login.defs(5)). False if that is not known.
    package static func isOwn(_ group: gid_t) -> Bool {
        var user = passwd()
        var entry = GroupEntry()
        var found: UnsafeMutablePointer<passwd>?
        var foundEntry: UnsafeMutablePointer<GroupEntry>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 2 * largestEntry) { buffer in
            guard let names = buffer.baseAddress, getpwuid_r(geteuid(), &user, names, largestEntry, &found) == 0,
                getgrgid_r(group, &entry, names + largestEntry, largestEntry, &foundEntry) == 0, found != nil,
                foundEntry != nil, let userName = user.pw_name, let groupName = entry.gr_name
            else { return false }
            return isOwn(
                name: String(cString: groupName), members: members(of: entry), isFirst: user.pw_gid == group,
                user: String(cString: userName))
        }
    }

    /// - Parameter isFirst: true if the group is the first one of `user`.
    package static func isOwn(name: String, members: [String], isFirst: Bool, user: String) -> Bool {
        isFirst && name == user && members.allSatisfy { $0 == user }
    }

    private static func members(of entry: GroupEntry) -> [String] {
        var members: [String] = []
        var next = entry.gr_mem
        while let name = next?.pointee {
            members.append(String(cString: name))
            next = next?.advanced(by: 1)
        }
        return members
    }
}

private typealias GroupEntry = group

extension stat {
    /// True if nobody but the owner and root can write what this describes, by its permissions.
    package var isWritableByOwnerOnly: Bool {
        st_mode & 0o002 == 0 && (st_mode & 0o020 == 0 || UserGroup.isOwn(st_gid))
    }
}
