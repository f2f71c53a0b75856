/// Whether starting a destination again can help.
package enum UploadRetry: Sendable, Equatable {
    /// The far end will say no again: a wrong key or password, a certificate that cannot be trusted, no RTMP at all.
    case never
    /// What is in the way may pass: the network, a server that restarts.
    case later
    /// The name is in use (`NetStream.Publish.BadName` and the like), perhaps by our own connection that was lost: it is
    /// free once the server has noticed, so this is to be waited out.
    case busy
}
