// The yardstick of the motion benchmark: the arithmetic of NodeLogic's motion part, written down in C without a thought
// for anything else, to know what it costs at the least.
#ifndef JUDDER_YARDSTICK_H
#define JUDDER_YARDSTICK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct { double x, y, z; } vector;

typedef struct { double time; vector g; bool clipped; } sample;

// One-pole smoothing whose weight follows the spacing of the samples.
typedef struct { double rate, last_step, last_weight; } smoothing;

typedef struct { bool known; vector value; smoothing smoothing; } gravity;

typedef struct { int side, count; double first, last; } reversals;

typedef struct {
  gravity gravity;
  vector linear;
  smoothing band, envelope, rising, falling;
  double energy, background, start, last_active, peak, energy_sum, cav, first_time, last_time, began;
  bool has_background, has_start, has_time;
  reversals axis[3];
  enum { IDLE, ACTIVE, LATCHED } state;
  int shakes;
} detector;

typedef struct {
  double period, last_time, spacings[16], averaged;
  int count, missed;
  bool has_time;
} rate;

typedef struct {
  gravity gravity;
  int face, candidate, changes;
  double since;
} orientation;

typedef struct {
  gravity gravity;
  smoothing watch_smoothing;
  double watch, last_time;
  bool has_time, open, stretched;
  double noise_floor, noise_elapsed, noise_sum;
  int noise_count;
  double start, end, square_sum, largest_square;
  int count, missed, clipped, user_count, windows;
  vector raw_sum, gravity_sum, smallest, largest;
} window;

typedef struct { detector detector; rate rate; orientation orientation; window window; } motion;

void motion_init(motion *m);
void motion_feed(motion *m, sample s);

// Answers the scan at `bytes` as a sample.
sample decode(const uint8_t *bytes);
enum { SCAN_BYTES = 16 };

#endif
