// The few calls into OpenSSL that libmosquitto leaves to its user. OpenSSL's own headers stay out of Swift.
#ifndef CTLS_H
#define CTLS_H

#include <stdint.h>

/// A new SSL_CTX for a client, whose certificates are judged by `time` [s since 1970] instead of the system clock; NULL
/// when there is no memory. With `system` other than 0 it trusts the authorities that this system trusts.
void *judder_tls_context(int64_t time, int system);

/// Gives up the caller's hold on an SSL_CTX.
void judder_tls_context_release(void *context);

/// What OpenSSL has against the certificate of the other side of an `SSL *`: an X509_V_ERR_*, or 0 for nothing.
long judder_tls_verdict(void *connection);

/// From when and until when the certificate that the other side of an `SSL *` showed is valid [s since 1970]. 0, or -1
/// when it has shown none, or the dates cannot be read.
int judder_tls_validity(void *connection, int64_t *from, int64_t *until);

#endif
