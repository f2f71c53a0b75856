#include "CTOMLPlusPlus.h"

// With exceptions, the parser stops at the first error. Without, it continues after an error in a nested value and then
// fails one of its own assertions.
#define TOML_EXCEPTIONS 1
// Invalid text must not abort the process: Debian's version of the parser asserts that a key follows "[[" in any text.
#undef NDEBUG
namespace {
struct failed_assertion {};
}  // namespace
#define TOML_ASSERT(expression) ((expression) ? (void)0 : throw failed_assertion{})
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <deque>
#include <new>
#include <string>
#include <string_view>

struct ctoml_document {
    std::string error;
    int error_line = 0;
    /* A deque does not move its strings when more are added. */
    std::deque<std::string> strings;
    std::deque<ctoml_entry> entries;

    const char *keep(std::string text) {
        strings.push_back(std::move(text));
        return strings.back().c_str();
    }

    void add(const std::string &path, const toml::node &node) {
        ctoml_entry entry{};
        entry.path = keep(path);
        entry.line = static_cast<int>(node.source().begin.line);
        entry.kind = CTOML_OTHER;
        if (const auto *table = node.as_table()) {
            entry.kind = CTOML_TABLE;
            entries.push_back(entry);
            for (auto &&[key, value] : *table) add(child(path, key.str()), value);
            return;
        }
        if (const auto *array = node.as_array()) {
            entry.kind = CTOML_ARRAY;
            entries.push_back(entry);
            size_t index = 0;
            for (auto &&value : *array) add(child(path, std::to_string(index++)), value);
            return;
        }
        if (const auto *value = node.as_string()) {
            entry.kind = CTOML_STRING;
            entry.string = keep(value->get());
        } else if (const auto *value = node.as_integer()) {
            entry.kind = CTOML_INTEGER;
            entry.integer = value->get();
        } else if (const auto *value = node.as_floating_point()) {
            entry.kind = CTOML_FLOAT;
            entry.number = value->get();
        } else if (const auto *value = node.as_boolean()) {
            entry.kind = CTOML_BOOLEAN;
            entry.boolean = value->get();
        }
        entries.push_back(entry);
    }

    static std::string child(const std::string &path, std::string_view key) {
        std::string result = path;
        if (!path.empty()) result += '\x1f';
        result += key;
        return result;
    }
};

/*
 * Returns the line, from 1, at which the parser's assertion fails: the last line of the shortest text of whole lines
 * that fails the assertion.
 */
static int line_of_assertion(std::string_view text) {
    int line = 1;
    for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', end + 1), line++) {
        try {
            (void)toml::parse(text.substr(0, end));
        } catch (const toml::parse_error &) {
        } catch (const failed_assertion &) {
            return line;
        }
    }
    return line;
}

extern "C" ctoml_document *ctoml_parse(const char *text, size_t length) {
    auto *document = new (std::nothrow) ctoml_document;
    if (!document) return nullptr;
    try {
        const toml::table table = toml::parse(std::string_view(text, length));
        for (auto &&[key, value] : table) document->add(std::string(key.str()), value);
    } catch (const toml::parse_error &error) {
        document->error = std::string(error.description());
        document->error_line = static_cast<int>(error.source().begin.line);
    } catch (const failed_assertion &) {
        document->error = "this is no key";
        document->error_line = line_of_assertion(std::string_view(text, length));
    } catch (const std::bad_alloc &) {
        delete document;
        return nullptr;
    }
    return document;
}

extern "C" const char *ctoml_error(const ctoml_document *document) {
    return document->error.empty() ? nullptr : document->error.c_str();
}

extern "C" int ctoml_error_line(const ctoml_document *document) { return document->error_line; }

extern "C" size_t ctoml_count(const ctoml_document *document) { return document->entries.size(); }

extern "C" ctoml_entry ctoml_entry_at(const ctoml_document *document, size_t index) { return document->entries[index]; }

extern "C" void ctoml_free(ctoml_document *document) { delete document; }
