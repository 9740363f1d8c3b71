// Filters, shake detector, orientation, rate and windows; each part does what the type of the same name in
// Sources/NodeLogic/Motion does, with the values of the preset handheld.
#include <math.h>
#include <stdlib.h>

#include "yardstick.h"

static const double on_g = 0.7, level_ratio = 0.8, snr = 2, reversal_gap = 0.35, hold = 0.3, longest = 1, rearm = 1;
static const double largest_gap = 0.25, warm_up = 0.75;
static const int needed_reversals = 3;

static double weight(smoothing *s, double step) {
  if (fabs(step - s->last_step) > 1e-9 * step) {
    s->last_step = step;
    s->last_weight = 1 - exp(-s->rate * step);
  }
  return s->last_weight;
}

static smoothing corner(double hz) { return (smoothing){.rate = 2 * M_PI * hz, .last_step = -1}; }
static smoothing over(double seconds) { return (smoothing){.rate = 1 / seconds, .last_step = -1}; }

static vector add(vector a, vector b) { return (vector){a.x + b.x, a.y + b.y, a.z + b.z}; }
static vector less(vector a, vector b) { return (vector){a.x - b.x, a.y - b.y, a.z - b.z}; }
static vector times(vector a, double k) { return (vector){a.x * k, a.y * k, a.z * k}; }
static double square_of(vector a) { return a.x * a.x + a.y * a.y + a.z * a.z; }

static vector gravity_feed(gravity *f, vector g, double step) {
  f->value = f->known ? add(f->value, times(less(g, f->value), weight(&f->smoothing, step))) : g;
  f->known = true;
  return f->value;
}

static void reversals_feed(reversals *r, double value, double level, double now) {
  int side = value > level ? 1 : value < -level ? -1 : 0;
  if (side == 0 || side == r->side) return;
  if (r->side != 0 && now - r->last <= reversal_gap) {
    r->count += 1;
  } else {
    r->count = 0;
    r->first = now;
  }
  r->last = now;
  r->side = side;
}

static void clear(detector *d) {
  d->has_start = false;
  d->last_active = -INFINITY;
  d->peak = d->energy_sum = d->cav = 0;
  for (int i = 0; i < 3; i++) d->axis[i] = (reversals){.last = -INFINITY};
}

static const reversals *busiest(const detector *d) {
  const reversals *a = d->axis;
  if (a[0].count >= a[1].count && a[0].count >= a[2].count) return &a[0];
  return a[1].count >= a[2].count ? &a[1] : &a[2];
}

static void decide(detector *d, double now, double level) {
  double quiet = now - d->last_active;
  switch (d->state) {
    case IDLE:
      if (!d->has_start) return;
      if (quiet > hold) {
        clear(d);
        return;
      }
      if (d->energy <= level * level || busiest(d)->count < needed_reversals) return;
      d->state = ACTIVE;
      d->began = now;
      d->start = busiest(d)->first;
      d->shakes += 1;
      return;
    case ACTIVE:
      if (quiet > hold || d->last_active - d->began > longest) d->state = LATCHED;
      return;
    case LATCHED:
      if (quiet <= rearm) return;
      d->state = IDLE;
      clear(d);
  }
}

