import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/** Gives the answers of a file: for each table, ID op kind text hex offset. */
public class Replay {
  public static void main(String[] args) throws Exception {
    Map<String, String[]> answers = new HashMap<>();
    for (String line : Files.readString(Path.of(args[0])).split("\n")) {
      String[] p = line.split("\t", -1);
      answers.put(p[0] + " " + p[1], p);
    }
    boolean failed = false, passed = false;
    for (int i = 1; i < args.length; i++) {
      for (FormatgaugeVectors.Test test : FormatgaugeVectors.load(Path.of(args[i]), "")) {
        String result = test.run(v -> {
          String[] p = answers.get(v.id() + " " + v.op());
          return switch (p[2]) {
            case "tree" -> new FormatgaugeVectors.Tree(p[3]);
            case "hex" -> new FormatgaugeVectors.Bytes(HexFormat.of().parseHex(p[4]));
            case "reject" -> new FormatgaugeVectors.Reject(p[3], Long.parseLong(p[5]));
            case "skip" -> new FormatgaugeVectors.Skip(p[3]);
            default -> new FormatgaugeVectors.Fault(p[3]);
          };
        });
        String word = result.substring(0, result.indexOf('\n'));
        failed |= word.equals("fail");
        passed |= word.equals("pass");
        System.out.println((word.equals("fail") ? "FAIL" : word) + " " + test.id() + "\n  " + result.replace("\n", "\n  "));
      }
    }
    System.exit(failed ? 1 : passed ? 0 : 2);
  }
}
