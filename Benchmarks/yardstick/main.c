// yardstick make RATE_HZ SECONDS AMPLITUDE_G >SCANS   writes scans: rest, and every 10 s a shake of 0.8 s
// yardstick run SCANS RATE_HZ                         the benchmark's work in C
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "yardstick.h"

// 1 mg a count, in 12 bits, left-justified in 16.
static void put(uint8_t *bytes, double g) {
  unsigned bits = (unsigned)(lround(g * 1000) & 0xfff) << 4;
  bytes[0] = (uint8_t)(bits & 0xff);
  bytes[1] = (uint8_t)(bits >> 8);
}

static int make(double rate_hz, double seconds, double amplitude) {
  uint32_t state = 1;
  for (long n = 1; n <= lround(seconds * rate_hz); n++) {
    double time = (double)n / rate_hz, phase = fmod(time, 10) - 5, noise[3];
    for (int i = 0; i < 3; i++) {
      state = state * 1664525u + 1013904223u;
      noise[i] = ((state >> 8) / 8388608.0 - 1) * 0.003;
    }
    double shaken = phase >= 0 && phase < 0.8 ? amplitude * sin(2 * M_PI * 4 * phase) : 0;
    uint8_t scan[SCAN_BYTES] = {0};
    put(scan, 0.012 + shaken + noise[0]);
    put(scan + 2, -0.034 + noise[1]);
    put(scan + 4, 1 + noise[2]);
    // A few microseconds early or late, as an interrupt is.
    int64_t stamp = llround(time * 1e9 + noise[0] * 1e6);
    memcpy(scan + 8, &stamp, sizeof stamp);
    if (fwrite(scan, sizeof scan, 1, stdout) != 1) return 1;
  }
  return 0;
}

static double counts(const uint8_t *bytes, bool *at_end) {
  int16_t stored;
  memcpy(&stored, bytes, sizeof stored);
  int count = stored >> 4;
  *at_end |= count == -2048 || count == 2047;
  return count;
}

sample decode(const uint8_t *bytes) {
  sample s = {.clipped = false};
  int64_t stamp;
  memcpy(&stamp, bytes + 8, sizeof stamp);
  s.time = (double)stamp * 1e-9;
  static const double scale = 0.009806, standard_gravity = 9.80665, full_scale = 2047 * 0.009806 / 9.80665;
  static volatile const double mount[3][3] = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}};
  double x = counts(bytes, &s.clipped) * scale / standard_gravity;
  double y = counts(bytes + 2, &s.clipped) * scale / standard_gravity;
  double z = counts(bytes + 4, &s.clipped) * scale / standard_gravity;
  s.g.x = mount[0][0] * x + mount[0][1] * y + mount[0][2] * z;
  s.g.y = mount[1][0] * x + mount[1][1] * y + mount[1][2] * z;
  s.g.z = mount[2][0] * x + mount[2][1] * y + mount[2][2] * z;
  double limit = 0.99 * full_scale;
  s.clipped |= fabs(x) >= limit || fabs(y) >= limit || fabs(z) >= limit;
  return s;
}

static int run(const char *path, double rate_hz) {
  int file = open(path, O_RDONLY);
  if (file < 0) return 1;
  size_t batch = (size_t)fmax(1, floor(rate_hz / 5)) * SCAN_BYTES;
  uint8_t *bytes = malloc(batch);
  static motion motion;
  motion_init(&motion);
  long samples = 0;
  for (ssize_t length; (length = read(file, bytes, batch)) > 0;) {
    for (ssize_t offset = 0; offset + SCAN_BYTES <= length; offset += SCAN_BYTES, samples++) {
      motion_feed(&motion, decode(bytes + offset));
    }
  }
  free(bytes);
  printf("samples %ld shakes %d orientations %d windows %d\n", samples, motion.detector.shakes,
         motion.orientation.changes, motion.window.windows);
  return 0;
}

int main(int count, char **arguments) {
  if (count == 5 && !strcmp(arguments[1], "make")) {
    return make(atof(arguments[2]), atof(arguments[3]), atof(arguments[4]));
  }
  if (count == 4 && !strcmp(arguments[1], "run")) return run(arguments[2], atof(arguments[3]));
  fputs("usage: yardstick make RATE_HZ SECONDS AMPLITUDE_G | run SCANS RATE_HZ\n", stderr);
  return 64;
}
