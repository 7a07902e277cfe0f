import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import java.util.function.Function;
import java.util.regex.*;

/** Vectors of Formatgauge as tests of JUnit 5, from a table. docs/native-tests.md says how to use it. */
public final class FormatgaugeVectors {
  private FormatgaugeVectors() {}
  /** A request: an operation of a vector. input is what to decode, tree what to encode. */
  public record Vector(String type, String id, String op, String context, byte[] input, String permitted, String want, String notes) {
    public String tree() { return want.replace('\5', '"').replace('\6', '"'); } // these begin floats of 32 and 64 bits
    /** The result of an answer: pass, acceptable, skip or fail. */
    public String judge(Answer answer) {
      boolean reject = answer instanceof Reject;
      if (answer instanceof Skip || reject && "unsupported".equals(((Reject) answer).type) && !permitted.startsWith("pass:reject")) return "skip";
      for (String one : permitted.split(" ")) {
        if (fits(answer, one.substring(one.indexOf(':') + 1))) return one.substring(0, one.indexOf(':'));
      }
      return "fail";
    }
    private boolean fits(Answer answer, String form) {
      boolean hex = form.startsWith("hex=");
      if (answer instanceof Reject r) return form.startsWith("reject") && r.fits(form.substring(6));
      if (form.startsWith("reject")) return false;
      if (answer instanceof Tree t) return form.equals("tree") ? same(want, t.json) : !hex;
      return answer instanceof Bytes b && (form.equals("any") || hex && Arrays.equals(b.bytes, HexFormat.of().parseHex(form.substring(4))));
    }
    String explain(Answer answer) {
      String got = answer instanceof Bytes b ? HexFormat.of().formatHex(b.bytes) : answer.toString();
      return id + ": " + op + "\nexpected: " + permitted + "\nvalue:    " + tree() + "\ngot:      " + got + "\n"
          + HexFormat.of().formatHex(input) + notes.replace('\4', '\n');
    }
  }

  /** An answer. */
  public sealed interface Answer permits Tree, Bytes, Reject, Skip, Fault {}
  public record Tree(String json) implements Answer {}
  public record Bytes(byte[] bytes) implements Answer {}
  public record Skip(String reason) implements Answer {}
  public record Fault(String message) implements Answer {}

  /** A rejection. Its type, a class of the protocol, may be null; offset is -1 if there is none. */
  public record Reject(String type, long offset) implements Answer {
    boolean fits(String form) {
      String[] parts = form.split("@");
      if (parts.length > 1 && offset >= 0) {
        String[] range = parts[1].split("-");
        if (offset < Long.parseLong(range[0]) || offset > Long.parseLong(range[1])) return false;
      }
      return parts[0].isEmpty() || type == null || type.isEmpty() || List.of(parts[0].substring(1).split("\\|")).contains(type);
    }
  }

  /** The operations of a vector: one test. */
  public record Test(String id, List<Vector> operations) {
    /** The first failure, otherwise the first acceptable answer, and after a line end what to print of it. */
    public String run(Function<Vector, Answer> reader) {
      String kept = "pass\n";
      for (Vector v : operations) {
        Answer answer = reader.apply(v);
        String result = v.judge(answer);
        if (result.equals("fail") || (v == operations.get(0) && result.equals("skip"))) return result + "\n" + v.explain(answer);
        if (result.equals("acceptable") && kept.equals("pass\n")) kept = result + "\n" + v.explain(answer);
      }
      return kept;
    }

    /** Throws if the reader fails. */
    public void check(Function<Vector, Answer> reader) {
      String result = run(reader);
      if (result.startsWith("fail")) throw new AssertionError(result);
    }
  }

  /** The vectors of a table whose ids contain a text. */
  public static List<Test> load(Path table, String part) throws IOException {
    List<String> lines = Arrays.asList(Files.readString(table).split("\n"));
    String[] head = lines.get(0).split("\t");
    if (!head[0].equals("formatgauge") || !head[1].equals("1")) throw new IOException(table + " is no table of format 1");
    List<Test> out = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      StringBuilder whole = new StringBuilder();
      expand(line, 0, whole, '\n');
      String[] p = whole.toString().split("\t", -1);
      if (!p[0].contains(part)) continue;
      if (out.isEmpty() || !out.get(out.size() - 1).id.equals(p[0])) out.add(new Test(p[0], new ArrayList<>()));
      out.get(out.size() - 1).operations.add(new Vector(head[2], p[0], p[1], p[2], HexFormat.of().parseHex(p[3]), p[4], p[5], p[6]));
    }
    return out;
  }
  private static int expand(String text, int i, StringBuilder out, char end) {
    for (; i < text.length() && text.charAt(i) != end; i++) {
      if (text.charAt(i) != '\1') out.append(text.charAt(i));
      if (text.charAt(i) != '\1') continue;
      StringBuilder part = new StringBuilder();
      int from = expand(text, i + 1, part, '\2') + 1;
      i = text.indexOf('\3', from);
      out.append(part.toString().repeat(Integer.parseInt(text.substring(from, i))));
    }
    return i;
  }

  private static boolean same(String want, String got) { // trees
    int from = 0, at = 0;
    for (Matcher m = Pattern.compile("[\5\6]([^\"]*)\"").matcher(want); m.find(); from = m.end()) {
      String before = want.substring(from, m.start()) + '"';
      int start = at + before.length(), end = got.indexOf('"', start);
      if (!got.startsWith(before, at) || end < 0 || !sameFloat(m.group(1), got.substring(start, end), want.charAt(m.start()) == '\5')) return false;
      at = end + 1;
    }
    return got.substring(at).equals(want.substring(from));
  }
  private static boolean sameFloat(String want, String got, boolean single) { // nan without digits equals each NaN
    if (want.equals(got) || want.equals("nan") && got.startsWith("nan")) return true;
    try { return single ? Float.valueOf(want).equals(Float.valueOf(got)) : Double.valueOf(want).equals(Double.valueOf(got)); }
    catch (NumberFormatException e) { return false; } // inf, or a NaN with digits
  }
}
