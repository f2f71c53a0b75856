import Capture
import Media
import PortalCapture
import Testing

/// The decisions about what a Wayland desktop shares: every event in every state, and the limits of time.
@Suite struct SharedFlowStateTests {
    /// Every state, as it is reached at the time 0.
    enum State: CaseIterable {
        case granted, shown, outside, missing, missingReported, paused, interrupted, silent, withheldByRules
        case ended, locked, reopening, waiting, monitorGone, over

        /// The states in which the desktop shares something.
        static let shared: [State] = flowing + [.withheldByRules]
        /// The states in which pictures may be shown.
        static let flowing: [State] = [
            .granted, .shown, .outside, .missing, .missingReported, .paused, .interrupted, .silent,
        ]

        var value: SharedFlowState {
            var state = SharedFlowState(Self.grant, limits: .init(), monitorTimeout: timeout)
            switch self {
            case .granted: break
            case .shown: _ = state.picturePresent(isOutside: false)
            case .outside: _ = state.picturePresent(isOutside: true)
            case .missing: _ = state.pictureMissing(keepsFlow: false, at: .zero)
            case .missingReported:
                _ = state.pictureMissing(keepsFlow: false, at: .zero)
                _ = state.pictureMissing(keepsFlow: false, at: late)
            case .paused:
                state = State.shown.value
                _ = state.flowMeasured(silence: .zero, isStreaming: false, hasPicture: true, at: .zero)
            case .interrupted:
                state = State.paused.value
                _ = state.flowMeasured(silence: .zero, isStreaming: false, hasPicture: true, at: late)
                _ = state.pictureMissing(keepsFlow: false, at: .zero)
            case .silent:
                state = State.shown.value
                _ = state.flowMeasured(silence: late, isStreaming: true, hasPicture: true, at: .zero)
                _ = state.pictureMissing(keepsFlow: false, at: .zero)
            case .withheldByRules:
                state = State.shown.value
                _ = state.rulesRead(hidesMonitor: true)
            case .ended:
                state = State.shown.value
                _ = state.ticked(.init(problem: .lost), at: .zero)
            case .locked:
                state = State.ended.value
                state.desktopLocked()
                _ = state.ticked(.init(problem: .lost), at: .zero)
            case .reopening:
                state = State.locked.value
                state.desktopUnlocked()
                _ = state.ticked(.init(problem: .lost), at: .zero)
            case .waiting:
                state = State.reopening.value
                _ = state.shareFailed(.refused(""), at: .zero)
            case .monitorGone:
                state = State.shown.value
                _ = state.ticked(.init(outputs: SharedFlowStateTests.monitorGone), at: .zero)
            case .over:
                state = State.reopening.value
                _ = state.shareFailed(.noAnswer, at: .zero)
            }
            return state
        }

        /// The phase without what a picture or a pause changes in it.
        var phase: SharedFlowState.Phase {
            switch self {
            case .granted, .outside, .missing, .missingReported, .silent, .withheldByRules: .shared(.init())
            case .shown: .shared(.init(isShown: true))
            case .paused: .shared(.init(isShown: true, pausedSince: .zero))
            case .interrupted: .shared(.init(pausedSince: .zero))
            case .ended: .ended(since: .zero, .lost)
            case .locked: .locked
            case .reopening: .reopening(try: 1)
            case .waiting: .waiting(until: MediaTime(milliseconds: 2000), try: 2)
            case .monitorGone: .monitorGone("DP-1", since: .zero)
            case .over: .over
            }
        }

        static let grant = SharedFlowState.Grant(isRestorable: true, mapping: "DP-1")
    }

    /// Every event, at `late`.
    enum Event: CaseIterable {
        case ruleAdded, rulesRemoved, locked, unlocked, rested
        case ticked, streamLost, pipeWireGone, portalClosed, monitorGone, monitorBack, monitorMissing
        case sharedAgain, shareRefused, shareFailed
        case flowRuns, flowPaused, pipeWireSilent, monitorDescribed, pictureMissing, pictureMissingOfKeptFlow
        case picturePresent, pictureOutside

