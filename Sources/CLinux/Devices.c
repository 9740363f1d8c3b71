#define _GNU_SOURCE
#include "Devices.h"

#include <fcntl.h>
#include <linux/iio/events.h>
#include <linux/input.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

int judder_input_axis(int descriptor, int axis, struct judder_axis_state *answer) {
  struct input_absinfo info;
  if (ioctl(descriptor, EVIOCGABS(axis), &info) < 0) return -1;
  answer->value = info.value;
  answer->minimum = info.minimum;
  answer->maximum = info.maximum;
  answer->fuzz = info.fuzz;
  answer->flat = info.flat;
  answer->resolution = info.resolution;
  return 0;
}

int judder_input_monotonic(int descriptor) {
  int clock = CLOCK_MONOTONIC;
  return ioctl(descriptor, EVIOCSCLOCKID, &clock) < 0 ? -1 : 0;
}

int judder_iio_events(int descriptor) {
  int events = -1;
  if (ioctl(descriptor, IIO_GET_EVENT_FD_IOCTL, &events) < 0) return -1;
  // The kernel gives it with O_RDONLY and O_CLOEXEC, and blocking.
  int flags = fcntl(events, F_GETFL);
  if (flags < 0 || fcntl(events, F_SETFL, flags | O_NONBLOCK) < 0) {
    close(events);
    return -1;
  }
  return events;
}
