#include <microhttpd.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

// MHD_start_daemon(3) and MHD_get_connection_info(3) are variadic, which Swift cannot call; and it has other names for
// the constants, which depend on the header's version.

/// The connection is to be closed.
static const enum MHD_Result judder_http_closed = MHD_NO;

/// Its own words, on standard error, would not be those of the log.
static inline void judder_http_say_nothing(void *context, const char *format, va_list arguments) {
  (void)context, (void)format, (void)arguments;
}

/// One thread that serves a socket that listens already, and closes it in the end. Answers NULL when it cannot be
/// started.
///
/// - connections: open at one time at the most; further ones are closed at once.
/// - memory: of each connection, for what the client sends [bytes].
/// - idle: a connection on which nothing happens for so long is closed [s].
/// - notify: told of each connection that begins and ends, on that thread.
static inline struct MHD_Daemon *judder_http_start(
    int listener, MHD_AccessHandlerCallback answer, MHD_NotifyConnectionCallback notify, void *context,
    unsigned int connections, size_t memory, unsigned int idle) {
  return MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_USE_ERROR_LOG, 0, NULL, NULL, answer, context,
      MHD_OPTION_EXTERNAL_LOGGER, judder_http_say_nothing, NULL,
      MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, connections,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_CONNECTION_TIMEOUT, idle,
      MHD_OPTION_NOTIFY_CONNECTION, notify, context, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

/// The descriptor of a connection; -1 when there is none.
static inline int judder_http_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/// Whether a connection begins or ends.
static inline bool judder_http_begins(enum MHD_ConnectionNotificationCode code) {
  return code == MHD_CONNECTION_NOTIFY_STARTED;
}

/// A response with a copy of these bytes; NULL when there is no memory.
static inline struct MHD_Response *judder_http_response(const void *bytes, size_t count) {
  return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

/// The value of a header of the request; NULL when there is none.
static inline const char *judder_http_header(struct MHD_Connection *connection, const char *name) {
  return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}
