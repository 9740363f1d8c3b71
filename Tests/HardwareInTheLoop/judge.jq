# Judges what the broker received (--rawfile received: arrival, topic, payload by tabs) by what was injected (--rawfile
# console: lines that start with @hil). Gives one line for each scenario, with tabs: name, result, figures, and then the
# expectations that were not met, one a line, after a ">".

# {"hid-200": {"shake": [...], ...}, ...}
def messages:
  reduce ($received | split("\n")[] | select(. != "") | split("\t")) as [$arrival, $topic, $payload] ({};
    ($topic | split("/")) as $levels
    | .[$levels[1]][$levels[2:] | join("/")] += [$payload | fromjson]);

# {"hid-200": {"begin": "3.4", "sent": "1774", "exit": "0"}, "evdev": {"skip": "why"}}
def facts:
  reduce ($console | gsub("\r"; "") | split("\n")[] | select(startswith("@hil ")) | split(" ")) as $words ({};
    if $words[1] == "fact" then .[$words[2]][$words[3]] = ($words[4:] | join(" "))
    elif $words[1] == "end" then .
    else .[$words[2]][$words[1]] = ($words[3:] | join(" ")) end);

def median: sort | if length == 0 then null else .[length / 2 | floor] end;
def total(value): map(value // 0) | add // 0;
def rounded(digits): if . == null then "?" else . * pow(10; digits) | round / pow(10; digits) end;
def near(wanted; share): . != null and (. - wanted | fabs) <= share * wanted;

# A test that fails to work out is not met either.
def expect(what; test): {what: what, met: ((try ([test] | first) catch false) == true)};

# Windows that nothing cut short, without the first: it has the start in it.
def whole: [.acceleration[]? | select(.window_s > 1.5)][1:];
def rate: [whole[].hz] | median;
def missed: .acceleration // [] | total(.missed);
def states: [.health[]?.accelerometer.state];
def began: [.shake[]? | select(.phase == "began")];
def ended: [.shake[]? | select(.phase == "ended")];

# What must hold for every sensor at rest, apart from the shakes.
def presence($device; $source; $hz): [
  expect("status names \($device) from \($source)";
    any(.status[]; .state == "online" and .accelerometer == $device and .source == $source)),
  expect("the rate is within 2 % of \($hz) Hz"; rate | near($hz; 0.02)),
  expect("at rest the sensor reads (0.012, -0.034, 1) g";
    [whole[] | select(.peak_g < 0.1)] | length > 0 and all(.[]; (.g[0] - 0.012 | fabs) < 0.005
      and (.g[1] + 0.034 | fabs) < 0.005 and (.g[2] - 1 | fabs) < 0.005)),
  expect("the agent says that it stops"; .status | last.state == "stopped"),
  expect("the agent ends with 0"; .facts.exit == "0")
];

# 0.8 s of 4 Hz and 1.8 g along x.
def shake: [
  expect("one shake began"; began | length == 1),
  expect("it ended, and was not cancelled"; ended | length == 1),
  expect("nothing else was shaken"; .shake | length == 2),
  expect("its id is the same in both"; began[0].id == ended[0].id),
  expect("it was along x"; ended[0].axis == "x"),
  expect("its peak is 1.4 to 2 g"; ended[0].peak_g | . > 1.4 and . < 2),
  expect("its frequency is within 10 % of 4 Hz"; ended[0].frequency_hz | near(4; 0.1)),
  expect("it lasted 0.5 to 0.9 s"; ended[0].duration_s | . > 0.5 and . < 0.9)
];

def buffered: [
  expect("it is read from the kernel's buffer";
    states | index("running") != null), expect("health names no reason for polling";
    all(.health[] | select(.accelerometer.state == "running"); .accelerometer.polling == null))
];

def unbroken: [
  expect("no gap is told"; [.health[].accelerometer.gaps] | max == 0),
  expect("no sample is told as missing"; missed == 0)
];

# Nothing was lost, and nothing is said to be: what was sent is what was counted, but for the last read, which the
# removal of the sensor may have taken with it.
def complete($hz): unbroken + [
  expect("all samples but those of the last read arrived";
    (.facts.sent | tonumber) - (.acceleration | total(.n)) | . >= 0 and . <= 0.3 * $hz)
];

# The sensor was away: $away must be told, and it must be over at the end.
def recovered($away): [
  expect("health says failed, and why: \($away)";
    any(.health[].accelerometer | select(.state == "failed"); .error | test($away))),
  expect("health says running again"; states | last == "running" and index("failed") != null),
  expect("the interruption is counted as a gap"; .health | last.accelerometer.gaps >= 1)
];

def expectations($name):
  if $name == "lis3dh-polled" then
    presence("lis3dh"; "iio"; 20) + shake + recovered("No such device|no sensor") + [
      expect("health says why it is polled";
        all(.health[].accelerometer | select(.state == "running");
          .polling | test("needs a trigger and there is none")))]
  elif $name == "lis3dh-buffered" then presence("lis3dh"; "iio"; 100) + shake + buffered + unbroken
  elif $name == "hid-200" then presence("accel_3d"; "iio"; 200) + shake + buffered + complete(200)
  elif $name == "hid-1000" or $name == "hid-late" then
    presence("accel_3d"; "iio"; 1000) + shake + buffered + complete(1000)
  elif $name == "hid-lossy" then
    presence("accel_3d"; "iio"; 200 * 36 / 37) + shake + buffered + [
      expect("what was lost is told as missing, but for the last read";
        (.facts.lost | tonumber) - missed | . >= 0 and . <= 2)]
  elif $name == "hid-replug" then
    presence("accel_3d"; "iio"; 200) + shake + buffered + recovered("No such device|no sensor")
  elif $name == "hid-silent" then
    presence("accel_3d"; "iio"; 100) + recovered("a reading took|no scan") + [
      expect("nothing was shaken"; .shake | length == 0),
      expect("the zeros that the kernel answers are not published"; all(.acceleration[]; .g[2] > 0.95))]
  elif $name == "evdev" then presence("judder test"; "evdev"; 100) + shake + unbroken
  else [expect("the scenario is known"; false)] end;

def figures:
  "\(rate | rounded(2)) Hz, n \(.acceleration // [] | total(.n)), missed \(missed), "
  + "gaps \([.health[]?.accelerometer.gaps] | max // "?")"
  + (ended[0] // null | if . == null then "" else
      ", shake \(.peak_g | rounded(2)) g \(.frequency_hz | rounded(1)) Hz \(.duration_s | rounded(2)) s" end)
  + (states | if index("failed") == null then "" else
      ", states \(reduce .[] as $state ([]; if last == $state then . else . + [$state] end) | join(" > "))" end);

messages as $messages
| facts as $facts
| $wanted | split(" ")[] as $name
| (($messages[$name] // {}) + {facts: ($facts[$name] // {})})
| if .facts.begin == null then [$name, "FAIL", "the machine did not come so far"]
  elif .facts.skip != null then [$name, "skip", .facts.skip]
  else
    [expectations($name)[] | select(.met | not) | "> \(.what): no"] as $unmet
    | [$name, (if $unmet == [] then "pass" else "FAIL" end), figures] + $unmet
  end
| join("\t")
