/// What `broadcast setup NAME` and `broadcast sign-out NAME` are about: a configured destination, a known service, or an extension.
struct SetupTarget {
    var name: String
    var service: KnownService?
    var destination: Configuration.Destination?
    /// In the order in which they are asked.
    var questions: [SetupQuestion]
    /// True where the answers make an RTMP address.
    var isRTMP: Bool
    /// Answers the questions in the user's place.
    private(set) var program: SetupProgram?

    /// Throws status 66 for a name that is none of them.
    init(_ name: String, context: CommandContext) throws(CommandError) {
        let configuration = context.configuration
        let catalog = context.catalog
        self.name = name
        let destination = configuration.destination(named: name)
        let services = KnownService.all()
        let serviceName = destination == nil ? name : destination?.service
        self.destination = destination
        service = services.first { $0.name == serviceName }
        questions = []
        isRTMP = service != nil || destination?.extensionName == "rtmp"
        let isForeign = service == nil && !BuiltInExtension.all.contains { $0.name == destination?.extensionName }
        if isForeign, let manifest = try catalog.manifest(named: destination?.extensionName ?? name) {
            questions = manifest.questions.map {
                SetupQuestion(key: $0.key, prompt: $0.prompt, isSecret: $0.isSecret, isAsked: true, isRequired: $0.isRequired)
            }
            program = manifest.setupExecutable.map {
                SetupProgram(path: $0, folder: manifest.folder, environment: context.paths.setupEnvironment)
            }
            return
        }
        guard destination != nil || service != nil else {
            let known = configuration.destinations.map(\.name) + services.map(\.name) + catalog.names
            let hint = NearestName.of(name, among: known).map { "Did you mean \($0)?" } ?? "Known are \(known.joined(separator: ", "))."
            throw CommandError(.noInput, "There is no destination \"\(name)\" to set up. \(hint)")
        }
        guard isRTMP else { return }
        if destination?.url == nil {
            questions.append(SetupQuestion(key: "url", prompt: "Address (rtmp://HOST/APP)", isSecret: false, isAsked: service?.url == nil))
        }
        questions.append(SetupQuestion(key: "key", prompt: "Stream key", isSecret: true, isAsked: true))
    }
}
