/// Something that `broadcast setup` asks.
package struct SetupQuestion: Equatable {
    package var key: String
    /// In the user's words, without a colon.
    package var prompt: String
    /// True for what is typed without echo and kept with the secrets.
    package var isSecret: Bool
    /// False for what is only taken with `--set`.
    package var isAsked: Bool
    /// False where the answer may be left empty.
    package var isRequired: Bool

    package init(key: String, prompt: String, isSecret: Bool, isAsked: Bool, isRequired: Bool = true) {
        self.key = key
        self.prompt = prompt
        self.isSecret = isSecret
        self.isAsked = isAsked
        self.isRequired = isRequired
    }
}
