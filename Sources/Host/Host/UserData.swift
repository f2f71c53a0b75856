import Credentials
import Desktop
import Glibc
import Processes
import UserConfiguration

/// What the program keeps of a user outside of recordings and clips: settings, secrets, logs, and what starts with the
/// login.
package struct UserData {
    /// Something that `remove` removes.
    package enum Item: Equatable, Sendable {
        /// The broadcast of this name does not start with the login any more.
        case service(String)
        /// The secrets of a destination, in a keyring or in a file.
        case secrets(of: String)
        /// A folder with all that is in it.
        case folder(path: String, Content)
    }

    package enum Content: String, Sendable {
        /// The configuration.
        case settings
        /// Extensions of the user, answers to `setup`, and secrets that no keyring stores.
        case data
        /// Logs, and the choices of Wayland desktops.
        case state
        /// Sockets of sessions that do not run any more.
        case runtime
    }

    package enum Problem: Error {
        case service(LoginServices.Problem)
        case secrets(CredentialProblem)
        case folder(path: String, SystemError)
        /// A folder of another user, or one that others can write to.
        case foreign(path: String)
    }

    private let paths: Paths
    private let credentials: CredentialStore
    private let services: LoginServices
    private let keyring: SecretService

    package init(paths: Paths, credentials: CredentialStore, keyring: SecretService, services: LoginServices) {
        self.paths = paths
        self.credentials = credentials
        self.keyring = keyring
        self.services = services
    }

    /// What there is to remove, in the order in which `remove` should be called: secrets come before the folders, which
    /// contain the names of some of them.
    ///
    /// - Parameter known: the names of destinations that can have secrets.
    package func items(known: [String]) throws(Problem) -> [Item] {
        var items: [Item] = []
        do throws(LoginServices.Problem) {
            items += try services.all().filter(\.isEnabled).map { .service($0.name) }
        } catch {
            throw .service(error)
        }
        items += credentials.destinations(among: known).sorted().map { .secrets(of: $0) }
        let settings = URLName.folder(of: paths.configFile)
        for (path, content) in [
            (settings, Content.settings), (paths.dataFolder, .data), (paths.stateFolder, .state),
            (paths.runtimeFolder, .runtime),
        ] {
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            // Root would remove what another user has put there, or swapped for a link meanwhile.
            guard status.st_uid == geteuid(), Self.isPrivate(status, at: path) else { throw .foreign(path: path) }
            items.append(.folder(path: path, content))
        }
        return items
    }

    /// True if nobody else can change what is in the folder. A link is removed, and not followed.
    private static func isPrivate(_ status: stat, at path: String) -> Bool {
        let kind = status.st_mode & S_IFMT
        return kind == S_IFLNK || kind == S_IFDIR && !WriteAccess.isOpenToOthers(status, at: path)
    }

    /// False if secrets in a keyring cannot be seen, because none answers.
    package var seesKeyring: Bool { [.ready, .asks].contains(keyring.state()) }

    /// Removes an item. A folder that is a link is not followed.
    package func remove(_ item: Item) throws(Problem) {
        switch item {
        case .service(let name):
            do throws(LoginServices.Problem) {
                _ = try services.disable(name, now: true)
            } catch {
                throw .service(error)
            }
        case .secrets(let destination):
            do throws(CredentialProblem) {
                _ = try credentials.forget(destination)
            } catch {
                throw .secrets(error)
            }
        case .folder(let path, _):
            do throws(SystemError) {
                try Folder.remove(path)
            } catch {
                throw .folder(path: path, error)
            }
        }
    }
}
