// TOML as a flat list of values with their places; a C face over toml++.
#ifndef CTOML_H
#define CTOML_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum judder_toml_kind {
  JUDDER_TOML_TEXT,
  JUDDER_TOML_INTEGER,
  JUDDER_TOML_NUMBER,
  JUDDER_TOML_FLAG,
  /// A date or a time of day.
  JUDDER_TOML_TIME,
  /// [table] or { inline table }; its keys follow as entries of their own.
  JUDDER_TOML_TABLE,
  /// [ list ] or [[array of tables]]; its elements follow as entries of their own, with an index as the last step.
  JUDDER_TOML_LIST,
};

/// One step of a path: a key (any bytes of UTF-8, also empty), or, where `index` >= 0, a place in a list.
struct judder_toml_step {
  const char *key;
  size_t length;
  int64_t index;
};

/// One value. Everything pointed to belongs to the document. Lines and columns count from 1; columns count
/// code points.
struct judder_toml_entry {
  const struct judder_toml_step *steps;
  size_t step_count;
  enum judder_toml_kind kind;
  const char *text;
  size_t text_length;
  int64_t integer;
  double number;
  int flag;
  uint32_t key_line, key_column;
  uint32_t line, column;
};

struct judder_toml_document;

/// Reads a document of `length` bytes. Never throws; NULL only when memory is exhausted. A syntax error is in the
/// answer: see `judder_toml_error`.
struct judder_toml_document *judder_toml_parse(const char *bytes, size_t length);

void judder_toml_free(struct judder_toml_document *document);

/// What is wrong with it, and where; NULL when nothing is. The text belongs to the document.
const char *judder_toml_error(const struct judder_toml_document *document, uint32_t *line, uint32_t *column);

/// Every value below the root, down to 32 steps, a table or list before what it holds, in no promised order otherwise.
size_t judder_toml_count(const struct judder_toml_document *document);
const struct judder_toml_entry *judder_toml_entry_at(const struct judder_toml_document *document, size_t index);

#ifdef __cplusplus
}
#endif
#endif
