#include "CTOML.h"

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
#define TOML_ENABLE_FORMATTERS 0
// Deeper than any configuration, and shallow enough for any stack.
#define TOML_MAX_NESTED_VALUES 16
// toml++ 3.3 asserts that a key follows '[', and reports what else does right after that: `[!` would end the program.
// With NDEBUG the compiler would be told to rely on it.
#undef NDEBUG
#define TOML_ASSERT(expression) static_cast<void>(expression)
#include <toml++/toml.h>

#include <deque>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

struct judder_toml_document {
  // Deques, because the entries point into them and nothing moves when they grow.
  std::deque<std::string> texts;
  std::deque<std::vector<judder_toml_step>> paths;
  std::vector<judder_toml_entry> entries;
  std::string error;
  uint32_t error_line = 0;
  uint32_t error_column = 0;
  bool failed = false;
};

namespace {

using Path = std::vector<judder_toml_step>;

// Deeper than any configuration: what is below would only cost stack.
constexpr size_t deepest_path = 32;

const std::string &keep(judder_toml_document &document, std::string_view text) {
  return document.texts.emplace_back(text);
}

void add_node(judder_toml_document &document, const Path &path, const toml::source_position &key,
              const toml::node &node);

void add_children(judder_toml_document &document, const Path &path, const toml::node &node) {
  if (const auto *table = node.as_table()) {
    for (const auto &[key, value] : *table) {
      const std::string &name = keep(document, key.str());
      Path child = path;
      child.push_back({name.data(), name.size(), -1});
      add_node(document, child, key.source().begin, value);
    }
  } else if (const auto *list = node.as_array()) {
    int64_t index = 0;
    for (const auto &value : *list) {
      Path child = path;
      child.push_back({nullptr, 0, index++});
      add_node(document, child, value.source().begin, value);
    }
  }
}

void set_value(judder_toml_document &document, judder_toml_entry &entry, const toml::node &node) {
  if (node.is_table()) {
    entry.kind = JUDDER_TOML_TABLE;
  } else if (node.is_array()) {
    entry.kind = JUDDER_TOML_LIST;
  } else if (const auto *text = node.as_string()) {
    const std::string &kept = keep(document, text->get());
    entry.kind = JUDDER_TOML_TEXT;
    entry.text = kept.data();
    entry.text_length = kept.size();
  } else if (const auto *integer = node.as_integer()) {
    entry.kind = JUDDER_TOML_INTEGER;
    entry.integer = integer->get();
    entry.number = static_cast<double>(integer->get());
  } else if (const auto *number = node.as_floating_point()) {
    entry.kind = JUDDER_TOML_NUMBER;
    entry.number = number->get();
  } else if (const auto *flag = node.as_boolean()) {
    entry.kind = JUDDER_TOML_FLAG;
    entry.flag = flag->get() ? 1 : 0;
  } else {
    entry.kind = JUDDER_TOML_TIME;
  }
}

void add_node(judder_toml_document &document, const Path &path, const toml::source_position &key,
              const toml::node &node) {
  const Path &kept = document.paths.emplace_back(path);
  const toml::source_position place = node.source().begin;
  judder_toml_entry entry = {};
  entry.steps = kept.data();
  entry.step_count = kept.size();
  entry.key_line = key.line;
  entry.key_column = key.column;
  entry.line = place.line;
  entry.column = place.column;
  set_value(document, entry, node);
  document.entries.push_back(entry);
  if (kept.size() == deepest_path) return;
  add_children(document, path, node);
}

void fail(judder_toml_document &document, std::string_view text, const toml::source_position &place) {
  document.failed = true;
  document.entries.clear();
  document.error = std::string(text);
  document.error_line = place.line;
  document.error_column = place.column;
}

// The library recurses once for each step of a dotted key and bounds only brackets, so that a long enough key would
// exhaust the stack. A key stands on one line: no line has more dots than this, wherever they stand.
constexpr size_t most_dots = 500;

bool has_too_many_dots(judder_toml_document &document, std::string_view text) {
  toml::source_position place = {1, 0};
  size_t dots = 0;
  for (char byte : text) {
    place.column++;
    if (byte == '\n') {
      place.line++;
      place.column = 0;
      dots = 0;
    } else if (byte == '.' && ++dots > most_dots) {
      fail(document, "more than 500 dots in one line", place);
      return true;
    }
  }
  return false;
}

void read(judder_toml_document &document, std::string_view text) {
  if (has_too_many_dots(document, text)) return;
  try {
    const toml::table table = toml::parse(text);
    add_children(document, {}, table);
  } catch (const toml::parse_error &error) {
    fail(document, error.description(), error.source().begin);
  } catch (const std::exception &error) {
    fail(document, error.what(), {});
  }
}

}  // namespace

extern "C" {

judder_toml_document *judder_toml_parse(const char *bytes, size_t length) {
  judder_toml_document *document = new (std::nothrow) judder_toml_document;
  if (document == nullptr) return nullptr;
  try {
    read(*document, std::string_view(bytes, length));
    return document;
  } catch (...) {
    delete document;
    return nullptr;
  }
}

void judder_toml_free(judder_toml_document *document) { delete document; }

const char *judder_toml_error(const judder_toml_document *document, uint32_t *line, uint32_t *column) {
  if (!document->failed) return nullptr;
  *line = document->error_line;
  *column = document->error_column;
  return document->error.c_str();
}

size_t judder_toml_count(const judder_toml_document *document) { return document->entries.size(); }

const judder_toml_entry *judder_toml_entry_at(const judder_toml_document *document, size_t index) {
  return index < document->entries.size() ? &document->entries[index] : nullptr;
}
}
