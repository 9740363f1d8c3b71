/// Inputs that are meant to do harm, or lie at an edge.
enum HostileInputs {
  private static let envelope = #""v":1,"boot":"00c0ffee","t":1796011500.25,"clk":"ntp","up":0.82"#
  private static let event = #""v":1,"boot":"00c0ffee","seq":9007199254740992,"t":0,"clk":"none","up":0"#

  static let json = [
    #"{"a":1,"a":2}"#, #"{"\u0061":1,"a":2}"#, "1e999", "-0", "1e-400", "[" + String(repeating: "[", count: 40),
    #""\ud83d\udef0\u0000\n\\\"é東🛰""#, #""\ud83d""#, "\u{FEFF}{}", "[1,-2.5e-3,1e22,0.1,true,false,null]", "nul",
    "{\"a\":\"\u{202E}b\u{0}\"}", " { } x", "0123", "123456789012345678901234567890.5e-29",
    "[\(String(repeating: "0,", count: 90))0]",
  ]

  static let telegrams = [
    #"status {"v":2,"boot":"00c0ffee","state":"lost"}"#,
    #"status {"v":1,"boot":"00C0FFEE","state":"lost"}"#,
    "location {\(event),\"fix\":3,\"lat\":90.00000001,\"lon\":-180,\"age_s\":1e308,\"why\":\"first\"}",
    "location {\(event),\"fix\":0,\"why\":\"lost\",\"reason\":\"no_fix\",\"last\":{\"lat\":0,\"lon\":0,\"t\":1e99}}",
    "shake {\(event),\"id\":1,\"phase\":\"began\",\"start_t\":7258118400,\"duration_s\":-0,\"peak_g\":1e5}",
    "health {\(envelope),\"spool\":{\"events\":-1,\"bytes\":1.5,\"evicted\":9007199254740993},\"link\":{}}",
    "acceleration {\(envelope),\"window_s\":0,\"filter\":\"raw\",\"g\":[1,2],\"n\":1,\"missed\":0}",
    "geofence {\(event),\"fence\":\"a\u{202E}\",\"event\":\"enter\",\"lat\":0,\"lon\":0,\"age_s\":0,\"edge_m\":0}",
    "evicted {\(event),\"from_seq\":9,\"to_seq\":2,\"runs\":[[1,3],[3,4]],\"events\":1,"
      + "\"counts\":{\"shake\":-1},\"reason\":\"cap\"}",
    "evicted {\(event),\"from_seq\":1,\"to_seq\":9,\"runs\":[[1,3],[5,9]],\"events\":8,"
      + "\"counts\":{\"shake\":8},\"reason\":\"age\"}",
    "evicted {\(event),\"from_seq\":1,\"to_seq\":9,\"bytes\":70,\"reason\":\"damaged\"}",
    "reply {\(envelope),\"ok\":false,\"reason\":\"\\u0000\\u001b[2J\"}",
    "shake/waveform {\(event),\"id\":1,\"chunk\":0,\"x\":[2147483648],\"y\":[],\"z\":[0]}",
  ]

  static let messages = [
    #"command {"v":1,"id":"","command":"live","for_s":3600.0001}"#,
    #"command {"v":1,"id":"a\u0000","command":"reboot"}"#,
    #"control {"v":1,"id":"a","command":"silence","t":0,"expires_t":0,"author":"\u001b[2J","all":true,"end_t":1e300}"#,
    #"control {"v":1,"id":"a","command":"wish","t":0,"expires_t":0,"author":"","node":"../+","verb":"live","end_t":1}"#,
    #"answer {"v":1,"t":0,"result":"done","text":"\u202e","alerts":["a",null]}"#,
    #"alert {"v":1,"rule":"../a","node":"+","state":"firing","t":-1,"since_t":0,"summary":"","count":0}"#,
    #"status {"v":1,"state":"online","t":null}"#,
    #"ack {"v":1,"boot":"00c0ffee","seq":0,"also":[[2,9],[11,11]]}"#,
    #"ack {"v":1,"boot":"00c0ffee","seq":9007199254740992,"also":[[9,2],[1,1e300],[]]}"#,
  ]

  static let topics = [
    "judder/pump-7/shake", "judder/pump-7/shake/waveform", "judder/pump-7/command", "acme/zurich/judder/a/status",
    "acme/judder/a/location", "judder-fleet/status", "judder-fleet/alerts/lost-fix/pump-7", "judder//shake",
    "judder/+/shake", "judder/#", "$SYS/judder/a", "judder/pump-7/shake/", "/judder/pump-7/shake", "judder/A/shake",
    "judder/-a/shake", "judder/a\u{301}/shake", "judder/a/\u{301}shake", "judder/\u{0}/shake", "judder/pump-7/evicted",
    "judder/" + String(repeating: "a", count: 64) + "/shake", "a/b/c/d/e/f/g/h", "Host.Example.ORG", "---", "\u{202E}",
  ]

