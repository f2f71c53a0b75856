/// What `broadcast setup NAME` and `broadcast sign-out NAME` are about: a configured destination, or a known service.
struct SetupTarget {
    var name: String
    var service: KnownService?
    var destination: Configuration.Destination?
    /// In the order in which they are asked.
    var questions: [SetupQuestion]

    /// Throws status 66 for a name that is neither.
    init(_ name: String, configuration: Configuration) throws(CommandError) {
        self.name = name
        let destination = configuration.destination(named: name)
        let services = KnownService.all()
        let serviceName = destination == nil ? name : destination?.service
        self.destination = destination
        service = services.first { $0.name == serviceName }
        questions = []
        guard destination != nil || service != nil else {
            let known = configuration.destinations.map(\.name) + services.map(\.name)
            let hint = NearestName.of(name, among: known).map { "Did you mean \($0)?" } ?? "Known are \(known.joined(separator: ", "))."
            throw CommandError(.noInput, "There is no destination \"\(name)\" to set up. \(hint)")
        }
        guard service != nil || destination?.extensionName == "rtmp" else { return }
        if destination?.url == nil {
            questions.append(SetupQuestion(key: "url", prompt: "Address (rtmp://HOST/APP)", isSecret: false, isAsked: service?.url == nil))
        }
        questions.append(SetupQuestion(key: "key", prompt: "Stream key", isSecret: true, isAsked: true))
    }
}
