#include <sqlite3.h>

/// Takes the log of a damaged database over to nowhere: sqlite3_db_config(3) is variadic, which Swift cannot call.
static inline int judder_sqlite_keep_log(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