  static let gpsd = [
    """
    {"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}
    {"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyS0","activated":"2026-01-01T00:00:00Z"}]}
    {"class":"WATCH","enable":true,"json":true}
    {"class":"SKY","device":"/dev/ttyS0","uSat":7,"nSat":9}
    {"class":"TPV","device":"/dev/ttyS0","mode":3,"time":"2026-12-01T10:00:00Z","lat":47.3769,"lon":8.5417,"eph":4.1}
    10
    {"class":"TPV","device":"/dev/ttyS0","mode":3,"time":"2026-12-01T10:00:01Z","lat":47.3779,"lon":8.5417,"eph":4.1}
    600
    {"class":"TPV","device":"/dev/ttyS0","mode":1}

    """,
    "{\"class\":\"TPV\",\"mode\":3,\"lat\":1e400,\"lon\":8}\n{\"class\":\"TPV\",\"mode\":3,\"lat\":91,\"lon\":8}\n",
    "{\"class\":\"TPV\",\"mode\":2,\"lat\":47,\"lon\":8,\"epx\":1e308,\"epy\":1e308,\"speed\":-1,\"track\":361}\n20\n",
    "{\"class\":\"TPV\",\"mode\":9,\"status\":8,\"lat\":47,\"lon\":8,\"time\":\"0000-00-00T99:99:99Z\"}"
      + "\r\n\r\n{}\n[]\n",
    "{\"class\":\"DEVICE\",\"path\":\"/dev/\u{202E}\",\"activated\":0}\n"
      + "{\"class\":\"ERROR\",\"message\":\"\u{1B}[2J\"}\n",
    "\u{0}\u{FEFF}{\"class\":\"\u{7}\"}\n{\"class\":\"TPV\",\"class\":\"SKY\",\"satellites\":"
      + "[{\"used\":true},1,null]}\n",
  ]

  static let node = [
    "[node]\nid = \"pump-7\"\nprefix = \"acme/zurich\"\n[broker]\nhost = \"::1\"\nport = 1883\n",
    "[shake]\npreset = \"fixed\"\non_g = 1e999\nreversals = -3\n[node]\nid = \"-A\"\n",
    "[[geofence]]\nname = \"depot\"\nlat = 47.0\nlon = 8.0\nradius_m = 200\n",
    "[accelerometer]\nsource = \"none\"\nmount_matrix = \"1,0,0;0,1,0;0,0,1\"\nrate_hz = nan\n"
      + "[spool]\ncap_mb = 1e308\n",
    "node = 1\n[nod]\n\"\" = 2\n[node.\"\u{202E}\"]\na = 1979-05-27T07:32:00Z\n", "a = [[[[[[[[[[[[[[[[[[[[",
    "\u{FEFF}[log]\nlevel = '''\ninfo'''",
  ]

  static let fleet = [
    "[fleet]\nprefix = \"+/judder\"\nmax_nodes = 3\n[[rule]]\nname = \"shaken\"\nkind = \"shake\"\nmin_peak_g = 0.5\n",
    "[[rule]]\nname = \"a\"\nkind = \"silent\"\nfence = \"x\"\nfor_s = -1\n[[rule]]\nname = \"a\"\nkind = \"shake\"\n",
    "[[sink]]\nkind = \"mqtt\"\nname = \"m\"\n[[sink]]\nkind = \"console\"\n[waveform]\nfolder = \"\"\n",
    "[node.\"pump-7\"]\nsite = \"\u{1B}\"\n[broker]\nversion = \"5\"\nclient_id = \"\"\n",
  ]

  static let recordings = [
    "t,x,y,z\n0,0,0,1\n0.01,0.1,-0.2,1e0\n", "0;0;0;1\n", "# a\n\u{FEFF}t,x,y,z\r\n 1 ,\t2, 3,4 \r\n1e308,1,1,1",
    "t,x,y,z\n1,2,3\n", "1,2,3,4\n1,nan,inf,0x1p3\n", "1,2,3,4\n5,6", "\"t\",x,y,z\n", "1796011500123,0,0,1\n",
  ]

  static let spool: [[UInt8]] = [
    [0], [0] + Array("JSEG".utf8) + [1, 0, 0, 0], [1, 0xF5, 0xA7, 0, 1, 255, 255, 0, 0],
    [1] + Array(repeating: 0, count: 600),
    [2, 3, 1, 2, 3, 5, 9, 9, 9, 9, 9, 7, 1, 2, 3, 4, 5, 6, 7], [2] + (0..<200).map { UInt8($0) },
    [3, 1, 1, 0, 0, 0, 0, 0], [3, 255, 255, 255, 255, 15, 1, 1, 0, 0, 0, 0],
    [3, 2, 2, 1, 1, 5, 1, 1, 1, 4, 0, 1, 1, 2, 0, 1, 1, 4, 1],
  ]

  static let rows = [
    "judder/a/status {\"v\":1,\"boot\":\"00000001\",\"state\":\"lost\"}\n99\njudder/a/status \njudder/b/shake x\n",
    "judder-fleet/alerts/silent/a {\"v\":1,\"rule\":\"silent\",\"node\":\"a\",\"state\":\"firing\",\"t\":1,"
      + "\"since_t\":1,\"summary\":\"\u{202E}\",\"count\":1}\n500\n",
    "judder/a/health {\(envelope),\"spool\":{\"events\":0,\"bytes\":0,\"evicted\":0},"
      + "\"link\":{\"connects\":1,\"unacked\":0,"
      + "\"dropped\":0,\"refused\":0}}\n900\njudder/a/shake/waveform {}\njudder/\u{FFFD}/shake {}\n",
  ]
}
