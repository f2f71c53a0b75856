import Media

/// What is said about sizes that cannot be used as they are written.
package enum SizeSentences {
    /// The note about an odd size; nil for an even one.
    ///
    /// - Parameter option: as it was typed, with its value.
    package static func rounded(_ option: String, _ size: PixelSize) -> String? {
        let used = size.roundedDownToEven
        return used == size ? nil : "The picture has even numbers of pixels: \(option) gives \(used)."
    }
}
