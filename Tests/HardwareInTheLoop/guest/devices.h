// The emulated sensors, and the time that they share.
#ifndef JUDDER_DEVICES_H
#define JUDDER_DEVICES_H

#include "motion.h"

struct options {
  // Readings a second.
  double rate_hz;
  // How long the device exists.
  double duration_s;
  // From when to when it is there and says nothing; none by default.
  double silent_from_s, silent_to_s;
  // Every so manieth reading gets lost; none by default.
  long lose_every;
  // Every so often nothing is delivered for a while, and then all at once; never by default.
  double late_every_s, late_for_s;
  // Readings carry the time at which they were taken.
  int stamps;
  const char *name;
  struct motion motion;
};

// Seconds of CLOCK_MONOTONIC.
double now_s(void);
// Waits until CLOCK_MONOTONIC reads so many seconds.
void sleep_until(double time_s);
// Prints "DEVICE: what: why" on standard error and ends the program.
void give_up(const char *what) __attribute__((noreturn));

// A LIS3DH whose registers i2c-stub holds.
int run_lis3dh(struct options *options, int bus, int address);
// A HID sensor hub with one 3-axis accelerometer, through /dev/uhid.
int run_hid(struct options *options);
// An input device with ABS_X, ABS_Y and ABS_Z, through /dev/uinput.
int run_evdev(struct options *options);

#endif
