import CCurl
import COpenSSL
import Concurrency
import Synchronization
import TLS

/// Connections to servers: libcurl's multi interface on a thread of its own, which keeps connections
/// for later requests. Call `shutDown` at the end.
// @unchecked: `multi` is a pointer that only its own thread uses, but for ccurl_multi_wakeup(3), which is thread-safe.
package final class HTTPConnections: @unchecked Sendable {
    package struct Settings: Sendable {
        package var proxy: HTTPProxy?
        /// The IP address that connections come from; `0.0.0.0` and `::` only choose the version of IP.
        package var localAddress: String?
        /// The identity that the server must prove; nil without TLS.
        package var identity: ServerIdentity?
        /// The certificates to trust, a PEM file; nil for those of the system.
        package var authoritiesFile: String?

        package init(
            proxy: HTTPProxy? = nil, localAddress: String? = nil, identity: ServerIdentity? = nil,
            authoritiesFile: String? = nil
        ) {
            (self.proxy, self.localAddress) = (proxy, localAddress)
            (self.identity, self.authoritiesFile) = (identity, authoritiesFile)
        }
    }

    /// What other threads ask of the connections' own thread.
    private struct Orders {
        var new: [HTTPTransfer] = []
        var cancelled: [HTTPTransfer] = []
        var isEnded = false
    }

    /// The time in milliseconds between two looks at answers that do not end.
    private static let restInterval: Int32 = 100

    private let settings: Settings
    /// Only its thread uses it, and frees it at the end. `curl_multi_wakeup` is thread-safe, and is only called before
    /// the end.
    private let multi: UnsafeMutableRawPointer
    private let orders = Mutex(Orders())
    private let ended = Once<Void>()

    /// The name of the library that requests need, if it cannot be opened.
    package static var missingLibrary: String? { ccurl_open() ? nil : String(cString: ccurl_name) }

    /// Returns nil without memory, and without the library.
    package init?(_ settings: Settings) {
        guard ccurl_open() else { return nil }
        // First, because libcurl would register OpenSSL's handler of exit(3), which frees what the thread still uses if
        // the program exits while a request is in progress.
        _ = copenssl_initialize()
        guard ccurl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let multi = ccurl_multi_init() else {
            return nil
        }
        (self.settings, self.multi) = (settings, multi)
        _ = NamedThread(name: "http") { [self] in run() }
    }

    /// Sends a request and returns its answer. If the task is cancelled, the request ends with `cancelled`.
    package func perform(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPAnswer {
        let result = Once<Result<HTTPAnswer, HTTPFailure>>()
        guard let transfer = HTTPTransfer(request, settings, completed: { result.set($0) }) else {
            throw HTTPFailure(reason: .other)
        }
        guard order({ $0.new.append(transfer) }) else { throw HTTPFailure(reason: .cancelled) }
        return try await withTaskCancellationHandler {
            await result.value
        } onCancel: {
            _ = order { $0.cancelled.append(transfer) }
        }.get()
    }

    /// Ends all requests and closes the connections.
    package func shutDown() async {
        _ = order { $0.isEnded = true }
        await ended.value
    }

    /// Returns false after the end.
    private func order(_ change: (inout Orders) -> Void) -> Bool {
        orders.withLock { orders in
            guard !orders.isEnded else { return false }
            change(&orders)
            ccurl_multi_wakeup(multi)
            return true
        }
    }

    // MARK: Thread

    private func run() {
        var active: [UnsafeMutableRawPointer: HTTPTransfer] = [:]
        func remove(_ transfer: HTTPTransfer) -> Bool {
            guard active.removeValue(forKey: transfer.easy) != nil else { return false }
            ccurl_multi_remove_handle(multi, transfer.easy)
            return true
        }
        while true {
            let orders = orders.withLock { orders in
                defer { (orders.new, orders.cancelled) = ([], []) }
                return orders
            }
            for transfer in orders.new {
                guard ccurl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
                    transfer.complete(CURLE_OUT_OF_MEMORY)
                    continue
                }
                active[transfer.easy] = transfer
            }
            for transfer in orders.cancelled where remove(transfer) { transfer.abandon() }
            if orders.isEnded {
                for transfer in active.values where remove(transfer) { transfer.abandon() }
                break
            }
            var count: Int32 = 0
            ccurl_multi_perform(multi, &count)
            while let message = ccurl_multi_info_read(multi, &count) {
                guard message.pointee.msg == CURLMSG_DONE, let transfer = active[message.pointee.easy_handle] else {
                    continue
                }
                let result = ccurl_result(message)
                if remove(transfer) { transfer.complete(result) }
            }
            let now = ContinuousClock.now
            for transfer in active.values where transfer.restDeadline.map({ $0 <= now }) == true && remove(transfer) {
                transfer.abandon()
            }
            let hasRest = active.values.contains { $0.restDeadline != nil }
            ccurl_multi_poll(multi, hasRest ? Self.restInterval : 60_000)
        }
        ccurl_multi_cleanup(multi)
        ended.set(())
    }
}