        func apply(to state: inout SharedFlowState) -> SharedFlowState.Action {
            switch self {
            case .ruleAdded: return state.rulesRead(hidesMonitor: true)
            case .rulesRemoved: return state.rulesRead(hidesMonitor: false)
            case .locked: state.desktopLocked()
            case .unlocked: state.desktopUnlocked()
            case .rested: return state.rested()
            case .ticked: return state.ticked(.init(), at: late)
            case .streamLost: return state.ticked(.init(problem: .lost), at: late)
            case .pipeWireGone: return state.ticked(.init(problem: .pipeWireGone), at: late)
            case .portalClosed: return state.ticked(.init(isClosed: true), at: late)
            case .monitorGone: return state.ticked(.init(outputs: SharedFlowStateTests.monitorGone), at: late)
            case .monitorBack: return state.ticked(.init(outputs: SharedFlowStateTests.monitorBack), at: late)
            case .monitorMissing: return state.ticked(.init(), at: timeout + late)
            case .sharedAgain: return state.sharedAgain(State.grant)
            case .shareRefused: return state.shareFailed(.refused(""), at: late)
            case .shareFailed: return state.shareFailed(.noAnswer, at: late)
            case .flowRuns: return state.flowMeasured(silence: .zero, isStreaming: true, hasPicture: true, at: late)
            case .flowPaused: return state.flowMeasured(silence: .zero, isStreaming: false, hasPicture: true, at: late)
            case .pipeWireSilent:
                return state.flowMeasured(silence: late, isStreaming: true, hasPicture: true, at: late)
            case .monitorDescribed: return state.monitorDescribed(1, pictures: 1, at: late)
            case .pictureMissing: return state.pictureMissing(keepsFlow: false, at: late)
            case .pictureMissingOfKeptFlow: return state.pictureMissing(keepsFlow: true, at: late)
            case .picturePresent: return state.picturePresent(isOutside: false)
            case .pictureOutside: return state.picturePresent(isOutside: true)
            }
            return .none
        }
    }

    typealias Outcome = (action: SharedFlowState.Action, phase: SharedFlowState.Phase)

