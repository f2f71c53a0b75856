import Foundation

/// Whether something accepts TCP connections on that port of 127.0.0.1.
package func isListening(_ port: Int) -> Bool {
    guard let descriptor = connectLoopback(port: port) else { return false }
    close(descriptor)
    return true
}

/// The body of an HTTP/1.0 answer from 127.0.0.1; nil without an answer. Blocks, five seconds at most.
func httpGet(port: Int, path: String) -> String? {
    guard let descriptor = connectLoopback(port: port) else { return nil }
    defer { close(descriptor) }
    var timeout = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    let request = Array("GET \(path) HTTP/1.0\r\n\r\n".utf8)
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return nil }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { break }
        answer += buffer[..<count]
    }
    let text = String(decoding: answer, as: UTF8.self)
    guard let head = text.range(of: "\r\n\r\n") else { return nil }
    return String(text[head.upperBound...])
}

private func connectLoopback(port: Int) -> Int32? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    if status == 0 { return descriptor }
    close(descriptor)
    return nil
}
