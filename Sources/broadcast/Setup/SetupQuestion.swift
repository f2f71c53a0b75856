/// Something that `broadcast setup` asks.
struct SetupQuestion: Equatable {
    var key: String
    /// In the user's words, without a colon.
    var prompt: String
    /// True for what is typed without echo and kept with the secrets.
    var isSecret: Bool
    /// False for what is only taken with `--set`.
    var isAsked: Bool
    /// False where the answer may be left empty.
    var isRequired = true
}
