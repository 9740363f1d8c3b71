// A LIS3DH on the SMBus of i2c-stub, which is a table of registers: st_accel reads what is written here.
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "devices.h"

enum {
  WHO_AM_I = 0x0f,
  LIS3DH = 0x33,
  OUT_X_L = 0x28,
  // Set in a register's number it asks the chip to go on to the next; i2c-stub takes it for another register, so that
  // what the driver may read with and without it has to stand at both.
  AUTO_INCREMENT = 0x80,
};

static int transfer(int bus, int reg, int size, union i2c_smbus_data *data) {
  struct i2c_smbus_ioctl_data call = {
      .read_write = I2C_SMBUS_WRITE, .command = (__u8)reg, .size = (__u32)size, .data = data};
  return ioctl(bus, I2C_SMBUS, &call);
}

static void set_identity(int bus) {
  union i2c_smbus_data data = {.byte = LIS3DH};
  for (int flag = 0; flag <= AUTO_INCREMENT; flag += AUTO_INCREMENT) {
    if (transfer(bus, WHO_AM_I | flag, I2C_SMBUS_BYTE_DATA, &data) < 0) give_up("WHO_AM_I");
  }
}

// Twelve bits, left-justified, little endian; 1 mg a count at the range of 2 g that the chip starts with.
static void set_axis(__u8 *low, double g) {
  long count = lround(g * 1000);
  if (count > 2047) count = 2047;
  if (count < -2048) count = -2048;
  unsigned bits = (unsigned)(count & 0xfff) << 4;
  low[0] = (__u8)(bits & 0xff);
  low[1] = (__u8)(bits >> 8);
}

static void set_reading(int bus, struct vector g) {
  union i2c_smbus_data data;
  data.block[0] = 6;
  set_axis(&data.block[1], g.x);
  set_axis(&data.block[3], g.y);
  set_axis(&data.block[5], g.z);
  for (int flag = 0; flag <= AUTO_INCREMENT; flag += AUTO_INCREMENT) {
    if (transfer(bus, OUT_X_L | flag, I2C_SMBUS_I2C_BLOCK_DATA, &data) < 0) give_up("OUT_X_L");
  }
}

int run_lis3dh(struct options *options, int number, int address) {
  char path[32];
  snprintf(path, sizeof path, "/dev/i2c-%d", number);
  int bus = open(path, O_RDWR);
  if (bus < 0) give_up(path);
  // Forced, because the driver holds the address.
  if (ioctl(bus, I2C_SLAVE_FORCE, (unsigned long)address) < 0) give_up("I2C_SLAVE_FORCE");
  set_identity(bus);
  double start = now_s();
  double time;
  for (long n = 0; (time = (double)n / options->rate_hz) < options->duration_s; n++) {
    sleep_until(start + time);
    set_reading(bus, motion_at(&options->motion, time));
  }
  close(bus);
  return 0;
}
