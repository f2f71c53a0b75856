import Upload

/// A question of `broadcast setup`.
package struct SetupQuestion: Equatable {
    package var key: String
    /// The text for the user, without a colon.
    package var prompt: String
    /// True if the answer is typed without echo and stored as a secret.
    package var isSecret: Bool
    /// False if only `--set` can answer it.
    package var isAsked: Bool
    /// False if the answer may be empty.
    package var isRequired: Bool
    /// What the answer must look like; nil if anything can be right.
    package var form: AnswerForm?

    package init(
        key: String, prompt: String, isSecret: Bool, isAsked: Bool, isRequired: Bool = true, form: AnswerForm? = nil
    ) {
        self.key = key
        self.prompt = prompt
        self.isSecret = isSecret
        self.isAsked = isAsked
        self.isRequired = isRequired
        self.form = form
    }
}
