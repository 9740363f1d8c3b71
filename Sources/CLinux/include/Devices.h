// What sensors' device nodes answer to ioctl(2), whose requests are macros that Swift does not see.
#ifndef CLINUX_DEVICES_H
#define CLINUX_DEVICES_H

#include <stdint.h>

/// `struct input_absinfo` of linux/input.h.
struct judder_axis_state {
  int32_t value, minimum, maximum, fuzz, flat, resolution;
};

/// What an input device says of an absolute axis (ABS_X is 0): EVIOCGABS. 0, or -1 with errno.
int judder_input_axis(int descriptor, int axis, struct judder_axis_state *answer);

/// Makes an input device stamp its events by CLOCK_MONOTONIC: EVIOCSCLOCKID. 0, or -1 with errno.
int judder_input_monotonic(int descriptor);

/// A descriptor that reads the events of an IIO device, non-blocking and closed on exec: IIO_GET_EVENT_FD_IOCTL on its
/// character device. -1 with errno on failure.
int judder_iio_events(int descriptor);

#endif
