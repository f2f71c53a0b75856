import CX11
import Capture
import Media

/// Grabs rectangles of pixels from a drawable, through shared memory or, if that is not available, over the connection.
///
/// It allocates one segment. Several rectangles can be grabbed into the segment. Their rows are
/// packed, and each rectangle follows the previous one.
final class ImageGrabber {
    private let connection: X11Connection
    /// The number of pixels that the memory has room for.
    let capacity: Int
    private let memory: Memory
    /// The bytes that the grabbed rectangles need.
    private var used = 0

    /// The memory for the pixels.
    private enum Memory {
        case shared(SharedSegment)
        /// A remote display cannot attach shared memory. XGetImage copies over the connection, which is slower.
        case plain(UnsafeMutableRawPointer)
    }

    /// True if grabs use shared memory.
    var usesSharedMemory: Bool {
        if case .shared = memory { true } else { false }
    }

    /// Allocates memory for `capacity` pixels.
    init(connection: X11Connection, capacity: Int) {
        self.connection = connection
        self.capacity = capacity
        if let segment = SharedSegment(connection: connection, byteCount: capacity * 4) {
            memory = .shared(segment)
        } else {
            memory = .plain(.allocate(byteCount: capacity * 4, alignment: 64))
        }
    }

    deinit {
        if case .plain(let pointer) = memory { pointer.deallocate() }
    }

    /// Discards the rectangles that were grabbed before and reuses their memory.
    func reset() {
        used = 0
    }

    /// Calls `body` with the pixels of the rectangles since the last `reset`.
    func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result {
        body(UnsafeRawBufferPointer(start: address, count: used).bytes)
    }

    /// Calls `body` with the pixels of the rectangles since the last `reset`, for writing.
    func withMutableBytes(_ body: (inout MutableRawSpan) -> Void) {
        var bytes = UnsafeMutableRawBufferPointer(start: address, count: used).mutableBytes
        body(&bytes)
    }

    /// True if the server attaches shared memory of this process.
    static func canShareMemory(_ connection: X11Connection) -> Bool {
        SharedSegment(connection: connection, byteCount: 4096) != nil
    }

    private var address: UnsafeMutableRawPointer {
        switch memory {
        case .shared(let segment): segment.address
        case .plain(let pointer): pointer
        }
    }

    /// Grabs `rectangle` of `drawable`. The rectangles since the last `reset` must not exceed `capacity` in total.
    ///
    /// - Returns: the position of the first pixel in the memory, in bytes. Rows follow each other without padding.
    func grab(_ rectangle: PixelRect, of drawable: Drawable) throws(CaptureError) -> Int {
        let stride = rectangle.width * 4
        precondition(used + stride * rectangle.height <= capacity * 4, "grabs since reset() exceed the capacity")
        let offset = used
        let target = address + offset
        // Errors of earlier requests do not concern this grab.
        let first = XNextRequest(connection.display)
        switch memory {
        case .shared(let segment):
            segment.image.pointee.width = Int32(rectangle.width)
            segment.image.pointee.height = Int32(rectangle.height)
            segment.image.pointee.bytes_per_line = Int32(stride)
            segment.image.pointee.data = target.assumingMemoryBound(to: CChar.self)
            _ = XShmGetImage(
                connection.display, drawable, segment.image, Int32(rectangle.x), Int32(rectangle.y), XAllPlanes())
            try connection.check(since: first)
        case .plain:
            let image = XGetImage(
                connection.display, drawable, Int32(rectangle.x), Int32(rectangle.y), UInt32(rectangle.width),
                UInt32(rectangle.height),
                XAllPlanes(), ZPixmap)
            guard let image else {
                try connection.check(since: first)
                throw .grabRefused(code: Int(BadDrawable))
            }
            for row in 0..<rectangle.height {
                (target + row * stride).copyMemory(
                    from: image.pointee.data + row * Int(image.pointee.bytes_per_line), byteCount: stride)
            }
            _ = cx11_destroy_image(image)
        }
        used += stride * rectangle.height
        return offset
    }
}

/// A SysV shared memory segment that the X server has attached, and an XImage for it, which gets its size with each
/// grab.
private final class SharedSegment {
    let image: UnsafeMutablePointer<XImage>
    let address: UnsafeMutableRawPointer
    private let connection: X11Connection
    /// Xlib stores the address of this structure in the image.
    private let info: UnsafeMutablePointer<XShmSegmentInfo>

    /// Returns nil if the server cannot attach the segment: the display is remote, or MIT-SHM is not supported.
    init?(connection: X11Connection, byteCount: Int) {
        let display = connection.display
        guard XShmQueryExtension(display) != 0 else { return nil }
        let info = UnsafeMutablePointer<XShmSegmentInfo>.allocate(capacity: 1)
        info.initialize(to: XShmSegmentInfo())
        let identifier = cx11_shm_create(byteCount)
        guard identifier >= 0 else {
            info.deallocate()
            return nil
        }
        guard let address = cx11_shm_attach(identifier) else {
            _ = cx11_shm_mark_for_removal(identifier)
            info.deallocate()
            return nil
        }
        info.pointee.shmid = identifier
        info.pointee.shmaddr = address.assumingMemoryBound(to: CChar.self)
        info.pointee.readOnly = 0
        let first = XNextRequest(display)
        _ = XShmAttach(display, info)
        XSync(display, 0)
        // Mark the segment for removal now, so that the system deletes it when the last process detaches it, even after
        // kill -9.
        _ = cx11_shm_mark_for_removal(identifier)
        let refused = connection.takeProtocolError(since: first) != nil || connection.isBroken
        let screen = XDefaultScreen(display)
        let image =
            refused
            ? nil
            : XShmCreateImage(
                display, XDefaultVisual(display, screen), UInt32(XDefaultDepth(display, screen)), ZPixmap,
                info.pointee.shmaddr, info, 1, 1)
        guard let image else {
            shmdt(address)
            info.deallocate()
            return nil
        }
        self.image = image
        self.address = address
        self.info = info
        self.connection = connection
    }

    deinit {
        if !connection.isBroken {
            _ = XShmDetach(connection.display, info)
            XSync(connection.display, 0)
        }
        // The pixels are part of the segment, so Xlib must not free them.
        image.pointee.data = nil
        _ = cx11_destroy_image(image)
        shmdt(address)
        info.deallocate()
    }
}
