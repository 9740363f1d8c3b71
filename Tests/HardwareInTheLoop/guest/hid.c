// A HID sensor hub with a 3-axis accelerometer, behind /dev/uhid. The kernel's hid-sensor-hub and hid-sensor-accel-3d
// make an IIO device of it whose buffer needs no other trigger.
//
// Usages are those of the HID Usage Tables, page Sensors (0x20).
#include <fcntl.h>
#include <linux/input.h>
#include <linux/uhid.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "devices.h"

#define ITEM8(tag, value) (tag) | 1, (value) & 0xff
#define ITEM16(tag, value) (tag) | 2, (value) & 0xff, ((value) >> 8) & 0xff
#define ITEM32(tag, value) (tag) | 3, (value) & 0xff, (value) >> 8 & 0xff, (value) >> 16 & 0xff, (value) >> 24 & 0xff
enum {
  USAGE_PAGE = 0x04, USAGE = 0x08, LOGICAL_MINIMUM = 0x14, LOGICAL_MAXIMUM = 0x24, UNIT_EXPONENT = 0x54,
  REPORT_SIZE = 0x74, INPUT = 0x80, REPORT_ID = 0x84, REPORT_COUNT = 0x94, COLLECTION = 0xa0, FEATURE = 0xb0,
  END_COLLECTION = 0xc0,
  PHYSICAL = 0, LOGICAL = 2, ARRAY = 0, VARIABLE = 2,
  MICRO = 0x0a, MILLI = 0x0d, HUNDREDTH = 0x0e,
};
// One byte that names one of the usages in the logical collection that it opens.
#define CHOICE(usage, last) \
  ITEM16(USAGE, usage), ITEM8(LOGICAL_MINIMUM, 0), ITEM8(LOGICAL_MAXIMUM, last), ITEM8(REPORT_SIZE, 8), \
      ITEM8(REPORT_COUNT, 1), ITEM8(COLLECTION, LOGICAL)
#define OPTIONS3(first) ITEM16(USAGE, first), ITEM16(USAGE, (first) + 1), ITEM16(USAGE, (first) + 2)
#define OPTIONS6(first) OPTIONS3(first), OPTIONS3((first) + 3)
#define AXIS(usage) \
  ITEM16(USAGE, usage), ITEM16(LOGICAL_MINIMUM, -32768), ITEM16(LOGICAL_MAXIMUM, 32767), ITEM8(REPORT_SIZE, 16), \
      ITEM8(REPORT_COUNT, 1), ITEM8(UNIT_EXPONENT, MILLI), ITEM8(INPUT, VARIABLE)

static const __u8 descriptor[] = {
    ITEM8(USAGE_PAGE, 0x20), ITEM8(USAGE, 0x73), ITEM8(COLLECTION, PHYSICAL), ITEM8(REPORT_ID, 1),
    // What the host sets: connection, reporting, power, state, interval [ms], sensitivity [g/100].
    CHOICE(0x0309, 2), OPTIONS3(0x0830), ITEM8(FEATURE, ARRAY), END_COLLECTION,
    CHOICE(0x0316, 5), OPTIONS6(0x0840), ITEM8(FEATURE, ARRAY), END_COLLECTION,
    CHOICE(0x0319, 5), OPTIONS6(0x0850), ITEM8(FEATURE, ARRAY), END_COLLECTION,
    CHOICE(0x0201, 6), OPTIONS6(0x0800), ITEM16(USAGE, 0x0806), ITEM8(FEATURE, ARRAY), END_COLLECTION,
    ITEM16(USAGE, 0x030e), ITEM8(LOGICAL_MINIMUM, 0), ITEM32(LOGICAL_MAXIMUM, 0x7fffffff), ITEM8(REPORT_SIZE, 32),
    ITEM8(REPORT_COUNT, 1), ITEM8(UNIT_EXPONENT, 0), ITEM8(FEATURE, VARIABLE),
    ITEM16(USAGE, 0x1452), ITEM8(LOGICAL_MINIMUM, 0), ITEM32(LOGICAL_MAXIMUM, 0xffff), ITEM8(REPORT_SIZE, 16),
    ITEM8(REPORT_COUNT, 1), ITEM8(UNIT_EXPONENT, HUNDREDTH), ITEM8(FEATURE, VARIABLE),
    // What it reports: state, event, the three axes [g/1000].
    CHOICE(0x0201, 6), OPTIONS6(0x0800), ITEM16(USAGE, 0x0806), ITEM8(INPUT, ARRAY), END_COLLECTION,
    CHOICE(0x0202, 5), OPTIONS6(0x0810), ITEM8(INPUT, ARRAY), END_COLLECTION,
    AXIS(0x0453), AXIS(0x0454), AXIS(0x0455),
    // The hub's own time [us]. Left out of the descriptor where the kernel is to take the time of arrival.
    ITEM16(USAGE, 0x0529), ITEM8(LOGICAL_MINIMUM, 0), ITEM32(LOGICAL_MAXIMUM, 0x7fffffff), ITEM8(REPORT_SIZE, 32),
    ITEM8(REPORT_COUNT, 2), ITEM8(UNIT_EXPONENT, MICRO), ITEM8(INPUT, VARIABLE),
    END_COLLECTION,
};
enum { STAMP_ITEMS = 3 + 2 + 5 + 2 + 2 + 2 + 2 };

// The feature report as the descriptor lays it out; the numbers are indexes of its choices.
struct __attribute__((packed)) feature {
  __u8 id, connection, reporting, power, state;
  __u32 interval_ms;
  __u16 sensitivity;
};

struct __attribute__((packed)) input {
  __u8 id, state, event;
  __s16 x, y, z;
  __u64 time_us;
};