    /// What an event does, for each state in which it does something. In each other state it returns `none`, and the
    /// phase stays.
    static func outcomes(of event: Event) -> [State: Outcome] {
        var outcomes: [State: Outcome] = [:]
        func set(_ states: [State], _ action: SharedFlowState.Action, _ phase: SharedFlowState.Phase? = nil) {
            for state in states { outcomes[state] = (action, phase ?? state.phase) }
        }
        /// The phase of a shared stream that is not shown.
        func hide(_ states: [State], _ action: SharedFlowState.Action) {
            for state in states {
                guard case .shared(var flow) = state.phase else { continue }
                flow.isShown = false
                outcomes[state] = (action, .shared(flow))
            }
        }
        /// A wait that is over asks again at every tick.
        func tick() {
            set([.ended], .fail(.lost))
            set([.waiting], .shareAgain, .reopening(try: 2))
        }
        let gone = SharedFlowState.Action.stopSharing(reporting: [.sharedMonitorGone("DP-1", timeout: timeout)])
        switch event {
        case .ruleAdded:
            set(State.allCases, .withhold(reporting: .cannotHideWindows))
            hide(State.shared, .withhold(reporting: .cannotHideWindows))
            hide([.withheldByRules], .withhold(reporting: nil))
        case .rulesRemoved, .locked, .unlocked, .monitorDescribed: break
        case .rested:
            set(State.allCases, .withhold(reporting: nil))
            set(State.shared, .withhold(reporting: nil), .shared(.init()))
        case .ticked: tick()
        case .streamLost, .portalClosed:
            tick()
            set(State.shared, .withhold(reporting: nil), .ended(since: late, .lost))
            if event == .portalClosed { set([.ended], .stopSharing(reporting: [.endedByDesktop]), .over) }
        case .pipeWireGone:
            tick()
            set([.ended], .fail(.pipeWireGone))
            hide(State.shared, .fail(.pipeWireGone))
        case .monitorGone:
            tick()
            set(State.shared + [.ended], gone, .monitorGone("DP-1", since: late))
        case .monitorBack:
            tick()
            set([.monitorGone], .none, .waiting(until: late + MediaTime(milliseconds: 500), try: 1))
        case .monitorMissing:
            tick()
            set([.monitorGone], .stopSharing(reporting: [.sharedMonitorMissing("DP-1"), .endedByDesktop]), .over)
        case .sharedAgain: set([.reopening], .none, .shared(.init()))
        case .shareRefused:
            set([.reopening], .none, .waiting(until: late + MediaTime(milliseconds: 2000), try: 2))
        case .shareFailed: set([.reopening], .stopSharing(reporting: [.endedByDesktop]), .over)
        case .flowRuns:
            set([.paused], .none, .shared(.init(isShown: true)))
            set([.interrupted], .none, .shared(.init()))
            set([.silent], .restartFlow)
        case .flowPaused:
            set([.granted, .outside, .missing, .missingReported], .none, .shared(.init(pausedSince: late)))
            set([.shown], .none, .shared(.init(isShown: true, pausedSince: late)))
            hide([.paused], .forgetPicture(reporting: .sharingInterrupted))
            hide([.interrupted], .forgetPicture(reporting: nil))
            set([.silent], .restartFlow)
        case .pipeWireSilent:
            hide(State.flowing, .forgetPicture(reporting: .sharingInterrupted))
            hide([.interrupted, .silent], .forgetPicture(reporting: nil))
        case .pictureMissing:
            hide(State.flowing, .none)
            hide([.missing], .report(.noPictureYet))
        case .pictureMissingOfKeptFlow:
            hide(State.flowing, .none)
            set([.missing, .missingReported, .interrupted, .silent], .shareAgain, .reopening(try: 1))
        case .picturePresent:
            set(State.flowing, .show, .shared(.init(isShown: true)))
            set([.outside], .showWhole, .shared(.init(isShown: true)))
            set([.paused, .interrupted], .show, .shared(.init(isShown: true, pausedSince: .zero)))
        case .pictureOutside:
            hide(State.flowing, .report(.outsideScreen))
            hide([.outside], .none)
        }
        return outcomes
    }

    @Test(arguments: State.allCases) func `every event has one action in every state`(state: State) {
        #expect(state.value.phase == state.phase)
        for event in Event.allCases {
            var value = state.value
            let action = event.apply(to: &value)
            let wanted = Self.outcomes(of: event)[state] ?? (.none, state.phase)
            #expect(action == wanted.action && value.phase == wanted.phase, "\(event)")
        }
    }

    @Test(arguments: State.allCases) func `a picture is shown only by an action that shows it`(state: State) {
        for event in Event.allCases {
            var value = state.value
            let wasShown = value.condition == .shown
            switch event.apply(to: &value) {
            case .show, .showWhole: #expect(value.condition == .shown && state != .withheldByRules, "\(event)")
            case .none, .restartFlow: #expect(wasShown || value.condition != .shown, "\(event)")
            case .report, .forgetPicture, .withhold, .shareAgain, .stopSharing, .fail:
                #expect(value.condition != .shown, "\(event)")
            }
        }
    }

    @Test(arguments: State.allCases) func `no two events show a picture while a rule hides windows`(state: State) {
        for first in Event.allCases where first != .rulesRemoved {
            for second in Event.allCases where second != .rulesRemoved {
                var value = state.value
                _ = Event.ruleAdded.apply(to: &value)
                for event in [first, second] {
                    _ = event.apply(to: &value)
                    #expect(value.condition != .shown && !value.mayFlow, "\(first), \(second)")
                }
            }
        }
    }

