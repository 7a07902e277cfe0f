import java.nio.file.Path;

/** An example: a reader of upkg.CompactIndex. FORMATGAUGE_PLANT plants a fault: the sign is ignored. */
public final class ExampleReader {
  private ExampleReader() {}

  static FormatgaugeVectors.Answer answer(FormatgaugeVectors.Vector v) {
    FormatgaugeVectors.Answer value = v.op().equals("encode") ? new FormatgaugeVectors.Tree(v.tree()) : decode(v.input());
    return !v.op().equals("decode") && value instanceof FormatgaugeVectors.Tree t ? encode(t.json()) : value;
  }

  private static FormatgaugeVectors.Answer decode(byte[] b) {
    if (b.length == 0) return new FormatgaugeVectors.Reject("truncated", 0);
    long value = b[0] & 0x3F;
    int used = 1;
    for (int shift = 6, more = b[0] & 0x40; more != 0 && used < 5; shift += 7, more = b[used++] & 0x80) {
      if (used == b.length) return new FormatgaugeVectors.Reject("truncated", 0);
      value |= (b[used] & 0x7FL) << shift;
    }
    if (used < b.length) return new FormatgaugeVectors.Reject("trailing", used);
    if (b[0] < 0 && System.getenv("FORMATGAUGE_PLANT") == null) value = -value;
    return new FormatgaugeVectors.Tree("\"" + (int) value + "\"");
  }

  private static FormatgaugeVectors.Answer encode(String tree) {
    long value = Long.parseLong(tree.substring(1, tree.length() - 1));
    if (value != (int) value) return new FormatgaugeVectors.Reject("range", -1);
    long rest = Math.abs(value);
    byte[] out = new byte[5];
    int n = 1, more = 0x40;
    out[0] = (byte) ((value < 0 ? 0x80 : 0) | rest & 0x3F);
    for (rest >>= 6; rest > 0; rest >>= 7, more = 0x80) {
      out[n - 1] |= (byte) more;
      out[n++] = (byte) (rest & 0x7F);
    }
    return new FormatgaugeVectors.Bytes(java.util.Arrays.copyOf(out, n));
  }

  /** Tests without JUnit: the table, and a part of the ids. */
  public static void main(String[] args) throws Exception {
    boolean failed = false;
    for (FormatgaugeVectors.Test t : FormatgaugeVectors.load(Path.of(args[0]), args.length > 1 ? args[1] : "")) {
      String result = t.run(ExampleReader::answer);
      failed |= result.startsWith("fail");
      System.out.println(t.id() + "  " + result);
    }
    System.exit(failed ? 1 : 0);
  }
}