static void detector_feed(detector *d, vector g, double now) {
  double step = d->has_time ? now - d->last_time : 0;
  d->has_time = true;
  d->last_time = now;
  if (step > largest_gap) {
    d->gravity.known = false;
    d->linear = (vector){0, 0, 0};
    d->energy = 0;
    d->state = IDLE;
    clear(d);
  }
  if (!d->gravity.known) {
    gravity_feed(&d->gravity, g, 0);
    d->first_time = now;
    return;
  }
  vector quick = less(g, gravity_feed(&d->gravity, g, step));
  d->linear = add(d->linear, times(less(quick, d->linear), weight(&d->band, step)));
  double square = square_of(d->linear);
  d->energy += weight(&d->envelope, step) * (square - d->energy);
  bool warm = now - d->first_time >= warm_up;
  if (!d->has_background) {
    if (warm) d->background = d->energy;
    d->has_background = warm;
    return;
  }
  if (d->state != ACTIVE) {
    double w = weight(d->energy > d->background ? &d->rising : &d->falling, step);
    d->background += w * (d->energy - d->background);
  }
  if (!warm) return;
  double length = sqrt(square), on = fmax(on_g, snr * sqrt(d->background)), level = level_ratio * on;
  reversals_feed(&d->axis[0], d->linear.x, level, now);
  reversals_feed(&d->axis[1], d->linear.y, level, now);
  reversals_feed(&d->axis[2], d->linear.z, level, now);
  if (length > level) {
    if (!d->has_start) d->start = now;
    d->has_start = true;
    d->last_active = now;
  }
  if (d->has_start) {
    d->peak = fmax(d->peak, length);
    d->energy_sum += square * step;
    d->cav += length * step;
  }
  decide(d, now, on);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void close_block(rate *r) {
  qsort(r->spacings, (size_t)r->count, sizeof *r->spacings, ascending);
  double median = r->spacings[r->count / 2], sum = 0, count = 0;
  for (int i = 0; i < r->count; i++) {
    if (r->spacings[i] < 0.5 * median || r->spacings[i] > 1.5 * median) continue;
    sum += r->spacings[i];
    count += 1;
  }
  r->count = 0;
  double block = sum / count;
  if (r->period > 0 && fabs(block - r->period) <= 0.25 * r->period) {
    r->averaged = fmin(r->averaged + count, 256);
    r->period += (block - r->period) * (count / r->averaged);
  } else {
    r->averaged = count;
    r->period = block;
  }
}

static int rate_feed(rate *r, double now) {
  double spacing = now - r->last_time;
  bool first = !r->has_time;
  r->has_time = true;
  r->last_time = now;
  if (first) return 0;
  int missed = r->period > 0 && spacing > 1.5 * r->period ? (int)(round(spacing / r->period) - 1) : 0;
  r->spacings[r->count++] = spacing;
  if (r->count == 16 || (r->period == 0 && r->count == 4)) close_block(r);
  return missed;
}

static double angle_deg(vector up, int face) {
  const double axes[] = {up.x, up.y, up.z};
  double cosine = face % 2 ? -axes[face / 2] : axes[face / 2];
  return acos(fmin(1, fmax(-1, cosine))) * (180 / M_PI);
}

static int nearest_face(vector up) {
  double x = fabs(up.x), y = fabs(up.y), z = fabs(up.z);
  if (x >= y && x >= z) return up.x >= 0 ? 0 : 1;
  if (y >= z) return up.y >= 0 ? 2 : 3;
  return up.z >= 0 ? 4 : 5;
}

static void orientation_feed(orientation *o, vector g, double now, double step, bool shaking) {
  vector down = gravity_feed(&o->gravity, g, step);
  double strength = sqrt(square_of(down));
  int candidate = o->candidate;
  o->candidate = -1;
  if (shaking || strength <= 0.1 || fabs(strength - 1) > 0.15) return;
  vector up = times(down, 1 / strength);
  int best = nearest_face(up);
  if (best == o->face || angle_deg(up, best) > 35) return;
  if (o->face >= 0 && angle_deg(up, o->face) < 55) return;
  if (candidate != best) o->since = now;
  if (now - o->since >= 0.5) {
    o->face = best;
    o->changes += 1;
  } else {
    o->candidate = best;
  }
}

static bool is_resting(const window *w) {
  if (w->noise_floor < 0 || w->noise_floor > 0.01 || w->user_count == 0) return false;
  double level = 2 * fmax(w->noise_floor, 0.0001);
  return w->watch < level * level && (w->stretched || sqrt(w->square_sum / w->user_count) < level);
}

static void close_before(window *w, double next) {
  if (!w->open || next - w->start < 10) return;
  if (is_resting(w)) {
    w->stretched = true;
    if (next - w->start < 300) return;
  }
  w->open = false;
  w->windows += 1;
}

static void noise_feed(window *w, double square, double step) {
  w->noise_count += 1;
  w->noise_elapsed += step;
  w->noise_sum += square;
  if (w->noise_elapsed < 10 || w->noise_count < 8) return;
  double rms = sqrt(w->noise_sum / w->noise_count);
  if (w->noise_floor < 0 || rms < w->noise_floor) w->noise_floor = rms;
  w->noise_count = 0;
  w->noise_elapsed = w->noise_sum = 0;
}

static void window_open(window *w, sample s) {
  w->open = true;
  w->stretched = false;
  w->start = s.time;
  w->smallest = w->largest = s.g;
  w->count = w->missed = w->clipped = w->user_count = 0;
  w->square_sum = w->largest_square = 0;
  w->raw_sum = w->gravity_sum = (vector){0, 0, 0};
}

static void window_feed(window *w, sample s, int missed, double period) {
  double step = w->has_time ? s.time - w->last_time : 0;
  w->has_time = true;
  w->last_time = s.time;
  bool known = w->gravity.known;
  vector down = gravity_feed(&w->gravity, s.g, step);
  double square = square_of(less(s.g, down));
  if (known) {
    noise_feed(w, square, step);
    w->watch += fmin(weight(&w->watch_smoothing, step), 0.125) * (square - w->watch);
  }
  close_before(w, s.time);
  if (!w->open) window_open(w, s);
  w->end = s.time;
  w->count += 1;
  w->missed += missed;
  w->clipped += s.clipped;
  w->raw_sum = add(w->raw_sum, s.g);
  w->gravity_sum = add(w->gravity_sum, down);
  w->smallest = (vector){fmin(w->smallest.x, s.g.x), fmin(w->smallest.y, s.g.y), fmin(w->smallest.z, s.g.z)};
  w->largest = (vector){fmax(w->largest.x, s.g.x), fmax(w->largest.y, s.g.y), fmax(w->largest.z, s.g.z)};
  if (known) {
    w->user_count += 1;
    w->square_sum += square;
    w->largest_square = fmax(w->largest_square, square);
  }
  if (period > 0) close_before(w, s.time + 1.5 * period);
}

void motion_init(motion *m) {
  *m = (motion){0};
  detector *d = &m->detector;
  d->gravity.smoothing = corner(0.7);
  d->band = corner(15);
  d->envelope = over(0.1);
  d->rising = over(20);
  d->falling = over(20.0 / 4);
  clear(d);
  m->orientation.gravity.smoothing = corner(0.7);
  m->orientation.face = m->orientation.candidate = -1;
  m->window.gravity.smoothing = corner(0.7);
  m->window.watch_smoothing = over(0.25);
  m->window.noise_floor = -1;
}

void motion_feed(motion *m, sample s) {
  if (!isfinite(s.time) || fabs(s.g.x) >= 1e5 || fabs(s.g.y) >= 1e5 || fabs(s.g.z) >= 1e5) return;
  double step = m->rate.has_time ? s.time - m->rate.last_time : 0;
  if (m->rate.has_time && step <= 0) return;
  int missed = rate_feed(&m->rate, s.time);
  detector_feed(&m->detector, s.g, s.time);
  orientation_feed(&m->orientation, s.g, s.time, step, m->detector.state == ACTIVE);
  window_feed(&m->window, s, missed, m->rate.period);
}
