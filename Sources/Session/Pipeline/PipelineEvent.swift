import Capture
import Media
import PulseCapture

/// What a pipeline reports while it runs.
package enum PipelineEvent: Sendable {
    /// Another application is active, or the title of its window changed.
    case application(ApplicationInformation)
    case notice(PipelineNotice)
}

/// A notice for the user about the source or the sound. The broadcast continues.
package enum PipelineNotice: Sendable, Equatable {
    case source(SourceNotice)
    /// The source gives no pictures. Viewers see the last one.
    case sourceStalled(SourceDescription)
    /// The source gives pictures again after `sourceStalled`.
    case sourceAnswersAgain(SourceDescription)
    /// This program did not run for this time: it was stopped, or the machine was too busy.
    case programStopped(MediaTime)
    /// The screen was locked. Viewers get a slate and silence until it is unlocked.
    case screenLocked
    /// The PulseAudio server cannot be reached; the code is PulseAudio's.
    case soundUnavailable(code: Int32)
    /// The library that records sound cannot be opened: the name of its file.
    case noSoundLibrary(String)
    case soundInterrupted(Track, PulseProblem)
    /// The sound of applications begins after this time: a player has filled the sound server's buffer that far, and
    /// what was in it before the start cannot be recorded.
    case soundStartsLate(seconds: Double)
    /// There is sound again after `soundUnavailable` or `soundInterrupted`.
    case soundIsBack(Track)
    /// The file or pipe with the sound failed. The broadcast continues without sound.
    case soundContentFailed(CaptureError)
}

/// Why a pipeline ends by itself.
package enum PipelineEnd: Sendable {
    /// The source has ended; the reason, unless it is the end of a file or of a program's pictures.
    case sourceEnded(SourceNotice?)
    case failed(PipelineError)
}
