// What an emulated sensor feels: rest with a little noise, and shakes along x at set times.
#ifndef JUDDER_MOTION_H
#define JUDDER_MOTION_H

#include <stdint.h>

enum { MAXIMUM_SHAKES = 8 };

// A sine along x.
struct shake {
  double at_s, length_s, frequency_hz, amplitude_g;
};

struct motion {
  struct shake shakes[MAXIMUM_SHAKES];
  int shake_count;
  uint32_t noise;
};

struct vector {
  double x, y, z;
};

// Adds a shake given as AT,LENGTH,HZ,G; answers 0 when the text is something else.
int motion_add_shake(struct motion *motion, const char *text);

// The specific force [g] at a time [s] since the start. Flat on a table: z = +1.
struct vector motion_at(struct motion *motion, double time_s);

#endif
