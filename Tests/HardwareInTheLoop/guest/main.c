// Emulated accelerometers for the kernel's real drivers: the stimulus of the hardware-in-the-loop test.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "devices.h"

static const char usage[] =
    "usage: devices [OPTION]... lis3dh BUS ADDRESS | hid | evdev\n"
    "  -r HZ               readings a second (100)\n"
    "  -t S                how long the device exists (10)\n"
    "  -s AT,LENGTH,HZ,G   a shake along x; may be repeated\n"
    "  -q FROM,TO          from when to when it says nothing (hid)\n"
    "  -d N                every Nth reading gets lost (hid)\n"
    "  -l EVERY,FOR        every so often it delivers late, after so long (hid)\n"
    "  -c                  readings carry the sensor's own time (hid)\n"
    "  -n NAME             its name (evdev)\n";

double now_s(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void sleep_until(double time_s) {
  struct timespec time = {.tv_sec = (time_t)time_s};
  time.tv_nsec = (long)((time_s - (double)time.tv_sec) * 1e9);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) continue;
}

void give_up(const char *what) {
  fprintf(stderr, "devices: %s: %s\n", what, strerror(errno));
  exit(1);
}

static int refuse(void) {
  fputs(usage, stderr);
  return 64;
}

int main(int count, char **arguments) {
  struct options options = {
      .rate_hz = 100, .duration_s = 10, .silent_from_s = 1e9, .silent_to_s = 1e9, .name = "judder test"};
  int option;
  while ((option = getopt(count, arguments, "r:t:s:q:d:l:n:c")) != -1) {
    switch (option) {
      case 'r': options.rate_hz = atof(optarg); break;
      case 't': options.duration_s = atof(optarg); break;
      case 'c': options.stamps = 1; break;
      case 'd': options.lose_every = atol(optarg); break;
      case 'n': options.name = optarg; break;
      case 's':
        if (!motion_add_shake(&options.motion, optarg)) return refuse();
        break;
      case 'q':
        if (sscanf(optarg, "%lf,%lf", &options.silent_from_s, &options.silent_to_s) != 2) return refuse();
        break;
      case 'l':
        if (sscanf(optarg, "%lf,%lf", &options.late_every_s, &options.late_for_s) != 2) return refuse();
        break;
      default: return refuse();
    }
  }
  if (optind >= count || options.rate_hz <= 0) return refuse();
  const char *kind = arguments[optind];
  if (!strcmp(kind, "hid")) return run_hid(&options);
  if (!strcmp(kind, "evdev")) return run_evdev(&options);
  if (strcmp(kind, "lis3dh") || optind + 2 >= count) return refuse();
  return run_lis3dh(&options, atoi(arguments[optind + 1]), (int)strtol(arguments[optind + 2], NULL, 0));
}
