#include "CTOMLPlusPlus.h"

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <deque>
#include <string>
#include <string_view>

struct ctoml_document {
    std::string error;
    int error_line = 0;
    /* A deque: its strings stay where they are when more are added. */
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

extern "C" ctoml_document *ctoml_parse(const char *text, size_t length) {
    auto *document = new (std::nothrow) ctoml_document;
    if (!document) return nullptr;
    toml::parse_result result = toml::parse(std::string_view(text, length));
    if (result) {
        for (auto &&[key, value] : result.table()) document->add(std::string(key.str()), value);
    } else {
        document->error = std::string(result.error().description());
        document->error_line = static_cast<int>(result.error().source().begin.line);
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
