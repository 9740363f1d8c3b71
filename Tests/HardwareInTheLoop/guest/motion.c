#include "motion.h"

#include <math.h>
#include <stdio.h>

int motion_add_shake(struct motion *motion, const char *text) {
  struct shake *shake = &motion->shakes[motion->shake_count];
  if (motion->shake_count == MAXIMUM_SHAKES) return 0;
  int fields = sscanf(text, "%lf,%lf,%lf,%lf", &shake->at_s, &shake->length_s, &shake->frequency_hz,
                      &shake->amplitude_g);
  if (fields != 4) return 0;
  motion->shake_count += 1;
  return 1;
}

// -1...1, the same in every run (the constants are those of Numerical Recipes' quick generator).
static double noise(struct motion *motion) {
  motion->noise = motion->noise * 1664525u + 1013904223u;
  return (motion->noise >> 8) / 8388608.0 - 1;
}

struct vector motion_at(struct motion *motion, double time_s) {
  struct vector g = {0.012, -0.034, 1};
  for (int i = 0; i < motion->shake_count; i++) {
    const struct shake *shake = &motion->shakes[i];
    double since = time_s - shake->at_s;
    if (since < 0 || since >= shake->length_s) continue;
    g.x += shake->amplitude_g * sin(2 * M_PI * shake->frequency_hz * since);
  }
  // Two counts of most sensors: what never changes is a fault, not a sensor.
  g.x += 0.002 * noise(motion);
  g.y += 0.002 * noise(motion);
  g.z += 0.002 * noise(motion);
  return g;
}
