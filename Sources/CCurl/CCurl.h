#include <curl/curl.h>

// curl_easy_setopt(3) and curl_easy_getinfo(3) are variadic, which Swift cannot call. Each answers as those do.

static inline CURLcode judder_curl_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode judder_curl_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode judder_curl_headers(CURL *handle, struct curl_slist *headers) {
  return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

/// A body of any bytes, which libcurl copies.
static inline CURLcode judder_curl_body(CURL *handle, const void *bytes, long count) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, count);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes);
}

/// Where the answer goes, and libcurl's words for what went wrong (CURL_ERROR_SIZE bytes).
static inline CURLcode judder_curl_answer(CURL *handle, curl_write_callback take, void *context, char *error) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, error);
}

/// The status of the answer; 0: there is none.
static inline long judder_curl_status(CURL *handle) {
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

/// What the header Retry-After asks for, in seconds; 0: nothing.
static inline long long judder_curl_retry_after(CURL *handle) {
  curl_off_t seconds = 0;
  curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds);
  return seconds;
}

/// The result of a transfer that is done; -1: there is none yet.
static inline int judder_curl_result(CURLM *multi) {
  int left = 0;
  CURLMsg *message = curl_multi_info_read(multi, &left);
  return message && message->msg == CURLMSG_DONE ? (int)message->data.result : -1;
}
