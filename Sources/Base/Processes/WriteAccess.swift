import CLinux
import Glibc

/// Who can write a file or a folder.
package enum WriteAccess {
    /// The largest entry of a user or a group that is read, in bytes.
    private static let largestEntry = 1 << 16

    /// True if users other than the owner and root can write what `status` describes.
    ///
    /// Many systems give each user a group and let it write what the user creates (USERGROUPS_ENAB in login.defs(5)).
    /// That is no other user, unless the file has an access list (acl(5)): it can name other users, and the permissions
    /// of the group are then the upper limit of theirs. Groups and users are looked up only if the group can write.
    ///
    /// - Parameter path: of what `status` describes.
    package static func isOpenToOthers(_ status: stat, at path: String) -> Bool {
        guard status.st_mode & 0o002 == 0 else { return true }
        guard status.st_mode & 0o020 != 0 else { return false }
        return hasAccessList(path) || !isGroupOfOwnUser(status.st_gid)
    }

    private static func hasAccessList(_ path: String) -> Bool {
        if getxattr(path, "system.posix_acl_access", nil, 0) >= 0 { return true }
        // The file has no list, or the file system supports none. After any other error, that is not known.
        return errno != ENODATA && errno != ENOTSUP
    }

    /// True if the group is that of the user of this process alone: it has the user's name, is the user's first group,
    /// has no other members, and no other user in /etc/passwd has it as the first group. False if that is not known.
    package static func isGroupOfOwnUser(_ group: gid_t) -> Bool {
        var user = passwd()
        var entry = GroupEntry()
        var found: UnsafeMutablePointer<passwd>?
        var foundEntry: UnsafeMutablePointer<GroupEntry>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 2 * largestEntry) { buffer in
            guard let names = buffer.baseAddress, getpwuid_r(geteuid(), &user, names, largestEntry, &found) == 0,
                getgrgid_r(group, &entry, names + largestEntry, largestEntry, &foundEntry) == 0, found != nil,
                foundEntry != nil, let userName = user.pw_name, let groupName = entry.gr_name
            else { return false }
            let name = String(cString: userName)
            return isGroupOfOneUser(
                name: String(cString: groupName), members: members(of: entry), isFirst: user.pw_gid == group,
                user: name)
                && !isFirstGroupOfOthers(group, than: name)
        }
    }

    /// - Parameter isFirst: true if the group is the first one of `user`.
    package static func isGroupOfOneUser(name: String, members: [String], isFirst: Bool, user: String) -> Bool {
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

    private static func isFirstGroupOfOthers(_ group: gid_t, than user: String) -> Bool {
        guard let file = fopen("/etc/passwd", "re") else { return true }
        defer { fclose(file) }
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: largestEntry) { buffer in
            guard let names = buffer.baseAddress else { return true }
            while fgetpwent_r(file, &entry, names, largestEntry, &found) == 0, found != nil {
                if entry.pw_gid == group, entry.pw_name.map({ String(cString: $0) }) != user { return true }
            }
            return false
        }
    }
}

private typealias GroupEntry = group