    @Test func `the source has ended exactly when the state is over`() {
        for state in State.allCases { #expect((state.value.condition == .ended) == (state == .over)) }
    }

    // MARK: Limits

    @Test func `each wait ends just after its limit`() {
        let limits = PortalScreenSource.Limits()
        func first(
            _ state: State, limit: MediaTime,
            _ event: (inout SharedFlowState, MediaTime) -> SharedFlowState.Action
        ) -> [SharedFlowState.Action] {
            [limit, limit + MediaTime(nanoseconds: 1)].map { time in
                var value = state.value
                return event(&value, time)
            }
        }
        #expect(first(.ended, limit: limits.endReport) { $0.ticked(.init(), at: $1) } == [.none, .fail(.lost)])
        #expect(
            first(.ended, limit: limits.lockReport) { $0.ticked(.init(isClosed: true), at: $1) }
                == [.none, .stopSharing(reporting: [.endedByDesktop])])
        #expect(
            first(.monitorGone, limit: timeout) { $0.ticked(.init(), at: $1) }
                == [.none, .stopSharing(reporting: [.sharedMonitorMissing("DP-1"), .endedByDesktop])])
        #expect(
            first(.missing, limit: limits.noPicture) { $0.pictureMissing(keepsFlow: false, at: $1) }
                == [.none, .report(.noPictureYet)])
        #expect(
            first(.missing, limit: limits.lostPicture) { $0.pictureMissing(keepsFlow: true, at: $1) }
                == [.none, .shareAgain])
        #expect(
            first(.paused, limit: limits.interruption) {
                $0.flowMeasured(silence: .zero, isStreaming: false, hasPicture: true, at: $1)
            } == [.none, .forgetPicture(reporting: .sharingInterrupted)])
        #expect(
            first(.shown, limit: limits.answer) {
                $0.flowMeasured(silence: $1, isStreaming: true, hasPicture: true, at: .zero)
            } == [.none, .forgetPicture(reporting: .sharingInterrupted)])
        var waiting = State.waiting.value
        #expect(waiting.ticked(.init(), at: limits.retry - MediaTime(nanoseconds: 1)) == .none)
        #expect(waiting.ticked(.init(), at: limits.retry) == .shareAgain)
    }

    // MARK: Sequences

    @Test func `a lock during a wait is waited for, and the tries begin again`() {
        var state = State.waiting.value
        state.desktopLocked()
        #expect(state.ticked(.init(), at: late) == .none && state.phase == .locked)
        state.desktopUnlocked()
        #expect(state.ticked(.init(), at: late) == .shareAgain && state.phase == .reopening(try: 1))
    }

    @Test func `a desktop that refuses is asked five times`() {
        var state = State.reopening.value
        var now = MediaTime.zero
        var tries = 1
        while state.condition != .ended {
            _ = state.shareFailed(.refused(""), at: now)
            now = now + late
            if state.ticked(.init(), at: now) == .shareAgain { tries += 1 }
        }
        #expect(tries == 5)
    }

    @Test(arguments: [true, false])
    func `without a remembered choice or a time to wait, a monitor that goes away ends it`(isRestorable: Bool) {
        let grant = SharedFlowState.Grant(isRestorable: isRestorable, mapping: "DP-1")
        var state = SharedFlowState(grant, limits: .init(), monitorTimeout: isRestorable ? .zero : timeout)
        #expect(
            state.ticked(.init(outputs: Self.monitorGone), at: late) == .stopSharing(reporting: [.endedByDesktop]))
        #expect(state.phase == .over)
    }

    @Test func `without a remembered choice, a lock does not share again`() {
        var state = SharedFlowState(
            .init(isRestorable: false, mapping: nil), limits: .init(), monitorTimeout: timeout)
        _ = state.ticked(.init(isClosed: true), at: .zero)
        state.desktopLocked()
        #expect(state.ticked(.init(isClosed: true), at: .zero) == .none)
        #expect(state.ticked(.init(isClosed: true), at: late) == .stopSharing(reporting: [.endedByDesktop]))
    }

    @Test func `a lock explains an end before a monitor that went away, and PipeWire's end before both`() {
        var state = State.ended.value
        state.desktopLocked()
        var copy = state
        let end = SharedFlowState.Facts(problem: .pipeWireGone, outputs: Self.monitorGone)
        #expect(copy.ticked(end, at: .zero) == .fail(.pipeWireGone))
        #expect(state.ticked(.init(problem: .lost, outputs: Self.monitorGone), at: .zero) == .none)
        #expect(state.phase == .locked)
    }

    @Test func `the only picture of a kept flow is asked for again five times at most`() {
        var state = State.granted.value
        var now = MediaTime.zero
        var count = 0
        for _ in 0..<40 {
            if state.pictureMissing(keepsFlow: true, at: now) == .shareAgain {
                count += 1
                _ = state.sharedAgain(State.grant)
            }
            now = now + MediaTime(milliseconds: 500)
        }
        #expect(count == 5)
    }

    @Test func `what is missing is reported once for several streams, and again after a picture`() {
        var state = State.missingReported.value
        _ = state.ticked(.init(problem: .lost), at: late)
        state.desktopLocked()
        _ = state.ticked(.init(problem: .lost), at: late)
        state.desktopUnlocked()
        #expect(state.ticked(.init(), at: late) == .shareAgain)
        #expect(state.sharedAgain(State.grant) == .none)
        #expect(state.pictureMissing(keepsFlow: false, at: late + late) == .none)
        #expect(state.picturePresent(isOutside: false) == .show)
        #expect(state.pictureMissing(keepsFlow: false, at: late + late) == .none)
        #expect(state.pictureMissing(keepsFlow: false, at: late + late + late) == .report(.noPictureYet))
    }

    @Test func `a rest begins the waits for a picture and for the flow again`() {
        var state = State.missing.value
        _ = state.rested()
        #expect(state.pictureMissing(keepsFlow: false, at: late) == .none)
        #expect(state.pictureMissing(keepsFlow: false, at: late + late) == .report(.noPictureYet))
        state = State.paused.value
        _ = state.rested()
        #expect(state.flowMeasured(silence: .zero, isStreaming: false, hasPicture: true, at: late) == .none)
    }

    @Test func `a stream that paused before its first picture is not interrupted`() {
        var state = State.granted.value
        for time in [MediaTime.zero, late] {
            #expect(state.flowMeasured(silence: .zero, isStreaming: false, hasPicture: false, at: time) == .none)
        }
    }

    @Test func `a flow that stops at a change of the monitor's size is restarted once`() {
        var state = State.shown.value
        var restarts = 0
        for index in 0..<20 {
            let now = MediaTime(milliseconds: Int64(index) * 200)
            if state.monitorDescribed(index < 2 ? 1 : 2, pictures: 1, at: now) == .restartFlow { restarts += 1 }
        }
        #expect(restarts == 1)
    }

    // MARK: Helpers

    private static let monitorGone: KnownOutputs = {
        var outputs = KnownOutputs()
        outputs.update([("DP-1", 1), ("DP-2", 1)], at: .zero)
        outputs.update([("DP-2", 1)], at: .zero)
        return outputs
    }()

    private static let monitorBack: KnownOutputs = {
        var outputs = monitorGone
        outputs.update([("DP-1", 1), ("DP-2", 1)], at: .zero)
        return outputs
    }()
}

/// Longer than each limit of a source, and shorter than `timeout`.
private let late = MediaTime(milliseconds: 10_000)
private let timeout = MediaTime(milliseconds: 300_000)
