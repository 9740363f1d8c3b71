#define _GNU_SOURCE
#include "CTLS.h"

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <time.h>

void *judder_tls_context(int64_t time, int system) {
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  if (context == NULL) {
    return NULL;
  }
  X509_VERIFY_PARAM_set_time(SSL_CTX_get0_param(context), (time_t)time);
  if (system) {
    SSL_CTX_set_default_verify_paths(context);
  }
  return context;
}

void judder_tls_context_release(void *context) { SSL_CTX_free(context); }

long judder_tls_verdict(void *connection) { return SSL_get_verify_result(connection); }

static int seconds(const ASN1_TIME *time, int64_t *seconds) {
  struct tm parts;
  if (time == NULL || ASN1_TIME_to_tm(time, &parts) != 1) {
    return -1;
  }
  *seconds = timegm(&parts);
  return 0;
}

int judder_tls_validity(void *connection, int64_t *from, int64_t *until) {
  // The chain is there as soon as it was shown; SSL_get0_peer_certificate knows only one that has passed.
  STACK_OF(X509) *chain = SSL_get_peer_cert_chain(connection);
  if (chain == NULL || sk_X509_num(chain) < 1) {
    return -1;
  }
  const X509 *certificate = sk_X509_value(chain, 0);
  return seconds(X509_get0_notBefore(certificate), from) == 0 && seconds(X509_get0_notAfter(certificate), until) == 0
             ? 0
             : -1;
}
