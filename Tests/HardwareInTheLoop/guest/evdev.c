// An input device like those of drivers/input/misc (adxl34x, mma8450): ABS_X, ABS_Y, ABS_Z and nothing else.
#include <fcntl.h>
#include <linux/uinput.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "devices.h"

// Counts a g, as the input protocol defines `resolution` for INPUT_PROP_ACCELEROMETER.
enum { COUNTS_PER_G = 256, RANGE_G = 16 };

static int create(const char *name) {
  int device = open("/dev/uinput", O_WRONLY);
  if (device < 0) give_up("/dev/uinput");
  ioctl(device, UI_SET_EVBIT, EV_ABS);
  ioctl(device, UI_SET_PROPBIT, INPUT_PROP_ACCELEROMETER);
  for (int axis = ABS_X; axis <= ABS_Z; axis++) {
    struct uinput_abs_setup setup = {.code = (__u16)axis};
    setup.absinfo.minimum = -RANGE_G * COUNTS_PER_G;
    setup.absinfo.maximum = RANGE_G * COUNTS_PER_G - 1;
    setup.absinfo.resolution = COUNTS_PER_G;
    ioctl(device, UI_SET_ABSBIT, axis);
    if (ioctl(device, UI_ABS_SETUP, &setup) < 0) give_up("UI_ABS_SETUP");
  }
  struct uinput_setup setup = {.id = {.bustype = BUS_I2C}};
  snprintf(setup.name, sizeof setup.name, "%s", name);
  if (ioctl(device, UI_DEV_SETUP, &setup) < 0 || ioctl(device, UI_DEV_CREATE) < 0) give_up("UI_DEV_CREATE");
  return device;
}

static void send(int device, struct vector g) {
  const double axes[] = {g.x, g.y, g.z};
  struct input_event events[4];
  memset(events, 0, sizeof events);
  for (int axis = 0; axis < 3; axis++) {
    events[axis].type = EV_ABS;
    events[axis].code = (__u16)(ABS_X + axis);
    events[axis].value = (int)lround(axes[axis] * COUNTS_PER_G);
  }
  events[3].type = EV_SYN;
  events[3].code = SYN_REPORT;
  if (write(device, events, sizeof events) != sizeof events) give_up("write");
}

int run_evdev(struct options *options) {
  int device = create(options->name);
  double start = now_s();
  double time;
  long sent = 0;
  for (; (time = (double)sent / options->rate_hz) < options->duration_s; sent++) {
    sleep_until(start + time);
    send(device, motion_at(&options->motion, time));
  }
  ioctl(device, UI_DEV_DESTROY);
  close(device);
  printf("sent %ld\n", sent);
  return 0;
}