// The indexes are those that hid-sensor-hub sends; it counts them from 1.
enum { STATE_READY = 1, EVENT_DATA_UPDATED = 3, REPORT_ALL = 2, POWER_FULL = 2 };

struct hub {
  struct options *options;
  int device;
  struct feature feature;
  double start_s;
  long sent, lost;
};

static void tell(struct hub *hub, const struct uhid_event *event) {
  if (write(hub->device, event, sizeof *event) != sizeof *event) give_up("uhid: write");
}

static int is_silent(const struct hub *hub, double time_s) {
  return time_s >= hub->options->silent_from_s && time_s < hub->options->silent_to_s;
}

static int is_reporting(const struct hub *hub) {
  return hub->feature.reporting == REPORT_ALL && hub->feature.power == POWER_FULL;
}

static __u16 input_size(const struct hub *hub) {
  return (__u16)(hub->options->stamps ? sizeof(struct input) : sizeof(struct input) - sizeof(__u64));
}

static struct input reading(struct hub *hub, double time_s) {
  struct vector g = motion_at(&hub->options->motion, time_s);
  struct input input = {.id = 1, .state = STATE_READY, .event = EVENT_DATA_UPDATED};
  input.x = (__s16)lround(g.x * 1000);
  input.y = (__s16)lround(g.y * 1000);
  input.z = (__s16)lround(g.z * 1000);
  input.time_us = (__u64)llround((time_s + 5000) * 1e6);
  return input;
}

static void answer_get(struct hub *hub, const struct uhid_get_report_req *request) {
  double time_s = now_s() - hub->start_s;
  // No answer: the kernel waits for 5 s, and then says 0 and success.
  if (is_silent(hub, time_s) && request->rtype == UHID_INPUT_REPORT) return;
  struct uhid_event event = {.type = UHID_GET_REPORT_REPLY};
  event.u.get_report_reply.id = request->id;
  if (request->rtype == UHID_FEATURE_REPORT) {
    event.u.get_report_reply.size = sizeof hub->feature;
    memcpy(event.u.get_report_reply.data, &hub->feature, sizeof hub->feature);
  } else {
    struct input input = reading(hub, time_s);
    event.u.get_report_reply.size = input_size(hub);
    memcpy(event.u.get_report_reply.data, &input, sizeof input);
  }
  tell(hub, &event);
}

static void answer_set(struct hub *hub, const struct uhid_set_report_req *request) {
  if (request->size <= sizeof hub->feature) memcpy(&hub->feature, request->data, request->size);
  struct uhid_event event = {.type = UHID_SET_REPORT_REPLY};
  event.u.set_report_reply.id = request->id;
  tell(hub, &event);
}

// Answers what the kernel asks until it is time for the next reading.
static void serve_until(struct hub *hub, double time_s) {
  for (;;) {
    double wait_s = time_s - now_s();
    struct timespec wait = {.tv_nsec = wait_s > 0 ? (long)(fmin(wait_s, 0.5) * 1e9) : 0};
    struct pollfd poll = {.fd = hub->device, .events = POLLIN};
    if (ppoll(&poll, 1, &wait, NULL) <= 0) {
      if (now_s() >= time_s) return;
      continue;
    }
    struct uhid_event event;
    if (read(hub->device, &event, sizeof event) <= 0) return;
    if (event.type == UHID_GET_REPORT) answer_get(hub, &event.u.get_report);
    if (event.type == UHID_SET_REPORT) answer_set(hub, &event.u.set_report);
  }
}

// When the reading of a moment is delivered: at once, or with others after it.
static double delivery(const struct hub *hub, double time_s) {
  double every_s = hub->options->late_every_s;
  if (every_s <= 0) return time_s;
  return fmax(time_s, floor(time_s / every_s) * every_s + hub->options->late_for_s);
}

static void send_reading(struct hub *hub, double time_s) {
  if (!is_reporting(hub) || is_silent(hub, time_s)) return;
  struct input input = reading(hub, time_s);
  struct uhid_event event = {.type = UHID_INPUT2};
  event.u.input2.size = input_size(hub);
  memcpy(event.u.input2.data, &input, sizeof input);
  tell(hub, &event);
  hub->sent += 1;
}

static void create(struct hub *hub) {
  hub->device = open("/dev/uhid", O_RDWR);
  if (hub->device < 0) give_up("/dev/uhid");
  struct uhid_event event = {.type = UHID_CREATE2};
  strcpy((char *)event.u.create2.name, "judder test hub");
  event.u.create2.bus = BUS_I2C;
  event.u.create2.vendor = 0x1209;
  event.u.create2.product = 1;
  event.u.create2.rd_size = sizeof descriptor;
  memcpy(event.u.create2.rd_data, descriptor, sizeof descriptor);
  if (!hub->options->stamps) {
    event.u.create2.rd_size -= STAMP_ITEMS;
    event.u.create2.rd_data[event.u.create2.rd_size - 1] = END_COLLECTION;
  }
  tell(hub, &event);
}

int run_hid(struct options *options) {
  struct hub hub = {.options = options, .feature = {.id = 1, .power = POWER_FULL, .state = STATE_READY}};
  hub.feature.interval_ms = 100;
  create(&hub);
  hub.start_s = now_s();
  double time_s;
  for (long n = 0; (time_s = (double)n / options->rate_hz) < options->duration_s; n++) {
    serve_until(&hub, hub.start_s + delivery(&hub, time_s));
    if (options->lose_every > 0 && n % options->lose_every == 0) {
      hub.lost += is_reporting(&hub);
    } else {
      send_reading(&hub, time_s);
    }
  }
  struct uhid_event event = {.type = UHID_DESTROY};
  tell(&hub, &event);
  close(hub.device);
  printf("sent %ld\nlost %ld\n", hub.sent, hub.lost);
  return 0;
}
